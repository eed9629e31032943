"""How a step maps sequences: from their ends to their beginnings, each after the event before it.

A step looks at a sequence S only after an X: after DEF almost nothing is legal that is legal after
NAME. A sequence is mapped innermost first: its rest is mapped after the sequence's own first event,
then the sequence that is left is replaced after the event before it. So a sequence is cut as soon
as what is left of it is decided, and one that cannot happen takes all that begin with it away.

Sequences go through shortest first, and all sequences of a length together, so that a rule may look
at many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from maskc.ids import DROPPED, SequenceId
from maskc.store.sequences import Event
from maskc.streamline.model import Rows, merge

# (event before, sequence) → the sequence that stands for it, or DROPPED if it is never legal there.
Rule = Callable[[Sequence[tuple[Event, SequenceId]]], list[SequenceId]]


def rewrite(rows: Rows, rule: Rule) -> Rows:
    """Return the rows with each sequence as a rule maps it; equal rows become one."""
    sequences = rows.sequences
    rest, length, n = sequences.rest, sequences.length, len(sequences)
    # An event before and a sequence are one number: as pairs, most of the time went into hashes.
    number: dict[Event, int] = {}
    event = [number.setdefault(e, len(number)) for e in sequences.event]
    firsts = np.array([number.setdefault(e, len(number)) for e in rows.events], dtype=np.int64)
    events = list(number)
    # In the order of the rows' events, which the numbers of new sequences follow.
    pair = rows.first.astype(np.int64) * n + rows.sequence
    distinct, inverse = np.unique(pair, return_inverse=True)
    asked = (firsts[distinct // n] * n + distinct % n).tolist()
    levels: dict[int, dict[int, None]] = {}
    for key in asked:
        sequence = key % n
        place = levels.setdefault(length[sequence], {})
        while key not in place:
            place[key] = None
            if not length[sequence]:
                break
            key, sequence = event[sequence] * n + rest[sequence], rest[sequence]
            place = levels.setdefault(length[sequence], {})
    mapped: dict[int, SequenceId] = {}
    for n_events, keys in sorted(levels.items()):
        ready: list[int] = []
        given: list[tuple[Event, SequenceId]] = []
        for key in keys:
            before, sequence = divmod(key, n)
            left = SequenceId(sequence)
            if n_events:
                inner = mapped[event[sequence] * n + rest[sequence]]
                if inner == DROPPED:
                    mapped[key] = DROPPED
                    continue
                if inner != rest[sequence]:
                    left = sequences.extend(events[event[sequence]], inner)
            ready.append(key)
            given.append((events[before], left))
        mapped.update(zip(ready, rule(given), strict=True))
    sequence = np.array([mapped[key] for key in asked], dtype=np.int32)[inverse.reshape(-1)]
    return merge(rows, rows.source, rows.first, sequence)


def after_terminals(decide: Callable[[Event, SequenceId], SequenceId]) -> Rule:
    """Return the rule that decides the sequences after terminals one by one, and no others."""

    def rule(asked: Sequence[tuple[Event, SequenceId]]) -> list[SequenceId]:
        return [
            decide(before, sequence) if before.terminal >= 0 else sequence
            for before, sequence in asked
        ]

    return rule
