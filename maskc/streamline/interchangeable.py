"""Step 1: terminals that can stand for each other are asked about as one.

If PLUS and MINUS are interchangeable, (X, S) is legal iff it is with PLUS in the place of MINUS.
So every event names the first terminal of its class, and what stays open asks for the first
lookahead of its class; rows that differed in this only become one.

A lookahead is a terminal with what its boundary allows after it. Two lookaheads of one class are
taken together only where no live stack tells them apart; so are two terminals.

Example: in python.lark the rows of ``+=``, ``-=``, and eleven more become the rows of one.

Source: appendix, section 6.2; blog, step 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from maskc.ids import DROPPED, SequenceId, TerminalId
from maskc.lexer.boundaries import Boundaries, OpenLexeme
from maskc.parser.relation import Lookaheads
from maskc.pushdown.interchangeable import Classes, map_to_representatives
from maskc.store.sequences import Event
from maskc.streamline.model import Rows, merge


def merge_interchangeable(
    rows: Rows, classes: Classes, boundaries: Boundaries, live: Sequence[Lookaheads]
) -> Rows:
    """Return the rows with the first terminal of each class in the place of the others."""
    stands_for = map_to_representatives(classes)
    merged: dict[int, int] = {}
    for lookahead, target in _map_lookaheads(stands_for, boundaries, live).items():
        merged[target] = merged.get(target, 0) | 1 << lookahead
    sequences = rows.sequences
    everything = boundaries.everything

    def map_event(event: Event) -> Event:
        return event._replace(terminal=stands_for.get(event.terminal, event.terminal))

    def map_open_lexeme(open_lexeme: OpenLexeme) -> OpenLexeme:
        direct = open_lexeme.direct
        if direct == everything:
            return open_lexeme
        for target, group in merged.items():
            if direct & group:
                direct = direct & ~group | 1 << target
        return replace(open_lexeme, direct=direct)

    mapped: list[SequenceId] = []
    for sequence in sequences.numbers():
        event = sequences.event[sequence]
        if sequences.length[sequence]:
            mapped.append(sequences.extend(map_event(event), mapped[sequences.rest[sequence]]))
        else:
            open_lexeme, column = sequences.open_lexeme(sequence)
            mapped.append(
                sequences.close(sequences.number_open_lexeme(map_open_lexeme(open_lexeme)), column)
            )
    events: dict[Event, int] = {}
    first = [events.setdefault(map_event(event), len(events)) for event in rows.events]
    ends = [(stands_for.get(terminal, terminal), boundary) for terminal, boundary in rows.ends]
    kept = tuple(sorted(set(ends)))
    source = np.array(
        [*range(rows.n_states), *(rows.n_states + kept.index(end) for end in ends)], dtype=np.int32
    )
    # Sources that become one had equal rows: one of them is enough.
    spare = np.ones(rows.n_sources, dtype=np.bool_)
    spare[np.unique(source, return_index=True)[1]] = False
    mapped_sequence = np.array(mapped, dtype=np.int32)[rows.sequence]
    rows = replace(
        rows,
        ends=kept,
        ends_of=tuple(tuple(source[list(ends)].tolist()) for ends in rows.ends_of),
        events=tuple(events),
    )
    return merge(
        rows,
        source[rows.source],
        np.array(first, dtype=np.int32)[rows.first],
        np.where(spare[rows.source], DROPPED, mapped_sequence),
    )


def safe_for_lookaheads(
    classes: Classes, boundaries: Boundaries, live: Sequence[Lookaheads]
) -> Classes:
    """Return the classes split until their terminals are taken by the same refined states.

    What the lexer allows after a terminal is no part of the grammar: one that the lexer never
    gives, or that nothing can follow, is taken nowhere and stands for no other.
    """
    lookaheads = {
        terminal: boundaries.set_of(terminal) for members in classes for terminal in members
    }
    distinct = sorted(set(live))
    found: dict[tuple[int, bytes], list[TerminalId]] = {}
    for number, members in enumerate(classes):
        for terminal in members:
            taken = bytes(bool(some & lookaheads[terminal]) for some in distinct)
            if any(taken):
                found.setdefault((number, taken), []).append(terminal)
    return tuple(tuple(members) for members in found.values() if len(members) > 1)


def _map_lookaheads(
    stands_for: dict[TerminalId, TerminalId], boundaries: Boundaries, live: Sequence[Lookaheads]
) -> dict[int, int]:
    """Return lookahead → lookahead of the representative that is live in the same states."""
    distinct = sorted(set(live))
    live_in = {
        lookahead: bytes(mask >> lookahead & 1 for mask in distinct)
        for terminal in {*stands_for, *stands_for.values()}
        for lookahead in boundaries.of_terminal.get(terminal, ())
    }
    found: dict[int, int] = {}
    for terminal, representative in sorted(stands_for.items()):
        for lookahead in boundaries.of_terminal.get(terminal, ()):
            for target in boundaries.of_terminal.get(representative, ()):
                if live_in[lookahead] == live_in[target]:
                    found[lookahead] = target
                    break
    return found
