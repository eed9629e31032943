r"""How a JSON text is laid out: another layout with the same value, and what a layout allows.

Example: ``{"\u0061"\n:1e0}`` is ``{"a":1}``, ``{"a": 1}`` or, indented, three lines.

Whether a text keeps an artifact's layout is read from its own signs, by docs/json-schema.md;
nothing of the runtime is asked. Spellings that a layout has in part are not judged: exponents, and
escapes of what need not be escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')
_GAP = re.compile(r"[ \t\n\r]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_MUST_BE_ESCAPED = frozenset('"\\bfnrt')  # as escapes are written; others of \u are not judged
_MOST_BLANKS = 8
_DIGITS = tuple("0123456789")
_MOST_DIGITS = 18  # of a number that is spelled anew


class BlankLayout(Enum):
    """Where blanks stand: between what they separate, and after each line break."""

    COMPACT = "compact"
    SPACED = "spaced"
    INDENTED = "indented"


def lay_out(text: str, layout: BlankLayout) -> str:
    """Return a JSON text with other blanks, strings without needless escapes, and plain numbers."""
    written: list[str] = []
    depth, before = 0, ""
    parts = [_respell(part) for part in _PARTS.findall(text)]
    for part in parts:
        if part in "}]":
            depth -= 1
        written += _blank(layout, before, part, depth)
        written.append(part)
        depth += part in "{["
        before = part
    return "".join(written)


def _blank(layout: BlankLayout, before: str, part: str, depth: int) -> Iterator[str]:
    if layout is BlankLayout.COMPACT or not before:
        return
    if before == ":":
        yield " "
    elif layout is BlankLayout.SPACED:
        if before == ",":
            yield " "
    elif before == "," or (before in "{[") != (part in "}]"):
        yield "\n" + "  " * depth


def _respell(part: str) -> str:
    """Return a string, a number or another part in its usual spelling."""
    if part.startswith('"'):
        # What stands alone of a pair of surrogates cannot be written without its escape.
        value = json.loads(part, strict=False)
        has_half = any(0xD800 <= ord(character) < 0xE000 for character in value)
        return json.dumps(value, ensure_ascii=has_half)
    if part.lstrip("-")[:1] not in _DIGITS:
        return part
    digits, _, exponent = part.lower().partition("e")
    sign, power = exponent.rstrip("0123456789"), exponent.lstrip("+-").lstrip("0")
    if len(digits) > _MOST_DIGITS or len(power) > len(str(_MOST_DIGITS)):
        return part
    number = Decimal(f"{digits}e{sign}{power or 0}")
    if abs(number.adjusted()) > _MOST_DIGITS:
        return part
    digits = f"{number:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


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
