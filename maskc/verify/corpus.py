"""Experiments 1 and 2: whole texts, of a corpus and drawn ones.

1. *corpus*: each file is tokenised as the model's tokenizer does it. If the judge takes the file,
   each next token must be legal and the end must be legal after the last one. If it refuses the
   file, the walk must get stuck, or the end must be illegal. A unit is a file.
2. *generation*: texts are drawn, by the grammar's rules or from the masks. The judge must take
   each, and each of its tokens must be legal in the mask before it. A unit is a few texts.
"""

from __future__ import annotations

from dataclasses import replace

from maskc.errors import TokenizerError
from maskc.verify.model import Document, Experiment, Unit, legality
from maskc.verify.subject import Subject, Walk

_SHOWN = 400  # characters of a witness


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
        if not found.documents and (verdict or (verdict is None and walked.is_accepted)):
            found.documents.append(replace(document, n_tokens=len(tokens)))


def check_generation(subject: Subject, unit: Unit, found: Experiment, per_unit: int) -> None:
    """Draw the unit's texts, and record where the judge and the masks do not agree."""
    first = unit.number * per_unit
    for number in range(first, first + unit.amount):
        text = subject.draw(number, found)
        if text is None:
            continue
        name = f"generated text {number} of seed {subject.options.seed}"
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
    subject: Subject, document: Document, walked: Walk, found: Experiment, taken_by: str | None
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
