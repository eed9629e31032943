"""Experiment 6: does streamlining leave every mask as it was?

The artifact's grammar is compiled once more, for the artifact's own tokens, without any
streamlining step: its rows are those of the walk, and the parser is asked about each of them at
each position. At every position of the texts both masks must be equal in every bit.

The first unit compiles, and leaves what it made to the others; each of these takes some positions
of one text, one after the other from a drawn place on.

Source: blog, experiment 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np

from maskc.bounded import run_bounded
from maskc.pipeline import compile_contents
from maskc.runtime.artifact import Artifact, load
from maskc.runtime.batches import allocate_bitmask
from maskc.streamline.order import STEPS
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import Document, Experiment, Unit, place_of
from maskc.vocab.vocabulary import Vocabulary

_FILE = "raw.maskc"


def compare_with_raw(subject: GrammarSubject, unit: Unit, found: Experiment) -> None:
    """Compare the masks of the unit's positions; without a text, compile the raw store."""
    if unit.document is None:
        raw = _compile_raw(subject)
        raw.save(subject.folder / _FILE)
        found.count("rows", subject.artifact.header["counts"]["rows"])
        found.count("rows of the raw store", raw.header["counts"]["rows"])
        return
    tokens = subject.encode(unit.document.text)
    first = Random(unit.seed).randint(0, len(tokens) + 1 - unit.amount)
    _compare_stretch(subject, unit.document, tokens, range(first, first + unit.amount), found)


def _compare_stretch(
    subject: GrammarSubject,
    document: Document,
    tokens: Sequence[int],
    places: range,
    found: Experiment,
) -> None:
    artifact = subject.artifact
    matcher, raw_matcher = artifact.matcher(), _open_raw(subject.folder).matcher()
    ours, theirs = (allocate_bitmask(1, artifact.vocab_size) for _ in range(2))
    for place in range(places.stop):
        if place >= places.start:
            found.count("positions")
            matcher.fill_bitmask(ours, 0)
            raw_matcher.fill_bitmask(theirs, 0)
            differing = np.bitwise_xor(ours[0], theirs[0]).view(np.uint8)
            if differing.any():
                ids = np.flatnonzero(np.unpackbits(differing, bitorder="little")).tolist()
                offset = sum(len(artifact.token_bytes(t) or b"") for t in tokens[:place])
                found.fail(
                    what="streamlining changed a mask",
                    tokens=[repr(artifact.token_bytes(i)) for i in ids[:5]],
                    file=document.name,
                    **place_of(document.data, offset),
                )
        # Where a token is illegal, the corpus fails.
        if place == places.stop - 1 or not (
            matcher.accept_token(tokens[place]) and raw_matcher.accept_token(tokens[place])
        ):
            return


@lru_cache(maxsize=1)
def _open_raw(folder: Path) -> Artifact:
    """Return what the first unit left."""
    return load(folder / _FILE)


def _compile_raw(subject: GrammarSubject) -> Artifact:
    artifact = subject.artifact
    vocabulary = Vocabulary(
        tokens=tuple(artifact.token_bytes(i) for i in range(artifact.vocab_size)),
        eos_ids=artifact.eos_ids,
        name=artifact.header["tokenizer"]["name"],
    )
    contents, _ = run_bounded(
        lambda: compile_contents(subject.source, vocabulary, up_to=STEPS[0]), subject.options.limits
    )
    return Artifact(contents)
