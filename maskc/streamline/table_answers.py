"""What a decision about (X, S) makes of the sequence S after the event X.

With P for the refined states that can be on top after X:

- no state of P may take S: never legal, the row goes;
- no state of P may refuse S: always legal, nothing is left to ask;
- each state of P decides S by itself, and decides another sequence in the same way: the two are
  jointly legal, and the shorter stands for both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maskc.ids import DROPPED, SequenceId
from maskc.pushdown.decisions import DEPENDS, FAIL, MAY, Decisions
from maskc.store.sequences import Event


def replace_decided(
    decisions: Decisions,
    asked: Sequence[tuple[Event, SequenceId]],
    free: SequenceId,
    *,
    jointly: bool,
) -> list[SequenceId]:
    """Return the sequence that stands for each, ``DROPPED`` if it is never legal.

    Args:
        decisions: answers them.
        asked: pairs (X, S).
        free: the sequence that is always legal.
        jointly: whether sequences that P decides alike become one.
    """
    classes = decisions.classes_of(sequence for _, sequence in asked)
    by_event: dict[Event, list[int]] = {}
    for place, (event, _) in enumerate(asked):
        by_event.setdefault(event.without_column(), []).append(place)
    answers = [sequence for _, sequence in asked]
    for event, places in by_event.items():
        chosen, inverse = np.unique(classes[places], return_inverse=True)
        here = decisions.flags_of(chosen, decisions.states_after(event))
        joined = np.bitwise_or.reduce(here, axis=1, initial=0)[inverse.reshape(-1)].tolist()
        decided = (here != DEPENDS).all(axis=1)[inverse.reshape(-1)].tolist()
        content = [row.tobytes() for row in here]
        alike = decisions.alike_after(event)
        for place, kind, verdict, sure in zip(
            places, inverse.reshape(-1).tolist(), joined, decided, strict=True
        ):
            sequence = asked[place][1]
            if not verdict & MAY:
                sequence = DROPPED
            elif not verdict & FAIL:
                sequence = free
            elif jointly and sure:
                sequence = alike.setdefault(content[kind], sequence)
            answers[place] = sequence
    return answers


def join_decided(
    decisions: Decisions,
    asked: Sequence[tuple[Event, SequenceId]],
    known: dict[object, tuple[Event, SequenceId]],
) -> list[tuple[Event, SequenceId]]:
    """Return, for pairs (X, S) that every state after X decides, one of those decided alike.

    The contexts that X needs are part of the answer, so pairs may join whose contexts differ.

    Args:
        decisions: answers them.
        asked: the pairs.
        known: terminal and answers → the pair that stands for them; added to.
    """
    classes = decisions.classes_of(sequence for _, sequence in asked)
    answers = list(asked)
    by_event: dict[Event, list[int]] = {}
    for place, (event, _) in enumerate(asked):
        if event.terminal >= 0:
            by_event.setdefault(event, []).append(place)
    for event, places in by_event.items():
        states = decisions.states_after(event)
        here = decisions.flags_of(classes[places], states)
        decided = (here != DEPENDS).all(axis=1).tolist()
        for place, sure, row in zip(places, decided, here == MAY, strict=True):
            if sure:
                key = (event.terminal, event.column, states[row].tobytes())
                answers[place] = known.setdefault(key, asked[place])
    return answers
