"""A name that is none of some: letters, digits and underscores, no digit first.

Example: without ``city``, ``cit`` and ``city2`` are read; after ``ci`` the token ``ty`` is read,
and ``ty>`` is none of the name and what comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable

from maskc.runtime.link.automata.automaton import ByteAutomaton

_FIRST = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_LATER = _FIRST + b"0123456789"
_OTHER = -1  # it is none of the names, whatever follows


class OtherName(ByteAutomaton[tuple[int, bool]]):
    """Reads a name that is none of some."""

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

    def find_moves(self, name: tuple[int, bool]) -> dict[int, tuple[int, bool]]:
        node, has_begun = name
        children = {} if node == _OTHER else self._children[node]
        return {
            byte: (children.get(byte, _OTHER), True) for byte in (_LATER if has_begun else _FIRST)
        }

    def is_accepting(self, name: tuple[int, bool]) -> bool:
        return name[1] and name[0] not in self._taken
