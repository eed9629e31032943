"""A token that counts as itself and not as its bytes, and the end of the sequence.

An *atom* is a token that a text is made of besides bytes: a special token that writes none, or any
other token that is named by its id. The same characters written as text are another thing.

Example: ``<|call|>`` as an atom is one token; as text it is eight bytes in some tokens.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from maskc.runtime.link.automata.scanning import NO_EXITS, Scan
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, PlainPiece
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.tokens import Words
from maskc.runtime.schema.tries.trie import Ints, Trie

_BEFORE, _AFTER = 0, 1
_NOTHING = Part()


class TokenPiece(PlainPiece):
    """One token of some.

    Args:
        ids: the tokens, at least one.
        words: their mask; ``None``: they are few.

    Attributes:
        ids: the tokens.
    """

    has_atoms = True
    may_be_empty = False
    first_bytes: frozenset[int] | None = frozenset()

    def __init__(self, ids: Iterable[int], words: Words | None = None) -> None:
        self.ids = frozenset(ids)
        self._part = Part((words,)) if words is not None else Part(few=tuple(sorted(self.ids)))

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before the token."""
        return (Link(self, _BEFORE, rest),)

    def step(self, _inner: int, _byte: int) -> Sequence[int]:
        """Return nothing: it is no text."""
        return ()

    def take(self, inner: int, token_id: int) -> Sequence[int]:
        """Return that the token was taken."""
        return (_AFTER,) if inner == _BEFORE and token_id in self.ids else ()

    def atoms(self, inner: int) -> Iterable[int]:
        """Return the tokens, before one is taken."""
        return self.ids if inner == _BEFORE else ()

    def has_ended(self, inner: int) -> bool:
        """Return whether the token was taken."""
        return inner == _AFTER

    def describe(self, inner: int) -> Hashable:
        """Return whether the token was taken."""
        return inner

    def legal(self, inner: int, _rest: Rest) -> Part:
        """Return the tokens; what comes after them is another hypothesis."""
        return self._part if inner == _BEFORE else _NOTHING

    def walk(self, _trie: Trie, _nodes: Ints, _rest: Rest) -> Scan:
        """Return nothing: it begins where a token begins."""
        return Scan(_NOTHING, NO_EXITS)


class StopPiece(PlainPiece):
    """The end of the sequence, where it is written as a part of the text: nothing follows it.

    Args:
        token_id: the end-of-sequence token that stands there, and no other one.

    Attributes:
        token_id: that token.
    """

    may_be_empty = False
    first_bytes: frozenset[int] | None = frozenset()

    def __init__(self, token_id: int) -> None:
        self.end = self.token_id = token_id

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis, which may end if what follows may be empty."""
        return (Link(self, _BEFORE, rest),)

    def step(self, _inner: int, _byte: int) -> Sequence[int]:
        """Return nothing: the text is over."""
        return ()

    def has_ended(self, _inner: int) -> bool:
        """Return True."""
        return True

    def describe(self, inner: int) -> Hashable:
        """Return nothing that changes."""
        return inner

    def legal(self, _inner: int, _rest: Rest) -> Part:
        """Return nothing: an end is legal where the text may end."""
        return _NOTHING

    def walk(self, _trie: Trie, _nodes: Ints, _rest: Rest) -> Scan:
        """Return nothing."""
        return Scan(_NOTHING, NO_EXITS)
