"""A name that is none of some: letters, digits and underscores, no digit first.

Example: without ``city``, ``cit`` and ``city2`` are read; after ``ci`` the token ``ty`` is read,
and ``ty>`` is none of the name and what comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from maskc.runtime.link.automata.automaton import ByteAutomaton, Left, split_words

_FIRST = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_LATER = _FIRST + b"0123456789"
# What is left of the names that the text may be, ``None`` for no name, and whether it has begun.
_State = tuple[Left | None, bool]


class OtherName(ByteAutomaton[_State]):
    """Reads a name that is none of some, which are sorted, each once."""

    def __init__(self, names: Sequence[bytes]) -> None:
        self.names = names
        super().__init__(((0, len(names), 0) if names else None, False))

    def find_moves(self, name: _State) -> dict[int, _State]:
        left, has_begun = name
        after = split_words(self.names, left) if left else {}
        return {byte: (after.get(byte), True) for byte in (_LATER if has_begun else _FIRST)}

    def is_accepting(self, name: _State) -> bool:
        left, has_begun = name
        return has_begun and (left is None or len(self.names[left[0]]) != left[2])
