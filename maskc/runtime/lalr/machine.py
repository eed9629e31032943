"""The machine that an artifact describes: bytes move a set of hypotheses.

A *hypothesis* is a scanner state, a parser stack and, with indentation, a layout. Almost always
there is one. Where a lexeme may end before a byte and may also go on with it, both are
followed; the scanner's conditions see to it that the whole text keeps one of them.

Stacks are linked lists whose nodes are shared and never change, so a copy costs nothing and
rolling back is forgetting. A hypothesis that no further text can finish is dropped, so the
machine never stands in a dead end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from maskc.artifact.model import NO_LINE
from maskc.ids import DEAD, EMPTY_TEXT, IGNORED, NOT_AN_END
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.reductions import NO_NONTERMINAL, Chain, follow_chain
from maskc.runtime.lalr.stack import Stack, pop_and_push
from maskc.runtime.lalr.stack_cache import StackCache, descend
from maskc.runtime.lalr.tables import FORKS, Tables

# How many states a terminal pops, which it pushes (none: refused), how far down it looked.
Plan = tuple[int, tuple[int, ...], int]


class Hypothesis:
    """One reading of the text so far.

    Attributes:
        state: scanner state.
        stack: parser stack.
        indents: columns of the open blocks, outermost first.
        column: column reached in the open lexeme, ``NO_LINE`` before its first line break.
    """

    __slots__ = ("column", "indents", "stack", "state")

    def __init__(self, state: int, stack: Stack, indents: tuple[int, ...], column: int) -> None:
        self.state = state
        self.stack = stack
        self.indents = indents
        self.column = column


Hypotheses = tuple[Hypothesis, ...]


# What a token does to a hypothesis: how many states go, which ones come, the scanner's state, the
# open blocks if they change, the column.
Move = tuple[int, tuple[int, ...], int, tuple[int, ...] | None, int]

# What a pushed state takes in a plan, with its part of what tokens do.
_STATE_BYTES = 16

# Reductions that are followed one by one; longer chains are looked through for circles.
_SHORT_CHAIN = 200

# There are never more hypotheses than scanner states, and these that are dead and still there.
_SPARE_HYPOTHESES = 64

# In the place of moves: look them up with the layout.
_BY_LAYOUT = "by layout"


class LalrMachine:
    """Moves hypotheses. Shared by all matchers of an artifact, in whatever threads they run.

    Args:
        tables: what the artifact says.
        text_of: token id → its bytes, ``None`` if it writes no text.
        budget: where results are remembered.
    """

    def __init__(
        self, tables: Tables, text_of: Callable[[int], bytes | None], budget: Budget
    ) -> None:
        self.tables = tables
        self.budget = budget
        self._text_of = text_of
        self._plans = StackCache(budget)
        self._chains = Cache(budget)
        self._moves = StackCache(budget)
        self._moves_by_layout = StackCache(budget)
        # (final, refined state) → whether it leads on without a newline
        self._verdicts = Cache(budget)
        self._n_terminals = len(tables.terminal_looks)
        self._max_hypotheses = tables.n_states + _SPARE_HYPOTHESES

    def start(self) -> Hypotheses:
        """Return the hypotheses before the first byte."""
        return (Hypothesis(self.tables.scanner_start, Stack(0, None), (0,), NO_LINE),)

    def step(
        self, hypotheses: Hypotheses, classes: bytes, text: bytes, reads: ReadSet | None = None
    ) -> Hypotheses:
        """Return the live hypotheses behind some bytes; empty if the text is illegal.

        Args:
            hypotheses: before the bytes.
            classes: the byte class of each byte.
            text: the bytes.
            reads: told what was read.
        """
        reads = reads or ReadSet(0)
        if len(hypotheses) == 1:
            after = self._run(hypotheses[0], classes, text, reads)
        else:
            after = [x for h in hypotheses for x in self._run(h, classes, text, reads)]
        return tuple(h for h in after if self.is_live(h, reads))[: self._max_hypotheses]

    def take(self, hypotheses: Hypotheses, token_id: int) -> Hypotheses:
        """Return the live hypotheses behind a token; empty if it is illegal."""
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after = tuple(after for h in hypotheses for after in self._take(h, token_id))
        return after[: self._max_hypotheses]

    def _take(self, h: Hypothesis, token_id: int) -> Hypotheses:
        """Return what a token makes of one hypothesis.

        It is remembered as what the token does to the stack's top: this is where decoding spends
        its time, so the memory's tree is walked in place.
        """
        stack = h.stack
        moves = self._moves.current.get((h.state, token_id, stack.state))
        while type(moves) is dict:
            stack = stack.below  # type: ignore[assignment]  # as deep as when it was remembered
            moves = moves.get(stack.state)
        if type(moves) is list:
            moves, _ = descend(moves, stack)
        if moves is None:
            moves = self._moves.recall((h.state, token_id, h.stack.state), h.stack)
        if moves is _BY_LAYOUT:
            key = (h.state, token_id, h.stack.state, h.column, h.indents)
            moves = self._moves_by_layout.find(key, h.stack)
        if moves is None:
            return self._take_first(h, token_id)
        if len(moves) == 1:
            n_popped, pushed, state, indents, column = moves[0]
            stack = h.stack
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
            for n_popped, pushed, state, indents, column in moves
        )

    def _take_first(self, h: Hypothesis, token_id: int) -> Hypotheses:
        text = self._text_of(token_id)
        if not text:
            return ()
        reads = ReadSet(h.stack.depth)
        after = self.step((h,), text.translate(self.tables.classes), text, reads)
        moves = tuple(self._describe(h, x, reads.lowest) for x in after)
        if len(moves) > 1:
            self.budget.charge(ENTRY_BYTES * len(moves))
        key: tuple[object, ...] = (h.state, token_id, h.stack.state)
        by_layout = reads.layout or self.tables.has_column[h.state]
        if by_layout or self._moves.find(key, h.stack) is _BY_LAYOUT:
            self._moves.put(key, _BY_LAYOUT)
            key = (h.state, token_id, h.stack.state, h.column, h.indents)
            self._moves_by_layout.keep(key, h.stack, reads.lowest, moves)
        else:
            self._moves.keep(key, h.stack, reads.lowest, moves)
        return after

    @staticmethod
    def _describe(h: Hypothesis, after: Hypothesis, lowest: int) -> Move:
        """Return what made one hypothesis of another, if no more of the stack was read."""
        stack, pushed = after.stack, []
        while stack.depth > lowest and stack is not h.stack:
            pushed.append(stack.state)
            if stack.below is None:
                raise ValueError("a stack ends above its lowest state")
            stack = stack.below
        n_popped = h.stack.depth - stack.depth
        indents = after.indents if after.indents is not h.indents else None
        return (n_popped, tuple(reversed(pushed)), after.state, indents, after.column)

    def _run(self, h: Hypothesis, classes: bytes, text: bytes, reads: ReadSet) -> list[Hypothesis]:
        """Return what one hypothesis becomes behind the bytes, live or not."""
        here, place = self._run_alone(h, classes, text, 0, reads)
        while here and place < len(classes):
            if len(here) == 1:
                here, place = self._run_alone(here[0], classes, text, place, reads)
            else:
                byte_class, byte = classes[place], text[place]
                here = self._bound(
                    [x for h in here for x in self._advance(h, byte_class, byte, reads)], reads
                )
                place += 1
        return here

    def _run_alone(
        self, h: Hypothesis, classes: bytes, text: bytes, start: int, reads: ReadSet
    ) -> tuple[list[Hypothesis], int]:
        """Return what one hypothesis becomes from a place on, and how far it was alone."""
        tables = self.tables
        state, stack, column = h.state, h.stack, h.column
        for index in range(start, len(classes)):
            byte_class = classes[index]
            move = tables.moves(state)[byte_class]
            if move > 0:
                state = move
                if tables.has_column[state] and not tables.enclosed[stack.state]:
                    column = self._column(column, text[index])
            elif move == DEAD:
                return [], len(classes)
            else:
                h = Hypothesis(state, stack, h.indents, column)
                after = self._fork(h, byte_class, text[index], reads, goes_on=move == FORKS)
                if len(after) != 1:
                    return self._bound(after, reads), index + 1
                h = after[0]
                state, stack, column = h.state, h.stack, h.column
        return [Hypothesis(state, stack, h.indents, column)], len(classes)

    def _advance(
        self, h: Hypothesis, byte_class: int, byte: int, reads: ReadSet
    ) -> list[Hypothesis]:
        """Return what one hypothesis becomes behind a byte."""
        tables = self.tables
        move = tables.moves(h.state)[byte_class]
        if move == DEAD:
            return []
        if move < 0:
            return self._fork(h, byte_class, byte, reads, goes_on=move == FORKS)
        column = h.column
        if tables.has_column[move] and not tables.enclosed[h.stack.state]:
            column = self._column(column, byte)
        return [Hypothesis(move, h.stack, h.indents, column)]

    def _bound(self, here: list[Hypothesis], reads: ReadSet) -> list[Hypothesis]:
        """Return the hypotheses, as many as there can be in tables that maskc made.

        Two of them in one scanner state would be two readings of each text that finishes both,
        and Lark reads a text in one way. Tables that somebody else made may say anything.
        """
        if len(here) > self._max_hypotheses:
            here = [h for h in here if self.is_live(h, reads)][: self._max_hypotheses]
        return here

    def _fork(
        self, h: Hypothesis, byte_class: int, byte: int, reads: ReadSet, *, goes_on: bool
    ) -> list[Hypothesis]:
        """Return what a hypothesis becomes behind a byte before which its lexeme may end."""
        tables = self.tables
        after: list[Hypothesis] = []
        if goes_on:
            following = tables.next(h.state)[byte_class]
            column = h.column
            if tables.has_column[following] and not tables.enclosed[h.stack.state]:
                column = self._column(column, byte)
            after.append(Hypothesis(following, h.stack, h.indents, column))
        for terminal, boundary in tables.ends(h.state):
            ended = self.end(h, terminal, h.column, reads)
            if ended is not None:
                context = tables.context(ended.stack.state)
                entered = tables.entry(boundary, context)[byte_class]
                if entered:
                    ended.state = entered
                    # Columns count in newlines that end a line, so not between brackets.
                    if tables.has_column[entered] and not tables.enclosed[ended.stack.state]:
                        ended.column = self._column(NO_LINE, byte)
                    after.append(ended)
        return after

    def _column(self, column: int, byte: int) -> int:
        if byte == 10:
            return 0
        if column == NO_LINE or (byte != 32 and byte != 9):
            return column
        if byte == 32:
            return column + 1
        layout = self.tables.layout
        return column + (layout.tab_len if layout else 0)

    def end(self, h: Hypothesis, terminal: int, column: int, reads: ReadSet) -> Hypothesis | None:
        """Return a new hypothesis in which the open lexeme has become a terminal.

        Its scanner state is for the caller to set. ``None`` if the parser refuses.

        Args:
            h: before the lexeme's end; its own column is not looked at.
            terminal: what the lexeme became, or ``IGNORED``.
            column: the column that the lexeme reached.
            reads: told what was read.
        """
        if terminal == IGNORED:
            return Hypothesis(0, h.stack, h.indents, NO_LINE)
        layout = self.tables.layout
        if layout is not None and terminal == layout.newline:
            return self._end_line(h, column, reads)
        stack = self.shift(h.stack, terminal, reads)
        return None if stack is None else Hypothesis(0, stack, h.indents, NO_LINE)

    def _end_line(self, h: Hypothesis, column: int, reads: ReadSet) -> Hypothesis | None:
        """Give the parser a newline and what the new column means (Lark's ``handle_NL``)."""
        layout = self.tables.layout
        if layout is None:
            raise ValueError("a grammar without indentation has no newlines")
        if self.tables.enclosed[h.stack.state]:
            return Hypothesis(0, h.stack, h.indents, NO_LINE)
        reads.layout = True
        if column == NO_LINE:
            return None
        stack = self.shift(h.stack, layout.newline, reads)
        indents = h.indents
        if stack is not None and column > indents[-1]:
            stack = self.shift(stack, layout.indent, reads)
            indents = (*indents, column)
        while stack is not None and column < indents[-1]:
            stack = self.shift(stack, layout.dedent, reads)
            indents = indents[:-1]
        if stack is None or column != indents[-1]:
            return None
        return Hypothesis(0, stack, indents, NO_LINE)

    def shift(self, stack: Stack, terminal: int, reads: ReadSet) -> Stack | None:
        """Return the stack behind a terminal, ``None`` if no text can go on with it."""
        key = stack.state * self._n_terminals + terminal
        plan: Plan | None = self._plans.find(key, stack)
        if plan is None:
            plan = self._plan(stack, terminal)
            self._plans.keep(key, stack, stack.depth - plan[2], plan)
            self.budget.charge(_STATE_BYTES * len(plan[1]))
        n_popped, pushed, n_read = plan
        if stack.depth - n_read < reads.lowest:
            reads.lowest = stack.depth - n_read
        return pop_and_push(stack, n_popped, pushed) if pushed else None

    def _plan(self, stack: Stack, terminal: int) -> Plan:
        """Work out what a terminal does to a stack.

        Long chains of reductions touch the same few states again and again; the plan keeps
        their effect only: how many states go, and which ones come. What happens between two
        looks further down depends on three numbers, and is remembered by them.
        """
        if not self.tables.terminal_looks[terminal] & self.tables.live[stack.state]:
            return (0, (), 0)
        base, nonterminal = stack, NO_NONTERMINAL
        while True:
            key = (base.state, nonterminal, terminal)
            chain: Chain | None = self._chains.current.get(key) or self._chains.get(key)
            if chain is None:
                chain = self._chain(*key)
                self._chains.put(key, chain)
            n_below, nonterminal, pushed = chain
            if nonterminal == NO_NONTERMINAL:
                n_popped = stack.depth - base.depth
                return (n_popped if pushed else 0, pushed, n_popped)
            for _ in range(n_below):
                if base.below is None:
                    # Only in tables that maskc did not make is a production longer than the stack.
                    return (0, (), stack.depth)
                base = base.below

    def _chain(self, state: int, nonterminal: int, terminal: int) -> Chain:
        """Return what follows when a nonterminal, or nothing, has come on top of a state."""
        tables = self.tables
        refused: Chain = (0, NO_NONTERMINAL, ())
        states: list[int] = []  # pushed so far, above ``state``
        first = nonterminal
        for _ in range(_SHORT_CHAIN):
            if nonterminal != NO_NONTERMINAL:
                goto = tables.gotos(states[-1] if states else state).get(nonterminal)
                if goto is None:
                    return refused
                states.append(goto)
            top = states[-1] if states else state
            # LALR rows are shared by refined states and soon known, so they are asked first.
            production = tables.reduces(tables.lalr_state[top]).get(terminal)
            if production is None:
                target = tables.shifts(top).get(terminal)
                return refused if target is None else (0, NO_NONTERMINAL, (*states, target))
            nonterminal = tables.production_lhs[production]
            length = tables.production_length[production]
            if length > len(states):
                return (length - len(states), nonterminal, ())
            del states[len(states) - length :]
        return follow_chain(tables, state, first, terminal)

    def is_live(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether some text finishes the hypothesis."""
        if self.tables.end_of_text[h.state] == EMPTY_TEXT and self.can_finish(h, reads):
            return True
        return self.leads_on(self.tables.final_of[h.state], h, h.column, reads)

    def leads_on(self, final: int, h: Hypothesis, column: int, reads: ReadSet) -> bool:
        """Return whether some text finishes ``h`` if its open lexeme has this final and column."""
        key = (final, h.stack.state)
        verdict: bool | None = self._verdicts.current.get(key)
        if verdict is None:
            verdict = self._verdicts.get(key)
        if verdict is None:
            direct, ignored, _, _ = self.tables.final(final)
            verdict = bool(direct & self.tables.live[h.stack.state]) or any(
                self._goes_on(h.stack, boundary) for boundary in ignored
            )
            self._verdicts.put(key, verdict)
        if verdict:
            return True
        _, _, newlines, sets = self.tables.final(final)
        return any(
            self._newline_leads_on(h, column, sets, boundary, reads) for boundary in newlines
        )

    def _goes_on(self, stack: Stack, boundary: int) -> bool:
        """Return whether the stack takes what can be lexed behind a boundary."""
        return bool(self.tables.rest(boundary, stack.state) & self.tables.live[stack.state])

    def _newline_leads_on(
        self, h: Hypothesis, column: int, sets: int, boundary: int, reads: ReadSet
    ) -> bool:
        """Return whether the open lexeme may still become a newline that leads on."""
        tables, layout = self.tables, self.tables.layout
        if layout is None:
            raise ValueError("a grammar without indentation has no newlines")
        if tables.enclosed[h.stack.state]:
            return self._goes_on(h.stack, boundary)
        stack = self.shift(h.stack, layout.newline, reads)
        if stack is None:
            return False
        reads.layout = True
        if tables.live[stack.state] & tables.indent_bit[boundary] and (
            tables.can_exceed_column(sets, boundary, h.indents[-1], fresh=True)
            or column != NO_LINE
            and tables.can_exceed_column(sets, boundary, h.indents[-1] - column, fresh=False)
        ):
            return True
        for wanted in reversed(h.indents):
            if self._goes_on(stack, boundary) and (
                tables.can_reach_column(sets, boundary, wanted, fresh=True)
                or NO_LINE != column <= wanted
                and tables.can_reach_column(sets, boundary, wanted - column, fresh=False)
            ):
                return True
            if not tables.live[stack.state] & tables.dedent_bit[boundary]:
                return False
            below = self.shift(stack, layout.dedent, reads)
            if below is None:
                return False
            stack = below
        return False

    def can_finish(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether the text may end here."""
        tables, layout = self.tables, self.tables.layout
        terminal = tables.end_of_text[h.state]
        if terminal == NOT_AN_END:
            return False
        ended: Hypothesis | None = h
        if terminal >= 0 and terminal not in tables.may_end and not self._is_newline(terminal):
            return False
        if terminal != EMPTY_TEXT:
            ended = self.end(h, terminal, h.column, reads)
        if ended is None:
            return False
        live = tables.live[ended.stack.state]
        if layout is not None and self._is_indented(ended, reads):
            return bool(live & layout.dedent_at_end)
        return bool(live & tables.end_bit)

    def is_complete(self, h: Hypothesis) -> bool:
        """Return whether the text may end here."""
        return self.can_finish(h, ReadSet(0))

    def describe(self, h: Hypothesis) -> Hashable:
        """Return all that the future of a hypothesis depends on."""
        states = []
        node: Stack | None = h.stack
        while node is not None:
            states.append(node.state)
            node = node.below
        return (h.state, tuple(states), h.indents, h.column)

    def _is_newline(self, terminal: int) -> bool:
        layout = self.tables.layout
        return layout is not None and terminal == layout.newline

    def _is_indented(self, h: Hypothesis, reads: ReadSet) -> bool:
        reads.layout = True
        return len(h.indents) > 1
