"""What do the rows of a lexer state say, for every state that can be on top of the stack?

Rows that start alike are walked together: a *node* holds what is left of them after the events so
far. For a node and a refined state the verdicts split its rows in three: those that every stack
takes are united; those that no stack takes are forgotten; the rest are *questions*, a terminal to
be given to the parser and the node after it, or *trials*, an open lexeme to be tried on the stack.
So all rows that wait for the same bracket cost one move of the parser, and what it moves to answers
for them at once.

All that is worked out here, ahead of time: an artifact holds nodes and their answers, and no rows.
States with the same verdicts and context are told apart by no node; they share a *profile*.

Example: for the token ``))`` after ``f(x``, the root after NAME has the question RPAR, whose node
has the question RPAR, whose node takes the token.

A grammar can have more answers than an artifact should hold. When ``MAX_UNIONS`` distinct
unions are reached, the rows of the nodes that remain are all asked about on the stack at hand; the
masks are the same.

Source: XGrammar, adaptive token mask cache; here reached by proof, and where the stack decides
only the questions are left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import MAX_QUESTIONS
from maskc.emit.contexts import find_contexts
from maskc.errors import LimitError
from maskc.grammar.model import LexerSpec
from maskc.ids import ANY_PROFILE, NO_EVENT, SAME, NodeId, TerminalId
from maskc.lexer.scanner import Scanner
from maskc.pushdown.decisions import DEPENDS, MAY
from maskc.store.paths import COLUMNS
from maskc.streamline.lalr_state import Verdicts
from maskc.streamline.model import Rows
from maskc.streamline.tops import Tops
from maskc.wording import Phrase

Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]

MAX_UNIONS = 60_000


class Question(NamedTuple):
    """A terminal, a newline's column change, and the node that answers after it."""

    terminal: TerminalId
    column: int
    node: NodeId


class Trial(NamedTuple):
    """An open lexeme, its column change, and the tokens that are legal if some text finishes it."""

    open_lexeme: int
    column: int
    union: int


class Answer(NamedTuple):
    """What a node says: a union of token sets, and what the stack is asked."""

    union: int
    questions: tuple[Question, ...]
    trials: tuple[Trial, ...]


class NodeAnswers(NamedTuple):
    """Profiles, ascending, and the answer for each; ``ANY_PROFILE`` alone if there is but one."""

    profiles: Ints
    answers: Ints


class _Node(NamedTuple):
    terminal: TerminalId  # the one in front of its rows
    groups: Ints  # the contexts that its rows need, as columns of ``_Builder._inside``
    sequences: Ints  # places in ``Verdicts.sequences``
    sets: Ints


class _Rows(NamedTuple):
    """Rows of a node that need one context; attributes as there."""

    sequences: Ints
    sets: Ints


@dataclass(frozen=True, slots=True, eq=False)
class DecisionGraph:
    """Nodes and answers.

    Attributes:
        roots: by scanner state, the questions that a token's start asks.
        profile_of: int32[n_refined_states].
        answers: the distinct answers.
        nodes: by number, what they answer. The nodes of a node's questions have smaller numbers.
        unions: by number: the token sets that are united, ascending; the first is empty.
        n_undecided: nodes whose rows are all asked about.
    """

    roots: tuple[tuple[Question, ...], ...]
    profile_of: Ints
    answers: tuple[Answer, ...]
    nodes: tuple[NodeAnswers, ...]
    unions: tuple[tuple[int, ...], ...]
    n_undecided: int

    def count_moves(self) -> int:
        """Return a bound on the parser's moves in one fill, whatever the text."""
        below: list[int] = []
        for node in self.nodes:
            asked = (self.answers[answer].questions for answer in set(node.answers.tolist()))
            below.append(max((sum(1 + below[q.node] for q in some) for some in asked), default=0))
        return max((sum(1 + below[q.node] for q in root) for root in self.roots), default=0)


def build_graph(
    lexer: LexerSpec,
    scanner: Scanner,
    tops: Tops,
    rows: Rows,
    verdicts: Verdicts,
) -> DecisionGraph:
    """Return the nodes of all sources of rows, with their answers.

    Args:
        lexer: its contexts, and its layout.
        scanner: of this lexer.
        tops: the states that can be on top of a stack.
        rows: the rows.
        verdicts: what each state decides about their sequences.

    Raises:
        LimitError: a mask may need more than ``MAX_QUESTIONS`` questions.
    """
    builder = _Builder(lexer, tops, rows, verdicts)
    roots = builder.make_roots(find_contexts(lexer, scanner))
    builder.answer_all()
    order = builder.order_nodes()
    place = {node: NodeId(i) for i, node in enumerate(order)}

    def move(questions: tuple[Question, ...]) -> tuple[Question, ...]:
        return tuple(Question(q.terminal, q.column, place[q.node]) for q in questions)

    graph = DecisionGraph(
        tuple(map(move, roots)),
        builder.profile_of,
        tuple(Answer(a.union, move(a.questions), a.trials) for a in builder.answers),
        tuple(builder.answered[node] for node in order),
        tuple(builder.unions),
        builder.n_undecided,
    )
    if graph.count_moves() > MAX_QUESTIONS:
        raise LimitError(
            "questions to the parser for one mask",
            MAX_QUESTIONS,
            Phrase.FEWER_MATCHES,
        )
    return graph


@dataclass(slots=True)
class _Builder:
    lexer: LexerSpec
    tops: Tops
    rows: Rows
    verdicts: Verdicts
    profile_of: Ints = field(init=False)
    answers: dict[Answer, int] = field(default_factory=dict)
    answered: list[NodeAnswers] = field(default_factory=list)
    unions: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})
    n_undecided: int = 0
    _nodes: list[_Node] = field(default_factory=list)
    _number: dict[tuple[int, bytes, bytes, bytes], NodeId] = field(default_factory=dict)
    _flags: Flags = field(init=False)  # by profile, class of sequences
    _inside: NDArray[np.bool_] = field(init=False)  # by context, group
    _group: dict[int, int] = field(default_factory=dict)
    _context_of: Ints = field(init=False)  # by profile
    _profiles_after: dict[int, list[tuple[int, Ints]]] = field(default_factory=dict)
    _inside_of: dict[int, int] = field(default_factory=dict)  # contexts of a node inside a lexeme
    _terminal: Ints = field(init=False)  # of a sequence's first event; NO_EVENT for an open lexeme
    _column: Ints = field(init=False)
    _question: NDArray[np.int64] = field(init=False)  # terminal and column in one number
    _event_group: Ints = field(init=False)
    _rest: Ints = field(init=False)
    _open_lexeme: Ints = field(init=False)

    def __post_init__(self) -> None:
        sequences, verdicts = self.rows.sequences, self.verdicts
        n_contexts = len(self.lexer.contexts)
        contexts = np.array(self.tops.context_of, dtype=np.int32)
        kinds, kind_of = _sort_distinct(verdicts.flags.T)
        key = kind_of * n_contexts + contexts
        distinct, profile_of = np.unique(key, return_inverse=True)
        self.profile_of = profile_of.reshape(-1).astype(np.int32)
        self._context_of = (distinct % n_contexts).astype(np.int32)
        self._flags = kinds[distinct // n_contexts]
        place = {sequence: i for i, sequence in enumerate(verdicts.sequences)}
        terminal, column, group, rest, open_lexeme = [], [], [], [], []
        for sequence in verdicts.sequences:
            event, ends = sequences.event[sequence], sequences.length[sequence] == 0
            terminal.append(NO_EVENT if ends else event.terminal)
            column.append(event.column)
            group.append(0 if ends else self._number_group(event.contexts))
            rest.append(0 if ends else place[sequences.rest[sequence]])
            open_lexeme.append(sequences.opened[sequence] if ends else 0)
        self._terminal, self._column, self._event_group, self._rest, self._open_lexeme = (
            np.array(values, dtype=np.int32)
            for values in (terminal, column, group, rest, open_lexeme)
        )
        self._question = self._terminal.astype(np.int64) * COLUMNS + self._column + COLUMNS // 2

    def make_roots(self, contexts: tuple[int, ...]) -> tuple[tuple[Question, ...], ...]:
        """Return the questions of each scanner state: its own rows, and those after its ends.

        Args:
            contexts: of each scanner state.
        """
        rows = self.rows
        place = {sequence: i for i, sequence in enumerate(self.verdicts.sequences)}
        sequences = np.array(
            [place[sequence] for sequence in rows.sequence.tolist()], dtype=np.int32
        )
        newline = self.lexer.layout.newline if self.lexer.layout else None
        terminals = np.array([event.terminal for event in rows.events], dtype=np.int32)[rows.first]
        columns = np.array([event.column for event in rows.events], dtype=np.int32)[rows.first]
        # Rows that stay inside their lexeme ask for no context.
        asked = [-1 if e.terminal == NO_EVENT else e.contexts for e in rows.events]
        groups = np.array(list(map(self._number_group, asked)), dtype=np.int32)[rows.first]
        bounds = np.searchsorted(rows.source, np.arange(rows.n_sources + 1)).tolist()
        self._fill_inside()
        roots = []
        for state, ends in enumerate(rows.ends_of):
            found: dict[tuple[TerminalId, int], list[Ints]] = {}
            own = np.arange(bounds[state], bounds[state + 1], dtype=np.int32)
            for terminal, column in sorted(
                set(zip(terminals[own].tolist(), columns[own].tolist(), strict=True))
            ):
                here = own[(terminals[own] == terminal) & (columns[own] == column)]
                found[terminal, column] = [here]
            for end in ends:
                terminal = rows.ends[end - rows.n_states][0]
                # The lexeme ended before the token: its column is what it was.
                column = SAME if terminal == newline else 0
                here = np.arange(bounds[end], bounds[end + 1], dtype=np.int32)
                found.setdefault((terminal, column), []).append(here)
            root = []
            for (terminal, column), parts in sorted(found.items()):
                here = np.concatenate(parts)
                if len(here):
                    node = self._make(terminal, groups[here], sequences[here], rows.token_set[here])
                    if terminal == NO_EVENT:
                        self._inside_of[node] = self._inside_of.get(node, 0) | contexts[state]
                    root.append(Question(terminal, column, node))
            roots.append(tuple(root))
        return tuple(roots)

    def answer_all(self) -> None:
        """Answer for each node and profile; new nodes are found on the way."""
        while len(self.answered) < len(self._nodes):
            self.answered.append(self._answer(NodeId(len(self.answered))))

    def order_nodes(self) -> list[NodeId]:
        """Return the nodes in an order in which questions come before those who ask."""
        length = np.array(
            [self.rows.sequences.length[sequence] for sequence in self.verdicts.sequences]
        )
        # What is asked about after a terminal is shorter by one event.
        longest = [int(length[node.sequences].max(initial=0)) for node in self._nodes]
        return sorted(map(NodeId, range(len(self._nodes))), key=lambda node: (longest[node], node))

    def _answer(self, number: NodeId) -> NodeAnswers:
        """Return the answers for the profiles that can be on top where a node is asked.

        A node has one column for each of its n rows. For each context, with m profiles in it:

        - ``inside``: intp[k], which rows need the context, or no other: the others have no part;
        - flags by profile and row: uint8[m, k], ``MAY`` if every stack takes the row, ``FAIL`` if
          none does, ``DEPENDS``;
        - ``kinds``: uint8[n_kinds, k], the distinct rows of these flags; profiles of one kind have
          one answer: the token sets of its ``MAY`` columns united, and questions for ``DEPENDS``.

        Invariant: a node that is made here is answered later, as nodes are answered in the order in
        which they are numbered, and its rows are shorter by one event, so this ends.
        """
        node, decided = self._nodes[number], len(self.unions) < MAX_UNIONS
        self.n_undecided += not decided
        classes = self.verdicts.class_of[node.sequences]
        profiles, answers = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        for context, here in self._list_profiles(number):
            inside = self._inside[context][node.groups].nonzero()[0]
            rows = _Rows(node.sequences[inside], node.sets[inside])
            if decided:
                flags = self._flags.take(here, axis=0).take(classes[inside], axis=1)
                kinds, kind_of = _find_distinct(flags, len(here))
            else:
                kinds, kind_of = np.full((1, len(inside)), DEPENDS, np.uint8), [0] * len(here)
            profiles.append(here)
            answers.append(np.array(self._answer_kinds(rows, kinds), np.int32)[kind_of])
        found = NodeAnswers(np.concatenate(profiles), np.concatenate(answers))
        if len(found.answers) and (found.answers == found.answers[0]).all():
            return NodeAnswers(np.array([ANY_PROFILE], np.int32), found.answers[:1])
        order = np.argsort(found.profiles)
        return NodeAnswers(found.profiles[order], found.answers[order])

    def _answer_kinds(self, rows: _Rows, kinds: Flags) -> list[int]:
        """Return the answer of each kind of profiles."""
        may, depends = kinds == MAY, kinds == DEPENDS
        asked = depends.any(axis=0).nonzero()[0]
        if not len(asked):
            return [self._intern(Answer(self._unite(rows.sets[kind]), (), ())) for kind in may]
        children = [
            (child, depends[:, chosen].any(axis=1).tolist())
            for child, chosen in self._make_children(rows, asked)
        ]
        opened = self._terminal[rows.sequences] == NO_EVENT
        return [
            self._intern(
                Answer(
                    self._unite(rows.sets[chosen]),
                    tuple(child for child, waits in children if waits[kind]),
                    tuple(self._try(rows, row) for row in tried.nonzero()[0].tolist()),
                )
            )
            for kind, (chosen, tried) in enumerate(zip(may, depends & opened, strict=True))
        ]

    def _make_children(
        self, rows: _Rows, asked: NDArray[np.intp]
    ) -> list[tuple[Question, NDArray[np.intp]]]:
        """Return the questions of some rows, each with the rows that ask it."""
        sequences = rows.sequences[asked]
        questions = self._question[sequences]
        children = []
        for question in sorted(set(questions.tolist())):
            terminal, column = divmod(question, COLUMNS)
            if terminal == NO_EVENT:
                continue
            chosen = (questions == question).nonzero()[0]
            after = self._make(
                TerminalId(terminal),
                self._event_group[sequences[chosen]],
                self._rest[sequences[chosen]],
                rows.sets[asked[chosen]],
            )
            child = Question(TerminalId(terminal), column - COLUMNS // 2, after)
            children.append((child, asked[chosen]))
        return children

    def _try(self, rows: _Rows, row: int) -> Trial:
        sequence = rows.sequences[row]
        return Trial(
            int(self._open_lexeme[sequence]),
            int(self._column[sequence]),
            self._unite(rows.sets[[row]]),
        )

    def _unite(self, sets: Ints) -> int:
        key = tuple(sorted(set(sets.tolist())))
        return self.unions.setdefault(key, len(self.unions))

    def _intern(self, answer: Answer) -> int:
        return self.answers.setdefault(answer, len(self.answers))

    def _make(self, terminal: TerminalId, groups: Ints, sequences: Ints, sets: Ints) -> NodeId:
        """Return the number of the node of these rows; sources have many in common."""
        key = (terminal, groups.tobytes(), sequences.tobytes(), sets.tobytes())
        number = self._number.setdefault(key, NodeId(len(self._nodes)))
        if number == len(self._nodes):
            self._nodes.append(_Node(terminal, groups, sequences, sets))
        return number

    def _number_group(self, contexts: int) -> int:
        return self._group.setdefault(contexts, len(self._group))

    def _fill_inside(self) -> None:
        n_contexts = len(self.lexer.contexts)
        self._inside = np.array(
            [[mask >> context & 1 for mask in self._group] for context in range(n_contexts)],
            dtype=np.bool_,
        ).reshape(n_contexts, len(self._group))

    def _list_profiles(self, number: NodeId) -> list[tuple[int, Ints]]:
        """Return the profiles of the states that can be on top where a node is asked, by context.

        Returns:
            Contexts ascending, with the profiles of each, ascending.
        """
        terminal = self._nodes[number].terminal
        if terminal == NO_EVENT:
            inside = self._inside_of[number]
            n_contexts = len(self.lexer.contexts)
            wanted = np.array([bool(inside >> c & 1) for c in range(n_contexts)], dtype=np.bool_)
            return self._group_by_context(wanted[self._context_of].nonzero()[0])
        found = self._profiles_after.get(terminal)
        if found is None:
            states = list(self.tops.list_states(terminal))
            found = self._group_by_context(np.unique(self.profile_of[states]))
            self._profiles_after[terminal] = found
        return found

    def _group_by_context(self, profiles: NDArray[Any]) -> list[tuple[int, Ints]]:
        contexts = self._context_of[profiles]
        return [
            (context, profiles[contexts == context].astype(np.int32))
            for context in np.unique(contexts).tolist()
        ]


def _find_distinct(rows: Flags, n_rows: int) -> tuple[Flags, list[int]]:
    """Return the distinct rows, in order of their first occurrence, and which one each row is."""
    data, width = rows.tobytes(), rows.shape[1]
    if not width:
        return rows[:1], [0] * n_rows
    known: dict[bytes, int] = {}
    number = [
        known.setdefault(data[start : start + width], len(known))
        for start in range(0, len(data), width)
    ]
    distinct = np.frombuffer(b"".join(known), dtype=np.uint8).reshape(len(known), width)
    return distinct, number


def _sort_distinct(rows: Flags) -> tuple[Flags, NDArray[np.int64]]:
    """Return the distinct rows, in order of their bytes, and which one each row is."""
    kinds, kind_of = _find_distinct(rows, len(rows))
    order = sorted(range(len(kinds)), key=lambda kind: kinds[kind].tobytes())
    rank = np.zeros(len(kinds), np.int64)
    rank[order] = np.arange(len(kinds))
    return kinds[order], rank[kind_of]
