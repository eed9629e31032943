"""Does an artifact keep its promise? Four experiments, each with a witness when it fails.

1. *corpus*: texts that Lark parses are accepted token by token, the others are not.
2. *generation*: texts drawn from the masks are parsed by Lark, and none gets stuck.
3. *oracle*: masks agree with an oracle that shares no code with scanner, store or runtime.
4. *raw store*: masks are those of the rows before any streamlining, bit for bit.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from maskc.frontends.lark import build_lark, source_from_header
from maskc.runtime.artifact import load
from maskc.verify.corpus import walk_corpus
from maskc.verify.files import choose_files, find_files
from maskc.verify.generation import check_generation
from maskc.verify.model import Experiment, Progress, VerifyOptions, VerifyReport
from maskc.verify.positions import compare_masks
from maskc.verify.raw import compare_with_raw
from maskc.vocab import load_encoder

__all__ = ["Experiment", "VerifyOptions", "VerifyReport", "run_verify"]


def run_verify(
    artifact_path: str | os.PathLike[str],
    corpus: Sequence[str],
    options: VerifyOptions,
    progress: Progress | None = None,
) -> VerifyReport:
    """Return the outcome of the experiments on an artifact.

    Args:
        artifact_path: of the artifact.
        corpus: files and folders.
        options: how much to check.
        progress: called with an experiment's name and the fraction done.

    Raises:
        ArtifactError: the artifact cannot be loaded.
        GrammarError: the corpus has no file, or the grammar no longer loads.
        TokenizerError: the tokenizer cannot be found.
    """
    tell = progress or (lambda _name, _fraction: None)
    artifact = load(artifact_path)
    files = find_files(corpus, options.max_bytes)
    source = source_from_header(artifact.header["grammar"])
    lark = build_lark(source)
    encoder = load_encoder(options.tokenizer or artifact.header["tokenizer"]["name"])
    chosen = choose_files(files, options.files, options.seed)
    walked, documents = walk_corpus(artifact, lark, encoder, chosen, tell)
    experiments = [walked]
    if options.texts:
        generated, texts = check_generation(
            artifact,
            lark,
            count=options.texts,
            max_tokens=options.max_tokens,
            seed=options.seed,
            progress=tell,
        )
        experiments.append(generated)
        documents += texts
    if options.positions:
        experiments.append(
            compare_masks(
                artifact,
                lark,
                encoder,
                documents,
                n_positions=options.positions,
                seed=options.seed,
                progress=tell,
            )
        )
    if options.raw_positions:
        experiments.append(
            compare_with_raw(
                artifact,
                source,
                encoder,
                documents,
                n_positions=options.raw_positions,
                progress=tell,
            )
        )
    return VerifyReport(tuple(experiments))
