"""Experiment 4: does streamlining leave every mask as it was?

The artifact's grammar is compiled once more, for the artifact's own tokens, without any
streamlining step: its rows are those of the walk, and the parser is asked about each of them at
each position. At every position of the texts both masks must be equal in every bit.

Source: blog, experiment 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maskc.frontends.source import GrammarSource
from maskc.pipeline import compile_contents
from maskc.runtime.artifact import Artifact
from maskc.runtime.matcher import allocate_bitmask
from maskc.streamline.order import STEPS
from maskc.verify.corpus import Document
from maskc.verify.model import Experiment, Progress, place_of
from maskc.vocab import Encoder
from maskc.vocab.vocabulary import Vocabulary


def compare_with_raw(
    artifact: Artifact,
    source: GrammarSource,
    encoder: Encoder,
    documents: Sequence[Document],
    *,
    n_positions: int,
    progress: Progress,
) -> Experiment:
    """Return the outcome of comparing the masks at the first ``n_positions`` of the texts."""
    experiment = Experiment("raw store", needed="positions")
    progress("raw store", 0.0)
    raw = _compile_raw(artifact, source)
    experiment.count("rows", artifact.header["counts"]["rows"])
    experiment.count("rows of the raw store", raw.header["counts"]["rows"])
    ours, theirs = (allocate_bitmask(1, artifact.vocab_size) for _ in range(2))
    for document in documents:
        tokens = encoder.encode(document.text)
        matcher, raw_matcher = artifact.matcher(), raw.matcher()
        written = b""
        for place in range(len(tokens) + 1):
            if experiment.counts.get("positions", 0) >= n_positions:
                return experiment
            experiment.count("positions")
            matcher.fill_bitmask(ours, 0)
            raw_matcher.fill_bitmask(theirs, 0)
            differing = np.bitwise_xor(ours[0], theirs[0]).view(np.uint8)
            if differing.any():
                ids = np.flatnonzero(np.unpackbits(differing, bitorder="little")).tolist()
                experiment.fail(
                    what="streamlining changed a mask",
                    tokens=[repr(artifact.token_bytes(i)) for i in ids[:5]],
                    file=document.name,
                    **place_of(document.text, len(written.decode(errors="ignore"))),
                )
            if place < len(tokens):
                text = artifact.token_bytes(tokens[place]) or b""
                if not (
                    matcher.accept_token(tokens[place]) and raw_matcher.accept_token(tokens[place])
                ):
                    break
                written += text
        progress("raw store", experiment.counts["positions"] / n_positions)
    progress("raw store", 1.0)
    return experiment


def _compile_raw(artifact: Artifact, source: GrammarSource) -> Artifact:
    vocabulary = Vocabulary(
        tokens=tuple(artifact.token_bytes(i) for i in range(artifact.vocab_size)),
        eos_ids=artifact.eos_ids,
        name=artifact.header["tokenizer"]["name"],
    )
    return Artifact(compile_contents(source, vocabulary, up_to=STEPS[0])[0])
