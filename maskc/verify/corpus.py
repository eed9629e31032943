"""Experiments 1, 2 and 4: whole texts, of a corpus and drawn ones, and their cuts into tokens.

A unit of *corpus* is a file, of *generation* a few texts, of *segmentation* a text with a few
segments. To the start of a segment leads a random cut of everything before it. Inside, *every* cut
is checked: one byte at a time gives the configuration at each byte; each token that the text holds
there must be legal, and must lead to the configuration at its end. By induction so does any
sequence of tokens.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maskc.errors import TokenizerError
from maskc.runtime.matcher import Matcher
from maskc.verify.model import Document, Experiment, Unit, legality
from maskc.verify.subject import Cursor, Subject, is_whole

_SHOWN = 400  # characters of a witness
_N_BYTES = 80  # length of a segment


def walk_file(subject: Subject, unit: Unit, found: Experiment) -> None:
    """Walk the unit's file, and what else it says, and record what that shows."""
    try:
        own_tokens = subject.encode(unit.about.text)
    except TokenizerError:
        found.count("skipped, not in the vocabulary")
        return
    for document, verdict in subject.judge_file(unit.about, found):
        is_file = document is unit.about
        tokens = own_tokens if is_file else subject.encode(document.text)
        walked = subject.walk(document, tokens, found, masks=not subject.has_long_texts)
        found.count("tokens", walked.n_taken)
        if verdict is not None and verdict != walked.is_accepted:
            taken_by = f"{subject.judge_name} {subject.takes}"
            _fail(subject, document, walked, found, taken_by if verdict else None)
        # What only one side takes shows more in later experiments.
        if not found.documents and (verdict or walked.is_accepted):
            found.documents.append(replace(document, n_tokens=len(tokens)))


def check_generation(subject: Subject, unit: Unit, found: Experiment, per_unit: int) -> None:
    """Draw the unit's texts, and record where the judge and the masks do not agree."""
    first = unit.number * per_unit
    for number in range(first, first + unit.amount):
        text = subject.draw(number, found)
        if text is None:
            continue
        name = subject.name_of(number)
        document = Document(name, text, encoding=subject.encoding)
        found.count("texts")
        found.count("characters", len(text))
        verdict = subject.verdict(text, found)
        if verdict is False:
            found.fail(
                what=f"a text that the masks allow is refused by {subject.judge_name}",
                file=name,
                text=text[:_SHOWN],
                maskc="legal",
                **{subject.side: "refuses the text"},
            )
            continue
        try:
            tokens = subject.encode(text)
        except TokenizerError:
            found.count("not in the vocabulary")
            continue
        found.documents.append(replace(document, n_tokens=len(tokens)))
        walked = subject.walk(document, tokens, found, masks=True)
        found.count("tokens", walked.n_taken)
        if not walked.is_accepted:
            taken_by = f"{subject.judge_name} {subject.takes}" if verdict else "the masks allow"
            _fail(subject, document, walked, found, taken_by)


def _fail(
    subject: Subject, document: Document, walked: Cursor, found: Experiment, taken_by: str | None
) -> None:
    """Record that a text is refused, or taken (``taken_by`` is ``None``), wrongly."""
    stuck = walked.following
    if taken_by is None:
        what = f"a text that {subject.judge_name} refuses is accepted"
    elif stuck is None:
        what = f"the end is illegal after a text that {taken_by}"
    else:
        what = f"a token is illegal in a text that {taken_by}"
        found.count("illegal tokens")
    found.fail_at(
        what,
        document,
        walked.n_written,
        token="the end" if stuck is None else repr(subject.written(stuck)),
        maskc=legality(is_legal=walked.is_accepted),
        **{subject.side: f"{subject.takes if taken_by else 'refuses'} the text"},
    )


def check_segmentations(subject: Subject, unit: Unit, found: Experiment) -> None:
    if subject.cut_matters:
        found.count("not compared, since the tag is about tokens")
        return
    document, draw, data = unit.about, Random(unit.seed), unit.about.data
    here, other = Cursor(subject, subject.encode(document.text)), subject.artifact.matcher()
    atom_starts = [start for start, _, _ in subject.atoms(data)]
    for n_tokens in sorted(draw.choices(range(len(here.tokens) + 1), k=unit.amount)):
        start = here.n_written
        # Where the model's own tokens are illegal, the corpus fails.
        if not here.go_to(n_tokens):
            return
        cut = Cursor(subject, subject.cut(data[start : here.n_written], draw), other)
        found.count("tokens of random cuts", len(cut.tokens))
        if not cut.go_to(len(cut.tokens)):
            refused = subject.written(cut.tokens[cut.n_taken])
            _fail_cut(found, "a token is refused", document, start + cut.n_written, refused)
            return
        if here.matcher.configuration() != other.configuration():
            _fail_cut(found, "two cuts of the text lead apart", document, here.n_written, None)
            return
        found.count("segments")
        ends = (at for at in atom_starts if at >= here.n_written)
        end = min(here.n_written + _N_BYTES, *ends, len(data))
        _check_segment(subject, document, here.n_written, end, other, found)


def _check_segment(
    subject: Subject, document: Document, start: int, end: int, matcher: Matcher, found: Experiment
) -> None:
    """Check every cut of the bytes from a start to an end."""
    data, matchers = document.data[:end], [matcher.fork()]
    for offset in range(start, end):
        after = matchers[-1].fork()
        if not after.accept_bytes(data[offset : offset + 1]):
            _fail_cut(found, "a byte is refused", document, offset, data[offset : offset + 1])
            return
        matchers.append(after)
    configurations = [m.configuration() for m in matchers]
    found.count("bytes", end - start)
    for offset in range(start, end):
        here = matchers[offset - start]
        legal = subject.legal(here)
        for length, ids in subject.segments.at(data, offset):
            for token in ids:
                found.count("tokens")
                after = here.fork()
                if not legal[token]:
                    what = "the mask forbids a token"
                elif not after.accept_token(token):
                    what = "a token is legal and refused"
                elif after.configuration() != configurations[offset - start + length]:
                    what = "a token leads elsewhere than its bytes"
                else:
                    continue
                _fail_cut(found, what, document, offset, data[offset : offset + length])
    if data == document.data and not is_whole(matchers[-1]):
        _fail_cut(found, "the end is illegal", document, end, None)


def _fail_cut(
    found: Experiment, what: str, document: Document, offset: int, token: bytes | None
) -> None:
    shown = "the end" if token is None else repr(token)
    found.fail_at(f"{what} in a legal text", document, offset, token=shown)
