r"""How much white space may stand between the signs of a JSON text.

- ``compact``: none.
- ``bounded``: up to 8 blanks (spaces, tabs), then, if wanted, one line break (``\n`` or ``\r\n``)
  and up to 8 blanks for each bracket that is open. Pretty-printed texts fit, and none runs away.
- ``at most N``: up to so many spaces, tabs and line breaks (``\n``).
- ``at most N on a line``: up to so many spaces and tabs.
- ``any``: as JSON has it.

With `` inside`` after it, none stands before and after the whole text.

What has been read of a gap is a number, 0 before it.

Example: after ``[`` come at most 8 blanks, a line break, and 8 blanks more.
"""

from __future__ import annotations

import re
from typing import Final

COMPACT: Final = "compact"
BOUNDED: Final = "bounded"
ANY: Final = "any"
BLANKS: Final = (COMPACT, BOUNDED, ANY)
_INSIDE: Final = " inside"
_COUNTED: Final = re.compile(r"at most ([1-9][0-9]{0,9})( on a line)?")
MOST: Final = 8
_RETURNED: Final = MOST + 1  # after \r: \n must follow
BROKEN: Final = MOST + 2  # after the line break, and so many blanks more

BLANK_BYTES: Final = frozenset(b" \t\n\r")


def at_most(n: int | None, *, on_line: bool = False) -> str:
    """Return the choice of up to ``n`` blanks, ``None`` for the usual ones, inside of a text."""
    if on_line and n != 0:
        return f"at most {MOST if n is None else n} on a line{_INSIDE}"
    return (COMPACT if n == 0 else BOUNDED if n is None else f"at most {n}") + _INSIDE


class Blanks:
    """Follows gaps.

    Args:
        choice: one of ``BLANKS``, or ``at most N``, perhaps with `` on a line`` after it; and
            perhaps `` inside`` after that.

    Raises:
        ValueError: it is no choice.
    """

    def __init__(self, choice: str) -> None:
        self.choice = choice.removesuffix(_INSIDE)  # this, without ` inside`
        # whether none stands before and after the whole text
        self.is_inside = choice != self.choice
        counted = _COUNTED.fullmatch(self.choice)
        if counted is None and self.choice not in BLANKS:
            raise ValueError(f"blanks is not one of {', '.join(BLANKS)}")
        # how many blanks there may be, if only their number counts
        self.most = int(counted[1]) if counted else None
        # Of those that are counted, what is none.
        self._others = b"\r\n" if counted and counted[2] else b"\r"

    def step(self, gap: int, byte: int, depth: int) -> int | None:
        """Return the gap after a blank, ``None`` if it may not stand here.

        ``depth`` is how many brackets are open.
        """
        if self.is_inside and not depth:
            return None
        if self.choice == ANY:
            return 0
        if self.choice == COMPACT:
            return None
        if self.most is not None:
            return gap + 1 if gap < self.most and byte not in self._others else None
        if byte == 0x0A:
            return BROKEN if gap <= _RETURNED else None
        if gap == _RETURNED:
            return None
        if byte == 0x0D:
            return _RETURNED if gap <= MOST else None
        if gap < MOST or BROKEN <= gap < BROKEN + MOST * depth:
            return gap + 1
        return None

    def may_go_on(self, gap: int) -> bool:
        """Return whether something other than a blank may come."""
        return gap != _RETURNED or self.most is not None
