"""A name that is none of some: letters, digits and underscores, no digit first.

All names are scanned once for a tokenizer. Without some the same tokens are read, and the name may
end but where it is one of these: they are followed in the trie of the tokens.

Example: without ``city``, ``cit`` and ``city2`` are read; after ``ci`` the token ``ty`` is read,
and ``ty>`` is none of the name and what comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maskc.runtime.link.automata import START, ByteAutomaton, Left, split_words
from maskc.runtime.link.automata.node_sets import without
from maskc.runtime.link.automata.scanning import AutomatonScans, Scan
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.step_budget import charge_steps

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


class OtherNameScans(AutomatonScans):
    """What is known of names that are none of some; ``every`` is the same of all names."""

    def __init__(self, automaton: OtherName, every: AutomatonScans) -> None:
        super().__init__(automaton, every.scanner)
        self._other, self._every = automaton, every

    def _scan(self, at: int, bytes_: frozenset[int] | None) -> Scan:
        left, has_begun = self._other.name_of(at)
        scan = self._every.scan(self._every.automaton.state_of((None, has_begun)), bytes_)
        return self._leave_out(scan, self.index.tokens, [ROOT], left)

    def _walk(self, trie: Trie, nodes: Ints) -> Scan:
        left, _ = self._other.name_of(START)
        return self._leave_out(self._every.walk(trie, nodes), trie, nodes.tolist(), left)

    def _leave_out(self, scan: Scan, trie: Trie, nodes: list[int], left: Left | None) -> Scan:
        """Return a scan from some nodes that does not end where one of the names is whole."""
        names, whole = self._other.names, list[int]()
        worklist = [(node, left) for node in nodes if left is not None]
        for node, here in worklist:  # grows while we walk it
            after = split_words(names, here)
            charge_steps(1 + len(after))
            for byte, more in after.items():
                child = trie.child(node, byte)
                if child >= 0:
                    worklist.append((child, more))
                    if len(names[more[0]]) == more[2]:
                        whole.append(child)
        if not whole:
            return scan
        removed = np.array(whole, dtype=np.int32)
        return scan._replace(exits=without(scan.exits, removed, len(trie.bytes)))
