"""The automaton of some texts.

A plan names the texts of a large ``enum`` and not the states of their automaton, which take ten
times as many bytes and as long to read.

Example: of ``ab`` and ``ac`` there are a start, a state after ``a`` and one after each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

MAX_STATES: Final = 800_000


class TooManyStatesError(Exception):
    """The texts have too many characters."""


def build_texts(texts: Sequence[str], labels: Sequence[int], other: int = NO_LABEL) -> CharDfa:
    """Return the automaton that gives each of some different texts its label."""
    kinds = {character: n + 1 for n, character in enumerate(sorted(set("".join(texts))))}
    starts, classes = [0], [0]
    for character, kind in kinds.items():
        code = ord(character)
        if starts[-1] == code:
            classes[-1] = kind
        else:
            starts.append(code)
            classes.append(kind)
        starts.append(code + 1)
        classes.append(0)
    n_before = 2 if other != NO_LABEL else 1
    rest = 1 if other != NO_LABEL else DEAD
    start = n_before
    rows: list[dict[int, int]] = [{} for _ in range(n_before + 1)]
    pairs, ends = sorted(zip(texts, labels, strict=True)), []
    # The states of the text before, one for each of its characters and the start.
    path, before = [start], ""
    for text, _ in pairs:
        n, n_most = 0, min(len(before), len(text))
        while n < n_most and before[n] == text[n]:
            n += 1
        del path[n + 1 :]
        for character in text[n:]:
            state = len(rows)
            rows[path[-1]][kinds[character]] = state
            rows.append({})
            path.append(state)
        if len(rows) > MAX_STATES:
            raise TooManyStatesError
        ends.append(path[-1])
        before = text
    defaults, found = [rest] * len(rows), [other] * len(rows)
    defaults[DEAD], found[DEAD] = DEAD, NO_LABEL
    for (_, label), end in zip(pairs, ends, strict=True):
        found[end] = label
    dfa = CharDfa(starts, classes, defaults, rows, found, start)
    if pairs:
        dfa.texts = ([text for text, _ in pairs], [label for _, label in pairs], other)
    return dfa
