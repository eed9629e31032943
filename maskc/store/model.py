"""The mask store: rows (source, terminal sequence, what stays open) → tokens.

A *source* is where a token starts: inside a lexeme (scanner state ``q``: the token's first byte
goes on with the lexeme) or just after one (boundary ``b``: its first byte starts the next
lexeme). Keeping both apart lets all operators of a language share the rows after them.

A *path* is the sequence of events that a token completes, a tree node with its parent; an
*open lexeme* is what the lexeme in which the token ends may still become. A token of a row is legal
iff the parser takes the path's terminals one by one, names each time a context of the event's
set, and what stays open is live in the end.

For indentation, events and open lexemes of newlines carry a *column*: how the token moves the
column that an open newline lexeme has reached, see :func:`maskc.artifact.model.column_after`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.store.token_sets import TokenSets


@dataclass(frozen=True, slots=True, eq=False)
class MaskStore:
    """Rows by source, in order of their paths.

    Attributes:
        n_states: sources below this are scanner states, the others ``n_states + boundary``.
        source_first: int32[n_sources + 1], rows of a source.
        row_path, row_final, row_tokens: int32[n_rows]; ``row_tokens`` names a token set.
        path_parent: int32[n_paths]; path 0 is the empty one, its own parent.
        path_terminal: int32[n_paths], a terminal, ``IGNORED``, or ``ENTRY``.
        path_contexts: int32[n_paths], a row of ``contexts``.
        path_column: int32[n_paths], column change of a newline; 0 otherwise.
        contexts: bool[n_context_sets, n_contexts].
        open_lexeme, open_column: int32[n_opens]: what ``row_open`` names: an open lexeme of the
            scanner and, if it may become a newline, its column change.
        tokens: the token sets; steps that come later may add to them.
        unlisted: int32[…], ascending: tokens that lack rows, since they are cut into terminals in
            too many ways; a general grammar's only.
    """

    n_states: int
    source_first: NDArray[np.int32]
    row_path: NDArray[np.int32]
    row_open: NDArray[np.int32]
    row_tokens: NDArray[np.int32]
    path_parent: NDArray[np.int32]
    path_terminal: NDArray[np.int32]
    path_contexts: NDArray[np.int32]
    path_column: NDArray[np.int32]
    contexts: NDArray[np.bool_]
    open_lexeme: NDArray[np.int32]
    open_column: NDArray[np.int32]
    tokens: TokenSets
    unlisted: NDArray[np.int32]
