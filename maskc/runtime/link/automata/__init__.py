"""Automata over bytes whose states are made when they are needed: what regular pieces read.

States are numbers, and only live ones exist: from each of them some text leads to an accepting
one. An automaton is shared by all links that have the piece, in whatever threads they run: two
threads that make the same state at once find the same number.

An automaton whose states are all known is two tables, which can be sent and read. States that read
every byte alike are one column. What comes from elsewhere is checked where a wrong number would
make a machine fail; that it is the right language is its sender's word.

Example: of the words ``a`` and ``ab``, :meth:`ByteAutomaton.moves` of the start is ``{97: 1}``.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskc.acyclic import mypyc_attr
from maskc.runtime import Shared
from maskc.runtime.link.automata.loops import Loop, PlainLoop, find_plain_loop
from maskc.runtime.step_budget import charge_steps

_Name = TypeVar("_Name", bound=Hashable)

START = 0
NO_LABEL = -1
ATOM = 256  # symbols from here on are no bytes, but tokens: it and the id of one
_NO_MOVE = -1
_NO_ROWS: NDArray[np.int32] = np.zeros((0, 256), dtype=np.int32)
_NOT_KNOWN = (np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int32))  # of no state
# Bytes of memory, about, as tracemalloc counts them; a test compares.
_STATE_BYTES, _MOVE_BYTES, _ROW_BYTES = 300, 45, 1_500
_CHARGED_AT_ONCE = 20_000  # bytes
MAX_MEGABYTES = 128  # that the states of a pattern may take


@mypyc_attr(allow_interpreted_subclasses=True)
class ByteAutomaton(Shared, Generic[_Name]):
    """A deterministic automaton over bytes, made state by state. State ``START`` is the first.

    A subclass says what follows the *name* of a state. Where it ``has_labels``, states may have
    labels, and may be left by tokens too, whatever bytes these have: by *atoms*. A subclass that is
    not compiled sets ``has_labels`` in ``__init__``.

    ``copy.copy`` and ``copy.deepcopy`` return it itself, and it is not pickled.

    Attributes:
        n_bytes: about how much memory the states take that were made so far.
    """

    has_labels = False
    n_bytes = 0
    _charge: Callable[[int], None] | None = None
    _n_charged = 0

    def __init__(self, start: _Name) -> None:
        self._names: list[_Name] = [start]
        self._numbers: dict[_Name, int] = {start: START}
        self._moves: list[dict[int, int] | None] = [None]
        self._may_end: list[bool | None] = [None]
        self._atoms: dict[int, dict[int, int]] = {}
        self._labels_of: dict[int, int] = {}
        # For walks level by level, made when there is one.
        self._rows, self._row_of, self._n_rows = _NO_ROWS, _NOT_KNOWN[1], 0
        self._by_state = _NOT_KNOWN
        self._plain_loops: dict[int, PlainLoop | None] = {}
        self._lock = threading.RLock()

    @abstractmethod
    def find_moves(self, name: _Name) -> dict[int, _Name]:
        """Return byte → the name of the state that it leads to, for bytes that are read there."""

    @abstractmethod
    def is_accepting(self, name: _Name) -> bool:
        """Return whether the text may end in a state, by its name."""

    def find_atoms(self, name: _Name) -> dict[int, _Name]:  # noqa: ARG002  # there are none
        """Return token → the name of the state that it leads to as an atom."""
        return {}

    def label_of(self, name: _Name) -> int:  # noqa: ARG002  # no state has one here
        """Return the label of a state, by its name; ``NO_LABEL`` for none."""
        return NO_LABEL

    def loop_of(self, state: int) -> Loop | None:  # noqa: ARG002  # nothing is counted
        """Return the counted loop that a state lies in, ``None`` if it lies in none."""
        return None

    def plain_loop_of(self, state: int) -> Loop | None:
        """Return the loop without a count that begins in a state; ``None``: it has none."""
        if state not in self._plain_loops:
            found = find_plain_loop(self, state)
            with self._lock:
                self._plain_loops[state] = found
                if found is not None:
                    self.grow(_ROW_BYTES + 4 * found.component.table.size)
        return self._plain_loops[state]

    @property
    def n_states(self) -> int:
        return len(self._names)

    def name_of(self, state: int) -> _Name:
        return self._names[state]

    def state_of(self, name: _Name) -> int:
        """Return the number of a state, which is made if there is none."""
        with self._lock:
            return self._number(name)

    def accepts(self, state: int) -> bool:
        found = self._may_end[state]
        if found is None:
            found = self._may_end[state] = self.is_accepting(self._names[state])
        return found

    def label(self, state: int) -> int:
        if not self.has_labels:
            return NO_LABEL
        found = self._labels_of.get(state)
        if found is None:
            found = self._labels_of[state] = self.label_of(self._names[state])
        return found

    def atoms(self, state: int) -> dict[int, int]:
        found = self._atoms.get(state)
        if found is None:
            with self._lock:
                named = self.find_atoms(self._names[state])
                found = {token: self._number(name) for token, name in named.items()}
                self._atoms[state] = found
        return found

    def moves(self, state: int) -> dict[int, int]:
        """Return byte → the state that it leads to, for the bytes that are read in a state."""
        found = self._moves[state]
        if found is None:
            with self._lock:
                found = self._moves[state]
                if found is None:
                    named = self.find_moves(self._names[state])
                    charge_steps(1 + len(named))
                    found, last, number = dict[int, int](), None, START
                    for byte, name in named.items():
                        # Neighbours mostly lead to the same, and a name may be long to hash.
                        if name is not last:
                            last, number = name, self._number(name)
                        found[byte] = number
                    self._moves[state] = found
                    self.grow(_STATE_BYTES + _MOVE_BYTES * len(found))
        return found

    def reads(self, text: bytes) -> bool:
        state: int | None = START
        for byte in text:
            state = self.moves(state).get(byte) if state is not None else None
        return state is not None and self.accepts(state)

    def _number(self, name: _Name) -> int:
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self._names)
            self._moves.append(None)
            self._may_end.append(None)
            self._names.append(name)
        return found

    def step_all(self, states: NDArray[np.int32], bytes_: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return int32[n], the state after each byte from the state beside it, -1 for none."""
        rows = self._row_of[states] if int(states.max(initial=0)) < len(self._row_of) else None
        if rows is None or int(rows.min(initial=0)) < 0:
            self._make_rows(np.unique(states).tolist())
            rows = self._row_of[states]
        after: NDArray[np.int32] = self._rows[rows, bytes_]
        return after

    def know_all(self) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return of each state so far whether it accepts, and its label."""
        accepts, labels = self._by_state
        if self.n_states > len(labels):
            new = range(len(labels), self.n_states)
            labels = np.append(labels, np.array([self.label(s) for s in new], dtype=np.int32))
            accepts = np.append(accepts, [self.accepts(state) for state in new])
            self._by_state = accepts, labels
        return accepts, labels

    def charge_to(self, charge: Callable[[int], None]) -> None:
        """Have states charged as they are made: some thousand bytes at once."""
        self._charge, self._n_charged = charge, self.n_bytes

    def grow(self, n_bytes: int) -> None:
        """Count what a state takes that was made; of a thread that has the lock."""
        self.n_bytes += n_bytes
        left = self.n_bytes - self._n_charged
        if left > _CHARGED_AT_ONCE and self._charge is not None:
            self._n_charged = self.n_bytes
            self._charge(left)

    def _make_rows(self, states: list[int]) -> None:
        """Make sure that some states have a row in the array."""
        moves = [self.moves(state) for state in states]
        with self._lock:
            if self.n_states > len(self._row_of):
                more = np.full(2 * self.n_states, _NO_MOVE, dtype=np.int32)
                more[: len(self._row_of)] = self._row_of
                self._row_of = more
            for state, moved in zip(states, moves, strict=True):
                if self._row_of[state] >= 0:
                    continue
                if self._n_rows == len(self._rows):
                    n_rows = max(8, 2 * len(self._rows))
                    rows = np.full((n_rows, 256), _NO_MOVE, dtype=np.int32)
                    rows[: len(self._rows)] = self._rows
                    self._rows = rows
                self._rows[self._n_rows, list(moved)] = list(moved.values())
                # Only once the row is written: a thread that finds its number reads it.
                self._row_of[state] = self._n_rows
                self._n_rows += 1
                self.grow(_ROW_BYTES)


# Of sorted words: the first, one past the last, and the symbols that were read of each.
Left = tuple[int, int, int]


def split_words(words: Sequence[Sequence[int]], left: Left) -> dict[int, Left]:
    """Return symbol → what is left of sorted words of which one goes on with it."""
    low, high, depth = left
    found = dict[int, Left]()
    if low < high and len(words[low]) == depth:
        low += 1
    while low < high:
        symbol = words[low][depth]
        end = low + 1
        # Mostly few words are left: look at the next one before searching for the last.
        if end < high and words[end][depth] == symbol:
            end = bisect_right(words, symbol, end, high, key=lambda word: word[depth])
        found[symbol] = (low, end, depth + 1)
        low = end
    return found


class SortedWords(ByteAutomaton[Left]):
    """Reads one of some words of symbols, sorted, each once; symbols that are no bytes are atoms.

    A state is what is left of the words, and where they are. Walks need no states, see
    :func:`maskc.runtime.link.automata.walk.walk_words`.
    """

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        self.words = words
        super().__init__((0, len(words), 0))


class Words(SortedWords):
    """Reads one of some words, sorted, each once."""

    words: Sequence[bytes]

    def find_moves(self, name: Left) -> dict[int, Left]:
        return split_words(self.words, name)

    def is_accepting(self, name: Left) -> bool:
        low, high, depth = name
        return low < high and len(self.words[low]) == depth


_DTYPES = {"byte_class": "uint8", "after": "int32", "accepting": "bool"}


class TabledAutomaton(ByteAutomaton[int]):
    """Reads what its tables say, which :func:`tabulate` made; ValueError if they are none.

    They are ``byte_class`` uint8[256], ``after`` int32[states, classes] with -1 for none,
    ``accepting`` bool[states].
    """

    def __init__(self, tables: Mapping[str, NDArray[Any]]) -> None:
        fault = _find_fault(tables)
        if fault:
            raise ValueError(fault)
        self._after, self._accepting = tables["after"], tables["accepting"]
        self._byte_class = tables["byte_class"]
        self.n_bytes = self._after.nbytes
        super().__init__(START)

    def find_moves(self, name: int) -> dict[int, int]:
        row = self._after[name][self._byte_class]
        read = np.flatnonzero(row >= 0)
        return dict(zip(read.tolist(), row[read].tolist(), strict=True))

    def is_accepting(self, name: int) -> bool:
        return bool(self._accepting[name])


def tabulate(automaton: ByteAutomaton[Any], most: int) -> dict[str, NDArray[Any]] | None:
    """Return the tables of an automaton, ``None`` if it has more than ``most`` states."""
    rows: list[NDArray[np.int32]] = []
    while len(rows) < automaton.n_states:
        if automaton.n_states > most:
            return None
        row = np.full(256, _NO_MOVE, dtype=np.int32)
        moves = automaton.moves(len(rows))
        row[list(moves)] = list(moves.values())
        rows.append(row)
    whole = np.array(rows)
    numbers: dict[bytes, int] = {}
    byte_class = [numbers.setdefault(whole[:, byte].tobytes(), len(numbers)) for byte in range(256)]
    chosen = [byte_class.index(number) for number in range(len(numbers))]
    return {
        "byte_class": np.array(byte_class, dtype=np.uint8),
        "after": np.ascontiguousarray(whole[:, chosen]),
        "accepting": np.array([automaton.accepts(state) for state in range(len(rows))]),
    }


def _find_fault(tables: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong with the tables, ``None`` if nothing is."""
    if {name: table.dtype.name for name, table in tables.items()} != _DTYPES:
        return "the tables of an automaton are of other types, or too many"
    byte_class, after, accepting = (tables[name] for name in _DTYPES)
    n_states = len(accepting)
    if byte_class.shape != (256,) or after.ndim != 2 or after.shape[0] != n_states:
        return "the tables of an automaton do not fit each other"
    if not n_states or accepting.ndim != 1 or int(byte_class.max()) >= after.shape[1]:
        return "an automaton has no states, or too few columns"
    if int(after.min()) < _NO_MOVE or int(after.max()) >= n_states:
        return "an automaton leads to a state that is not there"
    return None
