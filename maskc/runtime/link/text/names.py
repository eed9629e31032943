"""A name that is none of some: letters, digits and underscores, no digit first.

Example: without ``city``, ``cit`` and ``city2`` are read.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.runtime.link.automata.automaton import START, ByteAutomaton

_FIRST = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_LATER = _FIRST + b"0123456789"
_OTHER = -1  # it is none of the names, whatever follows
# States of what is none of no names: nothing was read, and something was.
NO_NAME, ANY_NAME = (0, False), (_OTHER, True)


class OtherName(ByteAutomaton[tuple[int, bool]]):
    """Reads a name.

    Args:
        names: those that it is not.

    Attributes:
        names: these.
    """

    def __init__(self, names: Iterable[bytes]) -> None:
        self._children: list[dict[int, int]] = [{}]
        self._taken: set[int] = set()
        self.names = tuple(names)
        for name in self.names:
            here = 0
            for byte in name:
                if byte not in self._children[here]:
                    self._children[here][byte] = len(self._children)
                    self._children.append({})
                here = self._children[here][byte]
            self._taken.add(here)
        super().__init__((0, False))

    def children(self, node: int) -> dict[int, int]:
        """Return byte → the node that a name goes on to, from a node of the names."""
        return {} if node == _OTHER else self._children[node]

    def is_taken(self, node: int) -> bool:
        """Return whether one of the names ends at a node."""
        return node in self._taken

    def reads(self, text: bytes) -> bool:
        """Return whether a text is a name that is none of some."""
        state: int | None = START
        for byte in text:
            state = self.moves(state).get(byte) if state is not None else None
        return state is not None and self.accepts(state)

    def find_moves(self, name: tuple[int, bool]) -> dict[int, tuple[int, bool]]:
        """Return what each byte leads to; see the base class."""
        node, has_begun = name
        children = self.children(node)
        return {
            byte: (children.get(byte, _OTHER), True) for byte in (_LATER if has_begun else _FIRST)
        }

    def is_accepting(self, name: tuple[int, bool]) -> bool:
        """Return whether a name that is none of some ends here."""
        return name[1] and name[0] not in self._taken
