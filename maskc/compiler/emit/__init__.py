"""What is decided and what is left open, as the artifact's header and arrays.

The decision graph has what is left of the rows of a source after some events, as nodes, each of
which is kept once. A node has the terminal in front of its rows, and of each row the contexts that
it needs, the number of its sequence and its token set. Sources have many nodes in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.optimise import Tops, Verdicts
from maskc.compiler.rows import Sequences
from maskc.compiler.rows.paths import COLUMNS
from maskc.grammar import LexerSpec
from maskc.ids import DEAD, NO_EVENT, NodeId, SequenceId, TerminalId
from maskc.lexer import Scanner

Ints = NDArray[np.int32]


class ParserQuery(NamedTuple):
    """A terminal, a newline's column change, and the node that answers after it."""

    terminal: TerminalId
    column: int
    node: NodeId


class LookaheadCheck(NamedTuple):
    """An open lexeme, its column change, and the tokens that are legal if some text finishes it."""

    open_lexeme: int
    column: int
    union: int


class GraphAnswer(NamedTuple):
    """What a node says: a union of token sets, and what the stack is asked."""

    union: int
    queries: tuple[ParserQuery, ...]
    checks: tuple[LookaheadCheck, ...]


class NodeAnswers(NamedTuple):
    """Profiles, ascending, and the answer for each; ``ANY_PROFILE`` alone if there is but one."""

    profiles: Ints
    answers: Ints


@dataclass(frozen=True, slots=True, eq=False)
class DecisionGraph:
    """Nodes and answers."""

    # by scanner state, the queries that a token's start makes
    roots: tuple[tuple[ParserQuery, ...], ...]
    profile_of: Ints  # int32[n_refined_states]
    answers: tuple[GraphAnswer, ...]  # the distinct answers
    # by number, what they answer. The nodes of a node's queries have smaller numbers
    nodes: tuple[NodeAnswers, ...]
    # by number: the token sets that are united, ascending; the first is empty
    unions: tuple[tuple[int, ...], ...]
    n_undecided: int  # nodes whose rows are all asked about
    n_moves: int  # a bound on the parser's moves in one fill, whatever the text


def count_moves(
    roots: Iterable[Sequence[ParserQuery]],
    answers: Sequence[GraphAnswer],
    nodes: Iterable[NodeAnswers],
) -> int:
    """Return :attr:`DecisionGraph.n_moves`."""
    below: list[int] = []
    for node in nodes:
        asked = (answers[answer].queries for answer in set(node.answers.tolist()))
        below.append(max((sum(1 + below[q.node] for q in some) for some in asked), default=0))
    return max((sum(1 + below[q.node] for q in root) for root in roots), default=0)


ANY_CONTEXT = -1  # instead of the contexts that a row needs


class GraphNode(NamedTuple):
    """Rows after some events; equal arrays are equal nodes."""

    terminal: TerminalId  # the one in front of the rows
    groups: Ints  # int32[n], the contexts that each row needs, as numbers of Nodes
    sequences: Ints  # int32[n], numbers of what it asks for
    sets: Ints  # int32[n], its token set


class Nodes:
    """Numbers nodes, in the order in which they are met, and sets of contexts.

    Args:
        sequences: all of them.
        asked: those that can be asked about, ascending; a query's number is an index into it.

    Attributes:
        nodes: by number.
        inside_of: number of a node inside of a lexeme → the contexts that it is asked in, as bits.
        number_of: sequence → number.
        opened: bool[n_asked], whether the sequence is an open lexeme.
        open_lexeme, column: int32[n_asked], of such a sequence.
        query: int64[n_asked], what its first event asks for: terminal and column in one number.
        event_group: int32[n_asked], the contexts that its first event needs.
        rest: int32[n_asked], the number of what comes after its first event.
    """

    def __init__(self, sequences: Sequences, asked: Iterable[SequenceId]) -> None:
        self.nodes: list[GraphNode] = []
        self.inside_of: dict[int, int] = {}
        self._number: dict[tuple[int, bytes, bytes, bytes], NodeId] = {}
        self._group: dict[int, int] = {}
        self.number_of = {sequence: i for i, sequence in enumerate(asked)}
        terminals, columns, groups, rests, open_lexemes = [], [], [], [], []
        for sequence in self.number_of:
            event, ends = sequences.event[sequence], sequences.length[sequence] == 0
            terminals.append(NO_EVENT if ends else event.terminal)
            columns.append(event.column)
            groups.append(0 if ends else self.number_group(event.contexts))
            rests.append(0 if ends else self.number_of[sequences.rest[sequence]])
            open_lexemes.append(sequences.opened[sequence] if ends else 0)
        terminal, self.column, self.event_group, self.rest, self.open_lexeme = (
            np.array(values, dtype=np.int32)
            for values in (terminals, columns, groups, rests, open_lexemes)
        )
        self.opened: NDArray[np.bool_] = terminal == NO_EVENT
        self.query: NDArray[np.int64] = encode_query(terminal, self.column)
        self._lengths = [sequences.length[s] for s in self.number_of]

    def number_group(self, contexts: int) -> int:
        """Return the number of a set of contexts, given as bits or ``ANY_CONTEXT``."""
        return self._group.setdefault(contexts, len(self._group))

    def make(self, terminal: TerminalId, groups: Ints, sequences: Ints, sets: Ints) -> NodeId:
        key = (terminal, groups.tobytes(), sequences.tobytes(), sets.tobytes())
        number = self._number.setdefault(key, NodeId(len(self.nodes)))
        if number == len(self.nodes):
            self.nodes.append(GraphNode(terminal, groups, sequences, sets))
        return number

    def list_inside(self, n_contexts: int) -> NDArray[np.bool_]:
        """Return bool[n_contexts, n_groups], whether a set of contexts has one, or any."""
        inside = [[mask >> context & 1 for mask in self._group] for context in range(n_contexts)]
        return np.array(inside, dtype=np.bool_).reshape(n_contexts, len(self._group))

    def order(self) -> list[NodeId]:
        """Return the nodes in an order in which queries come before those who ask."""
        # What is asked about after a terminal is shorter by one event.
        length_of = self._lengths.__getitem__
        longest = [max(map(length_of, n.sequences.tolist()), default=0) for n in self.nodes]
        return sorted(map(NodeId, range(len(self.nodes))), key=lambda node: (longest[node], node))


def encode_query(terminals: Ints, columns: Ints) -> NDArray[np.int64]:
    """Return int64[n], a terminal and a column change in one number; they order as the pairs do."""
    return terminals.astype(np.int64) * COLUMNS + columns + COLUMNS // 2


def decode_query(query: int) -> tuple[TerminalId, int]:
    """Return the terminal and the column change that a number stands for."""
    terminal, column = divmod(query, COLUMNS)
    return TerminalId(terminal), column - COLUMNS // 2


def find_contexts(lexer: LexerSpec, scanner: Scanner) -> tuple[int, ...]:
    found = [0] * scanner.n_states
    found[scanner.start] = 1 << lexer.first_context
    for entries in scanner.enter:
        for context, entry in enumerate(entries.tolist()):
            for state in set(scanner.entries[entry].tolist()):
                found[state] |= 1 << context
    following = [set(row) - {DEAD} for row in scanner.next.tolist()]
    pending = [state for state in range(scanner.n_states) if found[state] and state != DEAD]
    while pending:
        state = pending.pop()
        for target in following[state]:
            if found[state] & ~found[target]:
                found[target] |= found[state]
                pending.append(target)
    return tuple(found)


Flags = NDArray[np.uint8]
ByContext = list[tuple[int, Ints]]  # contexts ascending, with profiles of each, ascending


class Profiles:
    """The profiles of the states that can be on top.

    States with the same verdicts for all sequences, and one context, share a *profile*: whatever is
    asked of the one has the answer of the other. Profiles are numbered by their verdicts, then by
    their contexts. A context enters the scanner with the first byte of a lexeme.

    Attributes:
        of_state: int32[n_states], the profile of each.
        flags: uint8[n_profiles, n_classes], the verdicts for each class of sequences.
    """

    def __init__(self, lexer: LexerSpec, tops: Tops, verdicts: Verdicts) -> None:
        n_contexts = len(lexer.contexts)
        contexts = np.array(tops.context_of, dtype=np.int32)
        kinds, kind_of = _sort_distinct(verdicts.flags.T)
        distinct, of_state = np.unique(kind_of * n_contexts + contexts, return_inverse=True)
        self.of_state: Ints = of_state.reshape(-1).astype(np.int32)
        self.flags: Flags = kinds[distinct // n_contexts]
        self._tops = tops
        self._context_of: Ints = (distinct % n_contexts).astype(np.int32)
        self._of_context = dict(self._group(np.arange(len(distinct))))
        self._after: dict[int, ByContext] = {}
        self._inside: dict[int, ByContext] = {}

    def after(self, terminal: int) -> ByContext:
        found = self._after.get(terminal)
        if found is None:
            states = list(self._tops.list_states(terminal))
            found = self._group(np.unique(self.of_state[states]))
            self._after[terminal] = found
        return found

    def inside(self, contexts: int) -> ByContext:
        found = self._inside.get(contexts)
        if found is None:
            named = [context for context in self._of_context if contexts >> context & 1]
            found = [(context, self._of_context[context]) for context in named]
            self._inside[contexts] = found
        return found

    def _group(self, profiles: NDArray[Any]) -> ByContext:
        contexts = self._context_of[profiles]
        return [
            (context, profiles[contexts == context].astype(np.int32))
            for context in np.unique(contexts).tolist()
        ]


def find_distinct(rows: Flags, n_rows: int) -> tuple[Flags, list[int]]:
    """Return the distinct rows, in order of their first occurrence, and which one each row is."""
    width = rows.shape[1]
    if not width or n_rows == 1:
        return rows[:1], [0] * n_rows
    data = rows.tobytes()
    known: dict[bytes, int] = {}
    number = [
        known.setdefault(data[start : start + width], len(known))
        for start in range(0, len(data), width)
    ]
    distinct = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(len(known), width)
    return distinct, number


def _sort_distinct(rows: Flags) -> tuple[Flags, NDArray[np.int64]]:
    """Return the distinct rows, in order of their bytes, and which one each row is."""
    kinds, kind_of = find_distinct(rows, len(rows))
    order = sorted(range(len(kinds)), key=lambda kind: kinds[kind].tobytes())
    rank = np.zeros(len(kinds), np.int64)
    rank[order] = np.arange(len(kinds))
    return kinds[order], rank[kind_of]
