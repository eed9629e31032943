"""A deterministic automaton over the characters of a decoded string, and which lengths it accepts.

Characters are Unicode scalar values, cut into classes by where they start. A state has a target for
most classes, its *default*, and others by class. States are numbers; 0 is dead, and all others lead
to an accepting one, whose label says what the string is (one of an object's keys, or simply a
member: 0). Lengths count characters, as JSON Schema does; they are not states, so a bound of 65,536
costs what 64 costs.

Example: for the keys ``a`` and ``b`` there are the start, one state each, and nothing else.
"""

from __future__ import annotations

import hashlib
import marshal
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Final

from maskc.acyclic import mypyc_attr

DEAD: Final = 0
NO_LABEL: Final = -1
# Of keys without a name, in objects of which all such keys are one class: one for all objects.
FREE_LABEL: Final = 1 << 30
ALL_CLASSES: Final = -1
_MOST_SPECIAL: Final = 64
_MOST_STEPS: Final = 1 << 17

_NO_STATES: frozenset[int] = frozenset()
_SINGLE: Final = tuple(frozenset((state,)) for state in range(256))


def only(state: int) -> frozenset[int]:
    """Return the set of one state; sets of small numbers are the same ones for all automata."""
    return _SINGLE[state] if state < len(_SINGLE) else frozenset((state,))


def set_of(states: set[int]) -> frozenset[int]:
    """Return a set of states that does not change; see :func:`only`."""
    if len(states) < 2:
        return only(next(iter(states))) if states else _NO_STATES
    return frozenset(states)


def find_nearest(before: Sequence[Sequence[int]], labels: Sequence[int]) -> list[int]:
    """Return how many characters each state is from one that accepts, -1 if it leads to none.

    Args:
        before: state → those that lead to it.
        labels: state → label, ``NO_LABEL`` if it does not accept.
    """
    found = [-1] * len(labels)
    level = [state for state, label in enumerate(labels) if label != NO_LABEL]
    distance = 0
    while level:
        reached: list[int] = []
        for state in level:
            if found[state] < 0:
                found[state] = distance
                reached += before[state]
        level, distance = reached, distance + 1
    return found


@mypyc_attr(acyclic=True)
class CharDfa:
    """An automaton over characters.

    Args:
        starts: where each range of characters starts, ascending from 0.
        classes: the class of each range.
        defaults: state → target for classes that its row lacks.
        rows: state → class → target.
        labels: state → label, ``NO_LABEL`` if it does not accept.
        start: the initial state, ``DEAD`` if nothing is accepted.
        reader: the format that reads the characters that lead to its sink, or stay there.

    Attributes:
        order: what :func:`maskc.runtime.schema.strings.keys.order_names` has found.
        matrix: what :func:`maskc.runtime.schema.scans.residuals.matrix_of` has made ahead, of large
            automata that all schemas share.
        texts: where it was built of texts, these in ascending order, their labels, and the label of
            every other text; ``None`` for others.
    """

    def __init__(
        self,
        starts: Sequence[int],
        classes: Sequence[int],
        defaults: Sequence[int],
        rows: Sequence[dict[int, int]],
        labels: Sequence[int],
        start: int,
        reader: str = "",
    ) -> None:
        self.starts, self.classes = starts, classes
        self.defaults, self.rows, self.start = defaults, rows, start
        self.labels, self.reader = labels, reader
        self._ranges: dict[int, tuple[tuple[int, int], ...]] | None = None
        self._special: dict[int, tuple[tuple[int, int], ...] | None] = {}
        self.order: tuple[list[int] | None] | None = None
        self.matrix: Any = None
        self.texts: tuple[list[str], list[int], int] | None = None
        self._successors: list[frozenset[int]] | None = None
        self._nearest: list[int] | None = None
        self._sink: int | None = None
        self._before: list[tuple[int, ...]] | None = None
        self._cycles: list[bool] | None = None
        self._digest: bytes | None = None
        self._leading: dict[int, set[int]] = {}
        self._character_counts: tuple[dict[int, int], list[dict[int, int] | None]] | None = None
        self._lengths: dict[int, tuple[list[bool], int]] = {}
        self._n_strings: dict[int, int] = {}

    def step(self, state: int, character: int) -> int:
        row = self.rows[state]
        if not row:
            return self.defaults[state]
        kind = self.classes[bisect_right(self.starts, character) - 1]
        return row.get(kind, self.defaults[state])

    def read(self, text: str) -> int:
        state = self.start
        for character in text:
            state = self.step(state, ord(character))
        return state

    def targets(self, state: int, low: int, high: int) -> frozenset[int]:
        row, default = self.rows[state], self.defaults[state]
        if not row:
            return only(default)
        first, last = bisect_right(self.starts, low) - 1, bisect_right(self.starts, high) - 1
        return frozenset(row.get(kind, default) for kind in set(self.classes[first : last + 1]))

    def ranges_of(self, kinds: Iterable[int]) -> list[tuple[int, int]]:
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

        ``None`` if they are many.
        """
        found = self._special.get(state, ())
        # What is remembered as empty is as soon found again.
        if found is not None and not found:
            found = self._special[state] = self._find_special(state)
        return found

    def _find_special(self, state: int) -> tuple[tuple[int, int], ...] | None:
        default, ranges = self.defaults[state], self._ranges or self._find_ranges()
        found: list[tuple[int, int]] = []
        for kind, target in self.rows[state].items():
            if target == default:
                continue
            for low, high in ranges.get(kind, ()):
                if high - low + len(found) > _MOST_SPECIAL:
                    return None
                for character in range(low, high):
                    found.append((character, target))
        return tuple(found)

    def targets_of(self, state: int, ranges: Iterable[tuple[int, int]]) -> frozenset[int]:
        """Return the live states that the characters of some ranges lead to, ends included."""
        found: set[int] = set()
        for low, high in ranges:
            found |= self.targets(state, low, high)
        found.discard(DEAD)
        return frozenset(found)

    def count_characters(self) -> dict[int, int]:
        """Return the number of characters of each class, and of all."""
        sizes = {
            kind: sum(high - low - _count_surrogates(low, high) for low, high in pairs)
            for kind, pairs in (self._ranges or self._find_ranges()).items()
        }
        return {**sizes, ALL_CLASSES: sum(sizes.values())}

    @property
    def n_states(self) -> int:
        return len(self.labels)

    @property
    def sink(self) -> int:
        """The accepting state that every character leads back to, -1 if there is none."""
        if self._sink is None:
            self._sink = -1
            for state in range(1, len(self.labels)):
                if self.is_free(state):
                    self._sink = state
        return self._sink

    def is_free(self, state: int) -> bool:
        """Return whether a state accepts, and every character leads back to it."""
        loops = self.defaults[state] == state and not self.rows[state]
        return loops and self.labels[state] != NO_LABEL

    @property
    def is_universal(self) -> bool:
        """Whether every string is accepted, and by one state."""
        return (
            len(self.labels) == 2
            and not self.reader
            and self.start == 1
            and self.labels[1] != NO_LABEL
            and self.defaults[1] == 1
            and all(target == 1 for target in self.rows[1].values())
        )

    @property
    def digest(self) -> bytes:
        """What tells it from every other automaton."""
        if self._digest is None:
            # Rows are made in the order of their classes; others have a digest of their own.
            parts = [list(part) for part in (self.starts, self.classes, self.defaults, self.labels)]
            rows = list(self.rows)
            # A fifth of the time of writing it in words; version 2 says the same of equal numbers.
            text = marshal.dumps((parts, rows, self.start, self.reader), 2)
            self._digest = hashlib.sha256(text).digest()
        return self._digest

    def successors(self, state: int) -> frozenset[int]:
        """Return the live states one character on."""
        if self._successors is None:
            kinds = frozenset(self.classes)
            self._successors = [
                set_of({*row.values(), *([default] if len(row) < len(kinds) else [])} - {DEAD})
                for row, default in zip(self.rows, self.defaults, strict=True)
            ]
        return self._successors[state]

    def _predecessors(self) -> list[tuple[int, ...]]:
        if self._before is None:
            before: list[list[int]] = [[] for _ in self.labels]
            for state in range(1, len(self.labels)):
                for target in self.successors(state):
                    before[target].append(state)
            self._before = list(map(tuple, before))
        return self._before

    def nearest(self, state: int) -> int:
        """Return the least number of characters to an accepting state."""
        if self._nearest is None:
            self._nearest = find_nearest(self._predecessors(), self.labels)
        return self._nearest[state]

    def is_infinite(self, state: int) -> bool:
        """Return whether infinitely many strings are accepted from a state."""
        if self._cycles is None:
            self._cycles = self._find_cycles()
        return self._cycles[state]

    def _find_cycles(self) -> list[bool]:
        n_after = [len(self.successors(state)) for state in range(len(self.labels))]
        before = self._predecessors()
        infinite = [state != DEAD for state in range(len(self.labels))]
        open_ = [state for state in range(1, len(self.labels)) if not n_after[state]]
        while open_:
            state = open_.pop()
            infinite[state] = False
            for earlier in before[state]:
                n_after[earlier] -= 1
                if not n_after[earlier]:
                    open_.append(earlier)
        return infinite

    def accepts_length(self, state: int, least: int, most: int | None) -> bool:
        """Return whether some accepted rest has at least and at most so many characters."""
        if state == DEAD or most is not None and most < max(least, 0):
            return False
        if least <= 0 and most is None:
            return True  # whatever state it is leads to an accepting one
        nearest = self.nearest(state)
        if nearest >= least:
            return most is None or nearest <= most
        if most is None and self.is_infinite(state):
            return True
        return self._search_length(state, least, most)

    def _search_length(self, state: int, least: int, most: int | None) -> bool:
        lengths, period = self._lengths_of(state)
        n_known = len(lengths)
        last = n_known - 1 if most is None else most
        for length in range(least, min(last, n_known - 1) + 1):
            if lengths[length]:
                return True
        if not period or last < n_known:
            return False
        first = max(least, n_known)
        for length in range(first, min(last, first + period - 1) + 1):
            if lengths[n_known - period + (length - n_known) % period]:
                return True
        return False

    def _lengths_of(self, state: int) -> tuple[list[bool], int]:
        """Return which lengths are accepted, and the period in which the last of them repeat."""
        found = self._lengths.get(state)
        if found is None:
            lengths: list[bool] = []
            here, seen = frozenset([state]), dict[frozenset[int], int]()
            period = 0
            while here and len(lengths) < _MOST_STEPS:
                if here in seen:
                    period = len(lengths) - seen[here]
                    break
                seen[here] = len(lengths)
                lengths.append(any(self.labels[s] != NO_LABEL for s in here))
                here = frozenset(t for s in here for t in self.successors(s))
            found = self._lengths[state] = (lengths, period)
        return found

    def count(self, state: int, label: int, limit: int) -> int:
        """Return how many strings of a label are accepted from a state, at most ``limit``.

        The label's strings must be finitely many.
        """
        leading = self._leading.get(label)
        if leading is None:
            of_label = (s for s in range(1, len(self.labels)) if self.labels[s] == label)
            leading = self._leading[label] = self.leading_to(of_label)
        here, n_found = {state: 1}, 0
        while here and n_found < limit:
            n_found += sum(n for s, n in here.items() if self.labels[s] == label)
            here = {s: n for s, n in self.advance(here).items() if s in leading}
        return min(n_found, limit)

    def n_strings(self, state: int) -> int | None:
        """Return how many strings are accepted from a state, ``None`` if endlessly many."""
        if self.is_infinite(state):
            return None
        known = self._n_strings
        open_ = [state]
        while open_:
            here = open_[-1]
            if here in known:
                open_.pop()
                continue
            counts = self._count_characters_to(here)
            left = [target for target in counts if target not in known]
            if left:
                open_ += left
                continue
            n_found = int(self.labels[here] != NO_LABEL)
            known[here] = n_found + sum(n * known[target] for target, n in counts.items())
            open_.pop()
        return known[state]

    def leading_to(self, states: Iterable[int]) -> set[int]:
        before = self._predecessors()
        found: set[int] = set()
        open_ = list(states)
        while open_:
            state = open_.pop()
            if state not in found:
                found.add(state)
                open_ += before[state]
        return found

    def advance(self, here: dict[int, int]) -> dict[int, int]:
        """Return by how many texts each state is reached one character on."""
        after: dict[int, int] = {}
        for state, n in here.items():
            for target, n_characters in self._count_characters_to(state).items():
                after[target] = after.get(target, 0) + n * n_characters
        return after

    def _count_characters_to(self, state: int) -> dict[int, int]:
        """Return by how many characters a state leads to each live one."""
        if self._character_counts is None:
            self._character_counts = self.count_characters(), [None] * len(self.labels)
        sizes, known = self._character_counts
        found = known[state]
        if found is None:
            row, n_left, found = self.rows[state], sizes[ALL_CLASSES], {}
            for kind, target in row.items():
                size = sizes.get(kind, 0)
                n_left -= size
                if target != DEAD and size:
                    found[target] = found.get(target, 0) + size
            default = self.defaults[state]
            if default != DEAD and n_left:
                found[default] = found.get(default, 0) + n_left
            known[state] = found
        return found


def _count_surrogates(low: int, high: int) -> int:
    return max(0, min(high, 0xE000) - max(low, 0xD800))
