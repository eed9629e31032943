"""What does a token's start ask, in each scanner state?

A scanner state asks what its own rows ask, and those that start after each of its ends. Rows that
stay inside of their lexeme need no context: they are asked in those that the state can be in.

Example: inside a NAME, the root asks for what keeps the name open, and NAME for what may follow it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.emit.graph import Question
from maskc.emit.nodes import ANY_CONTEXT, Nodes, read_question, write_question
from maskc.ids import NO_EVENT, SAME, TerminalId
from maskc.streamline.model import Rows

Ints = NDArray[np.int32]


def make_roots(
    rows: Rows, nodes: Nodes, contexts: Sequence[int], newline: TerminalId | None
) -> tuple[tuple[Question, ...], ...]:
    """Return the questions of each scanner state: its own rows, and those after its ends.

    Args:
        rows: all of them.
        nodes: where new ones are numbered.
        contexts: of each scanner state, as bits.
        newline: the terminal whose columns count, if there is indentation.
    """
    place = nodes.place
    sequences = np.array([place[sequence] for sequence in rows.sequence.tolist()], dtype=np.int32)
    terminals = np.array([event.terminal for event in rows.events], dtype=np.int32)
    columns = np.array([event.column for event in rows.events], dtype=np.int32)
    questions = write_question(terminals, columns)[rows.first]
    asked = [ANY_CONTEXT if e.terminal == NO_EVENT else e.contexts for e in rows.events]
    groups = np.array(list(map(nodes.number_group, asked)), dtype=np.int32)[rows.first]
    bounds = np.searchsorted(rows.source, np.arange(rows.n_sources + 1)).tolist()
    roots = []
    for state, ends in enumerate(rows.ends_of):
        found = _group_rows(questions, bounds[state], bounds[state + 1])
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
                root.append(Question(terminal, column, node))
        roots.append(tuple(root))
    return tuple(roots)


def _group_rows(
    questions: NDArray[np.int64], first: int, last: int
) -> dict[tuple[TerminalId, int], list[NDArray[np.intp]]]:
    """Return what the rows of one source ask first, and the rows that ask it, ascending."""
    here = questions[first:last]
    distinct = sorted(set(here.tolist()))
    if len(distinct) == 1:
        return {read_question(distinct[0]): [np.arange(first, last)]}
    return {read_question(one): [(here == one).nonzero()[0] + first] for one in distinct}
