"""The scanner as tables that a walk over many tokens at once can follow.

One byte moves a scanner state inside its lexeme, or ends the lexeme and starts the next one.
Where the next one starts depends on the context the parser will name; contexts that lead
to the same state are taken together. An *event* is a terminal with such a set of contexts:
the terminal goes to the parser, and the walk is only about the cases in which the context
that the parser names then is in the set.

Inside a string or a name nearly all that a token may bring goes on with it and changes nothing. If
no byte below a node of the trie leads to another state, and none begins another lexeme, the subtree
is *invariant*: all tokens below it end where the walk is already. Which classes of bytes change a
state is a set for each state; classes that are in the same sets are one bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc import bits
from maskc.compiler.rows import ParserEvent
from maskc.grammar import LexerSpec
from maskc.ids import DEAD, ENTRY, BoundaryId
from maskc.lexer import End, Scanner, contexts_after
from maskc.vocab.trie import TokenTrie


@dataclass(frozen=True, slots=True, eq=False)
class LexemeSteps:
    """Moves that end a lexeme."""

    end_first: NDArray[np.int32]  # int32[n_states + 1], the ends of state q are `end_first[q] : …`
    end_kind: NDArray[np.int32]  # int32[n_ends], an index of kinds
    # the distinct ends; the last ones are `End(ENTRY, boundary)` for each boundary in turn, with
    # all the contexts that can follow it
    kinds: tuple[End, ...]
    # int32[n_kinds * n_classes + 1], moves of kind k on class c are `move_first[k * n_classes + c]
    # : …`
    move_first: NDArray[np.int32]
    # move_event, move_state: int32[n_moves]
    move_event: NDArray[np.int32]
    move_state: NDArray[np.int32]
    events: tuple[ParserEvent, ...]  # the distinct ones, without columns


def build_steps(lexer: LexerSpec, scanner: Scanner) -> LexemeSteps:
    """Return the moves that end a lexeme, for all states and byte classes."""
    after = contexts_after(lexer)
    n_classes = scanner.next.shape[1]
    kinds = sorted({end for ends in scanner.ends for end in ends})
    kinds += [End(ENTRY, BoundaryId(boundary)) for boundary in range(len(scanner.closed))]
    kind_number = {kind: i for i, kind in enumerate(kinds)}
    event_number: dict[ParserEvent, int] = {}
    counts = np.zeros(len(kinds) * n_classes + 1, dtype=np.int32)
    move_event: list[int] = []
    move_state: list[int] = []
    known: dict[bytes, list[list[tuple[int, int]]]] = {}
    for index, (terminal, boundary) in enumerate(kinds):
        entries = scanner.enter[boundary]
        if terminal != ENTRY:
            contexts = sorted(after.get(terminal, ()))
            entries = np.zeros_like(entries)  # which leads nowhere
            entries[contexts] = scanner.enter[boundary, contexts]
        # Few of these differ: what may follow a terminal may follow many others.
        groups = known.get(entries.tobytes())
        if groups is None:
            groups = known[entries.tobytes()] = _group_contexts(scanner, entries)
        for byte_class, here in enumerate(groups):
            for state, mask in here:
                event = ParserEvent(terminal, mask, 0)
                move_event.append(event_number.setdefault(event, len(event_number)))
                move_state.append(state)
            counts[index * n_classes + byte_class + 1] = len(here)
    return LexemeSteps(
        end_first=np.cumsum([0, *map(len, scanner.ends)]).astype(np.int32),
        end_kind=np.array(
            [kind_number[end] for ends in scanner.ends for end in ends], dtype=np.int32
        ),
        kinds=tuple(kinds),
        move_first=np.cumsum(counts).astype(np.int32),
        move_event=np.array(move_event, dtype=np.int32),
        move_state=np.array(move_state, dtype=np.int32),
        events=tuple(event_number),
    )


def _group_contexts(
    scanner: Scanner, entries: NDArray[np.int32]
) -> list[list[tuple[int, bits.Bits]]]:
    """Return by byte class the states that are entered, ascending, and in which contexts."""
    asking: dict[int, bits.Bits] = {}  # row → the contexts that enter it
    for context, entry in enumerate(entries.tolist()):
        asking[entry] = asking.get(entry, 0) | 1 << context
    found = []
    for column in scanner.entries[list(asking)].T.tolist():
        groups: dict[int, bits.Bits] = {}
        for state, contexts in zip(column, asking.values(), strict=True):
            if state != DEAD:
                groups[state] = groups.get(state, 0) | contexts
        found.append(sorted(groups.items()))
    return found


Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]


class InvariantSubtrees:
    """Says of pairs of a state and a node whether all that is below leaves the state as it is.

    Args:
        following: int32[n_states, n_classes], the scanner's ``next``.
        steps: its steps.
        trie: whose nodes are asked about.
        node_class: int32[n_nodes], the class of the byte that leads to each.
        moving: bool[n_states], in which something else moves with every byte.
    """

    def __init__(
        self, following: Ints, steps: LexemeSteps, trie: TokenTrie, node_class: Ints, moving: Flags
    ) -> None:
        leaves = _find_leaving(following, steps) | moving[:, None]
        distinct, group = np.unique(np.packbits(leaves, axis=0), axis=1, return_inverse=True)
        group = group.reshape(-1)
        n_words = -(-distinct.shape[1] // 64)
        self._leaves = [np.zeros(len(leaves), np.uint64) for _ in range(n_words)]
        self._below = [np.zeros(trie.n_nodes, np.uint64) for _ in range(n_words)]
        _, some = np.unique(group, return_index=True)
        for number, byte_class in enumerate(some.tolist()):
            bit = np.uint64(1 << number % 64)
            self._leaves[number // 64] |= leaves[:, byte_class] * bit
        own = group[node_class]
        for number, below in enumerate(self._below):
            inside = own // 64 == number
            _collect_below(
                trie, np.where(inside, np.uint64(1) << (own % 64).astype(np.uint64), 0), below
            )

    def find(self, state: Ints, node: Ints) -> Flags:
        """Return bool[n]: whether all below a node leaves the state as it is."""
        pairs = zip(self._below, self._leaves, strict=True)
        found = [below[node] & leaves[state] for below, leaves in pairs]
        return np.asarray(np.bitwise_or.reduce(found) == 0)


def _find_leaving(following: Ints, steps: LexemeSteps) -> Flags:
    """Return bool[n_states, n_classes]: a byte leads elsewhere, or begins another lexeme."""
    n_states, n_classes = following.shape
    found: Flags = following != np.arange(n_states, dtype=np.int32)[:, None]
    begins = (np.diff(steps.move_first) > 0).reshape(-1, n_classes)
    n_ends = np.diff(steps.end_first)
    for nth in range(int(n_ends.max(initial=0))):
        some = np.flatnonzero(n_ends > nth)
        found[some] |= begins[steps.end_kind[steps.end_first[some] + nth]]
    return found


def _collect_below(trie: TokenTrie, own: Words, below: Words) -> None:
    """Unite, for each node, the bits of all nodes that stand below it."""
    first = trie.first_child
    for low, high in [*reversed([(1, int(first[1])), *trie.levels()]), (0, 1)]:
        inner = np.flatnonzero(first[low + 1 : high + 1] > first[low:high]) + low
        if len(inner):
            start, end = int(first[low]), int(first[high])
            reached = own[start:end] | below[start:end]
            below[inner] = np.bitwise_or.reduceat(reached, first[inner] - start)
