"""The automaton of some texts, built of the texts and listed from it again.

A plan names the texts of a large ``enum`` and not the states of their automaton, which take ten
times as many bytes and as long to read.

Example: of ``ab`` and ``ac`` there are a start, a state after ``a`` and one after each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

MAX_STATES = 800_000


class TooManyStatesError(Exception):
    """The texts have too many characters."""


def build_texts(texts: Sequence[str], labels: Sequence[int], other: int = NO_LABEL) -> CharDfa:
    """Return the automaton that gives each of some different texts its label.

    Args:
        texts: accepted.
        labels: of each.
        other: the label of every other text, ``NO_LABEL`` if none is accepted.

    Raises:
        TooManyStatesError: it has more than ``MAX_STATES`` states.
    """
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
    defaults = [DEAD, rest][:n_before]
    rows: list[dict[int, int]] = [dict[int, int]() for _ in range(n_before)]
    found = [NO_LABEL, other][:n_before]
    start = len(rows)
    rows.append({})
    defaults.append(rest)
    found.append(other)
    for text, label in zip(texts, labels, strict=True):
        state = start
        for character in text:
            kind = kinds[character]
            after = rows[state].get(kind)
            if after is None:
                after = rows[state][kind] = len(rows)
                rows.append({})
                defaults.append(rest)
                found.append(other)
            state = after
        if len(rows) > MAX_STATES:
            raise TooManyStatesError
        found[state] = label
    return CharDfa(starts, classes, defaults, rows, found, start)


class Labelled(NamedTuple):
    """Texts, their labels, and the label of every other text."""

    texts: list[str]
    labels: list[int]
    other: int


def find_texts(dfa: CharDfa) -> Labelled | None:
    """Return what :func:`build_texts` was given, sorted by text, if an automaton is of that kind.

    Returns:
        ``None`` for any other automaton, and for some that could be written so.

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
