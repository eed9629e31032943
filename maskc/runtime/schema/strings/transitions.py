"""Where does a character lead, in a deterministic automaton over characters?

Characters are Unicode scalar values, cut into classes by where they start. A state has a target for
most classes, its *default*, and others by class. States are numbers; 0 is dead.

Example: of ``^a`` the start leads to another state by ``a``, and by default to the dead one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

DEAD = 0
ALL_CLASSES = -1
_MOST_SPECIAL = 64

_NO_STATES: frozenset[int] = frozenset()
_SINGLE = tuple(frozenset((state,)) for state in range(256))


def only(state: int) -> frozenset[int]:
    """Return the set of one state; sets of small numbers are the same ones for all automata."""
    return _SINGLE[state] if state < len(_SINGLE) else frozenset((state,))


def set_of(states: set[int]) -> frozenset[int]:
    """Return a set of states that does not change; see :func:`only`."""
    if len(states) < 2:
        return only(next(iter(states))) if states else _NO_STATES
    return frozenset(states)


class Transitions:
    """Where characters lead.

    Args:
        starts: where each range of characters starts, ascending from 0.
        classes: the class of each range.
        defaults: state → target for classes that its row lacks.
        rows: state → class → target.
        start: the initial state, ``DEAD`` if nothing is accepted.
    """

    __slots__ = ("_ranges", "_special", "classes", "defaults", "rows", "start", "starts")

    def __init__(
        self,
        starts: Sequence[int],
        classes: Sequence[int],
        defaults: Sequence[int],
        rows: Sequence[dict[int, int]],
        start: int,
    ) -> None:
        self.starts, self.classes = starts, classes
        self.defaults, self.rows, self.start = defaults, rows, start
        self._ranges: dict[int, tuple[tuple[int, int], ...]] | None = None
        self._special: dict[int, tuple[tuple[int, int], ...] | None] = {}

    def step(self, state: int, character: int) -> int:
        """Return the state after a character."""
        row = self.rows[state]
        if not row:
            return self.defaults[state]
        kind = self.classes[bisect_right(self.starts, character) - 1]
        return row.get(kind, self.defaults[state])

    def read(self, text: str) -> int:
        """Return the state after a text."""
        state = self.start
        for character in text:
            state = self.step(state, ord(character))
        return state

    def targets(self, state: int, low: int, high: int) -> frozenset[int]:
        """Return the states that the characters from ``low`` to ``high`` lead to."""
        row, default = self.rows[state], self.defaults[state]
        if not row:
            return only(default)
        first, last = bisect_right(self.starts, low) - 1, bisect_right(self.starts, high) - 1
        return frozenset(row.get(kind, default) for kind in set(self.classes[first : last + 1]))

    def ranges_of(self, kinds: Iterable[int]) -> list[tuple[int, int]]:
        """Return the characters of some classes, as ranges without their ends."""
        ranges = self._ranges or self._find_ranges()
        return [pair for kind in kinds for pair in ranges.get(kind, ())]

    def _find_ranges(self) -> dict[int, tuple[tuple[int, int], ...]]:
        found: dict[int, list[tuple[int, int]]] = {}
        ends = [*self.starts[1:], 0x110000]
        for low, high, kind in zip(self.starts, ends, self.classes, strict=True):
            found.setdefault(kind, []).append((low, high))
        # Tuples of numbers are none of the garbage collector's business, lists are.
        self._ranges = {kind: tuple(pairs) for kind, pairs in found.items()}
        return self._ranges

    def special(self, state: int) -> tuple[tuple[int, int], ...] | None:
        """Return the characters that do not lead to a state's default, each with its target.

        Returns:
            ``None`` if they are many.
        """
        if state in self._special:
            return self._special[state]
        default, ranges = self.defaults[state], self._ranges or self._find_ranges()
        found: list[tuple[int, int]] = []
        special: tuple[tuple[int, int], ...] | None = None
        for kind, target in self.rows[state].items():
            if target == default:
                continue
            for low, high in ranges.get(kind, ()):
                if high - low + len(found) > _MOST_SPECIAL:
                    break
                if high - low == 1:
                    found.append((low, target))
                else:
                    found += [(character, target) for character in range(low, high)]
            else:
                continue
            break
        else:
            special = tuple(found)
        self._special[state] = special
        return special

    def targets_of(self, state: int, ranges: Iterable[tuple[int, int]]) -> frozenset[int]:
        """Return the live states that the characters of some ranges lead to, ends included."""
        found: set[int] = set()
        for low, high in ranges:
            found |= self.targets(state, low, high)
        found.discard(DEAD)
        return frozenset(found)

    def count_characters(self) -> dict[int, int]:
        """Return the number of characters of each class, and of all."""
        sizes: dict[int, int] = {ALL_CLASSES: 0}
        ends = [*self.starts[1:], 0x110000]
        for low, high, kind in zip(self.starts, ends, self.classes, strict=True):
            size = high - low
            if low < 0xE000 and high > 0xD800:
                size -= min(high, 0xE000) - max(low, 0xD800)  # surrogates
            sizes[kind] = sizes.get(kind, 0) + size
            sizes[ALL_CLASSES] += size
        return sizes
