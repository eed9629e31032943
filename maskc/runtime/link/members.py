"""Parameters in any order, each once: what may come next depends on which have come.

Which have come is a set of bits in the expression, so that n parameters are n + 1 expressions on
the way of one text, and never all of their orders.

Example: of ``a`` and ``b``, both required, after ``b`` only ``a`` may come, and then the end.
"""

from __future__ import annotations

from typing import Protocol

from maskc.runtime.link.expressions import Entry, Expression, Rest
from maskc.runtime.link.joints import Joints


class Table(Protocol):
    """What parameters there are."""

    def may_end(self, seen: int) -> bool:
        """Return whether a set of parameters is enough."""

    def next(self, seen: int) -> Expression | None:
        """Return a parameter that may come, and all after it; ``None``: there is none."""


class Members(Expression):
    """What may come after some parameters.

    Args:
        table: the parameters.
        seen: those that have come, as bits.
    """

    def __init__(self, table: Table, seen: int) -> None:
        super().__init__((), may_be_empty=table.may_end(seen))
        self._table, self._seen = table, seen

    def enter(self, after: Rest, joints: Joints, /) -> list[Entry]:
        """Return the entries of what may come next; see the base class."""
        following = self._table.next(self._seen)
        return [] if following is None else following.enter(after, joints)
