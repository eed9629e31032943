"""Experiment 4: does it matter how a text is cut into tokens?

A model need not write a text as its tokenizer would. Whatever the tokens, the same bytes must
lead to the same configuration, and the masks on the way must allow each token.

To the start of a stretch of a legal text leads a *random* cut of everything before it.
Inside the stretch *every* cut is checked: one byte at a time gives the configuration at each
byte; each token that the text holds there must be legal, and must lead to the configuration at
its end. By induction so does any sequence of tokens. A stretch ends before a special token. A unit
is a text with a few stretches.

Example: the stretch ``int`` is checked at ``i``, ``n``, ``t``, with the tokens ``i``, ``in``,
``int``, ``n``, ``nt``, ``t`` as far as the vocabulary has them: four cuts, six tokens.
"""

from __future__ import annotations

from random import Random

from maskc.runtime.matcher import Matcher
from maskc.verify.model import Document, Experiment, Unit
from maskc.verify.subject import Subject

_N_BYTES = 80  # length of a stretch


def check_segmentations(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Check the stretches of a unit's text."""
    if subject.cut_matters:
        found.count("not compared, since the tag is about tokens")
        return
    document, draw, data = unit.about, Random(unit.seed), unit.about.data
    tokens, starts = subject.encode(document.text), [0]
    for token in tokens:
        starts.append(starts[-1] + len(subject.written(token)))
    places = sorted(draw.choices(range(len(starts)), k=unit.amount))
    matcher, other, here = subject.artifact.matcher(), subject.artifact.matcher(), 0
    atom_starts = [start for start, _, _ in subject.atoms(data)]
    for place in places:
        low, high = starts[here], starts[place]
        cut = subject.cut(data[low:high], draw)
        # Where the model's own tokens are illegal, the corpus fails.
        if matcher.accept_tokens(tokens[here:place]) < place - here:
            return
        found.count("tokens of random cuts", len(cut))
        n_taken = other.accept_tokens(cut)
        if n_taken < len(cut):
            n_written = sum(len(subject.written(token)) for token in cut[:n_taken])
            refused = subject.written(cut[n_taken])
            _fail(found, "a token is refused", document, low + n_written, refused)
            return
        if matcher.configuration() != other.configuration():
            _fail(found, "two cuts of the text lead apart", document, high, None)
            return
        found.count("stretches")
        end = min([high + _N_BYTES, *(start for start in atom_starts if start >= high)])
        _check_stretch(subject, document, data[:end], high, other, found)
        here = place


def _check_stretch(
    subject: Subject,
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
    is_whole = matchers[-1].is_accepting or matchers[-1].is_terminated
    if len(data) == len(document.data) and not is_whole:
        _fail(found, "the end is illegal", document, len(data), None)


def _fail(
    found: Experiment, what: str, document: Document, offset: int, token: bytes | None
) -> None:
    shown = "the end" if token is None else repr(token)
    found.fail_at(f"{what} in a legal text", document, offset, token=shown)
