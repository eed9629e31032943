"""Which tokens does a hypothesis allow? Its stack is read from the top until a mask is known.

What a mask depends on, once the upper states of a stack have been read, is what they owe
(:mod:`maskc.runtime.lalr.debts`). Stacks that owe the same are in one *place* of an automaton, and
the next state below leads to another place, or to the mask. The automaton is made as far as texts
need it, and cached: of a stack that nobody has seen mostly each step is known, and where one is
not, the debts of its place are paid with one more state.

All of it is in dicts, whose keys are numbers. A place is a number,
and what follows it by a state is the entry under the sum of both, with the state's *class*: states
are of one class if every nonterminal leads to the same above them. Places are multiples of how many
states there are, so no two sums are equal. Where the next states do not matter, whichever they are,
a negative number stands for the place after them and how many they are. So Python's garbage
collector, which looks at every dict, list and object of a process each time it runs, finds nothing
here but numbers and tuples of numbers, and these it does not look at twice.

Where the open blocks decide, a place stands alone in a tuple, and what follows it depends on the
layout: the columns of the blocks and of the open lexeme, which have a number together.

Some masks depend on a stack far down: after ``2 ** 2 ** 2`` all items are reduced at once. Beyond
``NEAR`` states a mask is also cached for one in 64 nodes of the stack itself, and one more item
costs what the first ones cost.

Example: inside a string of json, the mask is known from the top alone, unless an array or an object
is open: then ``"]}`` makes one state more be read for each bracket.

Source: a DFA made lazily, as the regular expressions of Cox 2010 (RE2) make theirs.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Final

from maskc.ids import RefinedStateId
from maskc.runtime.cache.budget import EDGE_BYTES, ENTRY_BYTES, Budget, Cache
from maskc.runtime.cache.composing import Composer
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.lalr.debts import Debts
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.owed import MAY_END, Asking, Owed, pack, unpack
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack, serial_of
from maskc.runtime.lalr.tables import LalrTables

NEAR: Final = 64

NO_LAYOUT: Final = 0  # where the open blocks have not been looked at

# A mask; a place, or what stands for states that do not matter and the place after them; a place in
# which the open blocks decide.
_Found = PooledMask | int | tuple[int]


class LalrMasks:
    """The masks of one artifact.

    Args:
        tables: of the artifact.
        debts: what its masks depend on.
        composer: makes masks of unions.
        budget: what is cached is charged to.

    Attributes:
        tops: scanner state times ``stride``, and the top of the stack → where a stack begins.
        cache: see above. By a column and the open blocks: the layout's number. By three numbers,
            what follows a place: the place, 0, and a layout; the place, -1, and what newlines
            bring in a layout; or the place, a stack's own number, and the layout if it was looked
            at.
        classes: state → its class; -1 if nobody has read it yet: then nothing is cached for it.
        stride: places are multiples of it.
    """

    def __init__(
        self, tables: LalrTables, debts: Debts, composer: Composer, budget: Budget
    ) -> None:
        self.tops = Cache(budget, _measure)
        self.cache = Cache(budget, _measure)
        self.classes: list[int] = [-1] * tables.n_states
        self._tables = tables
        self._debts = debts
        self._composer = composer
        self._class_of: dict[object, int] = {}
        # Classes are 0 to n_states - 1, and -1; places and layouts are used once.
        self.stride = tables.n_states + 2
        self._numbers = count(1)

    def read(
        self, h: Hypothesis, known: tuple[int, Stack, int] | None, reads: ReadSet | None
    ) -> PooledMask:
        """Return the mask of a hypothesis; cache the way to it.

        Args:
            h: the hypothesis.
            known: the place to which ``NEAR`` steps have led, the stack there, and the layout's
                number if it was looked at.
            reads: notes what was read.
        """
        self._composer.evict_if_full()
        found = self._read(h, known, reads, is_known=True)
        if found is None:
            # Some debts are gone from the cache: all are worked out again on the way down.
            found = self._read(h, None, reads, is_known=False)
        if found is None:
            raise ValueError("debts that were worked out are not there")
        return found

    def _skip(self, number: int, stack: Stack) -> tuple[int, Stack]:
        """Return the place after states that do not matter, and the stack below them.

        Args:
            number: what stands for both, which is negative.
            stack: before them.
        """
        n_skipped = -number % self.stride
        return -number - n_skipped, descend(stack, n_skipped)

    def _read(
        self,
        h: Hypothesis,
        known: tuple[int, Stack, int] | None,
        reads: ReadSet | None,
        *,
        is_known: bool,
    ) -> PooledMask | None:
        """Return the same; ``None`` if debts are needed that are not there.

        With ``is_known``, what is cached is used, and the debts of a place are looked up.
        """
        cache, debts, top = self.cache, self._debts, h.state * self.stride + h.stack.state
        asking = Asking()
        passed: list[tuple[int, Stack]] = []
        owed: Owed | None = None
        found: Any = None
        stack, layout, n_read = h.stack, NO_LAYOUT, 0
        if known is not None:
            found, stack, layout = known
            n_read = NEAR
            if layout:
                asking.indents, asking.column = h.indents, h.column
        elif is_known:
            found = self.tops.get(top)
        last_depth = stack.depth
        if found is None:
            found, owed = self._enter(debts.open(asking, h.state, stack.state), NO_LAYOUT)
            self.tops.put(top, found)
        while type(found) is not PooledMask:
            if type(found) is tuple:
                place: int = found[0]
                layout = self._layout(h)
                found = cache.get((place, 0, layout)) if is_known else None
                if found is not None:
                    owed = None
                    asking.indents, asking.column = h.indents, h.column
                    continue
                owed = owed or self._recall(place)
                if owed is None:
                    return None
                found, owed = self._look_at_blocks(asking, place, owed, h, layout)
                cache.put((place, 0, layout), found)
                continue
            place = found
            if place < 0:
                place, stack = self._skip(place, stack)
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
                    found, layout = self._find_deep(place, stack, h, layout)
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
            found, owed = self._enter(debts.read(asking, owed, stack.state), layout)
            cache.put(edge, found)
        for place, node in passed:
            cache.put((place, serial_of(node), layout), found)
        if reads is not None:
            reads.lowest = min(reads.lowest, last_depth)
            reads.layout |= layout != NO_LAYOUT
        mask: PooledMask = found
        return mask

    def _look_at_blocks(
        self, asking: Asking, place: int, owed: Owed, h: Hypothesis, layout: int
    ) -> tuple[_Found, Owed | None]:
        """Return what follows a place in a layout that is new to it, and what is owed then.

        Most blocks differ in nothing that matters: a line may begin further in, go on, or close so
        many. A mask that is known from that is cached by that as well.
        """
        signature, n_waiting = self._debts.sign(owed, h.indents, h.column), len(owed[2])
        key = (place, -1, signature)
        known: PooledMask | None = None if signature is None else self.cache.get(key)
        if known is not None:
            return known, None
        owed = self._debts.look_at_blocks(asking, owed, h.indents, h.column)
        found, left = self._enter(owed, layout)
        if left is None and signature is not None and asking.n_looks == n_waiting:
            self.cache.put(key, found)
        return found, left

    def _find_deep(
        self, place: int, stack: Stack, h: Hypothesis, layout: int
    ) -> tuple[PooledMask | None, int]:
        """Return what is cached for a stack itself, and the layout with which it is."""
        cache = self.cache
        found: PooledMask | None = cache.get((place, stack.serial, layout))
        if found is None and layout == NO_LAYOUT and self._tables.layout is not None:
            with_blocks = self._layout(h)
            found = cache.get((place, stack.serial, with_blocks))
            if found is not None:
                return found, with_blocks
        return found, layout

    def _layout(self, h: Hypothesis) -> int:
        """Return a number by which masks of a layout are cached."""
        key = (h.column, h.indents)
        number: int | None = self.cache.get(key)
        if number is None:
            number = next(self._numbers)
            self.cache.put(key, number)
        return number

    def _enter(self, owed: Owed, layout: int) -> tuple[_Found, Owed | None]:
        """Return a mask, or a place in which some debts are, with these.

        Args:
            owed: the debts.
            layout: what they depend on, if the open blocks were looked at.

        Returns:
            the mask; or the place, alone in a tuple if the open blocks decide, and as a negative
            number where some states do not matter: less than the place's by how many.
        """
        debts, unions, waiting = owed
        if waiting:
            return (self._intern(owed, layout),), owed
        if not debts:
            return self._compose(unions), None
        # Debts are in increasing order. No production is as long as there are states.
        n_skipped = min(debts[0][0], self.stride) - 1
        if n_skipped:
            fewer = [(debt[0] - n_skipped,) + debt[1:] for debt in debts]  # noqa: RUF005
            owed = tuple(fewer), unions, ()
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
