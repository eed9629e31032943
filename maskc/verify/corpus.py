"""Experiments 1, 2 and 4: whole texts, of a corpus and drawn ones, and their cuts into tokens.

1. *corpus*: each file is tokenised as the model's tokenizer does it. If the judge takes the file,
   each next token must be legal and the end must be legal after the last one. If it refuses the
   file, the walk must get stuck, or the end must be illegal. A unit is a file.
2. *generation*: texts are drawn, by the grammar's rules or from the masks. The judge must take
   each, and each of its tokens must be legal in the mask before it. A unit is a few texts.
4. *segmentation*: a model need not write a text as its tokenizer would. Whatever the tokens, the
   same bytes must lead to the same configuration, and the masks on the way must allow each token.
   To the start of a stretch of a legal text leads a *random* cut of everything before it. Inside
   the stretch *every* cut is checked: one byte at a time gives the configuration at each byte; each
   token that the text holds there must be legal, and must lead to the configuration at its end.
   By induction so does any sequence of tokens. A unit is a text with a few stretches.

Example: the stretch ``int`` is checked at ``i``, ``n``, ``t``, with the tokens ``i``, ``in``,
``int``, ``n``, ``nt``, ``t`` as far as the vocabulary has them: four cuts, six tokens.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maskc.errors import TokenizerError
from maskc.runtime.matcher import Matcher
from maskc.verify.model import Document, Experiment, Unit, legality
from maskc.verify.subject import Subject, TextWalk

_SHOWN = 400  # characters of a witness
_N_BYTES = 80  # length of a stretch


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
        found.count("tokens", walked.n_tokens)
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
        found.count("tokens", walked.n_tokens)
        if not walked.is_accepted:
            taken_by = f"{subject.judge_name} {subject.takes}" if verdict else "the masks allow"
            _fail(subject, document, walked, found, taken_by)


def _fail(
    subject: Subject, document: Document, walked: TextWalk, found: Experiment, taken_by: str | None
) -> None:
    """Record that a text is refused, or taken (``taken_by`` is ``None``), wrongly."""
    if taken_by is None:
        what = f"a text that {subject.judge_name} refuses is accepted"
    elif walked.stuck is None:
        what = f"the end is illegal after a text that {taken_by}"
    else:
        what = f"a token is illegal in a text that {taken_by}"
        found.count("illegal tokens")
    found.fail_at(
        what,
        document,
        walked.n_written,
        token="the end" if walked.stuck is None else repr(subject.written(walked.stuck)),
        maskc=legality(is_legal=walked.is_accepted),
        **{subject.side: f"{subject.takes if taken_by else 'refuses'} the text"},
    )


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
            _fail_cut(found, "a token is refused", document, low + n_written, refused)
            return
        if matcher.configuration() != other.configuration():
            _fail_cut(found, "two cuts of the text lead apart", document, high, None)
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
            _fail_cut(found, "a byte is refused", document, offset, data[offset : offset + 1])
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
                    _fail_cut(found, "the mask forbids a token", document, offset, text)
                elif not after.accept_token(token):
                    _fail_cut(found, "a token is legal and refused", document, offset, text)
                elif after.configuration() != configurations[offset - start + length]:
                    _fail_cut(
                        found, "a token leads elsewhere than its bytes", document, offset, text
                    )
    is_whole = matchers[-1].is_accepting or matchers[-1].is_terminated
    if len(data) == len(document.data) and not is_whole:
        _fail_cut(found, "the end is illegal", document, len(data), None)


def _fail_cut(
    found: Experiment, what: str, document: Document, offset: int, token: bytes | None
) -> None:
    shown = "the end" if token is None else repr(token)
    found.fail_at(f"{what} in a legal text", document, offset, token=shown)
