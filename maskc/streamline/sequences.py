"""Step 4: the remaining sequences are decided, whatever their length.

After X, a sequence S is dropped if it is never legal, cut to X if it is always legal, and taken
together with a shorter one if the two are jointly legal because the parser's state after X decides
both, in the same way.

Example: in python.lark, after a NAME, ``)`` and then ``:`` stays a question, since the stack below
the bracket answers it; ``)`` and then ``)`` asks no more of the state than ``)`` and then ``]``
does where both are refused.

Source: appendix, sections 2, 4 and 6; blog, step 4. Equal answers in every state are the finite
case of the appendix's equal debt automata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from maskc.ids import NO_EVENT, SequenceId
from maskc.lexer.boundaries import Boundaries
from maskc.pushdown.decisions import Decisions
from maskc.store.sequences import Event
from maskc.streamline.model import Rows, merge
from maskc.streamline.rewrite import rewrite
from maskc.streamline.table_answers import join_decided, replace_decided


def decide_sequences(rows: Rows, decisions: Decisions, boundaries: Boundaries) -> Rows:
    """Return the rows that are left when every sequence is decided."""
    sequences = rows.sequences
    free = sequences.open_to(boundaries.everything)

    known: dict[object, tuple[Event, SequenceId]] = {}

    def rule(asked: Sequence[tuple[Event, SequenceId]]) -> list[SequenceId]:
        longer = [i for i, (_, sequence) in enumerate(asked) if sequences.length[sequence]]
        split = [(sequences.event[asked[i][1]], sequences.rest[asked[i][1]]) for i in longer]
        asked = list(asked)
        for i, (event, rest) in zip(longer, join_decided(decisions, split, known), strict=True):
            asked[i] = (asked[i][0], sequences.extend(event, rest))
        answers = [sequence for _, sequence in asked]
        places = [i for i, (before, _) in enumerate(asked) if before.terminal != NO_EVENT]
        replaced = replace_decided(decisions, [asked[i] for i in places], free, jointly=True)
        for i, answer in zip(places, replaced, strict=True):
            answers[i] = answer
        return answers

    rows = rewrite(rows, rule)
    return _join_firsts(rows, decisions, known)


def _join_firsts(
    rows: Rows, decisions: Decisions, known: dict[object, tuple[Event, SequenceId]]
) -> Rows:
    """Return the rows with one pair of first event and sequence for all that are decided alike."""
    pairs = rows.first.astype(np.int64) * len(rows.sequences) + rows.sequence
    distinct, inverse = np.unique(pairs, return_inverse=True)
    asked = [
        (rows.events[first], sequence)
        for first, sequence in (divmod(pair, len(rows.sequences)) for pair in distinct.tolist())
    ]
    joined = join_decided(decisions, asked, known)
    events: dict[Event, int] = {event: i for i, event in enumerate(rows.events)}
    first = [events.setdefault(event, len(events)) for event, _ in joined]
    sequence = [sequence for _, sequence in joined]
    inverse = inverse.reshape(-1)
    return merge(
        replace(rows, events=tuple(events)),
        rows.source,
        np.array(first, dtype=np.int32)[inverse],
        np.array(sequence, dtype=np.int32)[inverse],
    )
