"""What the rows of a source say, given the state on top of the stack.

Rows that start alike are walked together: a *node* holds what is left of them behind the events so
far. For a node and a refined state the artifact's verdicts split the rows in three: those that
every stack takes give a union of token sets, those that no stack takes are forgotten, and the rest
are *questions*: a terminal to be given to the parser, with the node behind it, or a final to be
tried. So all rows that wait for the same bracket cost one move of the parser, and what it
moves to answers for them at once.

Answers are kept by node and state; a stack's depth plays no part in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import A_FINAL, MAY, NO_EVENT
from maskc.runtime.tables import Tables

Mask = NDArray[np.int32]
Ints = NDArray[np.int32]


class Tokens(NamedTuple):
    """A token set to be united with a mask.

    Attributes:
        words: int32[n], the words of the mask that it touches; ``None`` for all of them.
        bits: int32[n], what it sets there.
    """

    words: Ints | None
    bits: Mask

    def add_to(self, mask: Mask) -> None:
        """Set its tokens in a mask."""
        if self.words is None:
            np.bitwise_or(mask, self.bits, out=mask)
        else:
            mask[self.words] |= self.bits


class Question(NamedTuple):
    """A terminal goes to the parser, and then a node answers.

    Attributes:
        terminal: the terminal.
        column: for a newline, its column change.
        node: what is left of the rows behind it.
    """

    terminal: int
    column: int
    node: Node


class Trial(NamedTuple):
    """What stays open is tried on the stack and the open blocks.

    Attributes:
        final: number of the final.
        column: its column change.
        tokens: legal if some text finishes it.
    """

    final: int
    column: int
    tokens: Tokens


class Answer(NamedTuple):
    """What a node says in a state.

    Attributes:
        tokens: legal on every stack.
        questions, trials: the others depend on these.
    """

    tokens: Tokens | None
    questions: tuple[Question, ...]
    trials: tuple[Trial, ...]


class Node:
    """Rows behind some events.

    Attributes:
        groups: int32[n], the contexts that each needs now; ``None`` if it needs none.
        words: int32[n], what it asks for from here.
        sets: int32[n], its tokens.
        classes: int32[n], the classes of the words.
        answers: by refined state.
        alike: answers by what the verdicts of a state say about each row.
        children: by context, terminal and column.
    """

    __slots__ = ("alike", "answers", "children", "classes", "groups", "sets", "words")

    def __init__(self, groups: Ints | None, words: Ints, sets: Ints, classes: Ints) -> None:
        self.groups = groups
        self.words = words
        self.sets = sets
        self.classes = classes
        self.answers: dict[int, Answer] = {}
        self.alike: dict[bytes, Answer] = {}
        self.children: dict[tuple[int, int, int], Node] = {}


class RowReader:
    """Nodes and their answers, for one artifact.

    Attributes:
        n_bytes: memory that answers take.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], tables: Tables, vocab_size: int) -> None:
        self._arrays, self._tables = arrays, tables
        self._n_words = -(-vocab_size // 32)
        groups = np.ascontiguousarray(arrays["context_group"].astype("<u8"))
        # uint8[n_contexts, n_groups], 0 or 1
        self._inside = np.ascontiguousarray(
            np.unpackbits(groups.view(np.uint8), axis=1, bitorder="little").T
        )
        self._kind_of: list[tuple[int, int]] = list(
            zip(arrays["event_terminal"].tolist(), arrays["event_column"].tolist(), strict=True)
        )
        self._roots: dict[int, tuple[Question, ...]] = {}
        self._sets: dict[int, Tokens] = {}
        self.n_bytes = 0

    def root(self, source: int) -> tuple[Question, ...]:
        """Return the nodes behind the first events of a source's rows."""
        found = self._roots.get(source)
        if found is None:
            arrays = self._arrays
            low, high = arrays["source_first"][source : source + 2].tolist()
            events = arrays["row_event"][low:high]
            found = self._roots[source] = tuple(
                Question(
                    terminal,
                    column,
                    self._make(
                        None if terminal == NO_EVENT else arrays["event_contexts"][events[chosen]],
                        arrays["row_word"][low:high][chosen],
                        arrays["row_set"][low:high][chosen],
                    ),
                )
                for terminal, column, chosen in self._split(events)
            )
        return found

    def answer(self, node: Node, state: int) -> Answer:
        """Return what a node says with a refined state on top of the stack."""
        found = node.answers.get(state)
        if found is None:
            found = node.answers[state] = self._answer(node, state)
        return found

    def forget(self) -> None:
        """Forget all answers."""
        self._roots.clear()
        self._sets.clear()
        self.n_bytes = 0

    def _make(self, groups: Ints | None, words: Ints, sets: Ints) -> Node:
        return Node(groups, words, sets, self._arrays["word_class"][words])

    def _answer(self, node: Node, state: int) -> Answer:
        context = self._tables.context(state)
        flags = self._tables.verdicts(state)[node.classes]
        if node.groups is not None:
            flags *= self._inside[context][node.groups]
        # Rows outside the context are 0 here, so equal bytes have equal children, too.
        key = flags.tobytes()
        found = node.alike.get(key)
        if found is None:
            found = node.alike[key] = self._split_rows(node, context, flags)
        return found

    def _split_rows(self, node: Node, context: int, flags: NDArray[np.uint8]) -> Answer:
        arrays = self._arrays
        sure = (flags == MAY).nonzero()[0]
        tokens = self._unite(node.sets[sure]) if len(sure) else None
        questions, trials = [], []
        depending = (flags > MAY + 1).nonzero()[0]
        if len(depending):
            events = arrays["word_event"][node.words[depending]]
            for place in depending[events == A_FINAL].tolist():
                word = node.words[place]
                final, column = int(arrays["word_final"][word]), int(arrays["word_column"][word])
                trials.append(Trial(final, column, self._one_set(int(node.sets[place]))))
            kinds = {self._kind_of[event] for event in events.tolist() if event != A_FINAL}
            for terminal, column in sorted(kinds):
                child = self._child(node, context, terminal, column)
                questions.append(Question(terminal, column, child))
        return Answer(tokens, tuple(questions), tuple(trials))

    def _child(self, node: Node, context: int, terminal: int, column: int) -> Node:
        """Return what is left of a node's rows behind an event; the same for all its states."""
        key = (context, terminal, column)
        child = node.children.get(key)
        if child is None:
            arrays = self._arrays
            events = arrays["word_event"][node.words]
            chosen = (
                (events != A_FINAL)
                & (arrays["event_terminal"][events] == terminal)
                & (arrays["event_column"][events] == column)
            )
            if node.groups is not None:
                chosen &= self._inside[context][node.groups] != 0
            child = node.children[key] = self._make(
                arrays["event_contexts"][events[chosen]],
                arrays["word_rest"][node.words[chosen]],
                node.sets[chosen],
            )
        return child

    def _split(self, events: Ints) -> list[tuple[int, int, Ints]]:
        """Return the (terminal, column) of events, each with the places where it stands."""
        terminals = self._arrays["event_terminal"][events]
        columns = self._arrays["event_column"][events]
        key = terminals.astype(np.int64) << 32 | (columns.astype(np.int64) + (1 << 21))
        distinct, inverse = np.unique(key, return_inverse=True)
        return [
            (
                value >> 32,
                (value & 0xFFFFFFFF) - (1 << 21),
                np.flatnonzero(inverse == number).astype(np.int32),
            )
            for number, value in enumerate(distinct.tolist())
        ]

    def _one_set(self, number: int) -> Tokens:
        found = self._sets.get(number)
        if found is None:
            found = self._sets[number] = self._unite(np.array([number], dtype=np.int32))
        return found

    def _unite(self, sets: Ints) -> Tokens:
        """Return the union of some token sets, as the few words of a mask that it touches."""
        arrays = self._arrays
        dense = arrays["set_mask"][sets]
        sparse = sets[dense < 0]
        begin = arrays["set_first"][sparse]
        counts = arrays["set_first"][sparse + 1] - begin
        ends = np.cumsum(counts)
        n_tokens = int(ends[-1]) if len(ends) else 0
        tokens = arrays["set_tokens"][
            np.repeat(begin - ends + counts, counts) + np.arange(n_tokens, dtype=np.int32)
        ]
        dense = dense[dense >= 0]
        if len(dense) or 2 * n_tokens > self._n_words:
            mask = _pack(tokens, self._n_words)
            for number in set(dense.tolist()):
                np.bitwise_or(mask, arrays["masks"][number], out=mask)
            found = Tokens(None, mask)
        else:
            mask = _pack(tokens, self._n_words)
            words = np.unique(tokens >> 5)
            found = Tokens(words, mask[words])
        self.n_bytes += found.bits.nbytes * (1 if found.words is None else 2)
        return found


def _pack(tokens: Ints, n_words: int) -> Mask:
    """Return a token set as a mask."""
    if len(tokens) < 500:
        mask = np.zeros(n_words, dtype=np.int32)
        np.bitwise_or.at(mask, tokens >> 5, np.left_shift(1, tokens & 31))
        return mask
    legal = np.zeros(n_words * 32, dtype=np.uint8)
    legal[tokens] = 1
    return np.packbits(legal, bitorder="little").view("<i4")
