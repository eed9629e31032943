"""Which tokens may come at a hypothesis of an LALR grammar? Most is settled by one byte.

A token leads to a hypothesis and to a node of the chunks. If some byte is legal there that settles
the end of the chunk (:mod:`maskc.runtime.spelling.cuts`), there is a text, whichever goes on with
that byte. That is all that has to be known of most tokens, and it depends on little of the stack;
so it is cached by what was read of it. The others are returned with the *effects* that lead to
where they stand, to be looked at more closely.

Example: in Python after ``x`` the token `` =`` leads to where a blank may come, and no text that
goes on with a blank keeps a chunk open in llama3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD
from maskc.runtime.cache.budget import ENTRY_BYTES
from maskc.runtime.ending.grammar.landings import Landings, number
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine, TokenEffect, find_effect, keep_result
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import pop_and_push
from maskc.runtime.lalr.stack_cache import BY_LAYOUT, StackCache
from maskc.runtime.spelling.cuts import LetterCuts
from maskc.runtime.spelling.looking import Looking
from maskc.runtime.spelling.opened import Opened
from maskc.runtime.spelling.pairs import Words


class OpenTokens(NamedTuple):
    """Tokens of which it is not settled whether a text goes on.

    Attributes:
        effect: what leads to where they stand.
        node: of the chunks, where they stand.
        ids: these.
    """

    effect: TokenEffect
    node: int
    ids: Ints


class Row(NamedTuple):
    """The tokens that may come at a hypothesis and a node.

    Attributes:
        words: those that are settled, as a mask.
        unsettled: the others.
    """

    words: Words
    unsettled: tuple[OpenTokens, ...]


class Rows:
    """Makes rows and remembers them.

    Args:
        machine: of the grammar.
        spelling: how the tokenizer writes, opened for the machine's vocabulary.
        paths: the tokens in the machine's letters.
        cuts: which letters settle that a chunk has ended.
    """

    def __init__(
        self, machine: LalrMachine, spelling: Opened, paths: TokenPaths, cuts: LetterCuts
    ) -> None:
        self._machine, self._spelling, self._paths = machine, spelling, paths
        self._landings = Landings(machine, paths)
        self._budget = machine.budget
        n_states = machine.tables.n_states
        self._known = StackCache(machine.budget, n_states)
        self._known_by_layout = StackCache(machine.budget, n_states)
        self._text_of = paths.text_numbers(spelling.vocab_size)
        self._cuts, self._order = cuts.by_letter, cuts.order
        self._firsts = [group[:1] for group in machine.byte_groups]
        can_settle = cuts.by_letter.any(axis=1) | spelling.chunks.may_end
        self._looking = Looking(machine, spelling, self._settle_at, can_settle)

    def find(self, h: Hypothesis, node: int, alone: int) -> Row:
        """Return the tokens that may come, whatever the last one was.

        Args:
            h: of the machine.
            node: of the chunks.
            alone: as in a position.
        """
        key = (h.state, node, alone, h.stack.state)
        found: Any = self._known.find(key, h.stack)
        if found is BY_LAYOUT:
            found = self._known_by_layout.find((*key, h.column, h.indents), h.stack)
        if found is None:
            reads = ReadSet(h.stack.depth)
            found = self._make(h, node, alone, reads)
            reads.layout |= self._machine.counts_columns[h.state]
            keep_result(self._known, self._known_by_layout, key, h, reads, found)
            n_bytes = sum(ENTRY_BYTES + tokens.ids.nbytes for tokens in found.unsettled)
            self._budget.charge(ENTRY_BYTES + found.words.nbytes + n_bytes)
        row: Row = found
        return row

    def _make(self, h: Hypothesis, node: int, alone: int, reads: ReadSet) -> Row:
        spelling, size = self._spelling, self._spelling.vocab_size
        plain = self._machine.compose(h, reads).words
        written = spelling.is_beginning if alone == 0 else spelling.is_whole
        legal = np.unpackbits(plain.view(np.uint8), bitorder="little")[:size].view(np.bool_)
        # Padding is not known to the tokenizer.
        ids = np.flatnonzero(legal & written).astype(np.int32)
        after = np.zeros(size, dtype=np.int32)
        after[ids] = spelling.after(node, ids)
        is_asked = legal & written & (after != DEAD)
        texts = np.zeros(self._paths.n_texts, dtype=np.bool_)
        texts[self._text_of[is_asked]] = True
        reached = self._landings.follow(h, texts, reads)
        ids, counts = self._paths.ids_of(reached.texts)
        which = np.repeat(reached.which, counts)
        is_right = is_asked[ids]
        ids, which = ids[is_right], which[is_right]
        settled, rest = self._settle(reached.hypotheses, ids, which, after, alone, reads)
        # The effects are found last, when all is read that they are relative to.
        unsettled = tuple(
            OpenTokens(find_effect(h, to, reads.lowest), to_node, tokens)
            for to, to_node, tokens in rest
        )
        return Row(spelling.pack(settled), unsettled)

    def _settle(
        self,
        hypotheses: list[Hypothesis],
        ids: Ints,
        which: Ints,
        after: Ints,
        alone: int,
        reads: ReadSet,
    ) -> tuple[Ints, list[tuple[Hypothesis, int, Ints]]]:
        """Return the tokens after which a text goes on, and those of which it is not settled.

        Args:
            hypotheses: that tokens lead to.
            ids: the tokens.
            which: of each the number of a hypothesis.
            after: vocabulary → the node after each token.
            alone: as in a position.
            reads: notes what was read.
        """
        n_nodes = self._spelling.n_nodes
        keys = which.astype(np.int64) * n_nodes + after[ids]
        pairs, pair_of = number(keys, max(1, len(hypotheses)) * n_nodes)
        lands, nodes = pairs // n_nodes, pairs % n_nodes
        is_settled = np.zeros(len(pairs), dtype=np.bool_)
        starts = np.flatnonzero(np.diff(lands, prepend=-1))
        members = np.split(np.arange(len(pairs)), starts[1:]) if len(pairs) else []
        for start, open_ in zip(starts.tolist(), members, strict=True):
            h = hypotheses[int(lands[start])]
            is_settled[open_] = self._settle_at(h, nodes[open_], reads)
        is_good = is_settled[pair_of]
        special = self._spelling.special_from(alone)
        if special is not None:
            is_good &= self._may_cut(ids, special, alone)
        has_settled = np.zeros(self._spelling.vocab_size, dtype=np.bool_)
        has_settled[ids[is_good]] = True
        settled = np.flatnonzero(has_settled)
        # A token that another hypothesis has settled is no longer open.
        is_open = ~is_good & ~has_settled[ids]
        left = np.flatnonzero(is_open)
        left = left[np.argsort(pair_of[left], kind="stable")]
        starts = np.flatnonzero(np.diff(pair_of[left], prepend=-1))
        rest, found = [], list[int]()
        for tokens in np.split(left, starts[1:]) if len(left) else []:
            pair = pair_of[tokens[0]]
            h, to_node = hypotheses[int(lands[pair])], int(nodes[pair])
            unsettled: list[int] = []
            for token in ids[tokens].tolist():
                led = self._spelling.alone.after(alone, token)
                is_live = self._looking.is_live(h, to_node, token, led, reads)
                if is_live:
                    found.append(token)
                elif is_live is None:
                    unsettled.append(token)
            if unsettled:
                rest.append((h, to_node, np.array(unsettled, dtype=np.int32)))
        return np.concatenate([settled, np.array(found, dtype=np.int32)]), rest

    def _may_cut(self, ids: Ints, special: NDArray[np.bool_], alone: int) -> NDArray[np.bool_]:
        """Return of each token whether a chunk may end after it, as far as merging goes."""
        may_end = np.ones(len(ids), dtype=np.bool_)
        tokens = self._spelling.alone
        for place in np.flatnonzero(special[ids]).tolist():
            may_end[place] = tokens.may_end(tokens.after(alone, int(ids[place])))
        return may_end

    def _settle_at(
        self, h: Hypothesis, nodes: NDArray[np.int64], reads: ReadSet
    ) -> NDArray[np.bool_]:
        """Return of some nodes whether a legal byte settles that the chunk ends there."""
        machine, chunks = self._machine, self._spelling.chunks
        cuts = self._cuts[nodes]
        found = np.zeros(len(nodes), dtype=np.bool_)
        if chunks.may_end[nodes].any() and machine.lexemes.may_end(h, reads):
            found |= chunks.may_end[nodes]
        is_useful = cuts.any(axis=0) & self._landings.may_step(h.state)
        for letter in self._order[is_useful[self._order]].tolist():
            if found.all():
                break
            if cuts[~found, letter].any() and machine.stepper.step(
                (h,), self._firsts[letter], reads
            ):
                found |= cuts[:, letter]
        return found


def lead(h: Hypothesis, effect: TokenEffect) -> Hypothesis:
    """Return what an effect makes of a hypothesis."""
    n_popped, pushed, state, indents, column = effect
    stack = pop_and_push(h.stack, n_popped, pushed)
    return Hypothesis(state, stack, h.indents if indents is None else indents, column)
