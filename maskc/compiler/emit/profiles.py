"""The states on top of a stack that no node tells apart, and the contexts of lexer states.

States with the same verdicts for all sequences, and one context, share a *profile*: whatever is
asked of the one has the answer of the other. Profiles are numbered by their verdicts, then by their
contexts.

A context enters the scanner with the first byte of a lexeme, and stays until the lexeme ends.

Example: in ``start: ("a" | "b") "c"`` the same is legal after ``a`` and after ``b``, so both states
have one profile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.compiler.optimise.state import Tops, Verdicts
from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD
from maskc.lexer.scanner import Scanner


def find_contexts(lexer: LexerSpec, scanner: Scanner) -> tuple[int, ...]:
    """Return the contexts of each scanner state, as bits."""
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


Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]
ByContext = list[tuple[int, Ints]]  # contexts ascending, with profiles of each, ascending


class Profiles:
    """The profiles of the states that can be on top.

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
        """Return the profiles of the states that can be on top after a terminal."""
        found = self._after.get(terminal)
        if found is None:
            states = list(self._tops.list_states(terminal))
            found = self._group(np.unique(self.of_state[states]))
            self._after[terminal] = found
        return found

    def inside(self, contexts: int) -> ByContext:
        """Return the profiles that have one of some contexts, given as bits."""
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
