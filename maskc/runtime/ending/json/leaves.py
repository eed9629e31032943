"""What do the strings, keys, numbers and words of a JSON text cost in tokens?

Each is an automaton over bytes, and a token is followed through it; only in strings of any
characters too many are legal (:mod:`maskc.runtime.ending.json.characters`).

Where an automaton is too large to be followed, what was not found counts as much as had been
looked at, so that nothing costs more than is said.

Example: with llama3 after ``"us`` the rest of ``used`` and its quote cost two tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.ending.json.characters import QUOTE, Characters
from maskc.runtime.ending.json.joints import (
    MOST_VISITED,
    NEVER,
    JsonJoints,
    Prices,
    Space,
    least,
)
from maskc.runtime.schema.machine.nodes import LITERALS
from maskc.runtime.schema.numbers.numbers import NUMBER_BYTES, Numbers
from maskc.runtime.schema.numbers.numbers import State as NumberState
from maskc.runtime.schema.numbers.sides import Rule
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings.characters import NO_LABEL
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.tries.trie import ROOT

_DIGITS = b"0123456789"
_MOST_DIGITS = 600  # that are looked at for a number
_MOST_REMEMBERED = 5_000
_NUMBER_STEPS = 100  # that the moves of one state of a number take
_STATE_STEPS = 50  # the same of a string
_DONE = -1  # state of a string whose quote was read


class _Automaton:
    """The states of something that is read byte by byte, by number.

    Args:
        list_moves: returns of a state byte → state.
        is_end: whether it may have ended in a state.
    """

    def __init__(
        self,
        list_moves: Callable[[Any], Mapping[int, Hashable]],
        is_end: Callable[[Any], bool],
    ) -> None:
        self._list_moves, self._is_end = list_moves, is_end
        self._states: list[Hashable] = []
        self._number: dict[Hashable, int] = {}
        self._moves: dict[int, dict[int, int]] = {}

    def number(self, state: Hashable) -> int:
        """Return the number of a state."""
        found = self._number.setdefault(state, len(self._states))
        if found == len(self._states):
            self._states.append(state)
        return found

    def moves(self, number: int) -> dict[int, int]:
        """Return of a state byte → state."""
        known = self._moves.get(number)
        if known is None:
            moves = self._list_moves(self._states[number]).items()
            known = self._moves[number] = {byte: self.number(after) for byte, after in moves}
        return known

    def is_end(self, number: int) -> bool:
        """Return whether it may have ended in a state."""
        return self._is_end(self._states[number])


class JsonLeaves:
    """The costs of what has no brackets.

    Args:
        joints: of the texts.

    Attributes:
        characters: of strings of any.
    """

    def __init__(self, joints: JsonJoints) -> None:
        self._joints, self._trie = joints, joints.paths.trie
        self.characters = Characters(joints)
        self._never = np.full(len(joints.after), NEVER, dtype=np.int32)
        self._any_number = Numbers(Rule(), exponents=True)
        self._automata: dict[Hashable, _Automaton] = {}
        # By automaton, state and kind of place, where a token begins.
        self._rows: dict[tuple[_Automaton, int, bool], Prices] = {}

    def whole(self, first: bytes, price: Callable[[int], Prices]) -> Prices:
        """Return int32[n_begin, n_after], the prices of what has some first bytes.

        Args:
            first: these bytes.
            price: of it, where a token is at a node.
        """
        trie, letters = self._trie, self._joints.paths.letters
        usual, rows = price(ROOT), []
        for node in self._joints.begin.nodes:
            if any(trie.child(node, letters[byte]) >= 0 for byte in first):
                rows.append(price(node))
            else:
                rows.append(usual if trie.n_ending[node] else self._never)
        return np.stack(rows)

    def whole_word(self, which: int) -> Prices:
        """Return the prices of a word where a value begins."""
        return self.whole(LITERALS[which][:1], lambda node: self.word(which, 0, node))

    def whole_number(self, numbers: Numbers) -> Prices:
        """Return the prices of a number where a value begins."""
        return self.whole(b"-" + _DIGITS, lambda node: self.number(numbers, numbers.start, node))

    def whole_string(self, rule: StringRule | None) -> Prices:
        """Return the prices of a string where a value begins; ``None``: of any string."""

        def price(node: int) -> Prices:
            rows = [self._never]
            for place, n_tokens in self._joints.quoted(node):
                if rule is None:
                    row = self.characters.price(self._joints.after, (place,), 0)
                else:
                    row = self.string(rule, rule.body.start, 0, place)
                rows.append(np.minimum(row + n_tokens, NEVER))
            return least(rows)

        return self.whole(b'"', price)

    def whole_any(self) -> Prices:
        """Return the prices of any value without brackets."""
        found = [self.whole_word(n) for n in range(3)]
        found += [self.whole_number(self._any_number), self.whole_string(None)]
        return least(found)

    def _automaton(
        self,
        key: Hashable,
        list_moves: Callable[[Any], Mapping[int, Hashable]],
        is_end: Callable[[Any], bool],
    ) -> _Automaton:
        found = self._automata.get(key)
        if found is None:
            if len(self._automata) > _MOST_REMEMBERED:
                self._automata.clear()
                self._rows.clear()
            found = self._automata[key] = _Automaton(list_moves, is_end)
        return found

    def _price(
        self, space: Space, automaton: _Automaton, state: Hashable, node: int, most: int
    ) -> Prices:
        """Return int32[n], the price of what ends in an automaton.

        Args:
            space: of the nodes after it.
            automaton: what reads it.
            state: of the automaton.
            node: where the token is.
            most: pairs of a state and a node that are looked at.
        """
        number = automaton.number(state)
        if node == ROOT:
            return self._price_whole(space, automaton, number, most)
        pairs = self._joints.inside(node, automaton.moves, number, most)
        if pairs is None:
            return np.zeros(len(space), dtype=np.int32)
        ends = {place: 0 for here, place in pairs if place != ROOT and automaton.is_end(here)}
        found = space.row(ends)
        for here in {here: None for here, place in pairs if place == ROOT}:
            found = np.minimum(found, self._price_whole(space, automaton, here, most))
        return found

    def _price_whole(self, space: Space, automaton: _Automaton, number: int, most: int) -> Prices:
        """Return the same where a token begins."""
        key = (automaton, number, space is self._joints.ends)
        known = self._rows.get(key)
        if known is None:
            if len(self._rows) > _MOST_REMEMBERED:
                self._rows.clear()
            walked = self._joints.walk({ROOT: 0}, automaton.moves, number, automaton.is_end, most)
            known = self._rows[key] = np.minimum(space.row(walked.ends[0]), walked.frontier)
        return known

    def word(self, which: int, n_read: int, node: int) -> Prices:
        """Return int32[n_after], the price of the rest of a word."""
        word = LITERALS[which]
        automaton = self._automaton(
            which,
            lambda at: {word[at]: at + 1} if at < len(word) else {},
            lambda at: bool(at == len(word)),
        )
        return self._price(self._joints.after, automaton, n_read, node, MOST_VISITED)

    def number(self, numbers: Numbers, state: NumberState, node: int) -> Prices:
        """Return int32[n_after], the price of the rest of a number."""

        def list_moves(here: NumberState) -> Mapping[int, Hashable]:
            spend(_NUMBER_STEPS)
            found = ((byte, numbers.step(here, byte)) for byte in NUMBER_BYTES)
            return {byte: after for byte, after in found if after is not None}

        automaton = self._automaton(numbers, list_moves, numbers.may_end)
        found = self._price(self._joints.after, automaton, state, node, _MOST_DIGITS)
        # What was not looked at costs no less than the least.
        return np.where(self._come_after(self._joints.after, _DIGITS), found, NEVER)

    def string(self, rule: StringRule, at: int, count: int, node: int) -> Prices:
        """Return int32[n_after], the price of the rest of an open string and its quote."""
        after = self._joints.after
        if rule.is_any:
            return self.characters.rest(after, rule.body, at, node, rule.low - count)
        return self.body(after, rule.body, at, node)

    def body(
        self,
        space: Space,
        body: Body,
        at: int,
        node: int,
        labels: int = 0,
        reach: Sequence[int] | None = None,
    ) -> Prices:
        """Return int32[n], the price of the rest of a string that an automaton reads.

        Args:
            space: of the nodes after its quote.
            body: the automaton.
            at: its state.
            node: where the token is.
            labels: of its states that are asked for, as bits; 0: any.
            reach: which labels each of its states leads to, as bits.
        """
        dfa = body.dfa
        if dfa.reader:
            return self.characters.rest(space, body, at, node, 0)

        def list_moves(state: int) -> Mapping[int, Hashable]:
            if state == _DONE:
                return {}
            spend(_STATE_STEPS)
            found = {b: after for b in range(256) if (after := body.step(state, b))}
            if reach is not None:
                found = {b: s for b, s in found.items() if _leads(body, s, labels, reach)}
            here = body.characters[state]
            label = dfa.labels[here] if here >= 0 else NO_LABEL
            if label != NO_LABEL and (not labels or labels >> label & 1):
                found[QUOTE] = _DONE
            return found

        automaton = self._automaton((body, labels), list_moves, lambda state: bool(state == _DONE))
        found = self._price(space, automaton, at, node, MOST_VISITED)
        return np.where(self._come_after(space, b'"'), found, NEVER)

    def _come_after(self, space: Space, last: bytes) -> NDArray[np.bool_]:
        """Return bool[n], which nodes may come after some last bytes; the root always may."""
        letters = {self._joints.paths.letters[byte] for byte in last}
        is_there = np.array([not letters.isdisjoint(own) for own in space.last], dtype=np.bool_)
        is_there[0] = True
        return is_there


def _leads(body: Body, state: int, labels: int, reach: Sequence[int]) -> bool:
    """Return whether a state of a body leads to one of some labels."""
    return any(reach[target] & labels for target in body.targets[state])
