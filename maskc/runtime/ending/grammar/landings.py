"""Where do tokens lead, all at once, with an LALR grammar?

Most bytes move the scanner only, and what it does is the same on every stack. So tokens are
followed as triples of a node of their trie, a scanner state and a *context*: a stack with the open
blocks, and the column that is reached. A level of the trie is one look-up in the scanner's table,
and the parser is asked once for each context and scanner state in which a lexeme ends. Thousands of
places of a text, one token on, are a few dozen contexts.

Example: from the start of a line of Python most tokens stay inside of a name: one context, and as
many scanner states as beginnings of keywords.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maskc.ids import DEAD, FORKS, NO_LINE, ScannerStateId
from maskc.runtime.effort import spend_at_once
from maskc.runtime.ending.tokens.paths import Ints, TokenPaths
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine, find_effect
from maskc.runtime.lalr.newlines import COUNTED
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack

_UNKNOWN = -3
_FEW = 100  # texts that are followed one by one
_MOST_FLAGS = 4_000_000


class Reached(NamedTuple):
    """Where texts of the trie lead.

    Attributes:
        texts: int32[n], places of the texts.
        which: int32[n], of each the number of its hypothesis; a text may have several.
        hypotheses: live or not, each once.
    """

    texts: Ints
    which: Ints
    hypotheses: list[Hypothesis]


class Context(NamedTuple):
    """What of a hypothesis is not the scanner's.

    Attributes:
        stack, indents, column: as in a hypothesis.
    """

    stack: Stack
    indents: tuple[int, ...]
    column: int


class Landings:
    """Follows the tokens of an LALR machine's hypotheses.

    Args:
        machine: of the grammar.
        paths: the tokens in its letters.
    """

    def __init__(self, machine: LalrMachine, paths: TokenPaths) -> None:
        self._machine, self._trie, self._paths = machine, paths.trie, paths
        firsts = bytes(group[0] for group in machine.byte_groups)
        self._bytes = firsts
        self._classes = np.frombuffer(
            firsts.translate(machine.scanner.byte_classes), dtype=np.uint8
        )
        shape = (machine.scanner.n_states, len(firsts))
        self._moves = np.full(shape, _UNKNOWN, dtype=np.int32)
        self._next = np.zeros(shape, dtype=np.int32)
        self._counts = np.array(machine.counts_columns)
        self._counts_any = machine.newlines is not None
        self._high = np.asarray(paths.trie.high)

    def follow(self, h: Hypothesis, is_asked: NDArray[np.bool_], reads: ReadSet) -> Reached:
        """Return where texts lead.

        Args:
            h: before them.
            is_asked: bool[n_texts], the texts of the trie that are asked for.
            reads: notes what was read.
        """
        walk = _WalkFrom(self._machine, h, reads)
        trie, paths, n_states = self._trie, self._paths, len(self._moves)
        n_before = np.concatenate([[0], np.cumsum(is_asked, dtype=np.int32)])
        nodes, contexts = np.zeros((2, 1), dtype=np.int32)
        states = np.array([h.state], dtype=np.int32)
        texts, ends = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
        depth = 0
        while len(nodes):
            nodes, counts = paths.children(nodes)
            spend_at_once(len(nodes))
            is_on = n_before[trie.low_array[nodes]] < n_before[self._high[nodes]]
            nodes = nodes[is_on]
            contexts, states = (np.repeat(x, counts)[is_on] for x in (contexts, states))
            if len(nodes) <= _FEW and (self._high[nodes] - trie.low_array[nodes]).sum() <= _FEW:
                break
            _, nodes, contexts, states = self.step(walk, nodes, contexts, states)
            depth += 1
            low = trie.low_array[nodes]
            is_end = (trie.ending_array[nodes] > 0) & is_asked[low]
            texts.append(low[is_end])
            ends.append(contexts[is_end].astype(np.int64) * n_states + states[is_end])
        distinct, which = number(np.concatenate(ends), len(walk) * n_states)
        found = [walk.hypothesis(*divmod(key, n_states)) for key in distinct.tolist()]
        ends_of: list[int] = []
        for text, begun in self._list_rest(walk, is_asked, nodes, contexts, states):
            written = bytes(self._bytes[letter] for letter in trie.texts[text][depth:])
            for after in self._machine.stepper.step((begun,), written, reads):
                ends_of.append(text)
                found.append(after)
        texts.append(np.array(ends_of, dtype=np.int32))
        more = np.arange(len(distinct), len(found), dtype=np.int32)
        return Reached(np.concatenate(texts), np.concatenate([which, more]), found)

    def _list_rest(
        self,
        walk: Walk,
        is_asked: NDArray[np.bool_],
        nodes: Ints,
        contexts: Ints,
        states: Ints,
    ) -> Iterator[tuple[int, Hypothesis]]:
        """Yield the texts of a few nodes, and the hypotheses before the nodes' last letters."""
        low, high = self._trie.low_array[nodes].tolist(), self._high[nodes].tolist()
        begun = zip(low, high, contexts.tolist(), states.tolist(), strict=True)
        for first, last, context, state in begun:
            h = walk.hypothesis(context, state)
            for text in range(first, last):
                if is_asked[text]:
                    yield text, h

    def step(
        self, walk: Walk, nodes: Ints, contexts: Ints, states: Ints
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the triples after the last letters of some nodes, and of each which it was."""
        letters = self._trie.byte_array[nodes]
        moves = self._moves[states, letters]
        if (moves == _UNKNOWN).any():
            self._list_moves(np.unique(states).tolist())
            moves = self._moves[states, letters]
        on = np.flatnonzero(moves > DEAD)
        found = [(on.astype(np.int32), contexts[on], moves[on])]
        ending = np.flatnonzero(moves < DEAD)
        if len(ending):
            forks = ending[moves[ending] == FORKS]
            after = self._next[states[forks], letters[forks]]
            found.append((forks.astype(np.int32), contexts[forks], after))
            found += self._end(walk, contexts, states, letters, ending)
        which, contexts, states = (np.concatenate([part[k] for part in found]) for k in range(3))
        if self._counts_any:
            contexts = self._count(walk, contexts, states, letters[which])
        return which, nodes[which], contexts, states

    def may_step(self, state: ScannerStateId) -> NDArray[np.bool_]:
        """Return bool[n_letters], whether the scanner knows a way on with a letter."""
        self._list_moves([state])
        found: NDArray[np.bool_] = self._moves[state] != DEAD
        return found

    def _list_moves(self, states: list[int]) -> None:
        scanner = self._machine.scanner
        for state in map(ScannerStateId, states):
            if self._moves[state, 0] == _UNKNOWN:
                for table, row in (
                    (self._next, scanner.next(state)),
                    (self._moves, scanner.moves(state)),
                ):
                    table[state] = np.array([*row], dtype=np.int32)[self._classes]

    def _end(
        self,
        walk: Walk,
        contexts: Ints,
        states: Ints,
        letters: NDArray[np.uint8],
        ending: NDArray[np.intp],
    ) -> list[tuple[Ints, Ints, Ints]]:
        """Return what begins a lexeme where the open one may end."""
        keys = contexts[ending].astype(np.int64) * len(self._moves) + states[ending]
        order = np.argsort(keys, kind="stable")
        ending, keys = ending[order], keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        found = []
        for start, members in zip(starts.tolist(), np.split(ending, starts[1:]), strict=True):
            for context, row in walk.ends(*divmod(int(keys[start]), len(self._moves))):
                entered = row[self._classes[letters[members]]]
                on = np.flatnonzero(entered != DEAD)
                begun = np.full(len(on), context, dtype=np.int32)
                found.append((members[on].astype(np.int32), begun, entered[on]))
        return found

    def _count(self, walk: Walk, contexts: Ints, states: Ints, letters: NDArray[np.uint8]) -> Ints:
        """Return the contexts with the columns that newlines have reached."""
        counting = np.flatnonzero(self._counts[states])
        if not len(counting):
            return contexts
        contexts = contexts.copy()
        keys = contexts[counting].astype(np.int64) * 256 + letters[counting]
        distinct, which = np.unique(keys, return_inverse=True)
        after = [walk.count(key >> 8, self._bytes[key & 255]) for key in distinct.tolist()]
        contexts[counting] = np.array(after, dtype=np.int32)[which]
        return contexts


def number(keys: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int64], Ints]:
    """Return the distinct keys, ascending, and of each key its place among them.

    Args:
        keys: from 0 on.
        limit: above all keys.
    """
    if limit > _MOST_FLAGS:
        distinct, which = np.unique(keys, return_inverse=True)
        return distinct, which.astype(np.int32)
    is_there = np.zeros(limit, dtype=np.bool_)
    is_there[keys] = True
    places = np.cumsum(is_there, dtype=np.int32) - 1
    return np.flatnonzero(is_there), places[keys]


class Walk:
    """The contexts of one walk.

    Args:
        machine: of the grammar.
        reads: notes what was read.
    """

    def __init__(self, machine: LalrMachine, reads: ReadSet) -> None:
        self._machine, self._reads = machine, reads
        self._contexts: list[Context] = []
        self._number: dict[object, int] = {}
        self._ends: dict[tuple[int, int], list[tuple[int, Ints]]] = {}
        # By boundary and the lexer's context: the states by byte class.
        self._rows: dict[tuple[int, int], Ints] = {}

    def __len__(self) -> int:
        return len(self._contexts)

    def begin(self, h: Hypothesis) -> int:
        """Return the number of a hypothesis' context."""
        return self._find(Context(h.stack, h.indents, h.column))

    def hypothesis(self, context: int, state: int) -> Hypothesis:
        """Return a context with a scanner state."""
        found = self._contexts[context]
        return Hypothesis(ScannerStateId(state), found.stack, found.indents, found.column)

    def _find(self, context: Context) -> int:
        """Return the number of a context."""
        key = self._key_of(context)
        found = self._number.setdefault(key, len(self._contexts))
        if found == len(self._contexts):
            self._contexts.append(context)
        return found

    def _key_of(self, context: Context) -> Hashable:
        """Return what tells a context from the others: equal stacks may be told apart."""
        return context

    def ends(self, number: int, state: int) -> list[tuple[int, Ints]]:
        """Return what the end of the open lexeme leaves: contexts, and states by byte class."""
        found = self._ends.get((number, state))
        if found is None:
            found = self._ends[number, state] = []
            machine, context = self._machine, self._contexts[number]
            for terminal, boundary in machine.scanner.ends(ScannerStateId(state)):
                stack, indents, column = context
                ended = machine.lexemes.end(stack, indents, terminal, column, self._reads)
                if ended is not None:
                    key = (boundary, machine.tables.context[ended[0].state])
                    row = self._rows.get(key)
                    if row is None:
                        row = np.array(machine.scanner.entry(*key), dtype=np.int32)
                        self._rows[key] = row
                    found.append((self._find(Context(*ended, NO_LINE)), row))
        return found

    def count(self, number: int, byte: int) -> int:
        """Return the context after a byte of a newline."""
        context, newlines = self._contexts[number], self._machine.newlines
        if newlines is None or self._machine.tables.enclosed[context.stack.state]:
            return number
        if byte not in COUNTED:
            return number
        column = newlines.next_column(context.column, byte)
        return self._find(Context(context.stack, context.indents, column))


class _WalkFrom(Walk):
    """The contexts of one walk from one hypothesis.

    Args:
        machine: of the grammar.
        h: before all tokens.
        reads: notes what was read.
    """

    def __init__(self, machine: LalrMachine, h: Hypothesis, reads: ReadSet) -> None:
        super().__init__(machine, reads)
        self._h = h
        self.begin(h)

    def _key_of(self, context: Context) -> Hashable:
        after = Hypothesis(self._h.state, *context)
        effect = find_effect(self._h, after, self._reads.lowest)
        return (effect[:2], context.indents, context.column)
