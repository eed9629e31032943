"""What does a node say, for each profile that can be on top where it is asked?

A grammar can have more answers than an artifact should hold. When ``MAX_UNIONS`` distinct
unions are reached, the rows of the nodes that remain are all asked about on the stack at hand; the
masks are the same.

Example: the node after ``(`` has one answer for all profiles that take an expression next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.emit.graph import Answer, NodeAnswers, Question, Trial
from maskc.emit.nodes import Node, Nodes, read_question
from maskc.emit.profiles import ByContext, Flags, Ints, Profiles, find_distinct
from maskc.ids import ANY_PROFILE, NO_EVENT
from maskc.pushdown.decisions import DEPENDS, MAY
from maskc.streamline.lalr_state import Verdicts

MAX_UNIONS = 60_000


class _Rows(NamedTuple):
    """Rows of a node that need one context; attributes as there."""

    sequences: Ints
    sets: Ints


class Answers:
    """Answers nodes; equal answers are kept once.

    Args:
        nodes: those of the roots; others are met on the way.
        profiles: that can be on top.
        verdicts: what each state decides about sequences.
        n_contexts: of the lexer.

    Attributes:
        distinct: answer → number.
        of_node: by number, what a node answers.
        unions: token sets that are united, ascending → number; the first is empty.
        n_undecided: nodes whose rows are all asked about.
    """

    def __init__(
        self, nodes: Nodes, profiles: Profiles, verdicts: Verdicts, n_contexts: int
    ) -> None:
        self.distinct: dict[Answer, int] = {}
        self.of_node: list[NodeAnswers] = []
        self.unions: dict[tuple[int, ...], int] = {(): 0}
        self.n_undecided = 0
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
          one answer: the token sets of its ``MAY`` columns united, and questions for ``DEPENDS``.

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

    def _list_profiles(self, number: int, node: Node) -> ByContext:
        if node.terminal == NO_EVENT:
            return self._profiles.inside(self._nodes.inside_of[number])
        return self._profiles.after(node.terminal)

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
        opened = self._nodes.opened[rows.sequences]
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
        nodes, sequences = self._nodes, rows.sequences[asked]
        questions = nodes.question[sequences]
        children = []
        for question in sorted(set(questions.tolist())):
            terminal, column = read_question(question)
            if terminal == NO_EVENT:
                continue
            chosen = (questions == question).nonzero()[0]
            after = nodes.make(
                terminal,
                nodes.event_group[sequences[chosen]],
                nodes.rest[sequences[chosen]],
                rows.sets[asked[chosen]],
            )
            children.append((Question(terminal, column, after), asked[chosen]))
        return children

    def _try(self, rows: _Rows, row: int) -> Trial:
        sequence = rows.sequences[row]
        return Trial(
            int(self._nodes.open_lexeme[sequence]),
            int(self._nodes.column[sequence]),
            self._unite(rows.sets[[row]]),
        )

    def _unite(self, sets: Ints) -> int:
        key = tuple(sorted(set(sets.tolist())))
        return self.unions.setdefault(key, len(self.unions))

    def _intern(self, answer: Answer) -> int:
        return self.distinct.setdefault(answer, len(self.distinct))
