"""Where does a token start, as far as the walk can tell?

Inside a lexeme, a token's first byte leads nearly all lexer states to the same few: after ``de``
or ``wh`` any letter but one makes a name of what could have been a keyword. So the walk does not
start from lexer states but from *starts*: a state after the first byte, with that byte's node of
the trie. A lexer state's rows are those of its starts, one for each first byte, put together.

Between two lexemes the first byte begins the next one, and leads most boundaries to the same
states; what they do not have in common is the event that comes before: its contexts. So a boundary
has starts, too, each after a path of one event.

Example: inside ``de`` and inside ``wh`` the token ``ap`` goes the same way from its second byte on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """Distinct starts.

    Attributes:
        state: int32[n], the scanner state after the first byte.
        node: int32[n], the trie's node of that byte.
        column: int32[n], the column change it makes of an open newline.
        first: int64[n_sources + 1], the starts of a source are ``of_source[first[s] : …]``.
        of_source: int32[…], ascending within a source.
        before: int32[…], the path that comes before each of these; 0 inside a lexeme.
    """

    state: Ints
    node: Ints
    column: Ints
    first: NDArray[np.int64]
    of_source: Ints
    before: Ints

    def __len__(self) -> int:
        return len(self.state)


def number_starts(
    source: Ints, before: Ints, state: Ints, node: Ints, column: Ints, n_sources: int
) -> Starts:
    """Return the starts of lines after the first byte.

    Args:
        source: int32[n_lines], the source that a line comes from.
        before: int32[n_lines], the path that it has taken.
        state: int32[n_lines], the state after the byte.
        node: int32[n_lines], the byte's node, a child of the root.
        column: int32[n_lines], the column change.
        n_sources: number of scanner states and boundaries.
    """
    low = int(column.min(initial=0))
    width, n_nodes = int(column.max(initial=0)) - low + 1, int(node.max(initial=0)) + 1
    key = (state.astype(np.int64) * n_nodes + node) * width + (column - low)
    distinct, number = np.unique(key, return_inverse=True)
    number = number.reshape(-1).astype(np.int32)
    order = np.lexsort((before, number, source))
    return Starts(
        state=(distinct // width // n_nodes).astype(np.int32),
        node=(distinct // width % n_nodes).astype(np.int32),
        column=(distinct % width + low).astype(np.int32),
        first=np.searchsorted(source[order], np.arange(n_sources + 1)).astype(np.int64),
        of_source=number[order],
        before=before[order],
    )
