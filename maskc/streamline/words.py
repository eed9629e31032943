"""What is left of each row behind its first event: words, shared by all rows.

A row's path is a sequence of events, and its final says what stays open. Behind the first event
the rest of the path with the final is a *word*; very many rows have equal ones, whatever source
they belong to, so facts about words are found once.

Words are numbered so that a word's own rest comes before it. Word ``w`` is a final, or an event
and a shorter word.

Example: the rows NUMBER · RPAR · open(NAME) and NAME · RPAR · open(NAME) share the word
RPAR · open(NAME), and its rest open(NAME).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.store.model import MaskStore

FINAL = -9  # the terminal of a word that is a final

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All words of a store.

    Attributes:
        terminal: int32[n_words], of the first event, or ``FINAL``.
        contexts: int32[n_words], its set of contexts; for a final, what ``row_final`` names.
        column: int32[n_words], column change of a newline event.
        rest: int32[n_words], the word behind the first event; 0 for a final.
        length: int32[n_words], number of events.
        first: int32[n_rows], the path that is a row's first event; 0 where its path is empty.
        of_row: int32[n_rows], the word behind the first event (or the final itself).
    """

    terminal: Ints
    contexts: Ints
    column: Ints
    rest: Ints
    length: Ints
    first: Ints
    of_row: Ints


def collect_words(store: MaskStore) -> Words:
    """Return the words of all rows."""
    parent = store.path_parent.tolist()
    events = list(
        zip(
            store.path_terminal.tolist(),
            store.path_contexts.tolist(),
            store.path_column.tolist(),
            strict=True,
        )
    )
    number: dict[tuple[int, int, int, int], int] = {}
    length: list[int] = []
    firsts: list[int] = []
    of_row: list[int] = []
    for path, final in zip(store.row_path.tolist(), store.row_final.tolist(), strict=True):
        key = (FINAL, final, 0, 0)
        n_events = 0
        word = number.setdefault(key, len(number))
        if word == len(length):
            length.append(0)
        while path and parent[path]:
            n_events += 1
            word = number.setdefault((*events[path], word), len(number))
            if word == len(length):
                length.append(n_events)
            path = parent[path]
        firsts.append(path)
        of_row.append(word)
    table = np.array(list(number), dtype=np.int32).reshape(len(number), 4)
    return Words(
        terminal=np.ascontiguousarray(table[:, 0]),
        contexts=np.ascontiguousarray(table[:, 1]),
        column=np.ascontiguousarray(table[:, 2]),
        rest=np.ascontiguousarray(table[:, 3]),
        length=np.array(length, dtype=np.int32),
        first=np.array(firsts, dtype=np.int32),
        of_row=np.array(of_row, dtype=np.int32),
    )
