"""Which of many places can be finished in so few tokens, with an LALR grammar?

All of them are asked at once, level by level: tokens are followed from all places together, and the
places that they lead to are asked about with one token fewer. A way is given up where the grammar
needs more tokens than are left (:mod:`maskc.runtime.ending.grammar.bounds`), and that is nearly
everywhere: what is left are the ways that close what is open.

Example: with two tokens left, end of sequence included, of all ways on from ``f(x`` in Python those
are followed that begin with ``)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import RefinedStateId, ScannerStateId
from maskc.runtime.effort import spend_at_once
from maskc.runtime.ending.grammar.bounds import Bounds
from maskc.runtime.ending.grammar.landings import Context, Landings, Walk
from maskc.runtime.ending.grammar.letters import Letters, as_row
from maskc.runtime.ending.places.place import Place
from maskc.runtime.ending.places.places import Places, TooMuchError
from maskc.runtime.ending.tokens.paths import Ints
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack, serial_of

_AT_ONCE = 64  # places
_MOST_CONTEXTS = 10_000
_CONTEXT_BYTES = 6_000  # with what is known of its open lexemes
_CONTEXT_NODES = 300  # nodes of the trie that take as long as a new context
_UNKNOWN = -1
_MOST_TOKENS = 100  # of a way that is searched for


class _Reached(NamedTuple):
    """Where texts of the trie lead from some places, each pair once.

    Attributes:
        starts: int32[n], from which place.
        texts: int32[n], the text.
        which: int32[n], of each the number of its place.
        places: the places.
    """

    starts: Ints
    texts: Ints
    which: Ints
    places: list[Place]


class Search:
    """Searches for few tokens.

    Args:
        bounds: of what finishes a machine's texts.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._machine, self._paths, self._bounds = bounds.machine, bounds.paths, bounds
        self._landings = Landings(bounds.machine, bounds.paths)
        self._walk = _Together(bounds.machine, bounds)
        self._left = 0

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        return _CONTEXT_BYTES * len(self._walk)

    def settle(self, places: Places, asked: Sequence[Place], n_tokens: int, most: int) -> None:
        """Find out of some places whether so many tokens finish them, and note it in them.

        Args:
            places: all that are known.
            asked: those in question.
            n_tokens: the end of sequence included.
            most: nodes of the tokens' trie that may be looked at.

        Raises:
            TooMuchError: there are more. What was found by then is noted.
        """
        self._left = most
        if len(self._walk) > _MOST_CONTEXTS:
            self._walk = _Together(self._machine, self._bounds)
        # Of which most tokens are needed least is looked at.
        order = sorted(asked, key=lambda place: -places.at_least(place))
        for first in range(0, len(order), _AT_ONCE):
            self._settle(places, order[first : first + _AT_ONCE], n_tokens)

    def _settle(self, places: Places, asked: Sequence[Place], n_tokens: int) -> None:
        open_ = [p for p in asked if p.n_tokens > n_tokens >= places.at_least(p)]
        if not open_:
            return
        if n_tokens > _MOST_TOKENS:
            raise TooMuchError
        reached = self._follow(places, open_, n_tokens)
        is_done = self._note(open_, reached, n_tokens)
        further = np.unique(reached.which[~is_done[reached.starts]]).tolist()
        if further:
            self._settle(places, [reached.places[number] for number in further], n_tokens - 1)
            is_done = self._note(open_, reached, n_tokens)
        for place, is_finished in zip(open_, is_done.tolist(), strict=True):
            if not is_finished:
                place.at_least = max(place.at_least, n_tokens + 1)

    def _note(self, asked: Sequence[Place], reached: _Reached, n_tokens: int) -> NDArray[np.bool_]:
        """Note what finishes places, by what finishes those that they lead to.

        Returns:
            bool[number of places], whether so many tokens do.
        """
        counts = np.array([place.n_tokens for place in reached.places], dtype=np.int64)
        is_done = np.zeros(len(asked), dtype=np.bool_)
        enough = counts[reached.which] < n_tokens if len(counts) else is_done[:0]
        for at in np.flatnonzero(enough).tolist():
            start = int(reached.starts[at])
            place, after = asked[start], reached.places[reached.which[at]]
            is_done[start] = True
            if after.n_tokens + 1 < place.n_tokens:
                place.n_tokens, place.after = after.n_tokens + 1, after
                place.token = int(self._paths.ids_of(reached.texts[at : at + 1])[0].min())
        return is_done

    def _follow(self, places: Places, asked: Sequence[Place], n_tokens: int) -> _Reached:
        """Return where one token leads, as far as the others may be enough to finish it."""
        walk, trie, paths = self._walk, self._paths.trie, self._paths
        letters = self._bounds.token_letters
        begun = [(k, h) for k, place in enumerate(asked) for h in place.hypotheses]
        starts = np.array([k for k, _ in begun], dtype=np.int32)
        contexts = np.array([walk.begin(h) for _, h in begun], dtype=np.int32)
        states = np.array([h.state for _, h in begun], dtype=np.int32)
        nodes = np.zeros(len(begun), dtype=np.int32)
        found: list[tuple[Ints, Ints, Ints, Ints]] = []
        n_found = walk.n_found
        walk.begins_inside(contexts, states)
        while len(nodes):
            must = walk.must(contexts, states)
            nodes, counts = paths.children(nodes)
            came = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
            if n_tokens == 2:
                is_on = _have(letters.inside(nodes), must[came])
                nodes, came = nodes[is_on], came[is_on]
            spend_at_once(len(nodes))
            self._left -= len(nodes) + _CONTEXT_NODES * (walk.n_found - n_found)
            n_found = walk.n_found
            if self._left < 0:
                raise TooMuchError
            starts, contexts, states = starts[came], contexts[came], states[came]
            which, nodes, contexts, states = self._landings.step(walk, nodes, contexts, states)
            starts = starts[which]
            few = walk.begins_inside(contexts, states) < n_tokens - 1
            at = (starts, nodes, contexts, states)
            starts, nodes, contexts, states = (x[few] for x in at)
            if n_tokens == 2:
                must = walk.must(contexts, states)
                is_on = _have(letters.below[nodes], must)
                at = (starts, nodes, contexts, states)
                starts, nodes, contexts, states = (x[is_on] for x in at)
            is_end: NDArray[np.bool_] = trie.ending_array[nodes] > 0
            low = trie.low_array[nodes[is_end]]
            found.append((starts[is_end], low, contexts[is_end], states[is_end]))
            done = np.unique(starts[is_end][walk.may_end(contexts[is_end], states[is_end])])
            if len(done):
                # Nothing is shorter.
                is_on = ~np.isin(starts, done)
                at = (starts, nodes, contexts, states)
                starts, nodes, contexts, states = (x[is_on] for x in at)
        return self._collect(places, found, n_tokens - 1)

    def _collect(
        self, places: Places, found: list[tuple[Ints, Ints, Ints, Ints]], n_tokens: int
    ) -> _Reached:
        """Return the places, without those that so many tokens do not finish."""
        starts, texts, contexts, states = (
            np.concatenate([part[k] for part in found]) for k in range(4)
        )
        n_states = self._machine.scanner.n_states
        keys = contexts.astype(np.int64) * n_states + states
        distinct, which = np.unique(keys, return_inverse=True)
        kept: list[Place] = []
        numbers = np.full(len(distinct), _UNKNOWN, dtype=np.int32)
        for number, key in enumerate(distinct.tolist()):
            h = self._walk.hypothesis(*divmod(key, n_states))
            if self._machine.may_end(h) or n_tokens >= self._bounds.tokens((h,)):
                place = places.find((h,))
                if places.at_least(place) <= n_tokens:
                    numbers[number] = len(kept)
                    kept.append(place)
        leads_to: Ints = numbers[which.reshape(-1)]
        is_kept = leads_to != _UNKNOWN
        starts, texts, leads_to = starts[is_kept], texts[is_kept], leads_to[is_kept]
        # Of each pair the first text.
        pairs = starts.astype(np.int64) * (1 + len(kept)) + leads_to
        _, first = np.unique(pairs, return_index=True)
        return _Reached(starts[first], texts[first], leads_to[first], kept)


def _have(given: Letters, must: Letters) -> NDArray[np.bool_]:
    """Return of each pair of rows whether all letters that must come are given."""
    found: NDArray[np.bool_] = np.logical_not((must & ~given).any(axis=1))
    return found


class _Together(Walk):
    """The contexts of many walks: equal stacks are one.

    Args:
        machine: of the grammar.
        bounds: of what finishes its texts.

    Attributes:
        n_found: how many contexts were new, with each open lexeme.
    """

    def __init__(self, machine: LalrMachine, bounds: Bounds) -> None:
        super().__init__(machine, ReadSet(0))
        self.n_found = 0
        self._bounds = bounds
        self._open = np.array(machine.scanner.open_lexeme_of, dtype=np.int64)
        self._n_open = int(self._open.max()) + 1
        self._nodes: dict[tuple[int, int], Stack] = {}
        self._serials: set[int] = set()
        self._may_end: dict[int, bool] = {}
        # By context and open lexeme, see :meth:`begins_inside` and :meth:`must`.
        self._least = np.full(self._n_open, _UNKNOWN, dtype=np.int16)
        self._after: Letters = np.zeros((self._n_open, 4), dtype=np.uint64)
        self._come: Letters = np.zeros((machine.scanner.n_states, 4), dtype=np.uint64)
        self._is_known = np.zeros(machine.scanner.n_states, dtype=np.bool_)

    def _find(self, context: Context) -> int:
        return super()._find(context._replace(stack=self._same(context.stack)))

    def _same(self, stack: Stack) -> Stack:
        """Return the stack that stands for all equal ones."""
        states: list[int] = []
        here: Stack | None = stack
        while here is not None and here.serial not in self._serials:
            states.append(here.state)
            here = here.below
        for state in reversed(states):
            key = (0 if here is None else here.serial, state)
            node = self._nodes.get(key)
            if node is None:
                node = self._nodes[key] = Stack(RefinedStateId(state), here)
                self._serials.add(serial_of(node))
            here = node
        return here  # type: ignore[return-value]  # a stack has a state

    def may_end(self, contexts: Ints, states: Ints) -> NDArray[np.bool_]:
        """Return whether the text may end in some hypotheses."""
        keys = contexts.astype(np.int64) * len(self._open) + states
        distinct, which = np.unique(keys, return_inverse=True)
        for key in distinct.tolist():
            if key not in self._may_end:
                h = self.hypothesis(*divmod(key, len(self._open)))
                self._may_end[key] = self._machine.may_end(h)
        verdicts = [self._may_end[key] for key in distinct.tolist()]
        found: NDArray[np.bool_] = np.array(verdicts, dtype=np.bool_)[which.reshape(-1)]
        return found

    def begins_inside(self, contexts: Ints, states: Ints) -> NDArray[np.int16]:
        """Return how many tokens begin at least after the one that leads to some hypotheses.

        That one may go on: what it is to write besides has not begun another.
        """
        keys = contexts * self._n_open + self._open[states]
        if len(self._least) < len(self) * self._n_open:
            more = np.full(len(self) * self._n_open, _UNKNOWN, dtype=np.int16)
            self._least = np.concatenate([self._least, more])
            self._after = np.concatenate([self._after, np.zeros((len(more), 4), dtype=np.uint64)])
        found = self._least[keys]
        unknown = np.flatnonzero(found == _UNKNOWN)
        if len(unknown):
            distinct, first = np.unique(keys[unknown], return_index=True)
            self.n_found += len(distinct)
            for key, at in zip(distinct.tolist(), unknown[first].tolist(), strict=True):
                h = self.hypothesis(int(contexts[at]), int(states[at]))
                self._least[key] = self._bounds.begun_after(h)
                self._after[key] = as_row(self._bounds.must_follow(h))
            found = self._least[keys]
        least: NDArray[np.int16] = found
        return least

    def must(self, contexts: Ints, states: Ints) -> Letters:
        """Return uint64[n, 4], the letters that every text has that finishes one of them.

        Args:
            contexts: of hypotheses of which was asked how many tokens begin.
            states: the same.
        """
        for state in np.unique(states[~self._is_known[states]]).tolist():
            self._come[state] = as_row(self._bounds.must_come(ScannerStateId(state)))
            self._is_known[state] = True
        after: Letters = self._after[contexts * self._n_open + self._open[states]]
        return after | self._come[states]
