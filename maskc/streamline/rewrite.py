"""How a step maps words: from their ends to their beginnings, each after the event before it.

A step looks at a word S only after an X: after DEF almost nothing is legal that is legal after
NAME. A word is mapped innermost first: its rest is mapped after the word's own first event, then
the word that is left is replaced after the event before it. So a sequence is cut as soon as what is
left of it is decided, and one that cannot happen takes all that begin with it away.

Words go through shortest first, and all words of a length together, so that a rule may look at
many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from maskc.ids import DROPPED
from maskc.store.sequences import Event
from maskc.streamline.model import Rows, merge

# (event before, word) → the word that stands for it, or DROPPED if it is never legal there.
Rule = Callable[[Sequence[tuple[Event, int]]], list[int]]


def rewrite(rows: Rows, rule: Rule) -> Rows:
    """Return the rows with each word as a rule maps it; equal rows become one."""
    words = rows.words
    event, rest, length = words.event, words.rest, words.length
    pair = rows.first.astype(np.int64) * len(words) + rows.word
    distinct, inverse = np.unique(pair, return_inverse=True)
    asked = [
        (rows.events[first], word)
        for first, word in (divmod(key, len(words)) for key in distinct.tolist())
    ]
    levels: dict[int, dict[tuple[Event, int], None]] = {}
    for before, word in asked:
        place = levels.setdefault(length[word], {})
        while (before, word) not in place:
            place[before, word] = None
            if not length[word]:
                break
            before, word = event[word], rest[word]
            place = levels.setdefault(length[word], {})
    mapped: dict[tuple[Event, int], int] = {}
    for n_events, pairs in sorted(levels.items()):
        ready: list[tuple[tuple[Event, int], int]] = []
        for before, word in pairs:
            left = word
            if n_events:
                inner = mapped[event[word], rest[word]]
                left = DROPPED if inner == DROPPED else words.extend(event[word], inner)
            if left == DROPPED:
                mapped[before, word] = DROPPED
            else:
                ready.append(((before, word), left))
        answers = rule([(before, left) for (before, _), left in ready])
        for (key, _), answer in zip(ready, answers, strict=True):
            mapped[key] = answer
    word = np.array([mapped[key] for key in asked], dtype=np.int32)[inverse.reshape(-1)]
    return merge(rows, rows.source, rows.first, word)


def after_terminals(decide: Callable[[Event, int], int]) -> Rule:
    """Return the rule that decides the sequences after terminals one by one, and no others."""

    def rule(asked: Sequence[tuple[Event, int]]) -> list[int]:
        return [decide(before, word) if before.terminal >= 0 else word for before, word in asked]

    return rule
