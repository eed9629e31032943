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
from typing import Any, NamedTuple

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

NO_TOKENS: Unions = frozenset()

# Sections that are read a few numbers at a time.
_VIEWED = frozenset(
    (
        *("root_first", "root_terminal", "root_column", "root_node"),
        *("node_profile", "node_answer", "answer_union", "union_first", "union_base"),
        *("question_first", "question_terminal", "question_column", "question_node"),
        *("trial_first", "trial_final", "trial_column", "trial_union"),
    )
)


class Question(NamedTuple):
    """A terminal is given to the parser, and then a node answers.

    Attributes:
        terminal: the terminal; ``NO_EVENT`` if nothing is given to the parser.
        column: for a newline, its column change.
        node: the node.
    """

    terminal: TerminalId
    column: int
    node: NodeId


class Trial(NamedTuple):
    """Tokens that leave a lexeme open, and are legal if it can become what the parser takes.

    Attributes:
        lexeme: number of what the open lexeme may become.
        column: its column change.
        unions: what is legal if some text goes on from it and ends.
    """

    lexeme: OpenLexemeId
    column: int
    unions: Unions


class Answer(NamedTuple):
    """What a node says in a state.

    Attributes:
        unions: legal on every stack.
        questions, trials: what else is legal depends on these.
    """

    unions: Unions
    questions: tuple[Question, ...]
    trials: tuple[Trial, ...]


NO_ANSWER = Answer(NO_TOKENS, (), ())


class _Union(NamedTuple):
    """A set of tokens, as its difference from a mask.

    Attributes:
        base: number of the mask, negative for the empty one.
        places: intp[n]: which words differ.
        bits: int32[n]: the set's own words there.
    """

    base: int
    places: NDArray[np.intp]
    bits: Mask


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
        self._numbers = {
            name: view_numbers(array) for name, array in arrays.items() if name in _VIEWED
        }
        self._node_profile = self._numbers["node_profile"]
        self._node_answer = self._numbers["node_answer"]
        self._question_first = self._numbers["question_first"]
        self._trial_first = self._numbers["trial_first"]
        self._union_first = self._numbers["union_first"]
        self._union_base = self._numbers["union_base"]
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
            low, high = self._numbers["root_first"][state : state + 2]
            found = self._roots[state] = self._questions(low, high, "root")
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
        for number in unions:
            union = self._unions.get(number)
            if union is None:
                union = self._unions[number] = self._union(number)
            base, places, bits = union
            if mask is None:
                mask = np.zeros(n_words, dtype=np.int32) if base < 0 else self._masks[base].copy()
            elif base < 0:
                bits = bits | mask.take(places)
            else:
                # Words that differ from the base are set right afterwards: they are few.
                bits = bits | mask.take(places)
                np.bitwise_or(mask, self._masks[base], out=mask)
            mask[places] = bits
        return np.zeros(n_words, dtype=np.int32) if mask is None else mask

    def _union(self, number: int) -> _Union:
        low, high = self._union_first[number], self._union_first[number + 1]
        base = self._union_base[number]
        changes = self._union_change[low:high].astype(np.intp)
        places, bits = self._change_word.take(changes), self._change_bits.take(changes)
        return _Union(base, places, bits if base < 0 else bits ^ self._masks[base].take(places))

    def _answer(self, number: int) -> Answer:
        found = self._answers.get(number)
        if found is None:
            low, high = self._question_first[number], self._question_first[number + 1]
            questions = self._questions(low, high, "question") if low < high else ()
            low, high = self._trial_first[number], self._trial_first[number + 1]
            trials = self._trials(low, high) if low < high else ()
            tokens = self._one(self._numbers["answer_union"][number])
            found = self._answers[number] = Answer(tokens, questions, trials)
        return found

    def _trials(self, low: int, high: int) -> tuple[Trial, ...]:
        lexemes, columns, unions = (
            self._numbers[name] for name in ("trial_final", "trial_column", "trial_union")
        )
        return tuple(
            [Trial(lexemes[i], columns[i], self._one(unions[i])) for i in range(low, high)]
        )

    def _one(self, union: int) -> Unions:
        low, high = self._union_first[union], self._union_first[union + 1]
        if low == high and self._union_base[union] < 0:
            return NO_TOKENS
        return frozenset((union,))

    def _questions(self, low: int, high: int, kind: str) -> tuple[Question, ...]:
        numbers = self._numbers
        return tuple(
            map(
                Question,
                numbers[f"{kind}_terminal"][low:high],
                numbers[f"{kind}_column"][low:high],
                numbers[f"{kind}_node"][low:high],
            )
        )
