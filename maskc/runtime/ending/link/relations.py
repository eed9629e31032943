"""What do tokens do to an automaton over bytes?

Tokens are followed through it from several nodes of their trie at once, a level at a time: where
they are when its text may have ended, and how many have begun by then. What one token does that
begins in a state is found once: where it may leave the text, and in which states it may end.

Free text without triggers goes on from each of its states, between two characters, as from its
first one, but for the words that must not stand in it. What is legal there is legal at its start,
so one start stands for all of these states, and nothing costs more than is said.

Example: after ``Os`` in a free text before ``</p>`` one token leaves it at ``<`` or ``</``, and one
that has letters before that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.ending.link.frontiers import First, Frontier, GoingOn, count_rows, forget
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.link.automata.automaton import NO_LABEL, START, ByteAutomaton
from maskc.runtime.link.joining.switching import SwitchAutomaton
from maskc.runtime.link.text.free_text import FreeText
from maskc.runtime.schema.tries.trie import ROOT

_MOST_PAIRS = 2_000_000  # nodes with states, for one automaton in one text
_MOST_STATES = 200  # in which tokens end
_TOKEN_BYTES = 600  # of what one does, about


class Token(NamedTuple):
    """What one token does that begins in a state.

    Attributes:
        exits: int32[n], nodes where the text may have ended, if a token may go on there.
        ends: states in which the token may end.
        turns: label → nodes at which the text turns.
    """

    exits: Ints
    ends: tuple[int, ...]
    turns: dict[int, Ints]


class Left(NamedTuple):
    """How a text leaves an automaton.

    Attributes:
        ended: where its text may have ended.
        turned: label → where it turns.
    """

    ended: list[Frontier]
    turned: dict[int, list[Frontier]]


class Relations:
    """What the tokens of a vocabulary do to automata.

    Args:
        paths: the tokens, in letters that tell all bytes apart.
        going_on: from which of their nodes some go on.

    Attributes:
        paths, going_on: as given.
        n_bytes: about how much is remembered.
    """

    def __init__(self, paths: TokenPaths, going_on: GoingOn) -> None:
        self.paths, self.going_on = paths, going_on
        self._tokens: dict[tuple[ByteAutomaton[Any], int, First], Token] = {}
        self.n_bytes = 0

    def leave(
        self, automaton: ByteAutomaton[Any], state: int, frontier: Frontier, first: First
    ) -> Left:
        """Return how a text leaves an automaton.

        Args:
            automaton: it reads the text from a state on.
            state: the state.
            frontier: where tokens are, without what is anywhere.
            first: bytes with which what follows may begin; ``None``: with any.
        """
        walk = _Walk(self, automaton, first)
        rows, nodes, costs = frontier
        for cost in walk.costs(costs):
            here = costs == cost
            walk.enter(rows[here], state, nodes[here], cost)
            walk.begin_tokens(cost)
            if walk.n_pairs > _MOST_PAIRS or walk.n_states > _MOST_STATES:
                # All else costs as much at least.
                lost = forget(frontier, count_rows(frontier))
                costs_at_least = np.maximum(lost.costs, cost).astype(np.int32)
                walk.ended.append(lost._replace(costs=costs_at_least))
                break
        return Left(walk.ended, walk.turned)

    def token(self, automaton: ByteAutomaton[Any], state: int, first: First) -> Token:
        """Return what one token does that begins in a state, before some bytes."""
        key = (automaton, state, first)
        known = self._tokens.get(key)
        if known is None:
            known = self._tokens[key] = self._find_token(automaton, state, first)
            self.n_bytes += _TOKEN_BYTES + known.exits.nbytes
        return known

    def _find_token(self, automaton: ByteAutomaton[Any], state: int, first: First) -> Token:
        paths, trie, goes_on = self.paths, self.paths.trie, self.going_on.find(first)
        exits, ends = [np.zeros(0, dtype=np.int32)], set[int]()
        turns: dict[int, list[Ints]] = {}
        nodes, counts = paths.children(np.zeros(1, dtype=np.int32))
        states = np.full(counts[0], state, dtype=np.int32)
        while len(nodes):
            states = automaton.step_all(states, trie.byte_array[nodes])
            nodes, states = nodes[states >= 0], states[states >= 0]
            exits.append(nodes[_accepting(automaton, states) & goes_on[nodes]])
            for label, found in _labelled(automaton, states):
                turns.setdefault(label, []).append(nodes[found])
            ends.update(np.unique(states[trie.ending_array[nodes] > 0]).tolist())
            nodes, counts = paths.children(nodes)
            states = np.repeat(states, counts)
        kept = tuple(sorted({as_start(automaton, end) for end in ends}))
        labels = {label: np.concatenate(parts) for label, parts in turns.items()}
        return Token(np.sort(np.concatenate(exits)), kept, labels)


class _Walk:
    """One walk through an automaton, by how many tokens have begun.

    Args:
        relations: of the vocabulary.
        automaton: what reads the text.
        first: bytes with which what follows may begin; ``None``: with any.

    Attributes:
        ended, turned: see :class:`Left`.
        n_pairs, n_states: that were looked at.
    """

    def __init__(self, relations: Relations, automaton: ByteAutomaton[Any], first: First) -> None:
        self._relations, self._automaton, self._first = relations, automaton, first
        self._paths, self._trie = relations.paths, relations.paths.trie
        self._goes_on = relations.going_on.find(first)
        self.ended: list[Frontier] = []
        self.turned: dict[int, list[Frontier]] = {}
        self.n_pairs = self.n_states = 0
        # Where tokens begin: cost → state → rows.
        self._pending: dict[int, dict[int, set[int]]] = {}
        self._begun: dict[int, set[int]] = {}

    def costs(self, given: Ints) -> Iterator[int]:
        """Yield the numbers of tokens at which something may happen, ascending."""
        inputs = sorted(set(given.tolist()))
        while inputs or self._pending:
            cost = min([*inputs[:1], *self._pending])
            if inputs and inputs[0] == cost:
                inputs.pop(0)
            yield cost
            self._pending.pop(cost, None)

    def enter(self, rows: Ints, state: int, nodes: Ints, cost: int) -> None:
        """Follow tokens that are at some nodes when the text begins."""
        at_root = nodes == ROOT
        self._note(rows[at_root].tolist(), state, cost)
        rows, nodes = rows[~at_root], nodes[~at_root]
        states = np.full(len(rows), state, dtype=np.int32)
        trie = self._trie
        while len(nodes):
            self.n_pairs += len(nodes)
            is_over = _accepting(self._automaton, states) & self._goes_on[nodes]
            self._end(rows[is_over], nodes[is_over], cost)
            for label, found in _labelled(self._automaton, states):
                self._turn(label, rows[found], nodes[found], cost)
            is_end = trie.ending_array[nodes] > 0
            self._note_all(rows[is_end], states[is_end], cost)
            nodes, counts = self._paths.children(nodes)
            rows, states = np.repeat(rows, counts), np.repeat(states, counts)
            states = self._automaton.step_all(states, trie.byte_array[nodes])
            on = states >= 0
            rows, states, nodes = rows[on], states[on], nodes[on]

    def begin_tokens(self, cost: int) -> None:
        """Follow the tokens that begin when so many have."""
        automaton = self._automaton
        for state, found in sorted(self._pending.get(cost, {}).items()):
            listed = sorted(found)
            rows = np.array(listed, dtype=np.int32)
            if automaton.accepts(state):
                self._end(rows, np.full_like(rows, ROOT), cost)
            token = self._relations.token(automaton, state, self._first)
            self.n_states += 1
            exits = token.exits
            self.n_pairs += len(rows) * (len(exits) + len(token.ends))
            self._end(np.repeat(rows, len(exits)), np.tile(exits, len(rows)), cost + 1)
            for label, nodes in token.turns.items():
                over, at = np.repeat(rows, len(nodes)), np.tile(nodes, len(rows))
                self._turn(label, over, at, cost + 1)
            for end in token.ends:
                self._note(listed, end, cost + 1)
            if isinstance(automaton, SwitchAutomaton):
                for after in sorted(set(automaton.atoms(state).values())):
                    self._note(listed, after, cost + 1)
                    self._turn(automaton.label(after), rows, np.full_like(rows, ROOT), cost + 1)

    def _note_all(self, rows: Ints, states: Ints, cost: int) -> None:
        """Note that tokens begin in some states, each of one row."""
        for state in np.unique(states).tolist():
            self._note(rows[states == state].tolist(), state, cost)

    def _note(self, rows: list[int], state: int, cost: int) -> None:
        """Note that tokens begin in a state, if they did not with fewer tokens."""
        here = as_start(self._automaton, state)
        begun = self._begun.setdefault(here, set())
        new = set(rows) - begun
        if new:
            begun |= new
            self._pending.setdefault(cost, {}).setdefault(here, set()).update(new)

    def _end(self, rows: Ints, nodes: Ints, cost: int) -> None:
        if len(rows):
            costs = np.full(len(rows), cost, dtype=np.int32)
            self.ended.append(Frontier(rows, nodes, costs))

    def _turn(self, label: int, rows: Ints, nodes: Ints, cost: int) -> None:
        if label != NO_LABEL and len(rows):
            costs = np.full(len(rows), cost, dtype=np.int32)
            self.turned.setdefault(label, []).append(Frontier(rows, nodes, costs))


def as_start(automaton: ByteAutomaton[Any], state: int) -> int:
    """Return the state that stands for another one where tokens begin."""
    if isinstance(automaton, FreeText) and not automaton.triggers:
        _, n_missing, _ = automaton.name_of(state)
        return state if n_missing else START
    return state


def _accepting(automaton: ByteAutomaton[Any], states: Ints) -> NDArray[np.bool_]:
    """Return whether the text may end in each of some states."""
    distinct, which = np.unique(states, return_inverse=True)
    found = np.array([automaton.accepts(state) for state in distinct.tolist()], dtype=np.bool_)
    return found[which.reshape(-1)] if len(distinct) else np.zeros(0, dtype=np.bool_)


def _labelled(
    automaton: ByteAutomaton[Any], states: Ints
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield the labels of some states, and which of them have it."""
    if automaton.has_labels:
        for state in np.unique(states).tolist():
            label = automaton.label(state)
            if label != NO_LABEL:
                yield label, states == state
