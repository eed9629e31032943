"""The positions of a pattern; determinised, if it has no look-aheads and word boundaries.

A *position* is one character of the pattern. A set of positions is an integer, of which bit *n*
stands for position *n*, and bit 0 for the end of the pattern. Positions are made from right to
left, so what follows each is known when it is made, and two that read the same before the same are
one. A loop, ``^`` and ``$`` are bits of their own until all is known, and are resolved then.

A position *dominates* another one if it leads to the end by every text by which the other one does;
a set needs no position that another one of it dominates. Of ``a{0,9}`` a pass with more passes left
dominates those with fewer, and what a pattern that is searched for has matched dominates the rest.

Example: after ``a`` of ``ab|ac`` two positions wait, for ``b`` and for ``c``.

Source: the automaton of positions is Glushkov's (1961, doi:10.1070/RM1961v016n05ABEH004112).
"""

from __future__ import annotations

from typing import Final

from maskc.jsonschema.exploring import MAX_STATES, NONE, StateNumbers, TooLargeError, explore_rows
from maskc.regular import Alternation, Anchor, Characters, Expression, Look, Repeat, Sequence
from maskc.regular.charset import MAX_CODE_POINT, CodePoints
from maskc.regular.ecma import EVERY
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

MAX_POSITIONS = 4 * MAX_STATES
_MAX_PARTS: Final = 3 * MAX_POSITIONS  # written out, those of groups that read nothing included
END: Final = 1


class PatternPositions:
    """The positions of a pattern."""

    def __init__(self) -> None:
        # position → those after it, until finish also loops and assertions
        self.follows: list[int] = [0]
        self.dominated: dict[int, int] = {}  # position → those that it dominates
        self._reads: list[CodePoints | None] = [None]  # loops and assertions read nothing
        self._known: dict[tuple[int, int], int] = {}  # by the set's identity
        # of what reads nothing: an assertion, a look-ahead, or "" for a loop
        self.kinds: dict[int, str | Look] = {}
        self._visited: list[int] = []  # position of each set that was built, 0 for none
        self._nothing = 0  # all of these, once they are known
        self._n_parts = 0
        self.looks_around = False  # whether there is a look-ahead or a word boundary

    def build(self, node: Expression, after: int) -> int:
        """Return the positions with which a node begins that others come after.

        Raises:
            TooLargeError: there are too many.
        """
        self._n_parts += 1
        if self._n_parts > _MAX_PARTS:
            raise TooLargeError
        match node:
            case Characters(characters):
                return self._read(characters, after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self.build(part, after)
                return after
            case Alternation(parts):
                begun = 0
                for part in parts:
                    begun |= self.build(part, after)
                return begun
            case Repeat(body, least, most):
                return self._repeat(body, least, most, after)
            case Anchor(kind):
                self.looks_around = self.looks_around or kind in "bB"
                return 1 << self._add(None, after, kind)
            case Look():
                self.looks_around = True
                return 1 << self._add(None, after, node)
        raise ValueError("ECMA-262 has no other node")

    def _read(self, characters: CodePoints, after: int) -> int:
        found = 0
        if after and characters:
            key = (id(characters), after)
            found = self._known.get(key, 0)
            if not found:
                found = self._known[key] = self._add(characters, after)
        self._visited.append(found)
        return 1 << found if found else 0

    def _add(self, reads: CodePoints | None, after: int, kind: str | Look = "") -> int:
        if len(self.follows) > MAX_POSITIONS:
            raise TooLargeError
        if reads is None:
            self.kinds[len(self.follows)] = kind
        self._reads.append(reads)
        self.follows.append(after)
        return len(self.follows) - 1

    def _repeat(self, body: Expression, least: int, most: int | None, after: int) -> int:
        begun = after
        fewer: list[int] = []  # by the sets of a pass: those of passes with fewer passes left
        if most is None:
            loop = self._add(None, 0)
            first = len(self._visited)
            self.follows[loop] = self.build(body, 1 << loop) | after
            looping = self._visited[first:]
            begun = 1 << loop
            for _ in range(least):
                first = len(self._visited)
                begun = self.build(body, begun)
                self._dominate(looping, [1 << n for n in self._visited[first:]])
            return begun
        for _ in range(most - least):
            first = len(self._visited)
            begun = self.build(body, begun) | after
            passed = self._visited[first:]
            fewer = fewer or [0] * len(passed)
            self._dominate(passed, fewer)
            fewer = [bits | 1 << n for bits, n in zip(fewer, passed, strict=True)]
        for _ in range(least):
            begun = self.build(body, begun)
        return begun

    def _dominate(self, positions: list[int], others: list[int]) -> None:
        for position, bits in zip(positions, others, strict=True):
            bits &= ~(1 << position | END)
            if position and bits:
                self.dominated[position] = self.dominated.get(position, 0) | bits

    def finish(self, begun: int, *, at_start: bool) -> int:
        """Resolve what reads nothing; return the positions of the start."""
        nothing = self._nothing = sum(1 << number for number in self.kinds)
        begun = self._resolve(begun, at_start=at_start)
        resolved: dict[int, int] = {}
        live = before = END
        for number, after in enumerate(self.follows):
            if after & nothing:
                if after not in resolved:
                    resolved[after] = self._resolve(after, at_start=False)
                self.follows[number] = resolved[after]
        while True:
            for number, after in enumerate(self.follows):
                if after & live:
                    live |= 1 << number
            if live == before:
                break
            before = live
        live &= ~nothing
        self.follows = [after & live for after in self.follows]
        for number, after in enumerate(self.follows):
            sink = 1 << number | END
            if after & sink == sink and self.reads_all(number):
                self.dominated[number] = live & ~sink
        return begun & live

    def _resolve(self, bits: int, *, at_start: bool) -> int:
        """Return positions in the place of loops and assertions.

        Behind ``$`` nothing but the end counts.
        """
        found, ended = 0, 0
        open_, seen = [(bits, False)], set[tuple[int, bool]]()
        while open_:
            bits, is_behind = open_.pop()
            if is_behind:
                ended |= bits & END
            else:
                found |= bits
            left = bits & self._nothing
            while left:
                low = left & -left
                left ^= low
                number = low.bit_length() - 1
                kind = self.kinds[number]
                key = (number, is_behind or kind == "$")
                if key not in seen and (kind != "^" or at_start):
                    seen.add(key)
                    open_.append((self.follows[number], key[1]))
        return found | ended

    def list_readers(self) -> list[int]:
        return [number for number, reads in enumerate(self._reads) if reads is not None]

    def reads_all(self, number: int) -> bool:
        return self._reads[number] == EVERY

    def columns(self) -> tuple[list[int], list[int]]:
        """Return where ranges of characters start, and for each the positions that read it."""
        reading: dict[int, tuple[CodePoints, int]] = {}  # by the set's identity
        for number, reads in enumerate(self._reads):
            if reads is not None:
                _, bits = reading.get(id(reads), (reads, 0))
                reading[id(reads)] = reads, bits | 1 << number
        changes = {0: 0}
        for characters, bits in reading.values():
            for low, high in characters:
                changes[low] = changes.get(low, 0) ^ bits
                if high < MAX_CODE_POINT:
                    changes[high + 1] = changes.get(high + 1, 0) ^ bits
        starts, readers, bits = sorted(changes), list[int](), 0
        for low in starts:
            bits ^= changes[low]
            readers.append(bits)
        return starts, readers


def determinise(positions: PatternPositions, begun: int, *, at_start: bool) -> CharDfa:
    """Return the minimal automaton of positions of a pattern that does not look around.

    Args:
        begun: the positions with which it begins.
        at_start: whether nothing stands before a string.

    Raises:
        TooLargeError: it has too many states.
    """
    begun = positions.finish(begun, at_start=at_start)
    if not begun:
        return NONE
    follows, dominated = positions.follows, positions.dominated
    dominating = sum(1 << number for number in dominated)
    starts, readers = positions.columns()
    column_of = {bits: n for n, bits in enumerate(dict.fromkeys(readers))}
    kinds = list(column_of)
    known: dict[int, int] = {}  # by the positions that have read a character

    def reduce(bits: int) -> int:
        """Return positions without those that others of them dominate."""
        left = bits & dominating
        while left:
            low = left & -left
            bits &= ~dominated[low.bit_length() - 1]
            left = (left ^ low) & bits
        return bits

    def advance(reading: int) -> int | None:
        after = 0
        while reading:
            low = reading & -reading
            after |= follows[low.bit_length() - 1]
            reading ^= low
        return reduce(after) or None

    def follow(bits: int, numbers: StateNumbers) -> list[int]:
        read = [bits & own for own in kinds]
        for reading in read:
            if reading not in known:
                (known[reading],) = numbers.row([advance(reading)])
        return [known[reading] for reading in read]

    def label(bits: int) -> int:
        return 0 if bits & END else NO_LABEL

    columns = [column_of[bits] for bits in readers]
    return explore_rows(starts, columns, len(kinds), reduce(begun), follow, label)
