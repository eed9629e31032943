"""What do the rows of a lexer state say, for every state that can be on top of the stack?

Rows that start alike are walked together: a *node* holds what is left of them after the events so
far. For a node and a refined state the verdicts split its rows in three: those that every stack
takes are united; those that no stack takes are forgotten; the rest are *questions*, a terminal to
be given to the parser and the node after it, or *trials*, an open lexeme to be tried on the stack.
So all rows that wait for the same bracket cost one move of the parser, and what it moves to answers
for them at once.

All that is worked out ahead of time (:mod:`maskc.emit.building`): an artifact holds nodes and their
answers, and no rows. States with the same verdicts and context are told apart by no node; they
share a *profile* (:mod:`maskc.emit.profiles`).

Example: for the token ``))`` after ``f(x``, the root after NAME has the question RPAR, whose node
has the question RPAR, whose node takes the token.

Source: XGrammar, adaptive token mask cache; here reached by proof, and where the stack decides
only the questions are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import NodeId, TerminalId

Ints = NDArray[np.int32]


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
