"""The machine of an LALR grammar: what tokens do and which are legal, computed once and cached.

A hypothesis is a scanner state, a parser stack and, with indentation, a layout. What a token does
to one, and which tokens it allows, depends on the scanner state, on as much of the stack as the
parser reads, and on the layout if a line ends. So results are cached by what was read while they
were computed (:mod:`maskc.runtime.lalr.hypothesis`). Decoding spends its time in the look-ups
here, and masks that are new are computed by :mod:`maskc.runtime.lalr.masks`.

Bytes of a new token are followed by :mod:`maskc.runtime.lalr.stepping`. Where one hypothesis
becomes two, the scanner's conditions see to it that a whole text is read in one way only.

Example: after ``[1`` the token ``]`` has the effect "pop these states, push that one", which holds
for every array that has one element so far. With ``"="`` and ``"=="``, after ``=`` another ``=``
forks: it makes the lexeme ``==``, or ends ``=`` and begins the next lexeme.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from maskc.artifact.model import Contents
from maskc.ids import NO_LINE, RefinedStateId
from maskc.runtime.cache import Budget
from maskc.runtime.graph import GraphReader
from maskc.runtime.lalr.debts import Debts
from maskc.runtime.lalr.hypothesis import (
    BY_LAYOUT,
    DEEP,
    ON_STACK,
    Hypotheses,
    Hypothesis,
    HypothesisCache,
    ReadSet,
    Stack,
    StackNumbers,
    TokenEffect,
    find_effect,
    follow,
    lower,
    measure_effects,
    pop_and_push,
)
from maskc.runtime.lalr.lexemes import COUNTED, Lexemes, Newlines
from maskc.runtime.lalr.masks import NEAR, NO_LAYOUT, LalrMasks
from maskc.runtime.lalr.parser import LalrTables, StackEffects
from maskc.runtime.lalr.stepping import Step, Stepper
from maskc.runtime.machine import check_hypotheses
from maskc.runtime.pool import NO_NUMBER, MaskComposer, MaskPool, PooledMask
from maskc.runtime.scanner import Lookaheads, ScannerTables, group_bytes
from maskc.runtime.step_budget import AT_ONCE, charge_steps


class LalrMachine:
    """A :class:`maskc.runtime.machine.Machine` over a refined LALR table."""

    def __init__(
        self,
        contents: Contents,
        text_of: Callable[[int], bytes | None],
        budget: Budget,
        pool: MaskPool,
    ) -> None:
        arrays = contents.arrays
        # scanner, lookaheads, tables: of the artifact
        self.scanner = ScannerTables(contents)
        self.lookaheads = Lookaheads(contents)
        self.tables = LalrTables(contents, self.lookaheads)
        # what terminals do to stacks
        self.effects = StackEffects(self.tables, self.lookaheads, budget)
        self.newlines: Newlines | None = None  # what newlines do, None without indentation
        if self.tables.layout is not None:
            self.newlines = Newlines(arrays, self.tables, self.lookaheads, self.effects)
        # what open lexemes become
        self.lexemes = Lexemes(
            self.scanner, self.lookaheads, self.tables, self.effects, self.newlines
        )
        counts = arrays["final_columns"][arrays["scanner_final"]] >= 0
        # scanner state → whether its open lexeme may become a newline whose columns count
        self.counts_columns: list[bool] = counts.tolist()
        # moves hypotheses, caching nothing
        self.stepper = Stepper(self)
        graph = GraphReader(arrays)
        debts = Debts(self.scanner, self.tables, graph, self.effects, self.lexemes, self.newlines)
        self._masks = LalrMasks(self.tables, debts, MaskComposer(graph.unite, pool, budget), budget)
        self._tops, self._mask_cache = self._masks.tops.generations, self._masks.cache.generations
        self._classes, self._stride = self._masks.classes, self._masks.stride
        self.budget = budget  # what cached results are charged to
        self.stack_numbers = StackNumbers(budget)  # equal stacks have one number
        self._text_of = text_of
        n_states = self.tables.n_states
        # By scanner state, token and top of the stack.
        self._effects = HypothesisCache(budget, n_states, measure_effects)
        self._effect_results = self._effects.plain.generations
        # pool, byte_groups: see the interface
        self.pool = pool
        self.byte_groups = group_bytes(
            self.scanner.byte_classes, apart=COUNTED if self.newlines else b""
        )

    def start(self) -> Hypotheses:
        return (Hypothesis(self.scanner.start, Stack(RefinedStateId(0), None), (0,), NO_LINE),)

    def step(self, hypotheses: Hypotheses, text: bytes) -> Hypotheses:
        return self.stepper.step(hypotheses, text, Step(ReadSet(0)))

    def take(self, hypotheses: Hypotheses, token_id: int) -> Hypotheses:
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after = tuple(after for h in hypotheses for after in self._take(h, token_id))
        check_hypotheses(len(after))
        return after

    def _take(self, h: Hypothesis, token_id: int) -> Hypotheses:
        """Return what a token makes of one hypothesis.

        Decoding spends its time here: :meth:`StackCache.find` and ``pop_and_push`` are written out,
        as each call would take a tenth of the whole.
        """
        stack, current = h.stack, self._effect_results.current
        effects = current.get((h.state, token_id, stack.state))
        while type(effects) is int:
            node: int = effects
            if node < 0:
                effects, _ = follow(current, node, stack)
            else:
                stack = stack.below  # type: ignore[assignment]  # read before, so it is there
                effects = current.get(node + stack.state)
        if effects is None:
            effects = self._effects.plain.recall((h.state, token_id, h.stack.state), h.stack)
        if effects is ON_STACK:
            effects = self._effects.plain.find_deep((h.state, token_id, h.stack.state), h.stack)
        if effects is BY_LAYOUT:
            key = (h.state, token_id, h.stack.state, h.column, h.indents)
            effects = self._effects.by_layout.find(key, h.stack)
        if effects is None:
            return self._take_first(h, token_id)
        if len(effects) == 1:
            effect: TokenEffect = effects[0]
            n_popped, pushed, state, indents, column = effect
            stack = h.stack
            if (
                state == h.state
                and not pushed
                and not n_popped
                and indents is None
                and column == h.column
            ):
                # As inside a string: its mask, once known, stays known.
                return (h,)
            if n_popped > DEEP:
                stack = lower(stack, stack.depth - n_popped)
                n_popped = 0
            for _ in range(n_popped):
                stack = stack.below  # type: ignore[assignment]
            for top in pushed:
                stack = Stack(top, stack)
            return (Hypothesis(state, stack, h.indents if indents is None else indents, column),)
        return tuple(
            Hypothesis(
                state,
                pop_and_push(h.stack, n_popped, pushed),
                h.indents if indents is None else indents,
                column,
            )
            for n_popped, pushed, state, indents, column in effects
        )

    def _take_first(self, h: Hypothesis, token_id: int) -> Hypotheses:
        """Return the same, by following the token's bytes, and cache it."""
        text = self._text_of(token_id)
        if not text:
            return ()
        reads = ReadSet(h.stack.depth)
        after = self.stepper.step((h,), text, Step(reads))
        effects = tuple(find_effect(h, x, reads.lowest) for x in after)
        reads.layout |= self.counts_columns[h.state]
        self._effects.keep((h.state, token_id, h.stack.state), h, reads, effects)
        return after

    def may_end(self, hypothesis: Hypothesis) -> bool:
        return self.lexemes.may_end(hypothesis, ReadSet(0))

    def mask(self, hypothesis: Hypothesis) -> PooledMask:
        known = hypothesis.mask
        if known is not None:
            return known
        found = self._look_up(hypothesis)
        if found.number != NO_NUMBER:
            hypothesis.mask = found
        return found

    def _look_up(self, h: Hypothesis) -> PooledMask:
        """Return the same; the known part of the way is walked here."""
        stack = h.stack
        stride = self._stride
        found: Any = self._tops.current.get(h.state * stride + stack.state)
        if type(found) is PooledMask:
            return found
        current: dict[Any, Any] = self._mask_cache.current
        classes = self._classes
        layout: Any = NO_LAYOUT
        lowest = stack.depth - NEAR
        while True:
            if type(found) is int:
                mask_state: int = found
                if stack.depth <= lowest:
                    break
                if mask_state < 0:
                    n_skipped = -mask_state % stride
                    if n_skipped >= stack.depth:
                        break
                    mask_state = -mask_state - n_skipped
                    for _ in range(n_skipped):
                        stack = stack.below  # type: ignore[assignment]
                stack = stack.below  # type: ignore[assignment]  # read before, so it is there
                found = current.get(mask_state + classes[stack.state])
            elif type(found) is tuple:
                layout = current.get((h.column, h.indents))
                found = current.get((found[0], 0, layout))
            else:
                break
        if type(found) is PooledMask:
            return found
        # ``NEAR`` states were read, or the stack is shorter than what is to be skipped.
        known = (found, stack, layout) if type(found) is int else None
        return self._masks.read(h, known, None)

    def mask_numbers(self, batch: Iterable[Hypotheses]) -> list[int]:
        numbers: list[int] = []
        for hypotheses in batch:
            if len(hypotheses) == 1:
                h = hypotheses[0]
                mask = h.mask
                if mask is None:
                    mask = self.mask(h)
            else:
                mask = self.pool.unite(map(self.mask, hypotheses))
            numbers.append(mask.number)
        return numbers

    def compose(self, h: Hypothesis, reads: ReadSet) -> PooledMask:
        """Return the mask of a hypothesis, and note what of it was read for that."""
        return self._masks.read(h, None, reads)

    def describe(self, hypothesis: Hypothesis) -> Hashable:
        states = []
        node: Stack | None = hypothesis.stack
        charge_steps(1 + hypothesis.stack.depth // AT_ONCE)
        while node is not None:
            states.append(node.state)
            node = node.below
        return (hypothesis.state, tuple(states), hypothesis.indents, hypothesis.column)

    def identify(self, hypothesis: Hypothesis) -> Hashable:
        number = self.stack_numbers.number(hypothesis.stack)
        return (hypothesis.state, number, hypothesis.indents, hypothesis.column)
