"""What do the signs of a JSON text cost in tokens, and where in a token do they leave it?

A token that is begun may go on after the value that it ends: ``"},"`` does. So what the rest of a
text costs depends on where in the tokens' trie it is. At the places where a text is cut, few nodes
can be told apart: those that some token goes on from as the text may. They are numbered, place by
place, with the root for the place between two tokens: where a token may end, that costs nothing.

Costs are matrices of (min, +) from the nodes of one place to those of another: how many tokens
*begin* in between.

Example: with llama3 a comma and a quote after a string cost nothing if its last quote began a
token, as ``","`` is one, and one token if not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.effort import spend
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.schema.machine.nodes import BEGINNINGS, LITERALS
from maskc.runtime.schema.plan.blanks import BLANK_BYTES, COMPACT, Blanks
from maskc.runtime.schema.tries.trie import ROOT

Prices = NDArray[np.int32]  # tokens; of two dimensions from nodes of one place to those of another
NEVER = 1 << 20
_AT_ONCE = 1_000  # entries of a product that take as long as a step
MOST_VISITED = 6_000  # nodes and states that one walk comes to
_QUOTE = 0x22
_AFTER_VALUES = b",]}"
_BEFORE = b">=("  # what tags have before a JSON text
_MOST_MERGED = 2_000  # texts below a node that are compared with those below others
# State → byte → state.
Moves = Callable[[int], Mapping[int, int]]


def times(left: Prices, right: Prices) -> Prices:
    """Return the product of (min, +)."""
    if left.ndim == 1:
        row: Prices = times(left[None], right)[0]
        return row
    if right.ndim == 1:
        column: Prices = times(left, right[:, None])[:, 0]
        return column
    # Most nodes lead to few others.
    inner = np.flatnonzero((left.min(axis=0) < NEVER) & (right.min(axis=1) < NEVER))
    spend(len(inner) * (1 + left.shape[0] * right.shape[1] // _AT_ONCE) + 5)
    found: Prices = np.full((len(left), right.shape[1]), NEVER, dtype=np.int32)
    for k in inner.tolist():
        np.minimum(found, left[:, k, None] + right[k], out=found)
    return found


def least(found: Iterable[Prices]) -> Prices:
    """Return the least of some prices, entry by entry."""
    return reduce(np.minimum, found)


def star(once: Prices) -> Prices:
    """Return the prices of any number of times the same."""
    found = once.copy()
    np.fill_diagonal(found, 0)
    while True:
        more = np.minimum(found, times(found, found))
        if np.array_equal(more, found):
            return found
        found = more


class Space:
    """The nodes of one kind of place that are told apart; the first one is the root.

    Args:
        paths: the tokens.
        nodes: those that may be told apart.
        first: bytes with which a text may go on there.

    Attributes:
        nodes: of each number a node.
        last: of each number the last letters of its nodes.
    """

    def __init__(self, paths: TokenPaths, nodes: Iterable[int], first: frozenset[int]) -> None:
        trie = paths.trie
        self.nodes = [ROOT]
        self.last: list[set[int]] = [set()]
        self._number = {ROOT: 0}
        self._is_ending = trie.n_ending
        letters = {paths.letters[byte] for byte in first}
        known: dict[object, int] = {}
        for node in nodes:
            children = [child for child, letter in trie.children(node, None) if letter in letters]
            n_texts = sum(trie.high[child] - trie.low[child] for child in children)
            key: object = node
            if n_texts <= _MOST_MERGED:
                depth = len(trie.path(node))
                rests = (
                    trie.texts[k][depth:]
                    for child in children
                    for k in range(trie.low[child], trie.high[child])
                )
                key = (bool(trie.n_ending[node]), *rests)
            number = known.setdefault(key, len(self.nodes))
            if number == len(self.nodes):
                self.nodes.append(node)
                self.last.append(set())
            self.last[number].add(trie.bytes[node])
            self._number[node] = number

    def __len__(self) -> int:
        return len(self.nodes)

    def find(self, node: int) -> int | None:
        """Return the number of a node; ``None`` if no token goes on or ends there."""
        found = self._number.get(node)
        return 0 if found is None and self._is_ending[node] else found

    def row(self, ends: Mapping[int, int]) -> Prices:
        """Return int32[n], the prices of some nodes."""
        found = np.full(len(self), NEVER, dtype=np.int32)
        for node, n_tokens in ends.items():
            number = self.find(node)
            if number is not None:
                found[number] = min(found[number], n_tokens)
            # A token may end there.
            if self._is_ending[node]:
                found[0] = min(found[0], n_tokens)
        return found


class Walked(NamedTuple):
    """Where a walk came to.

    Attributes:
        ends: by the number of a goal: node → tokens that began.
        frontier: all else costs at least as many; ``NEVER``: there is nothing else.
    """

    ends: list[dict[int, int]]
    frontier: int


class JsonJoints:
    """The places of JSON texts with one way to write blanks.

    Args:
        paths: the tokens.
        blanks: between signs.
        following: bytes with which what follows the text may begin; ``None``: with any.

    Attributes:
        after, begin, keys, ends: after a value; where one begins; after the quote that opens a
            key; after the one that ends it.
        close_array, close_object: after → after.
        next_value, next_key: after → begin, after → keys: over a comma.
        colon: ends → begin.
        empty_array, empty_object: begin → after.
        open_array, open_object: begin → begin, begin → keys: over the bracket.
        first_value: int32[n_begin], from where a token may begin before a value.
        first_key: int32[n_keys], the same before a key.
    """

    def __init__(self, paths: TokenPaths, blanks: Blanks, following: frozenset[int] | None) -> None:
        self.paths, self._trie = paths, paths.trie
        self._blanks = b"" if blanks.choice == COMPACT else bytes(sorted(BLANK_BYTES))
        every = frozenset(range(256))
        signs = frozenset(_AFTER_VALUES + self._blanks)
        after = every if following is None else signs | following
        self.after = Space(paths, self._list_after(after), after)
        self._passing = dict.fromkeys(self._blanks, 0)
        self._passed: dict[int, dict[int, int]] = {}
        begins = b":[," + self._blanks + _BEFORE
        values = BEGINNINGS
        self.begin = Space(paths, self._list_nodes(begins, values), values)
        keys = (n for n in self._list_nodes(b'"', every) if self._opens_key(n))
        self.keys = Space(paths, keys, every)
        colons = frozenset(b":" + self._blanks)
        self.ends = Space(paths, self._list_nodes(b'"', colons), colons)
        self._make()

    def _make(self) -> None:
        after, begin = self.after, self.begin
        (self.close_array,) = self._relate(after, [(1, after)], {0: {b"]": 1}})
        (self.close_object,) = self._relate(after, [(1, after)], {0: {b"}": 1}})
        signs = {0: {b",": 1}, 1: {b'"': 2}}
        self.next_value, self.next_key = self._relate(after, [(1, begin), (2, self.keys)], signs)
        (self.colon,) = self._relate(self.ends, [(1, begin)], {0: {b":": 1}, 1: {}})
        signs = {0: {b"[": 1}, 1: {b"]": 2}}
        found = self._relate(begin, [(1, begin), (2, after)], signs)
        self.open_array, self.empty_array = found
        signs = {0: {b"{": 1}, 1: {b'"': 2, b"}": 3}}
        found = self._relate(begin, [(2, self.keys), (3, after)], signs)
        self.open_object, self.empty_object = found
        self.first_value = begin.row(self.pass_blanks(ROOT))
        ends = self.walk({ROOT: 0}, {0: {**self._passing, _QUOTE: 1}, 1: {}}.__getitem__, 0, [1])
        self.first_key = self.keys.row(ends.ends[0])

    def _list_nodes(self, last: bytes, goes_on: frozenset[int]) -> list[int]:
        """Return the nodes with some last bytes from which some token goes on with some byte."""
        letters, trie = self.paths.letters, self._trie
        is_first = np.zeros(256, dtype=np.bool_)
        is_first[[letters[byte] for byte in goes_on]] = True
        is_last = np.zeros(256, dtype=np.bool_)
        is_last[[letters[byte] for byte in last]] = True
        has_child = np.zeros(len(trie.byte_array), dtype=np.bool_)
        has_child[trie.parent_array[1:][is_first[trie.byte_array[1:]]]] = True
        is_on = has_child & is_last[trie.byte_array]
        is_on[ROOT] = False
        found: list[int] = np.flatnonzero(is_on).tolist()
        return found

    def _list_after(self, goes_on: frozenset[int]) -> list[int]:
        """Return the nodes after which a value may have ended."""
        found = self._list_nodes(b'"]}0123456789', goes_on)
        for node in self._list_nodes(b"el", goes_on):
            path = self._trie.path(node)
            if any(path.endswith(word) or word.endswith(path) for word in LITERALS):
                found.append(node)
        return found

    def _opens_key(self, node: int) -> bool:
        return self._trie.path(node)[:-1].rstrip(self._blanks)[-1:] in (b"", b"{", b",")

    def _relate(
        self,
        source: Space,
        goals: list[tuple[int, Space]],
        signs: Mapping[int, Mapping[bytes, int]],
    ) -> list[Prices]:
        """Return prices from the nodes of a place to states in which signs have been read.

        Args:
            source: where they begin.
            goals: states, and the places that they are.
            signs: state → sign → state; blanks stand before each sign, and after the last.
        """
        moves: dict[int, dict[int, int]] = {}
        for state, found in signs.items():
            moves[state] = {sign[0]: after for sign, after in found.items()}
            # Before the opening bracket of a value blanks have been passed.
            if state or not {b"[", b"{"} & set(found):
                moves[state].update(dict.fromkeys(self._blanks, state))
        states = [state for state, _ in goals]
        # What costs most is the same for all: where the next token begins.
        usual: dict[int, list[Prices]] = {}
        rows: list[list[Prices]] = []
        for node in source.nodes:
            pairs = self.inside(node, lambda s: moves.get(s, {}), 0, NEVER) or []
            own = [np.full(len(space), NEVER, dtype=np.int32) for _, space in goals]
            for here, place in pairs:
                if place == ROOT:
                    if here not in usual:
                        usual[here] = self._relate_whole(here, goals, moves)
                    own = [np.minimum(x, y) for x, y in zip(own, usual[here], strict=True)]
                elif here in states:
                    goal = states.index(here)
                    own[goal] = np.minimum(own[goal], goals[goal][1].row({place: 0}))
            rows.append(own)
        return [np.stack(parts) for parts in zip(*rows, strict=True)]

    def _relate_whole(
        self, state: int, goals: list[tuple[int, Space]], moves: Mapping[int, Mapping[int, int]]
    ) -> list[Prices]:
        """Return the same from a state in which a token begins."""
        states = [goal for goal, _ in goals]
        walked = self.walk({ROOT: 0}, lambda s: moves.get(s, {}), state, states, NEVER)
        found = zip(walked.ends, goals, strict=True)
        return [space.row(ends) for ends, (_, space) in found]

    def inside(
        self, node: int, moves: Moves, state: int = 0, most: int = MOST_VISITED
    ) -> list[tuple[int, int]] | None:
        """Return the states and nodes that one token may come to; the root is where it ends.

        Args:
            node: where the token is.
            moves: of an automaton over bytes.
            state: its first one.
            most: pairs; ``None`` is returned if there are more.
        """
        trie, letters = self._trie, self.paths.letters
        found = [(state, node)]
        for here, place in found:
            spend(1)
            if place == ROOT:
                continue
            if len(found) > most:
                return None
            if trie.n_ending[place]:
                found.append((here, ROOT))
            for byte, after in moves(here).items():
                child = trie.child(place, letters[byte])
                if child >= 0:
                    found.append((after, child))
        return found

    def pass_blanks(self, node: int) -> dict[int, int]:
        """Return the nodes after any blanks, and how many tokens begin there."""
        known = self._passed.get(node)
        if known is None:
            walked = self.walk({node: 0}, lambda _: self._passing, 0, [0], NEVER)
            known = self._passed[node] = walked.ends[0]
        return known

    def quoted(self, node: int) -> Iterator[tuple[int, int]]:
        """Yield the nodes after a quote from a node on, and how many tokens begin there."""
        trie, quote = self._trie, self.paths.letters[_QUOTE]
        begun = [(node, int(node == ROOT))]
        if node != ROOT and trie.n_ending[node]:
            begun.append((ROOT, 1))
        for here, n_tokens in begun:
            child = trie.child(here, quote)
            if child >= 0:
                yield child, n_tokens

    def walk(
        self,
        starts: Mapping[int, int],
        moves: Moves,
        state: int,
        goals: Iterable[int] | Callable[[int], bool],
        most: int = MOST_VISITED,
    ) -> Walked:
        """Return how many tokens begin until some states are reached, by the node there.

        Args:
            starts: node → tokens that have begun.
            moves: of an automaton over bytes.
            state: its first one.
            goals: its states that are asked for; or whether one is, then all are one goal.
            most: pairs of a state and a node that are looked at.
        """
        trie, letters = self._trie, self.paths.letters
        is_goal = goals if callable(goals) else None
        number = {} if callable(goals) else {goal: k for k, goal in enumerate(goals)}
        ends: list[dict[int, int]] = [{} for _ in number] or [{}]
        levels: dict[int, list[tuple[int, int]]] = {}
        for node, n_tokens in starts.items():
            levels.setdefault(n_tokens, []).append((state, node))
        seen: set[tuple[int, int]] = set()
        while levels:
            n_tokens = min(levels)
            todo = levels.pop(n_tokens)
            while todo:
                pair = todo.pop()
                spend(1)
                if pair in seen:
                    continue
                seen.add(pair)
                if len(seen) > most:
                    return Walked(ends, n_tokens)
                here, node = pair
                goal = number.get(here) if is_goal is None else 0 if is_goal(here) else None
                if goal is not None:
                    ends[goal].setdefault(node, n_tokens)
                if node != ROOT and trie.n_ending[node]:
                    todo.append((here, ROOT))
                following = todo if node != ROOT else levels.setdefault(n_tokens + 1, [])
                for byte, after in moves(here).items():
                    child = trie.child(node, letters[byte])
                    if child >= 0:
                        following.append((after, child))
        return Walked(ends, NEVER)
