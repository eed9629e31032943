"""What an artifact's decision graph says, read as it is asked.

See :mod:`maskc.emit.graph` for what nodes, answers, questions and trials are. Here they become
Python objects when they are first needed, and stay. An answer names unions of token sets by number;
they are put together only when a mask is made of them.

Example: for json, the node for a token that closes a string says with the state inside an array
on top: the tokens ``"`` and ``",`` at once, and for ``"]`` the question RSQB.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from maskc.runtime.views import view_numbers

# On top of a stack, of the LALR table or of the general one.
ParserStateId = RefinedStateId | GeneralStateId

Mask = NDArray[np.int32]
Unions = frozenset[int]

NO_TOKENS: Final[Unions] = frozenset()

# A terminal is given to the parser, and then a node answers: the terminal, ``NO_EVENT`` if nothing
# is given; for a newline, its column change; and the node. Plain tuples: a text makes thousands.
Question = tuple[TerminalId, int, NodeId]

# Tokens that leave a lexeme open, and are legal if it can become what the parser takes: the number
# of what it may become; its column change; and what is legal if some text goes on from it.
Trial = tuple[OpenLexemeId, int, Unions]


class Answer(NamedTuple):
    """What a node says in a state.

    Attributes:
        unions: legal on every stack.
        questions, trials: what else is legal depends on these.
    """

    unions: Unions
    questions: tuple[Question, ...]
    trials: tuple[Trial, ...]


NO_ANSWER: Final = Answer(NO_TOKENS, (), ())


# A set of tokens, as its difference from a mask: the mask's number, negative for the empty one;
# intp[n], which words differ; and int32[n], the set's own words there.
_Union = tuple[int, NDArray[np.intp], Mask]


class GraphReader:
    """The decision graph of one artifact.

    Args:
        arrays: the artifact's sections.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._masks, self._union_change = arrays["masks"], arrays["union_change"]
        # There are few changes: as indices they are asked for without a conversion.
        self._change_word = arrays["change_word"].astype(np.intp)
        self._change_bits = arrays["change_bits"]
        self._root_first = view_numbers(arrays["root_first"])
        self._node_profile = view_numbers(arrays["node_profile"])
        self._node_answer = view_numbers(arrays["node_answer"])
        self._answer_union = view_numbers(arrays["answer_union"])
        self._question_first = view_numbers(arrays["question_first"])
        self._question_terminal = view_numbers(arrays["question_terminal"])
        self._question_column = view_numbers(arrays["question_column"])
        self._question_node = view_numbers(arrays["question_node"])
        self._trial_first = view_numbers(arrays["trial_first"])
        self._trial_final = view_numbers(arrays["trial_final"])
        self._trial_column = view_numbers(arrays["trial_column"])
        self._trial_union = view_numbers(arrays["trial_union"])
        self._union_first = view_numbers(arrays["union_first"])
        self._union_base = view_numbers(arrays["union_base"])
        self._root = [view_numbers(arrays[f"root_{x}"]) for x in ("terminal", "column", "node")]
        self._profile_of: list[ProfileId] = arrays["profile_of"].tolist()
        self._node_first: list[int] = arrays["node_first"].tolist()
        self._n_profiles = 1 + max(self._profile_of, default=0)
        self._roots: dict[ScannerStateId, tuple[Question, ...]] = {}
        self._by_profile: dict[int, Answer] = {}  # node and profile in one number → answer
        self._answers: dict[int, Answer] = {}
        self._unions: dict[int, _Union] = {}

    def root(self, state: ScannerStateId) -> tuple[Question, ...]:
        """Return what a token that starts in a scanner state asks."""
        found = self._roots.get(state)
        if found is None:
            terminals, columns, nodes = self._root
            places = range(self._root_first[state], self._root_first[state + 1])
            found = self._roots[state] = tuple(
                [(terminals[i], columns[i], nodes[i]) for i in places]
            )
        return found

    def profile(self, state: ParserStateId) -> ProfileId:
        """Return a number that states share if every node says the same with them on top."""
        return self._profile_of[state]

    def answer(self, node: NodeId, state: ParserStateId) -> Answer:
        """Return what a node says with a state on top of the stack.

        Where it says nothing it allows nothing: no stack with this state comes to it, except in
        tables that maskc did not make.
        """
        profile = self._profile_of[state]
        key = node * self._n_profiles + profile
        found = self._by_profile.get(key)
        if found is None:
            low, high = self._node_first[node], self._node_first[node + 1]
            profiles = self._node_profile
            place = bisect_left(profiles, profile, low, high)
            if place == high or profiles[place] != profile:
                place = low
                if low == high or profiles[low] != ANY_PROFILE:
                    self._by_profile[key] = NO_ANSWER
                    return NO_ANSWER
            found = self._by_profile[key] = self._answer(self._node_answer[place])
        return found

    def unite(self, unions: Unions, n_words: int) -> Mask:
        """Return a new mask, int32[n_words], of all tokens of some unions."""
        mask: Mask | None = None
        known = self._unions
        for number in unions:
            union = known.get(number)
            if union is None:
                union = known[number] = self._union(number)
            base, places, bits = union
            if mask is None:
                mask = np.zeros(n_words, dtype=np.int32) if base < 0 else self._masks[base].copy()
                mask[places] = bits
            elif base < 0:
                mask[places] = bits | mask[places]
            else:
                # Words that differ from the base are set right afterwards: they are few.
                own = bits | mask[places]
                np.bitwise_or(mask, self._masks[base], mask)
                mask[places] = own
        return np.zeros(n_words, dtype=np.int32) if mask is None else mask

    def _union(self, number: int) -> _Union:
        low, high = self._union_first[number], self._union_first[number + 1]
        base = self._union_base[number]
        changes = self._union_change[low:high].astype(np.intp)
        places, bits = self._change_word[changes], self._change_bits[changes]
        return base, places, bits if base < 0 else bits ^ self._masks[base][places]

    def _answer(self, number: int) -> Answer:
        found = self._answers.get(number)
        if found is None:
            questions: tuple[Question, ...] = ()
            trials: tuple[Trial, ...] = ()
            low, high = self._question_first[number], self._question_first[number + 1]
            if low < high:
                terminals, columns = self._question_terminal, self._question_column
                nodes = self._question_node
                questions = tuple([(terminals[i], columns[i], nodes[i]) for i in range(low, high)])
            low, high = self._trial_first[number], self._trial_first[number + 1]
            if low < high:
                lexemes, columns, unions = self._trial_final, self._trial_column, self._trial_union
                trials = tuple(
                    [(lexemes[i], columns[i], self._one(unions[i])) for i in range(low, high)]
                )
            tokens = self._one(self._answer_union[number])
            found = self._answers[number] = Answer(tokens, questions, trials)
        return found

    def _one(self, union: int) -> Unions:
        if self._union_base[union] < 0 and self._union_first[union] == self._union_first[union + 1]:
            return NO_TOKENS
        return frozenset((union,))
