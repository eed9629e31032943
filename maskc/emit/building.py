"""How is a decision graph made of rows and verdicts?

The roots are made of the rows of each scanner state, then each node is answered in the order in
which nodes are met; answering one meets others, whose rows are shorter by an event, so it ends. At
last nodes are numbered anew, those that are asked before those that ask.
"""

from __future__ import annotations

from maskc.artifact.model import MAX_QUESTIONS
from maskc.emit.answers import Answers
from maskc.emit.contexts import find_contexts
from maskc.emit.graph import Answer, DecisionGraph, Question
from maskc.emit.nodes import Nodes
from maskc.emit.profiles import Profiles
from maskc.emit.roots import make_roots
from maskc.errors import LimitError
from maskc.grammar.model import LexerSpec
from maskc.ids import NodeId
from maskc.lexer.scanner import Scanner
from maskc.streamline.lalr_state import Verdicts
from maskc.streamline.model import Rows
from maskc.streamline.tops import Tops
from maskc.wording import Phrase


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
    profiles = Profiles(lexer, tops, verdicts)
    nodes = Nodes(rows.sequences, verdicts.sequences)
    newline = lexer.layout.newline if lexer.layout else None
    roots = make_roots(rows, nodes, find_contexts(lexer, scanner), newline)
    answers = Answers(nodes, profiles, verdicts, len(lexer.contexts))
    answers.answer_all()
    order = nodes.order()
    place = {node: NodeId(i) for i, node in enumerate(order)}

    def move(questions: tuple[Question, ...]) -> tuple[Question, ...]:
        return tuple(Question(q.terminal, q.column, place[q.node]) for q in questions)

    graph = DecisionGraph(
        tuple(map(move, roots)),
        profiles.of_state,
        tuple(Answer(a.union, move(a.questions), a.trials) for a in answers.distinct),
        tuple(answers.of_node[node] for node in order),
        tuple(answers.unions),
        answers.n_undecided,
    )
    if graph.count_moves() > MAX_QUESTIONS:
        raise LimitError(
            "questions to the parser for one mask",
            MAX_QUESTIONS,
            Phrase.FEWER_MATCHES,
        )
    return graph
