"""The tokens that the tokenizer may write next, with one token of look-ahead.

A token is left out if no token at all can come after it: none that the machine allows there may
follow it in its chunk or begin the next one, and the text may not end. That does not depend on what
came before, so one row holds for a state of the machine and of the chunk, whatever the last token.

After most tokens the chunk can end, and one byte that the machine allows begins the next one, since
each byte is a token. After the others a token that may follow is searched for in the next mask.

Example: in JSON without blanks, only ``:`` comes after ``{"a"``. No token that begins with it may
follow ``"`` in llama3, and ``":`` is one chunk, so ``"`` is left out after ``{"a``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.link.joining import LinkMachine
from maskc.runtime.machine import NOT_FOLLOWED, Hypotheses, Machine, Successors
from maskc.runtime.spelling import Spelling, evict_half
from maskc.runtime.spelling.tables import DEAD, Ints, WholeChunks, Words, pack
from maskc.runtime.step_budget import one_mask

_MOST_BYTES = 16 << 20  # of what is known of successors
# Pairs of a state and a byte that a machine is asked for on the way of a state's tokens: an LALR
# machine steps in 3 µs, those of schemas, links and general grammars take up to a hundred.
_MOST_PAIRS, _MOST_SLOW_PAIRS = 20_000, 2_000
_MOST_ROWS = 1_000
_MOST_REACHED = 16  # states whose tokens' successors are kept
_FEW = 16  # bytes that are tried for all tokens that lead to one state and node
_N_ROLES = 3

# The written tokens that are legal in a state; of each, the index of the state that it leads to;
# and these states, ascending.
Reached = tuple[Ints, NDArray[np.intp], NDArray[np.int64]]


class ChunkState(NamedTuple):
    """Where the tokenizer may be in a chunk: nodes of its automaton, states of `WholeChunks`."""

    node: int
    whole: tuple[int, ...]


class LookAhead:
    """Makes rows and remembers them. Not safe to use from several threads at once."""

    def __init__(self, machine: Machine[Any], spelling: Spelling) -> None:
        self._machine, self._spelling = machine, spelling
        is_quick = isinstance(machine, LalrMachine)
        self._most_pairs = _MOST_PAIRS if is_quick else _MOST_SLOW_PAIRS
        chunks, tokens = spelling.chunks, spelling.tokens
        # bool[n_nodes, n_classes], whether a byte can begin the next chunk at a node.
        self._after_cut = np.zeros(chunks.next.shape, dtype=np.bool_)
        for node, after in enumerate(chunks.cuts):
            self._after_cut[node] = (chunks.next[list(after)] != DEAD).any(axis=0)
        is_byte = spelling.is_merged & (np.diff(tokens.first) == 1)
        self._byte_tokens: Ints = np.flatnonzero(is_byte).astype(np.int32)
        self._byte_classes = chunks.byte_class[tokens.first_bytes[self._byte_tokens]]
        self._before_tokens: dict[bytes, Words] = {}
        self._forget()

    def _forget(self) -> None:
        trie = self._spelling.tokens.index.tokens
        self._successors = Successors(self._machine, trie, self._stand_in)
        self._reached: dict[int, Reached] = {}
        self._rows: dict[tuple[int, ChunkState], Words] = {}

    def _stand_in(self, hypotheses: Hypotheses) -> Hypotheses | None:
        """Return the hypotheses, ``None`` if they count tokens: bytes do not tell of these."""
        is_link = isinstance(self._machine, LinkMachine)
        return None if is_link and any(h.piece.counts_tokens for h in hypotheses) else hypotheses

    def row(self, hypotheses: Hypotheses, chunk: ChunkState) -> Words:
        """Return int32[n_words], the tokens that may come, whatever the last one was."""
        if self._successors.n_bytes > _MOST_BYTES:
            self._forget()
        state = self._successors.find(hypotheses)
        if (state, chunk) not in self._rows:
            evict_half(self._rows, _MOST_ROWS)
            try:
                with one_mask(self._machine.pool.steps):
                    row = self._make(self._reach(state), chunk)
            except LimitError:
                # The machine allows no such search: the row goes without look-ahead.
                ids = self._legal(state, self._spelling.is_written)
                anywhere = np.zeros(len(ids), dtype=np.intp)
                row = self._make((ids, anywhere, np.array([NOT_FOLLOWED])), chunk)
            self._rows[state, chunk] = row
        return self._rows[state, chunk]

    def _make(self, reached: Reached, chunk: ChunkState) -> Words:
        (ids, which, states), n_nodes = reached, len(self._spelling.chunks.next)
        nodes = self._spelling.after(chunk.node, ids)
        fits = nodes != DEAD
        if chunk.whole:
            fits &= self._spelling.is_merged[ids]
        ids, keys = ids[fits], (which[fits] * n_nodes + nodes[fits]) * _N_ROLES
        roles = self._spelling.whole_chunks.roles(chunk.whole)
        if roles:
            role_of = np.zeros(len(self._spelling.is_merged), dtype=np.uint8)
            role_of[list(roles)] = list(roles.values())
            keys += role_of[ids]
        # Tokens that lead to one state, node and role are a group.
        groups, group_of = _number(keys, len(states) * n_nodes * _N_ROLES)
        to, to_node = states[groups // (n_nodes * _N_ROLES)], groups // _N_ROLES % n_nodes
        role = groups % _N_ROLES
        # Where an atom leads, or what counts tokens, is not followed.
        is_live: NDArray[np.bool_] = np.less_equal(to, NOT_FOLLOWED)
        for low, high in pairwise([*np.flatnonzero(np.diff(to, prepend=-1)).tolist(), len(to)]):
            if not is_live[low]:
                is_live[low:high] = self._can_end(int(to[low]), to_node[low:high])
                is_live[low:high] &= role[low:high] != WholeChunks.MAY_NOT_END
        live = is_live[group_of]
        rest = np.flatnonzero(~live & (role != WholeChunks.MAY_NOT_GO_ON)[group_of])
        rest = rest[np.argsort(group_of[rest], kind="stable")]
        for members in np.split(rest, np.flatnonzero(np.diff(group_of[rest])) + 1):
            if len(members):
                group = group_of[members[0]]
                live[members] = self._can_go_on(ids[members], int(to[group]), int(to_node[group]))
        return self._pack(ids[live])

    def _pack(self, ids: Ints) -> Words:
        is_in = np.zeros(len(self._spelling.is_merged), dtype=np.bool_)
        is_in[ids] = True
        return pack(is_in)

    def _reach(self, state: int) -> Reached:
        if state not in self._reached:
            evict_half(self._reached, _MOST_REACHED)
            ids = self._legal(state, self._spelling.is_written)
            after = np.full(len(ids), NOT_FOLLOWED, dtype=np.int32)
            if self._stand_in(self._successors.hypotheses[state]) is not None:
                after = self._follow(state, ids)
            states, which = _number(after, int(after.max(initial=0)) + 1)
            self._reached[state] = (ids, which, states)
        return self._reached[state]

    def _follow(self, state: int, ids: Ints) -> Ints:
        is_asked = np.zeros(self._spelling.tokens.vocab_size, dtype=np.bool_)
        is_asked[ids] = True
        order, after = self._spelling.tokens.index.order, np.zeros(len(is_asked), dtype=np.int32)
        after[order] = self._successors.follow(state, is_asked[order], self._most_pairs)
        found: Ints = after[ids]
        return found

    def _mask(self, state: int) -> Words:
        machine = self._machine
        return machine.pool.unite(map(machine.mask, self._successors.hypotheses[state])).words

    def _legal(self, state: int, among: NDArray[np.bool_]) -> Ints:
        data = self._mask(state).view(np.uint8)
        is_legal = np.unpackbits(data, count=len(among), bitorder="little").view(np.bool_)
        return np.flatnonzero(is_legal & among).astype(np.int32)

    def _can_end(self, state: int, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return at which nodes a chunk can end so that something can come in a state."""
        after_cut = self._after_cut[nodes]
        can_end = np.zeros(len(nodes), dtype=np.bool_)
        # Blanks begin most chunks, and a step takes less than a mask.
        for byte in b" \n":
            begins = after_cut[:, self._spelling.chunks.byte_class[byte]]
            if begins[~can_end].any() and self._successors.move(state, byte) != DEAD:
                can_end |= begins
        if not can_end.all():
            words = self._mask(state)
            legal = self._byte_classes[_are_in(words, self._byte_tokens)]
            can_end |= after_cut[:, legal].any(axis=1)
            if outside(self._spelling, words).any():
                can_end |= self._spelling.chunks.may_end[nodes]
        return can_end

    def _can_go_on(self, tokens: Ints, state: int, node: int) -> NDArray[np.bool_]:
        """Return after which tokens, of some that lead to a state and a node, one may follow."""
        spelling = self._spelling
        is_next = spelling.chunks.next[node, self._byte_classes] != DEAD
        is_next &= _are_in(self._mask(state), self._byte_tokens)
        can_go_on = _are_in(self._before(self._byte_tokens[is_next][:_FEW]), tokens)
        rest = np.flatnonzero(~can_go_on)
        if not len(rest):
            return can_go_on
        nexts = self._legal(state, spelling.is_merged)
        nexts = nexts[spelling.after(node, nexts) != DEAD]
        if len(nexts) < len(rest):
            can_go_on[rest] = _are_in(self._before(nexts), tokens[rest])
        else:
            words = self._pack(nexts)
            for index in rest.tolist():
                can_go_on[index] = (
                    spelling.neighbours(int(tokens[index]), is_left=True) & words
                ).any()
        return can_go_on

    def _before(self, nexts: Ints) -> Words:
        key = nexts.tobytes()
        if key not in self._before_tokens:
            evict_half(self._before_tokens, _MOST_ROWS)
            words = self._pack(np.empty(0, dtype=np.int32))
            for token in nexts.tolist():
                words |= self._spelling.neighbours(token, is_left=False)
            self._before_tokens[key] = words
        return self._before_tokens[key]


def outside(spelling: Spelling, words: Words) -> Words:
    """Return the tokens of a mask that write no text: atoms, and those that end it."""
    found = words.copy()
    found[: len(spelling.writes)] &= ~spelling.writes
    return found


def _are_in(words: Words, ids: Ints) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (words[ids >> 5] >> (ids & 31) & 1).astype(np.bool_)
    return found


def _number(keys: NDArray[Any], limit: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the distinct keys, all below a limit, ascending; and of each key the index in them."""
    if limit > 20 * len(keys) + 1_000_000:
        distinct, index_of = np.unique(keys, return_inverse=True)
        return distinct.astype(np.int64), index_of
    numbers = np.zeros(limit, dtype=np.intp)
    numbers[keys] = 1
    distinct = np.flatnonzero(numbers)
    numbers[distinct] = np.arange(len(distinct))
    return distinct, numbers[keys]
