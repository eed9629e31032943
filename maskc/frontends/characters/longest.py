"""How is an automaton written so that ``re`` finds every text of it in full?

Decompose by first returns: a path from state ``q`` to an end is a number of returns to ``q``,
then a path that leaves ``q`` for good. An automaton has one path a text, no first return begins
with another one, and what leaves ``q`` begins with a character. So ``(?:returns)*(?:leaving)?``,
greedy, tries the longest text first: a round more is longer than any way of leaving before it.

Example: the texts ``a`` and ``ab`` are ``ab?``; an even number, or a multiple of three, of ``a``
is ``(?:aaaaaa)*(?:aa(?:a(?:a)?)?)?``, and not ``(?:aa)*|(?:aaa)*``, which never reads ``aaa``.

The size can be exponential in the number of states; beyond a bound we do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from maskc.frontends.characters.automaton import Dfa
from maskc.frontends.characters.expressions import (
    EMPTY_TEXT,
    NOTHING,
    Characters,
    Expression,
    choice,
    repeat,
    sequence,
)
from maskc.frontends.characters.positions import TooLargeError

MAX_CALLS, MAX_DEPTH = 5_000, 150

States = frozenset[int]


def write_longest(dfa: Dfa) -> Expression:
    """Return an expression of the automaton's texts, each of which is its own first match.

    Raises:
        TooLargeError: it would be too large.
    """
    if dfa.start is None:
        return NOTHING
    return _Writer(dfa).leave(dfa.start, frozenset(range(len(dfa.moves))), 0)


class _Writer:
    def __init__(self, dfa: Dfa) -> None:
        self.moves, self.accepts = dfa.moves, dfa.accepts
        self.into: list[set[int]] = [set() for _ in dfa.moves]
        for state, moves in enumerate(dfa.moves):
            for target in moves:
                self.into[target].add(state)
        self.calls = 0
        self._loops = cache(self._find_loop)

    def leave(self, state: int, allowed: States, depth: int) -> Expression:
        """Return the texts from a state to an end, over the allowed states."""
        self._count(depth)
        rest = allowed - {state}
        leaving = choice(
            *(
                sequence(Characters(ranges), self.leave(target, rest, depth + 1))
                for target, ranges in self.moves[state].items()
                if target in rest
            )
        )
        if self.accepts[state]:
            leaving = choice(leaving, EMPTY_TEXT)
        return sequence(self.returns(state, allowed, depth), leaving)

    def returns(self, state: int, allowed: States, depth: int) -> Expression:
        """Return any number of returns to a state, over the allowed states."""
        loop = self._loops(state, allowed)
        if not loop:
            return EMPTY_TEXT
        around = loop - {state}
        return repeat(self._step(state, state, around, depth), 0, None)

    def reach(self, state: int, goal: int, allowed: States, depth: int) -> Expression:
        """Return the texts from a state to the goal, another one, over the allowed states."""
        self._count(depth)
        step = self._step(state, goal, allowed - {state}, depth)
        return sequence(self.returns(state, allowed, depth), step)

    def _step(self, state: int, goal: int, allowed: States, depth: int) -> Expression:
        return choice(
            *(
                Characters(ranges)
                if target == goal
                else sequence(Characters(ranges), self.reach(target, goal, allowed, depth + 1))
                for target, ranges in self.moves[state].items()
                if target == goal or target in allowed
            )
        )

    def _find_loop(self, state: int, allowed: States) -> States:
        """Return the allowed states on a way from a state back to it."""
        ahead = _closure(state, self.moves, allowed)
        return _closure(state, self.into, ahead) if state in ahead else frozenset()

    def _count(self, depth: int) -> None:
        self.calls += 1
        if self.calls > MAX_CALLS or depth > MAX_DEPTH:
            raise TooLargeError


def _closure(state: int, edges: Sequence[Iterable[int]], allowed: States) -> States:
    """Return the allowed states that one or more edges lead to."""
    found: set[int] = set()
    stack = [state]
    while stack:
        for target in edges[stack.pop()]:
            if target in allowed and target not in found:
                found.add(target)
                stack.append(target)
    return frozenset(found)
