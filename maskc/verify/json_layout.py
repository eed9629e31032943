r"""How a JSON text is laid out: a value in each layout, and what an artifact's layout allows.

Example: the value of ``{"\u0061"\n:1e0}`` is ``{"a":1}``, ``{"a": 1}`` or, indented, three lines.

Whether a text keeps an artifact's layout is read from its own signs, by docs/json-schema.md;
nothing of the runtime is asked. Spellings that a layout has in part are not judged: exponents, and
escapes of what need not be escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from maskc.runtime.schema.numbers.powers import decimal

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')
_GAP = re.compile(r"[ \t\n\r]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_MUST_BE_ESCAPED = frozenset('"\\bfnrt')  # as escapes are written; others of \u are not judged
_MOST_BLANKS = 8
_GREAT_EXPONENT = 18  # beyond it a number is not written out


class BlankLayout(Enum):
    """Where blanks stand: between what they separate, and after each line break."""

    COMPACT = "compact"
    SPACED = "spaced"
    INDENTED = "indented"


def write_value(value: Any, layout: BlankLayout = BlankLayout.COMPACT, depth: int = 0) -> str:
    """Return a value of :func:`maskc.verify.json_judge.read_json` as JSON.

    Strings have no needless escapes; numbers have an exponent only if it is a great one.
    """
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return _write_number(value)
    if not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    is_compact = layout is BlankLayout.COMPACT
    colon, start, end, comma = ":" if is_compact else ": ", "", "", "," if is_compact else ", "
    if layout is BlankLayout.INDENTED:
        start, end = (f"\n{'  ' * inner}" for inner in (depth + 1, depth))
        comma = f",{start}"
    if isinstance(value, list):
        parts = [write_value(inner, layout, depth + 1) for inner in value]
        return f"[{start}{comma.join(parts)}{end}]"
    parts = [
        f"{json.dumps(key, ensure_ascii=False)}{colon}{write_value(inner, layout, depth + 1)}"
        for key, inner in value.items()
    ]
    return f"{{{start}{comma.join(parts)}{end}}}"


def _write_number(value: int | Fraction) -> str:
    """Return a number whose denominator has no other prime factors than 2 and 5."""
    digits, exponent = decimal(abs(Fraction(value))) or (0, 0)
    written, sign = str(digits), "-" if value < 0 else ""
    if abs(exponent) > _GREAT_EXPONENT:
        return f"{sign}{written}e{exponent}"
    if exponent >= 0:
        return f"{sign}{written}{'0' * exponent}"
    written = written.rjust(1 - exponent, "0")
    return f"{sign}{written[:exponent]}.{written[exponent:]}"


def keeps_layout(text: str, layout: Mapping[str, str]) -> bool | None:
    """Return whether a text keeps a layout, ``None`` if that is not judged."""
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
        part = _PARTS.match(text, place)
        if part is None:
            raise ValueError(f"the text is not JSON at character {place}")
        place = part.end()
        sign = part[0]
        depth += (sign in "{[") - (sign in "}]")
        kept = _keeps_spelling(sign, layout)
        if kept is False:
            return False
        found = found and kept


def _may_stand(blanks: str, depth: int, choice: str) -> bool:
    """Return whether allowed between two signs while so many brackets are open."""
    if choice == "any" or not blanks:
        return True
    bounded = rf"[ \t]{{0,{_MOST_BLANKS}}}(?:\r?\n[ \t]{{0,{_MOST_BLANKS * depth}}})?"
    return choice == "bounded" and re.fullmatch(bounded, blanks) is not None


def _keeps_spelling(sign: str, layout: Mapping[str, str]) -> bool | None:
    """Return whether a string or number is spelled as the layout has it."""
    if sign[0] == '"':
        if layout["escapes"] == "any":
            return True
        if layout["escapes"] == "ascii" and not sign.isascii():
            return False
        return True if _MUST_BE_ESCAPED.issuperset(_ESCAPE.findall(sign)) else None
    if sign[0] in "-0123456789" and re.search("[eE]", sign):
        return {"any": True, "usual": None}.get(layout["numbers"], False)
    return True
