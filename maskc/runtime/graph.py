"""What an artifact's decision graph says, read as it is asked.

See :mod:`maskc.compiler.emit` for what nodes, answers, queries and checks are. Here they
become Python objects when they are first needed, and stay. An answer names unions of token sets by
number; they are put together only when a mask is made of them.

Example: for json, the node for a token that closes a string says with the state inside an array
on top: the tokens ``"`` and ``",`` at once, and for ``"]`` the query RSQB.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.ids import (
    ANY_PROFILE,
    GeneralStateId,
    NodeId,
    OpenLexemeId,
    ProfileId,
    RefinedStateId,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.scanner import view_numbers

# On top of a stack, of the LALR table or of the general one.
ParserStateId = RefinedStateId | GeneralStateId

Mask = NDArray[np.int32]
Unions = frozenset[int]

NO_TOKENS: Final[Unions] = frozenset()

# A terminal is given to the parser, and then a node answers: the terminal, ``NO_EVENT`` if nothing
# is given; for a newline, its column change; and the node. Plain tuples: a text makes thousands.
ParserQuery = tuple[TerminalId, int, NodeId]

# Tokens that leave a lexeme open, and are legal if it can become what the parser takes: the number
# of what it may become; its column change; and what is legal if some text goes on from it.
LookaheadCheck = tuple[OpenLexemeId, int, Unions]


@mypyc_attr(acyclic=True)
class Answer:
    """What a node says in a state. Never changes."""

    __slots__ = ("checks", "queries", "unions")

    def __init__(
        self, unions: Unions, queries: tuple[ParserQuery, ...], checks: tuple[LookaheadCheck, ...]
    ) -> None:
        self.unions = unions  # legal on every stack
        # queries, checks: what else is legal depends on these
        self.queries, self.checks = queries, checks


NO_ANSWER: Final = Answer(NO_TOKENS, (), ())


_WHOLE_BYTES: Final = 1 << 24  # of unions that are kept whole, to be united with others


class GraphReader:
    """The decision graph of one artifact."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        # n_nodes, n_unions, n_profiles: their numbers are below these
        self.n_nodes = len(arrays["node_first"]) - 1
        self.n_unions = len(arrays["union_parent"])
        self._masks, self._union_change = arrays["masks"], arrays["union_change"]
        self._union_parent = view_numbers(arrays["union_parent"])
        # There are few changes: as indices they are asked for without a conversion.
        self._change_word = arrays["change_word"].astype(np.intp)
        self._change_bits = arrays["change_bits"]
        self._root_first = view_numbers(arrays["root_first"])
        self._node_profiles = view_numbers(arrays["node_profiles"])
        self._profiles_first = view_numbers(arrays["profiles_first"])
        self._profiles = view_numbers(arrays["profiles"])
        self._node_answer = view_numbers(arrays["node_answer"])
        self._answer_union = view_numbers(arrays["answer_union"])
        self._query_first = view_numbers(arrays["question_first"])
        self._query_terminal = view_numbers(arrays["question_terminal"])
        self._query_column = view_numbers(arrays["question_column"])
        self._query_node = view_numbers(arrays["question_node"])
        self._check_first = view_numbers(arrays["trial_first"])
        self._check_lexeme = view_numbers(arrays["trial_final"])
        self._check_column = view_numbers(arrays["trial_column"])
        self._check_union = view_numbers(arrays["trial_union"])
        self._union_first = view_numbers(arrays["union_first"])
        self._union_base = view_numbers(arrays["union_base"])
        self._root = [view_numbers(arrays[f"root_{x}"]) for x in ("terminal", "column", "node")]
        self._profile_of: list[ProfileId] = arrays["profile_of"].tolist()
        self._node_first: list[int] = arrays["node_first"].tolist()
        self.n_profiles = 1 + max(self._profile_of, default=0)
        self._by_profile: dict[int, Answer] = {}  # node and profile in one number → answer
        self._answers: dict[int, Answer] = {}
        self._single: dict[int, Unions] = {}  # union → the set of it, empty if it has no tokens
        self._whole: dict[int, Mask] = {}

    def root(self, state: ScannerStateId) -> tuple[ParserQuery, ...]:
        """Return the queries of a token that starts in a scanner state."""
        terminals, columns, nodes = self._root
        indices = range(self._root_first[state], self._root_first[state + 1])
        return tuple([(terminals[i], columns[i], nodes[i]) for i in indices])

    def profile(self, state: ParserStateId) -> ProfileId:
        """Return a number that states share if every node says the same with them on top."""
        return self._profile_of[state]

    def answer(self, node: NodeId, state: ParserStateId) -> Answer:
        """Return what a node says with a state on top of the stack.

        Where it says nothing it allows nothing: no stack with this state comes to it, except in
        tables that maskc did not make.
        """
        profile = self._profile_of[state]
        key = node * self.n_profiles + profile
        found = self._by_profile.get(key)
        if found is None:
            number, profiles = self._node_profiles[node], self._profiles
            low, high = self._profiles_first[number], self._profiles_first[number + 1]
            index = bisect_left(profiles, profile, low, high)
            if index == high or profiles[index] != profile:
                index = low
                if low == high or profiles[low] != ANY_PROFILE:
                    self._by_profile[key] = NO_ANSWER
                    return NO_ANSWER
            found = self._by_profile[key] = self._answer(
                self._node_answer[self._node_first[node] + index - low]
            )
        return found

    def unite(self, unions: Unions, n_words: int) -> Mask:
        """Return a new mask, int32[n_words], of all tokens of some unions."""
        if len(unions) == 1:
            return self._read(next(iter(unions)), n_words)
        mask: Mask | None = None
        small: list[NDArray[Any]] = []
        first, known, n_most = self._union_first, self._whole, _WHOLE_BYTES // (4 * n_words)
        for number in unions:
            if self._union_base[number] < 0 and self._union_parent[number] < 0:
                small.append(self._union_change[first[number] : first[number + 1]])
                continue
            union = known.get(number)
            if union is None:
                if len(known) > n_most:
                    known = self._whole = {}
                union = known[number] = self._read(number, n_words)
            if mask is None:
                mask = union.copy()
            else:
                np.bitwise_or(mask, union, mask)
        if mask is None:
            mask = np.zeros(n_words, dtype=np.int32)
        if small:
            # Most unions are a few tokens: these are put in all at once.
            changes = np.concatenate(small, dtype=np.intp)
            np.bitwise_or.at(mask, self._change_word[changes], self._change_bits[changes])
        return mask

    def _read(self, number: int, n_words: int) -> Mask:
        """Return a new mask, int32[n_words], of a union's tokens.

        The changes of its parents come first, from the nearest one that has been read. NumPy writes
        in order where an index is given twice (its *quickstart* says so), so the last change of a
        word is the one that stays.
        """
        base, first, known = self._union_base[number], self._union_first, self._whole
        changes = self._union_change[first[number] : first[number + 1]]
        parent = self._union_parent[number]
        begin: Mask | None = None
        if parent >= 0:
            parts = [changes]
            begin = known.get(parent)
            while parent >= 0 and begin is None:
                parts.append(self._union_change[first[parent] : first[parent + 1]])
                parent = self._union_parent[parent]
                begin = known.get(parent)
            parts.reverse()
            changes = np.concatenate(parts, dtype=np.intp)
        else:
            changes = changes.astype(np.intp)
        indices, bits = self._change_word[changes], self._change_bits[changes]
        if base >= 0:
            own: Mask = self._masks[base]
            bits ^= own[indices]
            begin = own if begin is None else begin
        mask: Mask = np.zeros(n_words, dtype=np.int32) if begin is None else begin.copy()
        mask[indices] = bits
        return mask

    def _answer(self, number: int) -> Answer:
        found = self._answers.get(number)
        if found is None:
            queries: tuple[ParserQuery, ...] = ()
            checks: tuple[LookaheadCheck, ...] = ()
            low, high = self._query_first[number], self._query_first[number + 1]
            if low < high:
                terminals, columns = self._query_terminal, self._query_column
                nodes = self._query_node
                queries = tuple([(terminals[i], columns[i], nodes[i]) for i in range(low, high)])
            low, high = self._check_first[number], self._check_first[number + 1]
            if low < high:
                lexemes, columns, unions = self._check_lexeme, self._check_column, self._check_union
                checks = tuple(
                    [(lexemes[i], columns[i], self._one(unions[i])) for i in range(low, high)]
                )
            tokens = self._one(self._answer_union[number])
            found = self._answers[number] = Answer(tokens, queries, checks)
        return found

    def _one(self, union: int) -> Unions:
        found = self._single.get(union)
        if found is None:
            found = NO_TOKENS if self._is_empty(union) else frozenset((union,))
            self._single[union] = found
        return found

    def _is_empty(self, union: int) -> bool:
        if self._union_base[union] >= 0 or self._union_parent[union] >= 0:
            return False
        first, last = self._union_first[union], self._union_first[union + 1]
        return bool(first == last)
