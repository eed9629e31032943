"""Finds the mask of a hypothesis, by reading its stack from the top until the mask is known.

Once the upper states of a stack have been read, a mask depends on the pending reductions
(:mod:`maskc.runtime.lalr.debts`). Stacks with the same pending reductions are in one *mask state*
of an automaton, and the next state below leads to another mask state, or to the mask. The automaton
is made as far as texts need it, and cached: of a stack that nobody has seen mostly each step is
known, and where one is not, the debts of its mask state are paid with one more state.

All of it is in dicts, whose keys are numbers. A mask state is a number, and what follows it by a
state is the entry under the sum of both, with the state's *class*: states are of one class if every
nonterminal leads to the same above them. The numbers of mask states are multiples of how many
states there are, so no two sums are equal. Where the next states do not matter, whichever they are,
a negative number stands for the mask state after them and how many they are. So Python's garbage
collector, which looks at every dict, list and object of a process each time it runs, finds nothing
here but numbers and tuples of numbers, and these it does not look at twice.

Where the open blocks decide, a mask state stands alone in a tuple, and what follows it depends on
the layout: the columns of the blocks and of the open lexeme, which have a number together.

Some masks depend on a stack far down: after ``2 ** 2 ** 2`` all items are reduced at once. Beyond
``NEAR`` states a mask is also cached for one in 64 nodes of the stack itself, and one more item
costs what the first ones cost.

Example: inside a string of json, the mask is known from the top alone, unless an array or an object
is open: then ``"]}`` makes one state more be read for each bracket.

Source: a DFA made lazily, as the regular expressions of Cox 2010 (RE2) make theirs.
"""

from __future__ import annotations

from itertools import count
from marshal import dumps, loads
from typing import Any, Final

from maskc.ids import RefinedStateId
from maskc.runtime.cache import EDGE_BYTES, ENTRY_BYTES, Budget, Cache
from maskc.runtime.lalr.debts import Debts
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, Stack, serial_of
from maskc.runtime.lalr.parser import LalrTables
from maskc.runtime.lalr.pending_reductions import MAY_END, Evaluation, PendingReductions
from maskc.runtime.pool import MaskComposer, PooledMask

NEAR: Final = 64

NO_LAYOUT: Final = 0  # where the open blocks have not been looked at

# A mask; a mask state, or what stands for states that do not matter and the mask state after them;
# a mask state in which the open blocks decide.
_Found = PooledMask | int | tuple[int]


class _Traversal:
    """How far a stack has been read for one mask."""

    __slots__ = (
        *("evaluation", "h", "is_known", "layout", "lowest"),
        *("n_read", "passed", "pending", "stack"),
    )

    def __init__(self, h: Hypothesis, *, is_known: bool) -> None:
        self.h = h  # the hypothesis
        self.is_known = is_known  # whether what is cached is used
        self.evaluation = Evaluation()  # of the queries on it
        # the reductions of the last mask state, None if they are to be looked up
        self.pending: PendingReductions | None = None
        self.stack: Stack = h.stack  # where it is
        self.layout: int = NO_LAYOUT  # its number if it was looked at
        self.n_read: int = 0  # how many states were read
        self.lowest: int = h.stack.depth  # the depth of the lowest of them
        # mask states and stacks for which the mask is cached as well
        self.passed: list[tuple[int, Stack]] = []

    def open_blocks(self) -> None:
        """Have the open blocks looked at."""
        self.evaluation.indents, self.evaluation.column = self.h.indents, self.h.column

    def goes_to(self, below: Stack) -> bool:
        """Read the next state; return whether the mask is to be cached for the stack there.

        Of each ``NEAR`` states that are passed one is: not all of them are read.
        """
        self.n_read += 1
        is_passed = self.n_read > NEAR and below.depth // NEAR < self.lowest // NEAR
        self.stack, self.lowest = below, below.depth
        return is_passed


class LalrMasks:
    """The masks of one artifact."""

    def __init__(
        self, tables: LalrTables, debts: Debts, composer: MaskComposer, budget: Budget
    ) -> None:
        # scanner state times stride, and the top of the stack → where a stack begins
        self.tops = Cache(budget, _measure)
        # see above. By a column and the open blocks: the layout's number. By three numbers, what
        # follows a mask state: that, 0, and a layout; that, -1, and what newlines bring in a
        # layout; or that, a stack's own number, and the layout if it was looked at
        self.cache = Cache(budget, _measure)
        # state → its class; -1 if nobody has read it yet: then nothing is cached for it
        self.classes: list[int] = [-1] * tables.n_states
        self._tables = tables
        self._debts = debts
        self._composer = composer
        self._class_of: dict[object, int] = {}
        # Classes are 0 to n_states - 1, and -1; mask states and layouts are used once.
        self.stride = tables.n_states + 2  # mask states are multiples of it
        self._numbers = count(1)

    def read(
        self, h: Hypothesis, known: tuple[int, Stack, int] | None, reads: ReadSet | None
    ) -> PooledMask:
        """Return the mask of a hypothesis; cache the traversal to it.

        Args:
            h: the hypothesis.
            known: the mask state to which ``NEAR`` steps have led, the stack there, and the
                layout's number if it was looked at.
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

    def _read(
        self,
        h: Hypothesis,
        known: tuple[int, Stack, int] | None,
        reads: ReadSet | None,
        *,
        is_known: bool,
    ) -> PooledMask | None:
        """Return the same; ``None`` if debts are needed that are not there.

        With ``is_known``, what is cached is used, and the debts of a mask state are looked up.
        """
        traversal = _Traversal(h, is_known=is_known)
        found: _Found | None = self._begin(traversal, known)
        while type(found) is not PooledMask:
            if found is None:
                return None
            if type(found) is tuple:
                found = self._look_up_blocks(traversal, found[0])
            else:
                mask_state: Any = found
                found = self._read_below(traversal, mask_state)
        for mask_state, node in traversal.passed:
            self.cache.put((mask_state, serial_of(node), traversal.layout), found)
        if reads is not None:
            reads.lowest = min(reads.lowest, traversal.lowest)
            reads.layout |= traversal.layout != NO_LAYOUT
        mask: PooledMask = found
        return mask

    def _begin(self, traversal: _Traversal, known: tuple[int, Stack, int] | None) -> _Found:
        """Return where a stack begins, or where the known part of the traversal ends."""
        h = traversal.h
        if known is not None:
            mask_state, traversal.stack, traversal.layout = known
            traversal.n_read, traversal.lowest = NEAR, traversal.stack.depth
            if traversal.layout:
                traversal.open_blocks()
            return mask_state
        top = h.state * self.stride + h.stack.state
        found: _Found | None = self.tops.get(top) if traversal.is_known else None
        if found is None:
            opened = self._debts.open(traversal.evaluation, h.state, h.stack.state)
            found, traversal.pending = self._enter(opened, NO_LAYOUT)
            self.tops.put(top, found)
        return found

    def _look_up_blocks(self, traversal: _Traversal, mask_state: int) -> _Found | None:
        """Return what follows a mask state in which the open blocks decide.

        The traversal has them from then on; ``None`` as :meth:`_read`.
        """
        layout = traversal.layout = self._layout(traversal.h)
        key = (mask_state, 0, layout)
        found: _Found | None = self.cache.get(key) if traversal.is_known else None
        if found is not None:
            traversal.pending = None
            traversal.open_blocks()
            return found
        pending = traversal.pending or self._recall(mask_state)
        if pending is None:
            return None
        found, traversal.pending = self._look_at_blocks(
            traversal.evaluation, mask_state, pending, traversal.h, layout
        )
        self.cache.put(key, found)
        return found

    def _read_below(self, traversal: _Traversal, mask_state: int) -> _Found | None:
        """Return what follows a mask state by the next state below; ``None`` as :meth:`_read`."""
        if mask_state < 0:
            n_skipped = -mask_state % self.stride
            mask_state = -mask_state - n_skipped
            for _ in range(n_skipped):
                # Only in tables that maskc did not make is it deeper than the stack.
                traversal.stack = traversal.stack.below or traversal.stack
        stack = traversal.stack.below
        if stack is None:
            # Only in tables that maskc did not make is a production longer than the stack.
            pending = traversal.pending or self._recall(mask_state)
            return None if pending is None else self._compose(pending[1])
        if traversal.goes_to(stack):
            if stack.serial:
                deep, traversal.layout = self._find_deep(
                    mask_state, stack, traversal.h, traversal.layout
                )
                if deep is not None:
                    traversal.lowest = 0  # it may depend on all that is below
                    return deep
            traversal.passed.append((mask_state, stack))
        edge = mask_state + self._class(stack.state)
        found: _Found | None = self.cache.get(edge) if traversal.is_known else None
        if found is not None:
            traversal.pending = None
            return found
        pending = traversal.pending or self._recall(mask_state)
        if pending is None:
            return None
        found, traversal.pending = self._enter(
            self._debts.read(traversal.evaluation, pending, stack.state), traversal.layout
        )
        self.cache.put(edge, found)
        return found

    def _look_at_blocks(
        self,
        evaluation: Evaluation,
        mask_state: int,
        pending: PendingReductions,
        h: Hypothesis,
        layout: int,
    ) -> tuple[_Found, PendingReductions | None]:
        """Return what follows a mask state in a layout that is new to it, and what is pending then.

        Most blocks differ in nothing that matters: a line may begin further in, go on, or close so
        many. A mask that is known from that is cached by that as well.
        """
        signature, n_waiting = self._debts.sign(pending, h.indents, h.column), len(pending[2])
        key = (mask_state, -1, signature)
        known: PooledMask | None = None if signature is None else self.cache.get(key)
        if known is not None:
            return known, None
        pending = self._debts.look_at_blocks(evaluation, pending, h.indents, h.column)
        found, left = self._enter(pending, layout)
        if left is None and signature is not None and evaluation.n_looks == n_waiting:
            self.cache.put(key, found)
        return found, left

    def _find_deep(
        self, mask_state: int, stack: Stack, h: Hypothesis, layout: int
    ) -> tuple[PooledMask | None, int]:
        """Return what is cached for a stack itself, and the layout with which it is."""
        cache = self.cache
        found: PooledMask | None = cache.get((mask_state, stack.serial, layout))
        if found is None and layout == NO_LAYOUT and self._tables.layout is not None:
            with_blocks = self._layout(h)
            found = cache.get((mask_state, stack.serial, with_blocks))
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

    def _enter(
        self, pending: PendingReductions, layout: int
    ) -> tuple[_Found, PendingReductions | None]:
        """Return a mask, or a mask state with its pending reductions.

        Returns:
            the mask; or the mask state, alone in a tuple if the open blocks decide, and as a
            negative number where some states do not matter: less than its own by how many.
        """
        debts, unions, waiting = pending
        if waiting:
            return (self._intern(pending, layout),), pending
        if not debts:
            return self._compose(unions), None
        # Debts are in increasing order. No production is as long as there are states.
        n_skipped = min(debts[0][0], self.stride) - 1
        if n_skipped:
            fewer = [(debt[0] - n_skipped,) + debt[1:] for debt in debts]  # noqa: RUF005
            pending = tuple(fewer), unions, ()
        mask_state = self._intern(pending, layout)
        return (-mask_state - n_skipped if n_skipped else mask_state), pending

    def _intern(self, pending: PendingReductions, layout: int) -> int:
        """Return the mask state of pending reductions, which are cached under its negative."""
        cache, packed = self.cache, dumps(pending, 2)  # equal iff what is pending is
        key = (packed, layout)
        mask_state: int | None = cache.get(key)
        if mask_state is None or cache.get(-mask_state) is None:
            mask_state = next(self._numbers) * self.stride
            cache.put(-mask_state, packed)
            cache.put(key, mask_state)
        return mask_state

    def _recall(self, mask_state: int) -> PendingReductions | None:
        """Return the pending reductions of a mask state, ``None`` if they are gone."""
        packed: bytes | None = self.cache.get(-mask_state)
        return None if packed is None else loads(packed)  # noqa: S302  # our own

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


def _measure(key: object, _: object) -> int:
    if isinstance(key, int):
        return EDGE_BYTES
    packed = key[0]  # type: ignore[index]  # of numbers, or of packed debts and a layout
    return ENTRY_BYTES + (len(packed) if isinstance(packed, bytes) else 0)
