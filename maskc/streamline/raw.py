"""The walk's rows, each after the terminal that ended the lexeme before: nothing decided yet.

What the walk found after a boundary holds after every terminal that leaves this boundary; the
steps ask about each of them by itself, so each gets its own copy, without the rows that need a
context which the parser never names after it.

After a row's first event, a lexeme that is ignored leaves the stack alone: what it asks of the
context is asked of the event before it, and it is no event of its own.

Example: after ``)`` and after ``]`` of python.lark the same rows are walked once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.grammar.model import LexerSpec
from maskc.ids import DROPPED, IGNORED
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner, contexts_after
from maskc.store.model import MaskStore
from maskc.store.sequences import NOTHING_ENDS, Event, Sequences
from maskc.streamline.model import Rows, merge

Ints = NDArray[np.int32]


def collect_rows(
    lexer: LexerSpec, scanner: Scanner, boundaries: Boundaries, store: MaskStore
) -> Rows:
    """Return all rows of a store, by the terminal before them."""
    sequences, events = Sequences(boundaries.open_lexemes), _Events()
    first, sequence = _split_paths(store, sequences, events)
    # After each end: the boundary's rows, their first event now the terminal itself.
    after = {
        terminal: bits.from_members(contexts)
        for terminal, contexts in contexts_after(lexer).items()
    }
    ends = tuple(sorted({end for state in scanner.ends for end in state}))
    number = {end: scanner.n_states + i for i, end in enumerate(ends)}
    n_own = int(store.source_first[scanner.n_states])
    index = [np.arange(n_own, dtype=np.int64)]
    sources = [
        np.repeat(np.arange(scanner.n_states), np.diff(store.source_first[: scanner.n_states + 1]))
    ]
    firsts = [first[:n_own]]
    for (terminal, boundary), source in number.items():
        low, high = store.source_first[scanner.n_states + boundary :][:2].tolist()
        entries, inverse = np.unique(first[low:high], return_inverse=True)
        own = []
        for entry in entries.tolist():
            contexts = events.known[entry].contexts & after.get(terminal, 0)
            own.append(events.number(Event(terminal, contexts, 0)) if contexts else DROPPED)
        chosen = np.array(own, dtype=np.int32)[inverse.reshape(-1)]
        kept = np.flatnonzero(chosen != DROPPED)
        index.append(kept + low)
        sources.append(np.full(len(kept), source))
        firsts.append(chosen[kept])
    taken = np.concatenate(index)
    rows = Rows(
        n_states=scanner.n_states,
        ends=ends,
        ends_of=tuple(tuple(number[end] for end in state) for state in scanner.ends),
        events=tuple(events.known),
        sequences=sequences,
        tokens=store.tokens,
        source=np.concatenate(sources).astype(np.int32),
        first=np.concatenate(firsts),
        sequence=sequence[taken],
        token_set=store.row_tokens[taken],
    )
    return merge(rows, rows.source, rows.first, rows.sequence)


class _Events:
    def __init__(self) -> None:
        self.known: list[Event] = [NOTHING_ENDS]
        self._number = {NOTHING_ENDS: 0}

    def number(self, event: Event) -> int:
        number = self._number.setdefault(event, len(self.known))
        if number == len(self.known):
            self.known.append(event)
        return number


def _split_paths(store: MaskStore, sequences: Sequences, events: _Events) -> tuple[Ints, Ints]:
    """Return each row's first event and its sequence; ``DROPPED`` where contexts exclude it."""
    sets = [bits.from_members(c for c in np.flatnonzero(row).tolist()) for row in store.contexts]
    parent = store.path_parent.tolist()
    event_of = [
        Event(terminal, sets[contexts] if sets else 0, column)
        for terminal, contexts, column in zip(
            store.path_terminal.tolist(),
            store.path_contexts.tolist(),
            store.path_column.tolist(),
            strict=True,
        )
    ]
    key = store.row_path.astype(np.int64) * len(store.open_lexeme) + store.row_open
    distinct, inverse = np.unique(key, return_inverse=True)
    first, sequence = np.zeros(len(distinct), np.int32), np.zeros(len(distinct), np.int32)
    open_lexemes, columns = store.open_lexeme.tolist(), store.open_column.tolist()
    for i, pair in enumerate(distinct.tolist()):
        path, opened = divmod(pair, len(open_lexemes))
        here = sequences.close(open_lexemes[opened], columns[opened])
        # The contexts that ignored lexemes ask of the event before them.
        asked = -1
        while path and parent[path]:
            event = event_of[path]
            if event.terminal == IGNORED:
                asked &= event.contexts
            else:
                here = sequences.extend(event.inside(asked), here)
                asked = -1
            path = parent[path]
        event = event_of[path] if path else NOTHING_ENDS
        first[i] = events.number(event.inside(asked))
        sequence[i] = here
    return first[inverse.reshape(-1)], sequence[inverse.reshape(-1)]
