"""Which tokens does a set of stacks allow? Its stacks are read, from the top down.

What the decision graph leaves open about a stack with some state on top is a set of questions: a
terminal, and what is asked behind it. A general parser reduces before it shifts, and a reduction
uncovers a state that is not known yet. So all that there is to know is: how many states are still
to go, the nonterminal that comes in their place, and the questions that wait for it. A set of such
*waits* is a state of a finite automaton that reads the parser's stack. Reading one more
state gives some unions of tokens, which are legal on every stack that begins like this, and the
waits that are left; when none is left, the rest of the stack does not matter.

This is the debt automaton of the appendix (4.3), made deterministic, over the parser's states in
the place of productions and with sets of tokens on its edges. It does not depend on the
text, so what was worked out for one stack serves all that agree so far: a bracket at a new depth
costs a few looks into a dictionary. It is made as it is needed.

A set of stacks allows what one of its stacks allows: all ways down the graph are read. Waits are
independent of each other, so a node that is reached again is read for those that are new, and for
these only; the work is bounded by waits times nodes.

Soundness. The graph's questions are asked behind a terminal of the state that was shifted, and
only in states that a terminal leads to does it decide anything. A wait is dropped where the
state on top cannot go on with any terminal that is asked for (``Tables.live``, exact for one
terminal). Nothing is empty, so a reduction takes the top at least, and the automaton is finite: as
many waits as lengths, nonterminals and answers.

Example: behind ``f(g(x`` the question RPAR reduces ``x`` to an argument; one state down stands the
``(`` of g, which shifts RPAR, and what ``))`` asks then waits for a call to be reduced.

Source: Tran-Thien, appendix, 4.3; Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from maskc.ids import EMPTY_TEXT, NO_EVENT
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.glr.gss import Node, StackSet
from maskc.runtime.glr.tables import GlrTables
from maskc.runtime.graph import NO_TOKENS, GraphReader, Unions
from maskc.runtime.lalr.tables import Tables

END_OF_TEXT = -1  # in a set of unions: the text may end here
_THE_END: Unions = frozenset((END_OF_TEXT,))

_AT_THE_END = -1  # in the place of a node: the text has to end there
_WAIT_BYTES = 100


class Ask:
    """Questions and trials that are open for the stacks with some top.

    Attributes:
        questions: terminal → the nodes that are asked after it.
        trials: lookaheads, and what is legal if one of them goes on.
        looks: all lookaheads that questions and trials can begin with.
    """

    __slots__ = ("looks", "questions", "trials")

    def __init__(
        self,
        questions: dict[int, tuple[int, ...]],
        trials: tuple[tuple[int, Unions], ...],
        looks: int,
    ) -> None:
        self.questions = questions
        self.trials = trials
        self.looks = looks


class Wait(NamedTuple):
    """States are taken off the stack, then a nonterminal comes, and then it is asked.

    Attributes:
        n_states: how many states are to be read: the last of them is what the nonterminal comes on.
        nonterminal: what comes.
        ask: what is asked then.
    """

    n_states: int
    nonterminal: int
    ask: Ask


_NO_WAITS: frozenset[Wait] = frozenset()


class Waits:
    """A state of the automaton. Equal ones are one object."""

    __slots__ = ("all",)

    def __init__(self, all_: frozenset[Wait]) -> None:
        self.all = all_


# What reading one state gives: unions, and what is left to wait for.
_Move = tuple[Unions, Waits | None]
# Something asked about a state that is on top now.
_Top = tuple[Ask, int]


class _Reading:
    """A state that is being read.

    Attributes:
        state: the state.
        waits: what waits for it and was not looked at yet.
        top: what is asked of the state if it is on top.
        tops: what is to be asked of states that came on top of it.
        unions, left: what was found so far.
    """

    __slots__ = ("_seen", "left", "state", "top", "tops", "unions", "waits")

    def __init__(self, state: int, waits: frozenset[Wait], top: _Top | None = None) -> None:
        self.state = state
        self.waits = list(waits)
        self._seen = set(waits)
        self.top = top
        self.tops: list[_Top] = []
        self.unions: set[int] = set()
        self.left: set[Wait] = set()

    def take(self, above: _Move) -> None:
        """Take in what reading a state right above this one gave."""
        unions, left = above
        self.unions |= unions
        if left is not None:
            fresh = left.all - self._seen
            self._seen |= fresh
            self.waits += fresh


class DebtReader:
    """Reads the stacks of one artifact, for all its matchers.

    Args:
        reader: of its decision graph.
        tables: its scanner's tables.
        parser: its parser's table.
        closed: boundary → whether the text may end there.
        budget: where results are remembered.
    """

    def __init__(
        self,
        reader: GraphReader,
        tables: Tables,
        parser: GlrTables,
        closed: list[int],
        budget: Budget,
    ) -> None:
        self._reader = reader
        self._tables = tables
        self._parser = parser
        self._closed = closed
        # An artifact in which no state decides anything has one for all of them.
        self._by_state = len(tables.live) == len(parser.live) and len(tables.live) > 1
        self._starts: dict[int, tuple[Ask | None, tuple[int, ...]]] = {}
        self._asks: dict[tuple[int, int], tuple[Unions, Ask | None]] = {}
        self._follow = self._find_follow()
        self._end = Ask({}, ((tables.end_bit, _THE_END),), tables.end_bit)
        self._known = Cache(budget, _measure)  # frozenset of waits → Waits
        self._tops = Cache(budget)  # (ask, state) → move
        self._moves = Cache(budget)  # (waits, state) → move

    def read(self, state: int, stacks: StackSet) -> set[int]:
        """Return the unions that are legal in a scanner state over some stacks.

        ``END_OF_TEXT`` is among them if the text may end.
        """
        found: set[int] = set()
        start, at_once = self._start(state)
        for node in stacks.tops:
            asks = [start] if start is not None else []
            for asked in at_once:
                unions, ask = self._look_up(asked, node.state)
                found |= unions
                if ask is not None:
                    asks.append(ask)
            for ask in asks:
                unions, left = self._ask_top(ask, node.state)
                found |= unions
                if left is not None:
                    self._read_below(left, node, found)
        return found

    def _read_below(self, left: Waits | None, node: Node, found: set[int]) -> None:
        """Add what is found below a node, as long as something waits."""
        moves = self._moves.current
        while left is not None:
            if len(node.below) != 1:
                self._read_graph(left, node, found)
                return
            (node,) = node.below
            unions, left = moves.get((left, node.state)) or self._move(left, node.state)
            if unions:
                found |= unions

    def _read_graph(self, left: Waits, node: Node, found: set[int]) -> None:
        """Add the same where the stacks part: each node is read once for each wait."""
        read: dict[Node, frozenset[Wait]] = {}
        pending = [(left, node)]
        while pending:
            left, node = pending.pop()
            for below in node.below:
                before = read.get(below, _NO_WAITS)
                fresh = left.all - before
                if fresh:
                    read[below] = before | fresh
                    unions, after = self._move(self._intern(fresh), below.state)
                    found |= unions
                    if after is not None:
                        pending.append((after, below))

    def _find_follow(self) -> list[int]:
        """Return, for each nonterminal, the lookaheads that some stack goes on with after it."""
        live = self._tables.live
        if not self._by_state:
            return [-1] * self._parser.n_nonterminals
        found = [0] * self._parser.n_nonterminals
        for nonterminal, state in self._parser.list_gotos():
            found[nonterminal] |= live[state]
        return found

    def _start(self, state: int) -> tuple[Ask | None, tuple[int, ...]]:
        """Return what is asked of the top where a token starts in a scanner state.

        And the nodes that answer there at once, because nothing goes to the parser.
        """
        found = self._starts.get(state)
        if found is None:
            tables = self._tables
            asked = [(q.terminal, q.node) for q in self._reader.root(state)]
            for terminal, boundary in tables.ends(state):
                if self._closed[boundary]:
                    asked.append((terminal, _AT_THE_END))
            if tables.end_of_text[state] == EMPTY_TEXT:
                asked.append((NO_EVENT, _AT_THE_END))
            found = self._starts[state] = (
                self._make([(terminal, node) for terminal, node in asked if terminal >= 0], ()),
                tuple(node for terminal, node in asked if terminal < 0),
            )
        return found

    def _move(self, waits: Waits, state: int) -> _Move:
        """Return what reading a state below the top gives."""
        key = (waits, state)
        found: _Move | None = self._moves.get(key)
        if found is None:
            found = self._work_out(_Reading(state, waits.all))
            self._moves.put(key, found)
        return found

    def _ask_top(self, ask: Ask, state: int) -> _Move:
        """Return what a question gives that is asked of the state on top, which is read by it."""
        found: _Move | None = self._tops.get((ask, state))
        return found or self._work_out(self._open(ask, state))

    def _work_out(self, reading: _Reading) -> _Move:
        """Return what a reading gives, and remember all that had to be asked for it."""
        # A token may have thousands of terminals: this stack is ours, not Python's. And what was
        # remembered a moment ago may be forgotten now, so each reading keeps what it asked for.
        open_ = [reading]
        while True:
            reading = open_[-1]
            asked = self._go_on(reading)
            if asked is not None:
                found: _Move | None = self._tops.get(asked)
                if found is None:
                    open_.append(self._open(*asked))
                else:
                    reading.take(found)
                continue
            open_.pop()
            left = self._intern(frozenset(reading.left)) if reading.left else None
            move = (frozenset(reading.unions), left)
            if reading.top is not None:
                self._tops.put(reading.top, move)
            if not open_:
                return move
            open_[-1].take(move)

    def _open(self, ask: Ask, state: int) -> _Reading:
        """Return the reading of a state that is on top and asked."""
        reading = _Reading(state, frozenset(), (ask, state))
        parser, here = self._parser, self._parser.live[state]
        for looks, allowed in ask.trials:
            if looks & here:
                reading.unions |= allowed
        shifts = parser.shifts(state)
        if len(ask.questions) <= len(shifts):
            taken = [terminal for terminal in ask.questions if terminal in shifts]
        else:
            taken = [terminal for terminal in shifts if terminal in ask.questions]
        for terminal in taken:
            for target in shifts[terminal]:
                for node in ask.questions[terminal]:
                    self._answer(node, target, reading)
        for nonterminal, length in parser.reduces(state):
            if self._follow[nonterminal] & ask.looks:
                reading.left.add(Wait(length, nonterminal, ask))
        return reading

    def _go_on(self, reading: _Reading) -> _Top | None:
        """Return what a reading has to ask next, ``None`` if it is done."""
        if reading.tops:
            return reading.tops.pop()
        while reading.waits:
            n_states, nonterminal, ask = reading.waits.pop()
            if n_states > 1:
                reading.left.add(Wait(n_states - 1, nonterminal, ask))
                continue
            target = self._parser.gotos(reading.state).get(nonterminal)
            if target is not None and (not self._by_state or self._tables.live[target] & ask.looks):
                return (ask, target)
        return None

    def _answer(self, node: int, state: int, reading: _Reading) -> None:
        """Add what a node says about a state on top: unions, and what is to be asked of it."""
        allowed, ask = self._look_up(node, state)
        reading.unions |= allowed
        if ask is not None:
            reading.tops.append((ask, state))

    def _look_up(self, node: int, state: int) -> tuple[Unions, Ask | None]:
        """Return what a node says about a state on top, and what is left to be asked."""
        key = (node, state if self._by_state else 0)
        found = self._asks.get(key)
        if found is None:
            if node == _AT_THE_END:
                found = (NO_TOKENS, self._end)
            else:
                unions, questions, trials = self._reader.answer(*key)
                tried = tuple((self._looks(t.final), t.unions) for t in trials)
                found = (unions, self._make([(q.terminal, q.node) for q in questions], tried))
            self._asks[key] = found
        return found

    def _make(
        self, asked: list[tuple[int, int]], trials: tuple[tuple[int, Unions], ...]
    ) -> Ask | None:
        """Return what is asked, ``None`` if it is nothing."""
        if not asked and not trials:
            return None
        questions: dict[int, list[int]] = {}
        looks = 0
        for terminal, node in asked:
            questions.setdefault(terminal, []).append(node)
            looks |= self._tables.terminal_looks[terminal]
        for wanted, _ in trials:
            looks |= wanted
        return Ask({terminal: tuple(nodes) for terminal, nodes in questions.items()}, trials, looks)

    def _looks(self, final: int) -> int:
        """Return the lookaheads that an open lexeme may lead to."""
        direct, ignored, _, _ = self._tables.final(final)
        for boundary in ignored:
            direct |= self._tables.rest(boundary, 0)
        return direct

    def _intern(self, waits: frozenset[Wait]) -> Waits:
        found: Waits | None = self._known.get(waits)
        if found is None:
            found = Waits(waits)
            self._known.put(waits, found)
        return found


def _measure(key: frozenset[Wait]) -> int:
    return ENTRY_BYTES + sys.getsizeof(key) + _WAIT_BYTES * len(key)
