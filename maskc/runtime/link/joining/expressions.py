"""Expressions over pieces: which piece of a text may come next, and what is left then.

An *expression* is a piece, or a sequence, a choice or a repetition of expressions. What is left
of one is a *rest*: an expression, and the rest after it. The pieces with which a rest may begin are
its *entries*, each with the rest that is left when that piece has ended. A repetition counts in the
rest, and its body is never written out: ``{1,65536}`` is one expression, and after one more pass
``{0,65535}``.

A piece that may be empty is passed over here, by what expressions say of themselves, so a piece
that is entered reads a byte at least, and no walk goes round in a circle.

Equal expressions and rests are the same object while one of them is in use.

Example: of ``(ab){2,3}c`` the only entry is ``a``, and the rest after it is ``b (ab){1,2} c``.

Source: derivatives of expressions (Brzozowski 1964, doi:10.1145/321239.321249), by pieces instead
of characters, and several at once as in Antimirov 1996 (doi:10.1016/0304-3975(95)00182-4).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.schema.tries import Ints, Trie
from maskc.runtime.schema.tries.summary import Part

if TYPE_CHECKING:
    from maskc.runtime.link.automata.loops import Loop
    from maskc.runtime.link.joining import PieceBoundaries
    from maskc.runtime.link.joining.pieces import Link, Piece

MAX_DEPTH = 100
_Found = TypeVar("_Found")
_numbers = count(1)

Entry = tuple["Piece", "Rest"]


class Expression(ABC):
    """What a text is made of."""

    __slots__ = ("__weakref__", "depth", "may_be_empty")

    def __init__(self, inner: Iterable[Expression], *, may_be_empty: bool) -> None:
        self.may_be_empty = may_be_empty  # whether the empty text is one of its texts
        # how deep expressions are nested in it
        self.depth: int = 1 + max((part.depth for part in inner), default=0)
        if self.depth > MAX_DEPTH:
            raise LimitError("levels of nested parts", MAX_DEPTH, "nest sequences and choices less")

    @abstractmethod
    def enter(self, after: Rest, boundaries: PieceBoundaries, /) -> list[Entry]:
        """Return the pieces with which it may begin, and what is left after each.

        ``after`` is what follows the whole expression.
        """


class PieceExpression(Expression):
    """One piece."""

    __slots__ = ("piece",)

    def __init__(self, piece: Piece) -> None:
        super().__init__((), may_be_empty=piece.may_be_empty)
        self.piece = piece

    def enter(self, after: Rest, _boundaries: PieceBoundaries) -> list[Entry]:
        return [(self.piece, after)]


class Concatenation(Expression):
    """One after the other; of none, the empty text."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        super().__init__(parts, may_be_empty=all(part.may_be_empty for part in parts))
        self.parts = parts

    def enter(self, after: Rest, boundaries: PieceBoundaries) -> list[Entry]:
        """Return the first part's entries, and the next one's while parts may be empty."""
        rests = [after]
        for part in reversed(self.parts[1:]):
            rests.append(boundaries.rest(part, rests[-1]))
        found: list[Entry] = []
        for part, rest in zip(self.parts, reversed(rests), strict=False):
            found += part.enter(rest, boundaries)
            if not part.may_be_empty:
                break
        return found


class Choice(Expression):
    """One of several."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        super().__init__(parts, may_be_empty=any(part.may_be_empty for part in parts))
        self.parts = parts

    def enter(self, after: Rest, boundaries: PieceBoundaries) -> list[Entry]:
        return [entry for part in self.parts for entry in part.enter(after, boundaries)]


class Repetition(Expression):
    """Between ``low`` and ``high`` times the same; ``high`` is ``None`` without a bound."""

    __slots__ = ("body", "high", "low")

    def __init__(self, body: Expression, low: int, high: int | None) -> None:
        super().__init__((body,), may_be_empty=not low or body.may_be_empty)
        self.body, self.low, self.high = body, low, high

    def enter(self, after: Rest, boundaries: PieceBoundaries) -> list[Entry]:
        """Return the body's entries, after which one pass less is left."""
        high = None if self.high is None else self.high - 1
        if high == 0:
            return self.body.enter(after, boundaries)
        left = boundaries.repetition(self.body, max(self.low - 1, 0), high)
        return self.body.enter(boundaries.rest(left, after), boundaries)


class _FoundOnce(Generic[_Found]):
    """An attribute of a rest that its method finds.

    There is no lock: what is found may wait for a compiler. Two threads find equal things.
    """

    def __init__(self, find: Callable[[Any], _Found]) -> None:
        self._find, self._name = find, find.__name__
        self.__doc__ = find.__doc__

    @overload
    def __get__(self, rest: None, owner: type) -> Self: ...
    @overload
    def __get__(self, rest: Rest, owner: type) -> _Found: ...
    def __get__(self, rest: Rest | None, owner: type) -> Self | _Found:
        if rest is None:
            return self
        found: _Found = self._find(rest)
        rest.__dict__[self._name] = found  # where Python looks before it asks here
        return found


class Rest:
    """What is left of a text: an expression and the rest after it; neither at the end."""

    def __init__(
        self, expression: Expression | None, after: Rest | None, boundaries: PieceBoundaries
    ) -> None:
        self.expression, self.after, self._boundaries = expression, after, boundaries
        # whether the text may end here
        self.may_be_empty: bool = expression is None or (
            expression.may_be_empty and after is not None and after.may_be_empty
        )
        self.depth: int = 0 if after is None else after.depth + 1  # how many expressions are left
        self.number: int = next(_numbers)  # above 0; no other rest of the process ever has it

    @_FoundOnce
    def entries(self) -> tuple[Entry, ...]:
        """The pieces that may come next, each with what is left after it."""
        found: dict[Entry, None] = {}
        here = self
        while here.expression is not None and here.after is not None:
            found.update(dict.fromkeys(here.expression.enter(here.after, self._boundaries)))
            if not here.expression.may_be_empty:
                break
            here = here.after
        return tuple(found)

    @_FoundOnce
    def starts(self) -> tuple[Link, ...]:
        return tuple(start for piece, after in self.entries for start in piece.start(after))

    @_FoundOnce
    def first_bytes(self) -> frozenset[int] | None:
        """Bytes outside of which what is left does not go on, ``None`` if that is not known."""
        every = [piece.first_bytes for piece, _ in self.entries]
        known = [bytes_ for bytes_ in every if bytes_ is not None]
        return frozenset().union(*known) if len(known) == len(every) else None

    @_FoundOnce
    def capped(self) -> Rest:
        """A rest that no token tells from this one: no count in it is larger than a token."""
        return self._boundaries.cap(self)

    def walk(self, trie: Trie, nodes: Sequence[int] | Ints) -> Part:
        return self._boundaries.walk(self, trie, np.asarray(nodes, dtype=np.int32))

    def count_down(self, loop: Loop | None) -> Part | None:
        """Return what is legal in a loop that this follows, ``None`` if that is not known."""
        return None if loop is None or loop.out else self._boundaries.count_down(loop, self)

    def reads(self, text: bytes) -> bool:
        return bool(self._boundaries.step(self.starts, text))
