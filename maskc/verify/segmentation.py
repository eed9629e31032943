"""Experiment 4: does it matter how a text is cut into tokens?

A model need not write a text as its tokenizer would. Whatever the tokens, the same bytes must
lead to the same configuration, and the masks on the way must allow each token.

To the start of a stretch of a legal text leads a *random* cut of everything before it.
Inside the stretch *every* cut is checked: one byte at a time gives the configuration at each
byte; each token that the text holds there must be legal, and must lead to the configuration at
its end. By induction so does any sequence of tokens. A unit is a text with a few stretches.

Example: the stretch ``int`` is checked at ``i``, ``n``, ``t``, with the tokens ``i``, ``in``,
``int``, ``n``, ``nt``, ``t`` as far as the vocabulary has them: four cuts, six tokens.
"""

from __future__ import annotations

from random import Random

from maskc.runtime.matcher import Matcher
from maskc.verify.loaded import Loaded
from maskc.verify.model import Document, Experiment, Unit, place_of

PER_DOCUMENT = 5  # stretches taken from one document
N_BYTES = 80  # length of a stretch


def check_segmentations(subject: Loaded, unit: Unit, found: Experiment) -> None:
    """Check the stretches of a unit's text."""
    document, draw = unit.about, Random(unit.seed)
    artifact, data = subject.artifact, document.data
    tokens = subject.encode(document.text)
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(artifact.token_bytes(token) or b""))
    places = sorted(draw.choices(range(len(starts)), k=unit.amount))
    matcher, other, here = artifact.matcher(), artifact.matcher(), 0
    for place in places:
        low, high = starts[here], starts[place]
        cut = subject.segments.draw(data[low:high], draw)
        if cut is None:
            raise ValueError("the model's own tokens are a cut of the text, and none was found")
        # Where the model's own tokens are illegal, the corpus fails.
        if matcher.accept_tokens(tokens[here:place]) < place - here:
            return
        found.count("tokens of random cuts", len(cut))
        n_taken = other.accept_tokens(cut)
        if n_taken < len(cut):
            n_written = sum(len(artifact.token_bytes(token) or b"") for token in cut[:n_taken])
            text = artifact.token_bytes(cut[n_taken])
            _fail(found, "a token is refused", document, low + n_written, text)
            return
        if matcher.configuration() != other.configuration():
            _fail(found, "two cuts of the text lead apart", document, high, None)
            return
        found.count("stretches")
        _check_stretch(subject, document, data[: high + N_BYTES], high, other, found)
        here = place


def _check_stretch(
    subject: Loaded,
    document: Document,
    data: bytes,
    start: int,
    matcher: Matcher,
    found: Experiment,
) -> None:
    """Check every cut of the bytes from a start to their end."""
    matchers = [matcher.fork()]
    for offset in range(start, len(data)):
        after = matchers[-1].fork()
        if not after.accept_bytes(data[offset : offset + 1]):
            _fail(found, "a byte is refused", document, offset, data[offset : offset + 1])
            return
        matchers.append(after)
    configurations = [m.configuration() for m in matchers]
    found.count("bytes", len(data) - start)
    for offset in range(start, len(data)):
        here = matchers[offset - start]
        legal = subject.legal(here)
        for length, ids in subject.segments.at(data, offset):
            text = data[offset : offset + length]
            for token in ids:
                found.count("tokens")
                after = here.fork()
                if not legal[token]:
                    _fail(found, "the mask forbids a token", document, offset, text)
                elif not after.accept_token(token):
                    _fail(found, "a token is legal and refused", document, offset, text)
                elif after.configuration() != configurations[offset - start + length]:
                    _fail(found, "a token leads elsewhere than its bytes", document, offset, text)
    if len(data) == len(document.data) and not matchers[-1].is_accepting:
        _fail(found, "the end is illegal", document, len(data), None)


def _fail(
    found: Experiment, what: str, document: Document, offset: int, token: bytes | None
) -> None:
    found.fail(
        what=f"{what} in a legal text",
        file=document.name,
        **place_of(document.data, offset),
        token="the end" if token is None else repr(token),
    )
