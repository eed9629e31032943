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
    event, rest, length = sequences.event, sequences.rest, sequences.length
    pair = rows.first.astype(np.int64) * len(sequences) + rows.sequence
    distinct, inverse = np.unique(pair, return_inverse=True)
    asked = [
        (rows.events[first], sequence)
        for first, sequence in (divmod(key, len(sequences)) for key in distinct.tolist())
    ]
    levels: dict[int, dict[tuple[Event, SequenceId], None]] = {}
    for before, sequence in asked:
        place = levels.setdefault(length[sequence], {})
        while (before, sequence) not in place:
            place[before, sequence] = None
            if not length[sequence]:
                break
            before, sequence = event[sequence], rest[sequence]
            place = levels.setdefault(length[sequence], {})
    mapped: dict[tuple[Event, SequenceId], SequenceId] = {}
    for n_events, pairs in sorted(levels.items()):
        ready: list[tuple[tuple[Event, SequenceId], SequenceId]] = []
        for before, sequence in pairs:
            left = sequence
            if n_events:
                inner = mapped[event[sequence], rest[sequence]]
                left = DROPPED if inner == DROPPED else sequences.extend(event[sequence], inner)
            if left == DROPPED:
                mapped[before, sequence] = DROPPED
            else:
                ready.append(((before, sequence), left))
        answers = rule([(before, left) for (before, _), left in ready])
        for (key, _), answer in zip(ready, answers, strict=True):
            mapped[key] = answer
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
