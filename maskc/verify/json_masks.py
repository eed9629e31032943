"""Experiment 3 of a JSON Schema: does some valid text begin with each token that a mask allows?

At a drawn position of a legal text tokens are drawn as :mod:`maskc.verify.positions` draws them.

- One that the mask allows is taken, and the text is brought to an end: by a rest of the text that
  it was drawn from, or by a search. The judge must take what comes of it.
- With one that the mask forbids, and some rest of that text after it, no text may be one that the
  judge takes.

So each allowed token has a witness, and a forbidden one has those that a text at hand may give.

Example: in ``{"a": 1}`` at the ``1`` the token ``2`` is allowed, and ``{"a": 2}`` says rightly so;
were ``]`` allowed, no end would be found.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.matcher import Matcher
from maskc.verify.json_ends import find_end
from maskc.verify.json_schema import SchemaSubject
from maskc.verify.model import Document, Experiment, Unit, legality, place_of
from maskc.verify.positions import draw_positions, sampler_of

PER_DOCUMENT = 10  # positions taken from one document
PER_POSITION = 12  # tokens compared at each
MOST_CHARACTERS = 5_000  # longer texts if there are no other
_MOST_RESTS = 12  # of a text, that may follow a token
_MOST_STEPS = 8_000  # tried for one end, of which there are many
_CLOSES = (b"", b'"', b"}", b"]", b'"}', b'"]')


def compare_masks(subject: SchemaSubject, unit: Unit, found: Experiment) -> None:
    """Compare masks at as many positions of the unit's text as the unit asks for."""
    document, draw = unit.about, Random(unit.seed)
    artifact, data = subject.artifact, document.data
    sampler = sampler_of(artifact)
    for n_written, matcher, legal, following in draw_positions(subject, unit, draw, found):
        _compare_end(subject, document, n_written, legal, found)
        sampled = sampler.sample(legal, following, draw)
        for token in draw.sample(sampled, min(PER_POSITION, len(sampled))):
            text = data[:n_written] + (artifact.token_bytes(token) or b"")
            rests = _list_rests(data, n_written, len(text) - n_written)
            found.count("comparisons")
            if legal[token]:
                problem = _find_no_end(subject, matcher, token, text, rests, found)
            else:
                problem = _find_text(subject, text, rests)
            if problem is not None:
                found.fail(
                    what=problem,
                    file=document.name,
                    **place_of(data, n_written),
                    token=repr(artifact.token_bytes(token)),
                    maskc=legality(is_legal=bool(legal[token])),
                )


def _compare_end(
    subject: SchemaSubject,
    document: Document,
    offset: int,
    legal: NDArray[np.bool_],
    found: Experiment,
) -> None:
    """Compare whether a text may end with what the judge says of it."""
    data, is_legal = document.data, bool(legal[list(subject.artifact.eos_ids)].all())
    try:
        verdict = subject.decide(data[:offset].decode())
    except UnicodeDecodeError:
        verdict = False
    found.count("comparisons")
    if verdict is not None and verdict != is_legal:
        found.fail(
            what="mask and judge differ about whether the text may end",
            file=document.name,
            **place_of(data, offset),
            maskc=legality(is_legal=is_legal),
        )


def _list_rests(data: bytes, offset: int, length: int) -> list[bytes]:
    """Return rests of a text that may follow a token in the place of what is at an offset."""
    nearest = sorted(range(offset, len(data) + 1), key=lambda at: abs(at - offset - length))
    rests = [data[at:] for at in nearest[:_MOST_RESTS]]
    return list(dict.fromkeys((*rests, *_CLOSES)))


def _find_no_end(
    subject: SchemaSubject,
    matcher: Matcher,
    token: int,
    text: bytes,
    rests: list[bytes],
    found: Experiment,
) -> str | None:
    """Return what is wrong with a token that the mask allows, ``None`` if nothing is."""
    after = matcher.fork()
    if not after.accept_token(token):
        return "a token is legal in the mask and refused"
    end = next(_ends_among(after, rests), None)
    if end is None:
        end = find_end(after, text, subject.keys, _MOST_STEPS)
    if end is None:
        found.count("no end found")
        return None
    # What was cut inside a character is whole again with its end.
    verdict = subject.decide((text + end).decode())
    found.count("legal, with a text that the judge takes" if verdict else "legal, not judged")
    if verdict is False:
        return f"the judge refuses a text that begins so, and ends with {end[:80]!r}"
    return None


def _ends_among(after: Matcher, rests: list[bytes]) -> Iterator[bytes]:
    for rest in rests:
        there = after.fork()
        if there.accept_bytes(rest) and there.is_accepting:
            yield rest


def _find_text(subject: SchemaSubject, text: bytes, rests: list[bytes]) -> str | None:
    """Return the witness that a token is forbidden wrongly, ``None`` if there is none at hand."""
    for rest in rests:
        try:
            is_legal = subject.decide((text + rest).decode())
        except UnicodeDecodeError:
            continue
        if is_legal:
            return f"the judge takes a text that begins so, and ends with {rest[:80]!r}"
    return None
