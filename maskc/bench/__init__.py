"""How fast is an artifact on texts of the user's own?

Each text is teacher-forced: the mask is filled, then the text's next token is accepted. *fill* is
``fill_bitmask``, *accept* is ``accept_token``, *step* is both; *cold* is the first pass over all
texts after loading, *warm* the second. Beside them stands what the same masks cost to copy.

Example: ``run_bench("json.llama3.maskc", ["documents/"], BenchOptions()).to_dict()``.

One thread, one sequence at a time; nothing is printed or collected while times are taken. Each
pass is made twice, the cold one from a second loading, and of each position the lesser time is
kept.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from maskc.bench.collector import measure_collections
from maskc.bench.documents import read_documents
from maskc.bench.floors import collect_rows, measure_floors
from maskc.bench.model import BenchOptions, BenchReport
from maskc.bench.slowest import find_slowest
from maskc.bench.timing import Bitmask, Session, keep_least, measure_pass, walk
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.batches import allocate_bitmask
from maskc.verify.files import choose_files, find_corpus
from maskc.vocab import load_encoder

__all__ = ["BenchOptions", "BenchReport", "run_bench"]

SEED = 0  # of the choice among the files


def run_bench(
    artifact_path: str | os.PathLike[str], corpus: Sequence[str], options: BenchOptions
) -> BenchReport:
    """Return the times of an artifact over a corpus.

    Raises:
        ArtifactError: the artifact cannot be loaded.
        GrammarError: the corpus has no file, or no text of it begins with a legal token.
        TokenizerError: the tokenizer cannot be found.
    """
    artifact = load(artifact_path)
    files = choose_files(find_corpus(corpus, options.max_bytes).files, options.files, SEED)
    tokenizer = artifact.header["tokenizer"]["name"]
    encoder = load_encoder(options.tokenizer or tokenizer, is_text=artifact.is_text)
    documents, n_skipped = read_documents(artifact, encoder, files, options.max_bytes)

    tokens = [document.tokens for document in documents]
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    measured = []
    for _ in range(2):
        fresh = partial(_start, load(artifact_path), bitmask)
        measured.append([measure_pass(fresh, tokens, bitmask) for _ in ("cold", "warm")])
    cold, warm = (keep_least(one, other) for one, other in zip(*measured, strict=True))

    start = partial(_start, load(artifact_path), bitmask)
    collections = {
        name: measure_collections(lambda: walk(start, tokens)) for name in ("cold", "warm")
    }
    rows, order = collect_rows(start, tokens, bitmask)
    return BenchReport(
        artifact=os.fspath(artifact_path),
        tokenizer=tokenizer,
        vocab_size=artifact.vocab_size,
        n_documents=len(documents),
        n_skipped=n_skipped,
        cold=cold,
        warm=warm,
        n_masks=len(rows),
        floors=measure_floors(rows, order),
        collections=collections,
        slowest=find_slowest(artifact, documents, cold, warm),
    )


def _start(artifact: Artifact, bitmask: Bitmask) -> Session:
    matcher = artifact.matcher()
    return Session(partial(matcher.fill_bitmask, bitmask, 0), matcher.accept_token)
