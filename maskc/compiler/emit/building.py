"""Builds a decision graph from rows and verdicts.

The roots are made of the rows of each scanner state, then each node is answered in the order in
which nodes are met; answering one meets others, whose rows are shorter by an event, so it ends. At
last nodes are numbered anew, those that are asked before those that ask.

A scanner state's root asks what its own rows ask, and those that start after each of its ends. Rows
that stay inside of their lexeme need no context: they are asked in those that the state can be in.
A node is answered for each profile that can be on top where it is asked. Beyond ``MAX_UNIONS``
distinct unions of tokens the rows of the nodes that remain are all asked about on the stack at
hand; the masks are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import MAX_QUERIES
from maskc.compiler import LexicalAnalysis
from maskc.compiler.emit import (
    ANY_CONTEXT,
    ByContext,
    DecisionGraph,
    Flags,
    GraphAnswer,
    GraphNode,
    LookaheadCheck,
    NodeAnswers,
    Nodes,
    ParserQuery,
    Profiles,
    count_moves,
    decode_query,
    encode_query,
    find_contexts,
    find_distinct,
)
from maskc.compiler.optimise import Rows, Verdicts
from maskc.compiler.optimise.order import OptimisedRows
from maskc.compiler.pushdown.decisions import DEPENDS, MAY
from maskc.errors import LimitError
from maskc.grammar import Grammar
from maskc.ids import ANY_PROFILE, NO_EVENT, SAME, NodeId, TerminalId
from maskc.wording import Phrase

Ints = NDArray[np.int32]


def make_roots(
    rows: Rows, nodes: Nodes, contexts: Sequence[int], newline: TerminalId | None
) -> tuple[tuple[ParserQuery, ...], ...]:
    """Return the queries of each scanner state: its own rows, and those after its ends."""
    number_of = nodes.number_of
    sequences = np.array(
        [number_of[sequence] for sequence in rows.sequence.tolist()], dtype=np.int32
    )
    terminals = np.array([event.terminal for event in rows.events], dtype=np.int32)
    columns = np.array([event.column for event in rows.events], dtype=np.int32)
    queries = encode_query(terminals, columns)[rows.first]
    asked = [ANY_CONTEXT if e.terminal == NO_EVENT else e.contexts for e in rows.events]
    groups = np.array(list(map(nodes.number_group, asked)), dtype=np.int32)[rows.first]
    bounds = np.searchsorted(rows.source, np.arange(rows.n_sources + 1)).tolist()
    roots = []
    for state, ends in enumerate(rows.ends_of):
        found = _group_rows(queries, bounds[state], bounds[state + 1])
        for end in ends:
            terminal = rows.ends[end - rows.n_states][0]
            # The lexeme ended before the token: its column is what it was.
            column = SAME if terminal == newline else 0
            here = np.arange(bounds[end], bounds[end + 1])
            found.setdefault((terminal, column), []).append(here)
        root = []
        for (terminal, column), parts in sorted(found.items()):
            here = parts[0] if len(parts) == 1 else np.concatenate(parts)
            if len(here):
                node = nodes.make(terminal, groups[here], sequences[here], rows.token_set[here])
                if terminal == NO_EVENT:
                    nodes.inside_of[node] = nodes.inside_of.get(node, 0) | contexts[state]
                root.append(ParserQuery(terminal, column, node))
        roots.append(tuple(root))
    return tuple(roots)


def _group_rows(
    queries: NDArray[np.int64], first: int, last: int
) -> dict[tuple[TerminalId, int], list[NDArray[np.intp]]]:
    """Return what the rows of one source ask first, and the rows that ask it, ascending."""
    here = queries[first:last]
    distinct = sorted(set(here.tolist()))
    if len(distinct) == 1:
        return {decode_query(distinct[0]): [np.arange(first, last)]}
    return {decode_query(one): [(here == one).nonzero()[0] + first] for one in distinct}


MAX_UNIONS = 60_000


class _Rows(NamedTuple):
    """Rows of a node that need one context; attributes as there."""

    sequences: Ints
    sets: Ints


class Answers:
    """Answers nodes; equal answers are kept once."""

    def __init__(
        self, nodes: Nodes, profiles: Profiles, verdicts: Verdicts, n_contexts: int
    ) -> None:
        self.distinct: dict[GraphAnswer, int] = {}  # answer → number
        self.of_node: list[NodeAnswers] = []  # by number, what a node answers
        # token sets that are united, ascending → number; the first is empty
        self.unions: dict[tuple[int, ...], int] = {(): 0}
        self.n_undecided = 0  # nodes whose rows are all asked about
        self._nodes, self._profiles = nodes, profiles
        self._class_of = verdicts.class_of
        self._inside = nodes.list_inside(n_contexts)

    def answer_all(self) -> None:
        """Answer for each node and profile; new nodes are found on the way."""
        while len(self.of_node) < len(self._nodes.nodes):
            self.of_node.append(self._answer(len(self.of_node)))

    def _answer(self, number: int) -> NodeAnswers:
        """Return the answers for the profiles that can be on top where a node is asked.

        A node has one column for each of its n rows. For each context, with m profiles in it:

        - ``inside``: intp[k], which rows need the context, or no other: the others have no part;
        - flags by profile and row: uint8[m, k], ``MAY`` if every stack takes the row, ``FAIL`` if
          none does, ``DEPENDS``;
        - ``kinds``: uint8[n_kinds, k], the distinct rows of these flags; profiles of one kind have
          one answer: the token sets of its ``MAY`` columns united, and queries for ``DEPENDS``.

        Invariant: a node that is made here is answered later, as nodes are answered in the order in
        which they are numbered, and its rows are shorter by one event, so this ends.
        """
        node, decided = self._nodes.nodes[number], len(self.unions) < MAX_UNIONS
        self.n_undecided += not decided
        classes = self._class_of[node.sequences]
        profiles, answers = [np.zeros(0, np.int32)], list[int]()
        for context, here in self._list_profiles(number, node):
            inside = self._inside[context][node.groups].nonzero()[0]
            rows = _Rows(node.sequences[inside], node.sets[inside])
            if decided:
                flags = self._profiles.flags.take(here, axis=0).take(classes[inside], axis=1)
                kinds, kind_of = find_distinct(flags, len(here))
            else:
                kinds, kind_of = np.full((1, len(inside)), DEPENDS, np.uint8), [0] * len(here)
            profiles.append(here)
            by_kind = self._answer_kinds(rows, kinds)
            answers += [by_kind[kind] for kind in kind_of]
        if answers and answers.count(answers[0]) == len(answers):
            only = np.array(answers[:1], np.int32)
            return NodeAnswers(np.array([ANY_PROFILE], np.int32), only)
        found = NodeAnswers(np.concatenate(profiles), np.array(answers, np.int32))
        order = np.argsort(found.profiles)
        return NodeAnswers(found.profiles[order], found.answers[order])

    def _list_profiles(self, number: int, node: GraphNode) -> ByContext:
        if node.terminal == NO_EVENT:
            return self._profiles.inside(self._nodes.inside_of[number])
        return self._profiles.after(node.terminal)

    def _answer_kinds(self, rows: _Rows, kinds: Flags) -> list[int]:
        """Return the answer of each kind of profiles."""
        may = kinds == MAY
        if DEPENDS not in kinds.tobytes():
            return [self._intern(GraphAnswer(self._unite(rows.sets[kind]), (), ())) for kind in may]
        depends = kinds == DEPENDS
        asked = depends.any(axis=0).nonzero()[0]
        children = [
            (child, depends[:, chosen].any(axis=1).tolist())
            for child, chosen in self._make_children(rows, asked)
        ]
        opened = self._nodes.opened[rows.sequences]
        return [
            self._intern(
                GraphAnswer(
                    self._unite(rows.sets[chosen]),
                    tuple(child for child, waits in children if waits[kind]),
                    tuple(self._try(rows, row) for row in tried.nonzero()[0].tolist()),
                )
            )
            for kind, (chosen, tried) in enumerate(zip(may, depends & opened, strict=True))
        ]

    def _make_children(
        self, rows: _Rows, asked: NDArray[np.intp]
    ) -> list[tuple[ParserQuery, NDArray[np.intp]]]:
        """Return the queries of some rows, each with the rows that ask it."""
        nodes, sequences = self._nodes, rows.sequences[asked]
        queries = nodes.query[sequences]
        children = []
        for query in sorted(set(queries.tolist())):
            terminal, column = decode_query(query)
            if terminal == NO_EVENT:
                continue
            chosen = (queries == query).nonzero()[0]
            after = nodes.make(
                terminal,
                nodes.event_group[sequences[chosen]],
                nodes.rest[sequences[chosen]],
                rows.sets[asked[chosen]],
            )
            children.append((ParserQuery(terminal, column, after), asked[chosen]))
        return children

    def _try(self, rows: _Rows, row: int) -> LookaheadCheck:
        sequence = rows.sequences[row]
        return LookaheadCheck(
            int(self._nodes.open_lexeme[sequence]),
            int(self._nodes.column[sequence]),
            self._unite(rows.sets[[row]]),
        )

    def _unite(self, sets: Ints) -> int:
        key = tuple(sorted(set(sets.tolist())))
        return self.unions.setdefault(key, len(self.unions))

    def _intern(self, answer: GraphAnswer) -> int:
        return self.distinct.setdefault(answer, len(self.distinct))


def build_graph(lexed: LexicalAnalysis[Grammar], optimised: OptimisedRows) -> DecisionGraph:
    """Return the nodes of all sources of rows, with their answers.

    Raises:
        LimitError: a mask may need more than ``MAX_QUERIES`` queries.
    """
    lexer, rows, verdicts = lexed.grammar.lexer, optimised.rows, optimised.verdicts
    profiles = Profiles(lexer, optimised.tops, verdicts)
    nodes = Nodes(rows.sequences, verdicts.sequences)
    contexts = find_contexts(lexer, lexed.scanner)
    roots = make_roots(rows, nodes, contexts, lexed.newline)
    answers = Answers(nodes, profiles, verdicts, len(lexer.contexts))
    answers.answer_all()
    order = nodes.order()
    number_of = {node: NodeId(i) for i, node in enumerate(order)}

    def move(queries: tuple[ParserQuery, ...]) -> tuple[ParserQuery, ...]:
        return tuple(ParserQuery(q.terminal, q.column, number_of[q.node]) for q in queries)

    moved = tuple(map(move, roots))
    distinct = tuple(GraphAnswer(a.union, move(a.queries), a.checks) for a in answers.distinct)
    in_order = tuple(answers.of_node[node] for node in order)
    n_moves = count_moves(moved, distinct, in_order)
    if n_moves > MAX_QUERIES:
        raise LimitError("parser queries for one mask", MAX_QUERIES, Phrase.FEWER_MATCHES)
    return DecisionGraph(
        moved,
        profiles.of_state,
        distinct,
        in_order,
        tuple(answers.unions),
        answers.n_undecided,
        n_moves,
    )
