"""An automaton over characters, without the strings in which some words stand.

It is the product with the automaton that looks for the words. A character that none of the words
has leads back to where no word is begun, so a state of the product has the row of the automaton's
own state, with the characters of the words set apart.

Example: without ``</p>``, the automaton of any string has a state for each of the beginning, ``<``,
``</`` and ``</p``, and no ``>`` leads on from ``</p``.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from maskc.errors import LimitError
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts
from maskc.runtime.step_budget import charge_steps

_MOST_STATES = 200_000
_ROOT, _WHOLE = 0, -1  # no word is begun; one of them is whole

# Of each beginning of a word, character → the longest one that the text ends with after it, if that
# is not the root; ``_WHOLE`` where it has a word in it.
Search = list[dict[int, int]]


def without_words(dfa: CharDfa, words: Sequence[str]) -> CharDfa:
    """Return the automaton of those strings of another one that have none of some words in them.

    A LimitError says that it has too many states.
    """
    if not words or dfa.start == DEAD:
        return dfa
    if dfa.texts is not None and dfa.texts[2] == NO_LABEL:
        texts, labels, _ = dfa.texts
        kept = [n for n, text in enumerate(texts) if not any(word in text for word in words)]
        if not kept:
            return CharDfa([0], [0], [DEAD], [{}], [NO_LABEL], DEAD)
        return build_texts([texts[n] for n in kept], [labels[n] for n in kept])
    return _Product(dfa, _look_for(words)).trim()


def _look_for(words: Sequence[str]) -> Search:
    children: list[dict[int, int]] = [{}]
    whole: set[int] = set()
    for word in words:
        here = _ROOT
        for character in map(ord, word):
            if character not in children[here]:
                children[here][character] = len(children)
                children.append({})
            here = children[here][character]
        whole.add(here)
    found: Search = [{} for _ in children]
    open_ = [(_ROOT, _ROOT)]
    for here, shorter in open_:  # by length, so that shorter ones are known
        found[here] = {**(found[shorter] if here else {}), **children[here]}
        for character, child in children[here].items():
            back = found[shorter].get(character, _ROOT) if here else _ROOT
            if child in whole or back == _WHOLE:
                found[here][character] = _WHOLE
            else:
                open_.append((child, back))
    return found


class _Product:
    """States of an automaton, each with a beginning of a word, from the start on."""

    def __init__(self, dfa: CharDfa, search: Search) -> None:
        self._dfa = dfa
        named = sorted({character for row in search for character in row})
        kinds = [dfa.classes[bisect_right(dfa.starts, character) - 1] for character in named]
        self._set_apart(named)
        self._pairs = [(dfa.start, _ROOT)]
        self._numbers = {self._pairs[0]: 0}
        self._defaults = list[int]()
        self._rows = list[dict[int, int]]()
        first = max(dfa.classes) + 1
        for state, at in self._pairs:  # grows while we walk it
            default, row = dfa.defaults[state], dfa.rows[state]
            other = self._number(default, _ROOT)
            kept = [(kind, target) for kind, target in row.items() if kind in self._kinds]
            found = {kind: self._number(target, _ROOT) for kind, target in kept}
            for own, (character, kind) in enumerate(zip(named, kinds, strict=True), first):
                after = self._number(row.get(kind, default), search[at].get(character, _ROOT))
                if after != other:
                    found[own] = after
            self._defaults.append(other)
            self._rows.append(found)
            charge_steps(1 + len(found))
            if len(self._pairs) > _MOST_STATES:
                remedy = "write a simpler pattern, or list shorter texts"
                raise LimitError("states of a string", _MOST_STATES, remedy)

    def _set_apart(self, named: list[int]) -> None:
        """Give each character of the words a class of its own."""
        dfa = self._dfa
        classes = dict(zip(dfa.starts, dfa.classes, strict=True))
        for character in named:
            after = character + 1
            classes.setdefault(after, dfa.classes[bisect_right(dfa.starts, after) - 1])
        classes |= {character: n for n, character in enumerate(named, max(dfa.classes) + 1)}
        self._starts = sorted(classes)
        self._classes = [classes[start] for start in self._starts]
        self._kinds = frozenset(self._classes)  # without those that have no other character

    def _number(self, state: int, at: int) -> int:
        if state == DEAD or at == _WHOLE:
            return -1
        pair = (state, at)
        found = self._numbers.get(pair)
        if found is None:
            found = self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
        return found

    def trim(self) -> CharDfa:
        """Return it without the states from which no string ends."""
        labels = [self._dfa.labels[state] for state, _ in self._pairs]
        before: list[list[int]] = [[] for _ in labels]
        for number, row in enumerate(self._rows):
            for target in {*row.values(), self._defaults[number]} - {-1}:
                before[target].append(number)
        open_ = [number for number, label in enumerate(labels) if label != NO_LABEL]
        live = set(open_)
        while open_:
            more = set(before[open_.pop()]) - live
            live |= more
            open_ += more
        kept = sorted(live)
        numbers = dict.fromkeys(range(-1, len(labels)), DEAD)
        numbers |= {number: n for n, number in enumerate(kept, 1)}
        rows = [
            {kind: numbers[target] for kind, target in self._rows[number].items()}
            for number in kept
        ]
        return CharDfa(
            self._starts,
            self._classes,
            [DEAD, *(numbers[self._defaults[number]] for number in kept)],
            [{}, *rows],
            [NO_LABEL, *(labels[number] for number in kept)],
            numbers[0],
        )
