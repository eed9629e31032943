"""Paths of a general grammar: the ways to cut a token into terminals that some text may have.

Lexemes may overlap in every way, so the same bytes can lead to the same state along several ways:
lines of the walk's frontier that agree are one. Nearly all of these ways are none that a grammar
knows. Two terminals side by side rule out little: with ``edge: NAME "-" "-" NAME`` and edges one
after the other, each of NAME and ``-`` may stand after each, so 80 dashes that may be names were
2^80 paths. After two terminals the next one is mostly known, so a path is only gone on with by
terminals that can stand after its last two in some text. *Never legal* decides it
(:class:`~maskc.compiler.pushdown.production_debts.ProductionDebts`): what is left out here would be
dropped by the optimisation, so no mask depends on it.

Some grammars do know very many: with unary and binary ``-`` and ``--``, fifty dashes are cut in
2^34 ways. Tokens that begin with what one seed cuts in more than ``MAX_CUTS`` ways, and in more
ways than the square of its bytes, have no rows: the runtime reads them byte by byte where a mask is
first asked for. Where blanks are ignored and are terminals, too, the ways grow with the bytes only:
rows for 128 blanks are few, and to read them took 60 ms a mask.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.pushdown.production_verdicts import AskedProductions
from maskc.compiler.rows.paths import OrderedPaths, PathRule, distinguish
from maskc.compiler.rows.steps import LexemeSteps
from maskc.compiler.rows.walk import Frontier
from maskc.errors import LimitError
from maskc.grammar.sets import Terminals
from maskc.ids import DROPPED, END, IGNORED
from maskc.vocab.trie import TokenTrie
from maskc.wording import Phrase

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_GENERAL_FRONTIER = 20_000_000
MAX_CUTS = 128
MAX_WITHOUT_ROWS = 5_000  # nodes of the trie: each is a step of every hypothesis that comes there
MAX_PATHS = 2_000_000
ANY_PAIR = 0  # nothing is known of what stands before

_ANY = -1
_LINES = 200_000
_LARGEST_KEY = 1 << 62


class Triples:
    """Which terminals may come after two others; pairs have numbers, and are asked as they come."""

    def __init__(
        self,
        n_terminals: int,
        follow: Mapping[int, Terminals],
        ask: Callable[[int, int, int], bool],
    ) -> None:
        """Prepare an answer.

        Args:
            n_terminals: the columns.
            follow: terminal that some text holds → the terminals that may come right after it.
            ask: whether some text has three terminals side by side, of which ``follow`` has both
                pairs.
        """
        self._follow, self._ask = follow, ask
        self._pairs = [(_ANY, _ANY)]
        self._number = {(_ANY, _ANY): ANY_PAIR}
        self._is_found = [False]
        # bool[pairs or more, n_terminals], whether a terminal may come after a pair; valid for the
        # pairs that find was called for
        self.rows = np.zeros((64, n_terminals), dtype=np.bool_)

    def extend(self, pair: int, terminal: int) -> int:
        """Return the number of the pair whose second terminal this is, after another pair."""
        key = (self._pairs[pair][1], max(terminal, _ANY))
        number = self._number.setdefault(key, len(self._pairs))
        if number == len(self._pairs):
            self._pairs.append(key)
            self._is_found.append(False)
            if number == len(self.rows):
                self.rows = np.concatenate((self.rows, np.zeros_like(self.rows)))
        return number

    def find(self, pair: int) -> None:
        if self._is_found[pair]:
            return
        self._is_found[pair] = True
        one, other = self._pairs[pair]
        if other == _ANY:
            self.rows[pair, list(self._follow)] = True
            return
        for terminal in bits.iterate(self._follow.get(other, 0)):
            self.rows[pair, terminal] = one == _ANY or self._ask(one, other, terminal)


def find_follow(asked: AskedProductions) -> dict[int, Terminals]:
    """Return terminal → the terminals, as bits, that come right after it in some text."""
    found: dict[int, Terminals] = {}
    for symbol, after in asked.debts.adjacent.items():
        terminal, names = asked.symbols[symbol][0], 0
        for other in bits.iterate(after):
            names |= 1 << asked.symbols[other][0]
        if names:
            found[terminal] = found.get(terminal, 0) | names
    return found


def ask_productions(asked: AskedProductions) -> Callable[[int, int, int], bool]:
    """Return whether some text of the productions has three terminals side by side."""
    debts = asked.debts
    element = {terminal: debts.number_set(some) for terminal, some in asked.symbols_of.items()}

    def ask(one: int, other: int, third: int) -> bool:
        if not {one, other, third} <= element.keys():
            return False
        before = debts.list_terminals(element[one])
        return not debts.is_empty(before, (element[other], element[third]))

    return ask


class CutRule(PathRule):
    """Paths that some text may have; numbers stay as they were given."""

    lines = _LINES
    seed_order: tuple[str, ...] = ("path", "node", "state")
    joins_boundaries = False  # what follows depends on the path before

    def __init__(self, steps: LexemeSteps, triples: Triples) -> None:
        self._triples, self._n_events = triples, len(steps.events)
        self._terminals = np.array([e.terminal for e in steps.events] or [END], dtype=np.int32)
        self._keys = [0]  # path → path before its last event, and that event
        self._number = {0: 0}
        self._last = np.full(1 << 12, ANY_PAIR, dtype=np.int32)  # pair of its last two terminals
        self._cut: list[Longs] = []  # nodes that are reached in too many ways

    def extend(self, path: Ints, event: Ints, change: Ints) -> Ints:
        """Return int32[n], each path with one more event, or ``DROPPED``.

        An ignored lexeme changes no stack. Where it is the first event, it ends the lexeme in which
        the tokens start.
        """
        del change
        # Few of many lines differ in both.
        (paths, events), inverse = distinguish(path, event)
        terminal, pairs = self._terminals[events], self._last[paths]
        for pair in np.unique(pairs[terminal >= 0]).tolist():
            self._triples.find(pair)
        fits = (terminal < 0) | self._triples.rows[pairs, np.maximum(terminal, 0)]
        keys = paths * self._n_events + events + 1
        stays = (paths > 0) & (terminal == IGNORED)
        keys[stays] = -paths[stays]
        keys[~fits] = 0
        numbers = [
            -key if key < 0 else DROPPED if key == 0 else self._find(key) for key in keys.tolist()
        ]
        extended: Ints = np.array(numbers, dtype=np.int32)[inverse]
        return extended

    def _find(self, key: int) -> int:
        """Return the number of a path, and remember what its last terminals are."""
        number = self._number.setdefault(key, len(self._keys))
        if number < len(self._keys):
            return number
        if number >= MAX_PATHS:
            raise _too_many(MAX_PATHS)
        if number == len(self._last):
            self._last = np.append(self._last, np.full(number, ANY_PAIR, dtype=np.int32))
        parent, event = divmod(key - 1, self._n_events)
        terminal = int(self._terminals[event])
        # In front of an ignored lexeme that begins a path stands any terminal.
        before = int(self._last[parent])
        self._last[number] = (
            before if terminal == IGNORED else self._triples.extend(before, terminal)
        )
        self._keys.append(key)
        return number

    def prune(self, frontier: Frontier, n_origins: int, trie: TokenTrie) -> Frontier:
        """Return one of the lines that agree, and none of what is cut in too many ways."""
        kept = find_distinct(frontier, n_origins, trie.n_nodes)
        reached = frontier.origin[kept].astype(np.int64) * trie.n_nodes + frontier.node[kept]
        distinct, cut_of, n_cuts = np.unique(reached, return_inverse=True, return_counts=True)
        is_cut = n_cuts > MAX_CUTS
        if is_cut.any():
            node = distinct[is_cut] % trie.n_nodes
            is_cut[is_cut] = n_cuts[is_cut] > np.square(trie.find_depths(node))
        self._cut.append(distinct[is_cut] % trie.n_nodes)
        return frontier.take(kept[~is_cut[cut_of.reshape(-1)]])

    def check(self, n_lines: int) -> None:
        """Raise a ``LimitError`` if a single seed's level may not have so many lines."""
        if n_lines > MAX_GENERAL_FRONTIER:
            raise _too_many(MAX_GENERAL_FRONTIER)

    def order(self, used: Ints) -> OrderedPaths:
        """Return all paths as they were numbered."""
        del used
        keys = np.array(self._keys, dtype=np.int64) - 1
        keys[0] = 0
        parent, event = np.divmod(keys, max(self._n_events, 1))
        numbers = np.arange(len(keys), dtype=np.int32)
        return OrderedPaths(
            numbers, parent.astype(np.int32), event.astype(np.int32), np.zeros_like(numbers)
        )

    def list_tokens_without_rows(self, trie: TokenTrie) -> Ints:
        """Return the tokens that begin with what is cut in too many ways.

        Raises:
            LimitError: they are too many for the runtime to read.
        """
        is_cut = np.zeros(trie.n_nodes, dtype=np.bool_)
        is_cut[np.concatenate([np.zeros(0, np.int64), *self._cut])] = True
        nodes = np.flatnonzero(trie.mark_below(is_cut))
        if len(nodes) > MAX_WITHOUT_ROWS:
            raise _too_many(MAX_CUTS)
        is_below = np.zeros(trie.n_nodes, dtype=np.bool_)
        is_below[nodes] = True
        found: Ints = np.sort(trie.tokens[np.repeat(is_below, np.diff(trie.first_token))])
        return found

    def describe(self, quote: Callable[[int], str]) -> str:
        """Return which terminals the paths are made of that were found last."""
        inside: Counter[int] = Counter()
        for number in range(max(len(self._keys) - 20, 1), len(self._keys)):
            key = self._keys[number]
            while key:
                parent, event = divmod(key - 1, self._n_events)
                inside[int(self._terminals[event])] += 1
                key = self._keys[parent]
        names = [quote(terminal) for terminal, _ in inside.most_common(2) if terminal >= 0]
        return f"pass store, tokens cut into {' and '.join(names)}" if names else "pass store"


def find_distinct(frontier: Frontier, n_origins: int, n_nodes: int) -> Longs:
    """Return the indices of the distinct lines: no two agree in path, state, origin and node."""
    n_states = int(frontier.state.max(initial=0)) + 1
    n_paths = int(frontier.path.max(initial=0)) + 1
    reached = frontier.origin.astype(np.int64) * n_nodes + frontier.node
    reading = frontier.path.astype(np.int64) * n_states + frontier.state
    if n_origins * n_nodes * n_paths * n_states < _LARGEST_KEY:
        _, kept = np.unique(reading * (n_origins * n_nodes) + reached, return_index=True)
        return kept
    order = np.lexsort((reached, reading))
    reached, reading = reached[order], reading[order]
    is_new = np.append(True, (reached[1:] != reached[:-1]) | (reading[1:] != reading[:-1]))
    found: Longs = order[is_new]
    return found


def _too_many(limit: int) -> LimitError:
    return LimitError(Phrase.CUTS, limit, Phrase.FEWER_CUTS)
