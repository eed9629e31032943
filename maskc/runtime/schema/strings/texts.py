"""The automaton of some texts, built of the texts and listed from it again.

A plan names the texts of a large ``enum`` and not the states of their automaton, which take ten
times as many bytes and as long to read.

Example: of ``ab`` and ``ac`` there are a start, a state after ``a`` and one after each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

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


class Labelled(NamedTuple):
    """Texts, their labels, and the label of every other text."""

    texts: list[str]
    labels: list[int]
    other: int


def find_texts(dfa: CharDfa) -> Labelled | None:
    """Return what :func:`build_texts` was given, sorted by text, if an automaton is like that.

    It is asked where an automaton was made in another way; it misses some that could be so.

    >>> find_texts(build_texts(["ab", "ac"], [0, 7]))
    Labelled(texts=['ab', 'ac'], labels=[0, 7], other=-1)
    """
    rest = dfa.defaults[dfa.start]
    other = dfa.labels[rest]
    if rest != DEAD and (dfa.rows[rest] or dfa.defaults[rest] != rest):
        return None
    characters: dict[int, str] = {}
    ends = [*dfa.starts[1:], 0x110000]
    for low, high, kind in zip(dfa.starts, ends, dfa.classes, strict=True):
        # Of a class of several characters there would be several texts on one way.
        characters[kind] = chr(low) if high == low + 1 and kind not in characters else ""
    found, n_left = dict[str, int](), dfa.n_states
    open_ = [(dfa.start, "")]
    while open_:
        state, text = open_.pop()
        n_left -= 1
        if n_left < 0 or dfa.defaults[state] != rest:
            return None
        if dfa.labels[state] != other:
            found[text] = dfa.labels[state]
        for kind, target in dfa.rows[state].items():
            if not characters[kind] or target == rest:
                return None
            open_.append((target, text + characters[kind]))
    if NO_LABEL in found.values():
        return None
    texts = sorted(found)
    return Labelled(texts, [found[text] for text in texts], other) if texts else None
