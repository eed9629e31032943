"""What is verified of a JSON Schema, by the package ``jsonschema``, and the experiments 1 and 2.

1. *corpus*: each file is read as JSON and judged. A text that is accepted is JSON without a key
   twice, and its value is valid; a valid value is accepted as compact JSON, token by token, and an
   invalid one is not. A unit is a file.
2. *generation*: texts drawn from the masks can be ended, and their values are valid.

Example: with ``{"type": "null"}`` the file ``null`` is accepted, and a file ``3`` must not be.

Limits: where a schema has formats or the layout asks for more than the judge reads
(:mod:`maskc.verify.json_judge`), only what is accepted is judged. Schemas that refer to other
documents are not judged without these, as the artifact does not carry them.

Whether a text keeps the artifact's layout is read from its own signs, by docs/json-schema.md;
nothing of the runtime is asked. Spellings that a layout has in part are not judged: exponents, and
escapes of what need not be escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from maskc.errors import TokenizerError
from maskc.verify.json_ends import list_keys
from maskc.verify.json_judge import Judge, NotJsonError, NotJudgedError, read_json, write_value
from maskc.verify.json_texts import draw_text
from maskc.verify.loaded import Loaded
from maskc.verify.model import Document, Experiment, Unit

_GAP = re.compile(r"[ \t\n\r]*")
_PART = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_MUST_BE_ESCAPED = frozenset('"\\bfnrt')  # as escapes are written; others of \u are not judged
_MOST_BLANKS = 8


def keeps_layout(text: str, layout: Mapping[str, str]) -> bool | None:
    """Return whether a text keeps a layout, ``None`` if that is not judged.

    Args:
        text: JSON.
        layout: as an artifact's header has it; any order of keys is taken.
    """
    found: bool | None = True
    depth, place = 0, 0
    while True:
        gap = _GAP.match(text, place)
        blanks = gap[0] if gap else ""
        if not _may_stand(blanks, depth, layout["blanks"]):
            return False
        place += len(blanks)
        if place == len(text):
            return found
        part = _PART.match(text, place)
        if part is None:
            raise ValueError(f"the text is no JSON at character {place}")
        place = part.end()
        sign = part[0]
        depth += (sign in "{[") - (sign in "}]")
        kept = _keeps_spelling(sign, layout)
        if kept is False:
            return False
        found = found and kept


def _may_stand(blanks: str, depth: int, choice: str) -> bool:
    """Return whether blanks may stand between two signs while so many brackets are open."""
    if choice == "any" or not blanks:
        return True
    bounded = rf"[ \t]{{0,{_MOST_BLANKS}}}(?:\r?\n[ \t]{{0,{_MOST_BLANKS * depth}}})?"
    return choice == "bounded" and re.fullmatch(bounded, blanks) is not None


def _keeps_spelling(sign: str, layout: Mapping[str, str]) -> bool | None:
    """Return whether a string or number is spelled as the layout has it."""
    if sign[0] == '"':
        if layout["escapes"] == "any":
            return True
        return True if _MUST_BE_ESCAPED.issuperset(_ESCAPE.findall(sign)) else None
    if sign[0] in "-0123456789" and re.search("[eE]", sign):
        return False if layout["numbers"] == "plain" else None
    return True


PER_UNIT = 4  # texts drawn in one unit
_SHOWN = 400  # characters of a witness


class SchemaSubject(Loaded):
    """An artifact of a JSON Schema that is verified, for one process."""

    @cached_property
    def judge(self) -> Judge:
        """The judge of values."""
        return Judge(self.artifact, self.options.resources)

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """Keys that the end of a text may need, as they are written."""
        return list_keys(json.loads(self.artifact.header["grammar"]["text"]))

    def decide(self, text: str) -> bool | None:
        """Return whether a text is one of the schema's, ``None`` if that is not judged."""
        try:
            value = read_json(text)
        except NotJsonError:
            return False
        except NotJudgedError:
            return None
        if not self.judge.judge(value):
            return False
        return keeps_layout(text, self.judge.layout) if self.judge.is_complete else None


def walk_file(subject: SchemaSubject, unit: Unit, found: Experiment) -> None:
    """Judge the unit's file, walk it and its value as compact JSON, and record what that shows."""
    document = unit.about
    try:
        tokens = subject.encode(document.text)
    except TokenizerError:
        found.count("skipped, not in the vocabulary")
        return
    is_taken = subject.takes(tokens, found, document.name)
    try:
        value = read_json(document.text)
    except NotJsonError as error:
        found.count("not JSON")
        if is_taken:
            problem = f"it is accepted, and it is not JSON: {error}"
            found.fail(file=document.name, problem=problem)
        return
    except NotJudgedError:
        found.count("not judged")
        return
    found.count("texts")
    is_valid = subject.judge.judge(value)
    found.count("valid" if is_valid else "invalid")
    if is_taken and not is_valid:
        problem = "it is accepted, and the judge finds its value invalid"
        found.fail(file=document.name, problem=problem)
    if subject.decide(document.text) and not is_taken:
        problem = "it is refused, and the judge finds its value valid"
        found.fail(file=document.name, problem=problem)
    compact = write_value(value)
    compact_tokens = subject.encode(compact)
    takes_compact = subject.takes(compact_tokens, found, document.name)
    if takes_compact and not is_valid:
        problem = "its value is accepted, and the judge finds it invalid"
        found.fail(file=document.name, problem=problem)
    elif is_valid and not takes_compact and subject.judge.is_complete:
        problem = "its value is refused, and the judge finds it valid"
        found.fail(file=document.name, problem=problem)
    if is_taken:
        found.documents.append(replace(document, n_tokens=len(tokens)))
    elif takes_compact:
        found.documents.append(Document(document.name, compact, len(compact_tokens)))


def check_generation(subject: SchemaSubject, unit: Unit, found: Experiment) -> None:
    """Draw the unit's texts, judge them, and record what that shows."""
    options = subject.options
    for number in range(unit.number * PER_UNIT, unit.number * PER_UNIT + unit.amount):
        text, is_whole = draw_text(
            subject.artifact, subject.keys, options.max_tokens, options.seed, number
        )
        if not is_whole:
            found.count("no end found")
            continue
        found.count("texts")
        if subject.decide(text) is False:
            found.fail(text=text[:_SHOWN], problem="the judge does not find it valid JSON")
            continue
        tokens = subject.encode(text)
        if not subject.takes(tokens, found, f"generated text {number + 1}"):
            found.fail(text=text[:_SHOWN], problem="the tokenizer's own tokens are refused")
            continue
        found.documents.append(Document(f"generated text {number + 1}", text, len(tokens)))
