"""Which tokens does a hypothesis allow? Its stack is read from the top until a mask is known.

What a mask depends on, once the upper states of a stack have been read, is what they owe
(:mod:`maskc.runtime.lalr.debts`). Stacks that owe the same are in one *place* of an automaton, and
the next state below leads to another place, or to the mask. The automaton is made as far as texts
need it, and cached: of a stack that nobody has seen mostly each step is known, and where one is
not, the debts of its place are paid with one more state.

All of it is in one dict, whose keys are numbers but for the first of a stack. A place is a number,
and what follows it by a state is the entry under the sum of both, with the state's *class*: states
are of one class if every nonterminal leads to the same above them. Places are multiples of how many
states there are, so no two sums are equal. Where the next states do not matter, whichever they are,
a negative number stands for the place after them and how many they are. So Python's garbage
collector, which looks at every dict, list and object of a process each time it runs, finds nothing
here but numbers and tuples of numbers, and these it does not look at twice.

Some masks depend on a stack far down: after ``2 ** 2 ** 2`` all items are reduced at once. Beyond
``NEAR`` states a mask is also cached for one in 64 nodes of the stack itself, and one more item
costs what the first ones cost.

Example: inside a string of json, the mask is known from the top alone, unless an array or an object
is open: then ``"]}`` makes one state more be read for each bracket.

Source: a DFA made lazily, as the regular expressions of Cox 2010 (RE2) make theirs.
"""

from __future__ import annotations

from itertools import count

from maskc.ids import RefinedStateId, ScannerStateId
from maskc.runtime.cache.budget import EDGE_BYTES, ENTRY_BYTES, Budget, Cache
from maskc.runtime.cache.composing import Composer
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.lalr.debts import MAY_END, Asking, Debts, Owed, pack, unpack
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack, serial_of
from maskc.runtime.lalr.stack_cache import BY_LAYOUT
from maskc.runtime.lalr.tables import LalrTables

NEAR = 64

_Found = PooledMask | str | int
# A mask is found from these: scanner state and top of the stack; with them the layout's number.
Key = tuple[int, ...]


class LalrMasks:
    """The masks of one artifact.

    Args:
        tables: of the artifact.
        debts: what its masks depend on.
        composer: makes masks of unions.
        budget: what is cached is charged to.

    Attributes:
        cache: see above.
        classes: state → its class; -1 if nobody has read it yet: then nothing is cached for it.
        stride: places are multiples of it.
    """

    def __init__(
        self, tables: LalrTables, debts: Debts, composer: Composer, budget: Budget
    ) -> None:
        self.cache = Cache(budget, _measure)
        self.classes: list[int] = [-1] * tables.n_states
        self._tables = tables
        self._debts = debts
        self._composer = composer
        self._class_of: dict[object, int] = {}
        # Classes are 0 to n_states - 1, and -1; places and layouts are used once.
        self.stride = tables.n_states + 2
        self._numbers = count(1)

    def layout(self, indents: tuple[int, ...], column: int) -> int:
        """Return a number by which masks of a layout are cached."""
        key = (column, indents)
        number: int | None = self.cache.get(key)
        if number is None:
            number = next(self._numbers)
            self.cache.put(key, number)
        return number

    def read(
        self,
        key: Key,
        state: ScannerStateId,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        *,
        known: tuple[int, Stack] | None = None,
        reads: ReadSet | None = None,
    ) -> PooledMask | str:
        """Return a mask, or ``BY_LAYOUT``; cache the way to it.

        Args:
            key: scanner state and top of the stack; with them the layout's number, if it is read.
            state: the scanner state.
            stack: the stack.
            indents: columns of the open blocks, none if the layout is not read.
            column: reached in the open lexeme.
            known: the place to which ``NEAR`` states have led, and the stack there.
            reads: notes how far down the stack was read.
        """
        self._composer.evict_if_full()
        found = self._read(key, state, stack, indents, column, known, reads, is_known=True)
        if found is None:
            # Some debts are gone from the cache: all are worked out again on the way down.
            found = self._read(key, state, stack, indents, column, None, reads, is_known=False)
        if found is None:
            raise ValueError("debts that were worked out are not there")
        return found

    def find(self, key: Key, stack: Stack) -> _Found | None:
        """Return a mask or ``BY_LAYOUT``, if the way to it is known and no longer than ``NEAR``.

        Args:
            key: see :meth:`read`.
            stack: the stack.
        """
        current, classes = self.cache.current, self.classes
        found: _Found | None = current.get(key)
        for _ in range(NEAR):
            if not isinstance(found, int):
                break
            if found < 0:
                found, stack = self.skip(found, stack)
            if stack.below is None:
                return None
            stack = stack.below
            found = current.get(found + classes[stack.state])
        return found

    def skip(self, number: int, stack: Stack) -> tuple[int, Stack]:
        """Return the place after states that do not matter, and the stack below them.

        Args:
            number: what stands for both, which is negative.
            stack: before them.
        """
        n_skipped = -number % self.stride
        return -number - n_skipped, descend(stack, n_skipped)

    def _read(
        self,
        key: Key,
        state: ScannerStateId,
        stack: Stack,
        indents: tuple[int, ...],
        column: int,
        known: tuple[int, Stack] | None,
        reads: ReadSet | None,
        *,
        is_known: bool,
    ) -> PooledMask | str | None:
        """Return the same; ``None`` if debts are needed that are not there.

        With ``is_known``, what is cached is used, and the debts of a place are looked up.
        """
        cache, layout = self.cache, key[-1] if indents else 0
        asking = Asking(indents, column)
        passed: list[tuple[int, Stack]] = []
        owed: Owed | None = None
        n_read = 0
        found: _Found | None
        if known is not None:
            found, stack = known
            n_read = NEAR
        else:
            found = cache.get(key) if is_known else None
        last_depth = stack.depth
        if found is None:
            owed = self._debts.open(asking, state, stack.state)
            found, owed = self._enter(owed, layout)
            cache.put(key, found)
        while isinstance(found, int):
            place = found
            if place < 0:
                place, stack = self.skip(place, stack)
            below = stack.below
            if below is None:
                # Only in tables that maskc did not make is a production longer than the stack.
                owed = owed or self._recall(place)
                return None if owed is None else self._compose(owed[1])
            n_read += 1
            # Of each NEAR states that are passed one is looked at: not all of them are read.
            is_passing = n_read > NEAR and below.depth // NEAR < last_depth // NEAR
            stack, last_depth = below, below.depth
            if is_passing:
                if stack.serial:
                    found = cache.get((place, stack.serial))
                    if found is not None:
                        last_depth = 0  # it may depend on all that is below
                        break
                passed.append((place, stack))
            edge = place + self._class(stack.state)
            found = cache.get(edge) if is_known else None
            if found is not None:
                owed = None
                continue
            owed = owed or self._recall(place)
            if owed is None:
                return None
            owed = self._debts.read(asking, owed, stack.state)
            if stack.state == 0 and owed is not None:
                owed = ((), owed[1])  # the lowest state: what is owed still is never paid
            found, owed = self._enter(owed, layout)
            cache.put(edge, found)
        for place, node in passed:
            cache.put((place, serial_of(node)), found)
        if reads is not None:
            reads.lowest = min(reads.lowest, last_depth)
        return found  # type: ignore[return-value]  # no number

    def _enter(self, owed: Owed | None, layout: int) -> tuple[_Found, Owed | None]:
        """Return a mask, ``BY_LAYOUT``, or the number of a place with its debts.

        The number is negative where some states do not matter: less than the place's by how many.
        """
        if owed is None:
            return BY_LAYOUT, None
        debts, unions = owed
        if not debts:
            return self._compose(unions), None
        # Debts are in increasing order. No production is as long as there are states.
        n_skipped = min(debts[0][0], self.stride) - 1
        if n_skipped:
            owed = tuple([(debt[0] - n_skipped, *debt[1:]) for debt in debts]), unions
        place = self._intern(owed, layout)
        return (-place - n_skipped if n_skipped else place), owed

    def _intern(self, owed: Owed, layout: int) -> int:
        """Return the place of some debts, which are cached under its negative."""
        cache, packed = self.cache, pack(owed)
        key = (packed, layout)
        place: int | None = cache.get(key)
        if place is None or cache.get(-place) is None:
            place = next(self._numbers) * self.stride
            cache.put(-place, packed)
            cache.put(key, place)
        return place

    def _recall(self, place: int) -> Owed | None:
        """Return the debts of a place, ``None`` if they are gone."""
        packed: bytes | None = self.cache.get(-place)
        return None if packed is None else unpack(packed)

    def _class(self, state: RefinedStateId) -> int:
        """Return the class of a state below the top of a stack; the lowest one has its own."""
        number = self.classes[state]
        if number < 0:
            gotos = self._tables.gotos(state)
            key = (state == 0, tuple(sorted(gotos.items())))
            number = self.classes[state] = self._class_of.setdefault(key, len(self._class_of))
        return number

    def _compose(self, unions: tuple[int, ...]) -> PooledMask:
        can_finish = unions[:1] == (MAY_END,)
        return self._composer.compose(unions[can_finish:], can_finish=can_finish)


def descend(stack: Stack, n_states: int) -> Stack:
    """Return a stack without some states, or its lowest state if it has not so many."""
    for _ in range(n_states):
        if stack.below is None:
            break
        stack = stack.below
    return stack


def _measure(key: object) -> int:
    if isinstance(key, int):
        return EDGE_BYTES
    packed = key[0]  # type: ignore[index]  # of numbers, or of packed debts and a layout
    return ENTRY_BYTES + (len(packed) if isinstance(packed, bytes) else 0)
