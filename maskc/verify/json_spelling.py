r"""Does a JSON text keep the layout of a schema's artifact? Read from the text's own signs.

The layout is that of docs/json-schema.md; nothing of the runtime is asked. Spellings that a layout
has in part are not judged: exponents, and escapes of what need not be escaped.

Example: with bounded blanks ``{"a": 1}`` does, and ``{"a":`` with nine blanks after it does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
