"""What does the decision graph leave to be asked of a set of stacks?

A node of the graph says, by the state on top of a stack, which tokens every such stack takes, and
what depends on the stack: questions, each a terminal and the node that answers when the parser has
taken it, and trials, each some lookaheads and what is legal if the parser takes one of them. What a
stack is asked with some state on top is one :class:`Ask`, and equal asks are one object, so
that what was found out for one serves wherever it comes up.

What several asks allow is what one of them allows, so asks that meet over one state are *united*,
and the state is read once for all of them; of an ask that is united those parts go on that the
stack can still answer.

Example: for brackets, the node of the token ``))`` asks for RPAR and leads to the node of ``)``,
which asks for RPAR and then allows the token.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from maskc.ids import (
    AT_THE_END,
    EMPTY_TEXT,
    NO_EVENT,
    GeneralStateId,
    NodeId,
    OpenLexemeId,
    PlaceId,
    ProfileId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.effort import spend
from maskc.runtime.glr.unlisted import UnlistedTokens
from maskc.runtime.graph import NO_TOKENS, GraphReader, Unions
from maskc.runtime.lookaheads import Lookaheads
from maskc.runtime.scanner import ScannerTables

END_OF_TEXT = -1  # in a set of unions: the text may end here
_THE_END: Unions = frozenset((END_OF_TEXT,))

_ASKED = 8  # trials and questions of asks that are united, in one step of effort
_PART_BYTES = 200  # of a united ask, for each of its questions, and of its trials without unions

PLACE = PlaceId(0)  # there is one place of the lexer only, as general grammars have no contexts


class Ask:
    """What is open about the stacks with some state on top. Never changes.

    Attributes:
        questions: terminal → the nodes that are asked after it.
        trials: lookaheads, and what is legal if the parser takes one of them.
        lookaheads: all those that questions and trials can begin with, as a bit set.
        parts: the asks that it unites; none if it is not made of several.
    """

    __slots__ = ("lookaheads", "parts", "questions", "trials")

    def __init__(
        self,
        questions: dict[TerminalId, tuple[NodeId, ...]],
        trials: tuple[tuple[int, Unions], ...],
        lookaheads: int,
        parts: frozenset[Ask] = frozenset(),
    ) -> None:
        self.questions = questions
        self.trials = trials
        self.lookaheads = lookaheads
        self.parts = parts


class Asks:
    """What one artifact's stacks are asked.

    Args:
        graph: its decision graph.
        scanner, lookaheads: its tables.
        closed: boundary → whether the text may end there.
        unlisted: the tokens that the graph says nothing of.
        budget: what united asks are charged to.

    Attributes:
        unlisted: the same.
    """

    def __init__(
        self,
        graph: GraphReader,
        scanner: ScannerTables,
        lookaheads: Lookaheads,
        closed: Sequence[int],
        unlisted: UnlistedTokens,
        budget: Budget,
    ) -> None:
        self._graph = graph
        self._scanner = scanner
        self._lookaheads = lookaheads
        self._closed = closed
        self.unlisted = unlisted
        self._end = Ask({}, ((lookaheads.end, _THE_END),), lookaheads.end)
        self._starts: dict[ScannerStateId, tuple[Ask | None, tuple[NodeId, ...]]] = {}
        # By node and profile of the state.
        self._of_place: dict[NodeId, Ask | None] = {}
        self._of_node: dict[tuple[NodeId, ProfileId], tuple[Unions, Ask | None]] = {}
        self._united = Cache(budget, _measure)  # parts → ask
        self._narrowed = Cache(budget)  # ask and lookaheads → ask

    def start(self, state: ScannerStateId) -> tuple[Ask | None, tuple[NodeId, ...]]:
        """Return what is asked where a token starts in a scanner state.

        First what is given to the parser, then the nodes that answer at once, because nothing is.
        """
        found = self._starts.get(state)
        if found is None:
            scanner = self._scanner
            asked = [(terminal, node) for terminal, _, node in self._graph.root(state)]
            for terminal, boundary in scanner.ends(state):
                if self._closed[boundary]:
                    asked.append((terminal, AT_THE_END))
            if scanner.end_of_text[state] == EMPTY_TEXT:
                asked.append((NO_EVENT, AT_THE_END))
            questions, trials = self.unlisted.ask_start(state)
            questions += [(terminal, node) for terminal, node in asked if terminal >= 0]
            at_once = tuple(node for terminal, node in asked if terminal < 0)
            found = self._starts[state] = (self._make(questions, trials), at_once)
        return found

    def of_node(self, node: NodeId, state: GeneralStateId) -> tuple[Unions, Ask | None]:
        """Return what a node allows with a state on top, and what is left to be asked.

        ``END_OF_TEXT`` is among the unions that are allowed where the text may end.
        """
        if self.unlisted.has_node(node):
            return (NO_TOKENS, self._of_unlisted(node))
        key = (node, self._graph.profile(state))
        found = self._of_node.get(key)
        if found is None:
            if node == AT_THE_END:
                found = (NO_TOKENS, self._end)
            else:
                unions, questions, trials = self._graph.answer(node, state)
                asked = [(terminal, node) for terminal, _, node in questions]
                tried = [(lexeme, allowed) for lexeme, _, allowed in trials]
                found = (unions, self._make(asked, tried))
            self._of_node[key] = found
        return found

    def unite(self, asks: Sequence[Ask]) -> Ask:
        """Return what some asks, one at least, ask together."""
        if len(asks) == 1:
            return asks[0]
        parts: frozenset[Ask] = frozenset().union(*[ask.parts or (ask,) for ask in asks])
        for ask in asks:
            if len(ask.parts or (ask,)) == len(parts):
                return ask
        found: Ask | None = self._united.get(parts)
        if found is None:
            found = _put_together(asks, parts)
            self._united.put(parts, found)
            self._united.budget.charge(_measure_ask(found))
        return found

    def narrow(self, ask: Ask, lookaheads: int) -> Ask | None:
        """Return those parts of an ask that can begin with some lookaheads, ``None`` if none."""
        if not ask.lookaheads & lookaheads:
            return None
        if not ask.parts:
            return ask
        key = (ask, lookaheads)
        found: Ask | None = self._narrowed.get(key)
        if found is None:
            kept = [part for part in ask.parts if part.lookaheads & lookaheads]
            spend(1 + len(ask.parts) // _ASKED)
            found = ask if len(kept) == len(ask.parts) else self.unite(kept)
            self._narrowed.put(key, found)
        return found

    def _of_unlisted(self, node: NodeId) -> Ask | None:
        """Return what a node asks that is not the graph's, whatever is on top."""
        if node not in self._of_place:
            self._of_place[node] = self._make(*self.unlisted.ask_node(node))
        return self._of_place[node]

    def _make(
        self,
        asked: list[tuple[TerminalId, NodeId]],
        tried: list[tuple[OpenLexemeId, Unions]],
    ) -> Ask | None:
        """Return what is asked, ``None`` if it is nothing."""
        if not asked and not tried:
            return None
        trials = tuple((self._of_lexeme(lexeme), allowed) for lexeme, allowed in tried)
        questions: dict[TerminalId, list[NodeId]] = {}
        lookaheads = 0
        for terminal, node in asked:
            questions.setdefault(terminal, []).append(node)
            lookaheads |= self._lookaheads.of_terminal[terminal]
        for wanted, _ in trials:
            lookaheads |= wanted
        nodes = {terminal: tuple(sorted(nodes)) for terminal, nodes in questions.items()}
        return Ask(nodes, trials, lookaheads)

    def _of_lexeme(self, number: OpenLexemeId) -> int:
        """Return the lookaheads that an open lexeme may lead to, as a bit set."""
        lexeme = self._lookaheads.open_lexeme(number)
        found = lexeme.direct
        for boundary in lexeme.ignored:
            found |= self._lookaheads.after(boundary, PLACE)
        return found


def _put_together(asks: Sequence[Ask], parts: frozenset[Ask]) -> Ask:
    """Return what some asks ask together."""
    questions: dict[TerminalId, set[NodeId]] = {}
    trials: dict[int, set[int]] = {}
    lookaheads = n_seen = 0
    for ask in asks:
        lookaheads |= ask.lookaheads
        n_seen += len(ask.questions) + len(ask.trials)
        for terminal, nodes in ask.questions.items():
            questions.setdefault(terminal, set()).update(nodes)
        for wanted, allowed in ask.trials:
            trials.setdefault(wanted, set()).update(allowed)
    spend(1 + n_seen // _ASKED)
    return Ask(
        {terminal: tuple(sorted(nodes)) for terminal, nodes in questions.items()},
        tuple([(wanted, frozenset(allowed)) for wanted, allowed in trials.items()]),
        lookaheads,
        parts,
    )


def _measure(parts: frozenset[Ask]) -> int:
    return ENTRY_BYTES + sys.getsizeof(parts)


def _measure_ask(ask: Ask) -> int:
    unions = sum([sys.getsizeof(allowed) for _, allowed in ask.trials])
    return unions + _PART_BYTES * (len(ask.trials) + len(ask.questions))
