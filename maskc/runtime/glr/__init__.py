"""The machine of a general grammar: bytes move pairs of a scanner state and a set of stacks.

As :mod:`maskc.runtime.lalr`, with a set of stacks instead of one stack, and without
indentation. A text may have any number of readings, but those with the same scanner state are one
hypothesis with the stacks of all of them, so there are never more hypotheses than scanner states.

Example: with ``A: /a+/`` and ``start: A+``, after ``aaa`` there is one hypothesis, inside an A,
over the stacks for no A, one and two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from maskc.artifact.model import Contents
from maskc.artifact.sections import TOKENS_WITHOUT_ROWS
from maskc.ids import DEAD, EMPTY_TEXT, FORKS, IGNORED, ScannerStateId, TerminalId
from maskc.runtime.cache import Budget, Cache
from maskc.runtime.glr.debts import DebtReader
from maskc.runtime.glr.gss import GraphStructuredStack, Lr0Tables, Stacks
from maskc.runtime.glr.queries import (
    CONTEXT,
    END_OF_TEXT,
    LAYOUT_CONTEXT,
    Queries,
    TokensWithoutRows,
)
from maskc.runtime.graph import GraphReader
from maskc.runtime.pool import MaskComposer, MaskPool, PooledMask
from maskc.runtime.scanner import Lookaheads, ScannerTables, group_bytes
from maskc.runtime.step_budget import charge_steps, one_mask

_STATES = 4  # of the scanner that are one step
_ONE_MOVE = 2  # the length of a cached move to one hypothesis

_REMEDY = (
    "change the rules that leave all of the text before open, as palindromes do, and an `else` "
    "that may belong to any `if`; or load the artifact with more steps"
)


class GlrHypothesis:
    """Readings of the text so far that end in one scanner state. Never changes."""

    __slots__ = ("stacks", "state")

    def __init__(self, state: ScannerStateId, stacks: Stacks) -> None:
        self.state = state  # scanner state
        self.stacks = stacks  # the parser's stacks, without the open lexeme


GlrHypotheses = tuple[GlrHypothesis, ...]

_StacksOf = dict[ScannerStateId, Stacks]  # scanner state → stacks


class GlrMachine:
    """A :class:`maskc.runtime.machine.Machine` over an LR(0) table and a graph-structured stack."""

    def __init__(
        self,
        contents: Contents,
        text_of: Callable[[int], bytes | None],
        budget: Budget,
        pool: MaskPool,
    ) -> None:
        arrays = contents.arrays
        # scanner, lookaheads: of the artifact
        self.scanner = ScannerTables(contents)
        self.lookaheads = Lookaheads(contents)
        parser = Lr0Tables(arrays)
        self.gss = GraphStructuredStack(parser, budget)  # all sets of stacks
        self._closed: list[int] = arrays["general_closed"].tolist()
        graph = GraphReader(arrays)
        tokens: list[int] = (
            arrays[TOKENS_WITHOUT_ROWS].tolist() if TOKENS_WITHOUT_ROWS in arrays else []
        )
        self._tokens_without_rows = TokensWithoutRows(graph, self.scanner, tokens, text_of)
        queries = Queries(
            graph, self.scanner, self.lookaheads, self._closed, self._tokens_without_rows
        )
        self.debts = DebtReader(queries, parser, budget)  # reads stacks for masks
        self._composer = MaskComposer(self._tokens_without_rows.unite, pool, budget)
        self._text_of = text_of
        # (scanner state, number of stacks, token) → scanner state, stacks, …: no hypotheses, as the
        # collector looks at these.
        self._moves = Cache(budget)
        self._masks = Cache(budget)  # (scanner state, number of stacks) → mask
        # pool, byte_groups: see the interface
        self.pool = pool
        self.byte_groups = group_bytes(self.scanner.byte_classes)

    def start(self) -> GlrHypotheses:
        return (GlrHypothesis(self.scanner.start, self.gss.start),)

    def step(self, hypotheses: GlrHypotheses, text: bytes) -> GlrHypotheses:
        here: _StacksOf = {}
        with one_mask(self.pool.steps, _REMEDY):
            for h in hypotheses:
                self._add(here, h.state, h.stacks)
            for byte_class in text.translate(self.scanner.byte_classes):
                charge_steps(1 + len(here) // _STATES)
                here = self._advance(here, byte_class)
            return _sorted(self._keep_live(here))

    def take(self, hypotheses: GlrHypotheses, token_id: int) -> GlrHypotheses:
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after: _StacksOf = {}
        with one_mask(self.pool.steps, _REMEDY):
            for h in hypotheses:
                for x in self._take(h, token_id):
                    self._add(after, x.state, x.stacks)
        return _sorted(after)

    def _take(self, h: GlrHypothesis, token_id: int) -> GlrHypotheses:
        """Return what a token makes of one hypothesis; equal hypotheses have equal stacks."""
        key = (h.state, h.stacks[0], token_id)
        found: Any = self._moves.get(key)
        if found is None:
            text = self._text_of(token_id)
            after = self.step((h,), text) if text else ()
            self._moves.put(key, tuple([item for x in after for item in (x.state, x.stacks)]))
            return after
        if len(found) == _ONE_MOVE:
            return (GlrHypothesis(found[0], found[1]),)
        return tuple([GlrHypothesis(*pair) for pair in zip(found[::2], found[1::2], strict=True)])

    def may_end(self, hypothesis: GlrHypothesis) -> bool:
        with one_mask(self.pool.steps, _REMEDY):
            return self._may_end(hypothesis)

    def _may_end(self, hypothesis: GlrHypothesis) -> bool:
        state, stacks = hypothesis.state, hypothesis.stacks
        scanner, gss, end = self.scanner, self.gss, self.lookaheads.end
        if scanner.end_of_text[state] == EMPTY_TEXT:
            return bool(gss.taken(stacks) & end)
        for terminal, boundary in scanner.ends(state):
            if self._closed[boundary]:
                ended = self._end(stacks, terminal)
                if ended is not None and gss.taken(ended) & end:
                    return True
        return False

    def mask(self, hypothesis: GlrHypothesis) -> PooledMask:
        key = (hypothesis.state, hypothesis.stacks[0])
        found: PooledMask | None = self._masks.get(key)
        if found is None:
            self._composer.evict_if_full()
            with one_mask(self.pool.steps, _REMEDY):
                unions = self.debts.read(hypothesis.state, hypothesis.stacks)
                can_finish = END_OF_TEXT in unions
                unions.discard(END_OF_TEXT)
                joined = self._tokens_without_rows.join(unions)
                found = self._composer.compose(joined, can_finish=can_finish)
            self._masks.put(key, found)
        return found

    def mask_numbers(self, batch: Iterable[GlrHypotheses]) -> list[int]:
        return [
            self.mask(hypotheses[0]).number
            if len(hypotheses) == 1
            else self.pool.unite(map(self.mask, hypotheses)).number
            for hypotheses in batch
        ]

    def describe(self, hypothesis: GlrHypothesis) -> Hashable:
        state, stacks = hypothesis.state, hypothesis.stacks
        lookaheads = self._list_possible(state)
        return (state, self.gss.describe(stacks, lookaheads))

    def identify(self, hypothesis: GlrHypothesis) -> Hashable:
        """Return a key of a hypothesis: equal stacks that are merged differently have others."""
        state, stacks = hypothesis.state, hypothesis.stacks
        lookaheads = self._list_possible(state)
        return (state, self.gss.identify(stacks, lookaheads))

    def _advance(self, here: _StacksOf, byte_class: int) -> _StacksOf:
        """Return what some hypotheses become after a byte, and no more than is live if they fork.

        What is dead would fork on and on.
        """
        scanner = self.scanner
        after: _StacksOf = {}
        forked = False
        for state, stacks in here.items():
            move = scanner.moves(state)[byte_class]
            if move > 0:
                self._add(after, move, stacks)
            elif move != DEAD:
                forked = True
                if move == FORKS:
                    self._add(after, scanner.next(state)[byte_class], stacks)
                self._begin_next(after, state, stacks, byte_class)
        return self._keep_live(after) if forked else after

    def _begin_next(
        self, after: _StacksOf, state: ScannerStateId, stacks: Stacks, byte_class: int
    ) -> None:
        for terminal, boundary in self.scanner.ends(state):
            entered = self.scanner.entry(boundary, CONTEXT)[byte_class]
            if entered != DEAD:
                ended = self._end(stacks, terminal)
                if ended is not None:
                    self._add(after, entered, ended)

    def _end(self, stacks: Stacks, terminal: TerminalId) -> Stacks | None:
        return stacks if terminal == IGNORED else self.gss.shift(stacks, terminal)

    def _add(self, stacks_of: _StacksOf, state: ScannerStateId, stacks: Stacks) -> None:
        known = stacks_of.get(state)
        stacks_of[state] = stacks if known is None else self.gss.unite(known, stacks)

    def _keep_live(self, stacks_of: _StacksOf) -> _StacksOf:
        """Return what some text goes on from and ends."""
        return {
            state: stacks
            for state, stacks in stacks_of.items()
            if self._list_possible(state) & self.gss.taken(stacks)
        }

    def _list_possible(self, state: ScannerStateId) -> int:
        """Return the lookaheads to which the open lexeme of a scanner state may lead."""
        return self.lookaheads.possible(self.scanner.open_lexeme_of[state], LAYOUT_CONTEXT)


def _sorted(stacks_of: _StacksOf) -> GlrHypotheses:
    return tuple(GlrHypothesis(state, stacks_of[state]) for state in sorted(stacks_of))
