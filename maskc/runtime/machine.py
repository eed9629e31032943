"""The interface of a machine, as a matcher needs it, and how texts and tokens move over it.

A *machine* reads a text byte by byte and says, after each beginning of it, how it may go on. There
is one for each kind of parser: :mod:`maskc.runtime.lalr` for an LALR table,
:mod:`maskc.runtime.glr` for a general one, :mod:`maskc.runtime.schema` for a JSON Schema. They
share this interface, the pool of numbered masks, and one budget for what they cache; a matcher
knows nothing else of them.

A beginning may have several readings at once, and what a machine knows of one is a *hypothesis*, a
frozen value that nobody else looks into. A machine keeps live hypotheses only, those from which
some text goes on and ends. So the text so far is legal iff there is a hypothesis, and a matcher
never stands in a dead end. The set of legal tokens is the union over the hypotheses; almost always
there is one.

In each machine more than ``MAX_HYPOTHESES`` live ones are a :class:`maskc.errors.LimitError`, and
none is left out: a mask would lack its tokens. A general grammar's readings with one scanner state
are one hypothesis, so there are as many as its scanner has states, and steps are counted.

Example: ``machine.start()`` is where every text begins; ``machine.step(machine.start(), b"[1")`` is
what a machine of json knows after ``[1``, and ``machine.step(machine.start(), b"1]")`` is ``()``.

Of ``]``, ``]`` after ``[[1`` and an end of sequence all three can be taken; what a fourth token
would do is not asked.

Where all tokens lead at once is found with a byte automaton over a machine, which is built lazily:
its states are sets of hypotheses with numbers, and bytes that the machine does not tell apart share
a column of the table. A trie is followed level by level through it, and the machine is asked once
for each pair of a state and a byte. Inside of a string of JSON most tokens lead to where they
began.

A machine is shared by all matchers of an artifact, in whatever threads they run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.runtime.arguments import as_number, as_token_ids
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.step_budget import charge_steps, one_mask

# A machine's own kind of hypothesis.
_H = TypeVar("_H")

# Those of some machine: a matcher hands them back to the machine that it has them from.
Hypotheses = tuple[Any, ...]

# Two readings of one text are rare, and more of them than this are an ambiguous repetition, or
# tables that maskc did not make.
MAX_HYPOTHESES = 1_000

# In the middle of a text, from how many on the dead ones are looked for, and dropped.
MANY_HYPOTHESES = 64

# The groups of a machine that tells all bytes apart.
EVERY_BYTE = tuple(bytes([byte]) for byte in range(256))


def check_hypotheses(n: int) -> None:
    """Check how many live hypotheses a text has.

    Raises:
        LimitError: more than ``MAX_HYPOTHESES``.
    """
    if n > MAX_HYPOTHESES:
        raise LimitError(
            "readings of the text so far",
            MAX_HYPOTHESES,
            "write repetitions and look-aheads so that fewer text decides where a part ends",
        )


class Machine(Protocol[_H]):
    """Reads texts and composes masks."""

    pool: MaskPool  # the distinct masks
    byte_groups: tuple[bytes, ...]  # every byte, in groups of bytes that no hypothesis tells apart

    def start(self) -> tuple[_H, ...]:
        """Return the hypotheses before the first byte: at least one."""

    def step(self, hypotheses: tuple[_H, ...], text: bytes, /) -> tuple[_H, ...]:
        """Return the live hypotheses after some bytes; none: the bytes are illegal there."""

    def take(self, hypotheses: tuple[_H, ...], token_id: int, /) -> tuple[_H, ...]:
        """Return those after a token's bytes, as :meth:`step`; a token without bytes is illegal.

        What a token does is cached: it is much faster than a step when it comes up again.
        """

    def may_end(self, hypothesis: _H, /) -> bool:
        """Return whether the text may end here."""

    def mask(self, hypothesis: _H, /) -> PooledMask:
        """Return the legal tokens, with the end-of-sequence tokens if the text may end.

        A token is among them iff :meth:`take` returns a hypothesis for it.
        """

    def mask_numbers(self, batch: Iterable[tuple[_H, ...]], /) -> list[int]:
        """Return the number in the pool of each sequence's mask, -1 for one without a number."""

    def describe(self, hypothesis: _H, /) -> Hashable:
        """Return all that the future depends on: equal for two hypotheses iff no text tells."""

    def identify(self, hypothesis: _H, /) -> Hashable:
        """Return a small key: equal for two hypotheses only if no text tells.

        It takes time for what is new of a hypothesis, however deep that is, and equal ones may have
        different keys when what was remembered was evicted between.
        """


def take_all(
    machine: Machine[Any],
    ends: frozenset[int],
    here: Hypotheses,
    token_ids: Iterable[int],
    *,
    terminated: bool,
) -> tuple[list[tuple[Hypotheses, int]], Hypotheses, bool]:
    """Return what tokens would do, up to the first illegal one.

    Args:
        machine: of the sequence.
        ends: end-of-sequence ids.
        here: the state before the first of them.
        token_ids: the tokens; what follows the first illegal one is not read.
        terminated: whether the text has ended already.

    Returns:
        the state before each legal token and the token, the last state, and whether the text ends.

    Raises:
        TypeError: one that was read is no integer.
    """
    before: list[tuple[Hypotheses, int]] = []
    for token_id in as_token_ids(token_ids):
        if type(token_id) is not int:
            token_id = as_number("a token", token_id)
        if terminated:
            break
        if token_id in ends:
            if not may_end_with(machine, ends, here, token_id):
                break
            terminated, after = True, here
        else:
            after = machine.take(here, token_id)
            if not after:
                break
        before.append((here, token_id))
        here = after
    return before, here, terminated


def may_end_with(
    machine: Machine[Any], ends: frozenset[int], here: Hypotheses, token_id: int
) -> bool:
    """Return whether a text may end with one of the end-of-sequence tokens."""
    if not any(machine.may_end(h) for h in here):
        return False
    if len(ends) == 1:
        return True
    # A structural tag can ask for one of them, and the mask says for which.
    words = machine.pool.unite(map(machine.mask, here)).words
    return bool(words[token_id >> 5] >> (token_id & 31) & 1)


def take_again(
    machine: Machine[Any], here: Hypotheses, taken: Sequence[int | bytes]
) -> list[Hypotheses]:
    """Return a state and those after each of some tokens or bytes that were taken there before."""
    try:
        return _take_each(machine, here, taken)
    except LimitError:
        # What was not too much the first time is not too much now, though less may be cached.
        with one_mask(sys.maxsize):
            return _take_each(machine, here, taken)


def _take_each(
    machine: Machine[Any], here: Hypotheses, taken: Sequence[int | bytes]
) -> list[Hypotheses]:
    found, take = [here], machine.take
    for one in taken:
        if type(one) is int:
            here = take(here, one)
        elif one:
            here = machine.step(here, one)  # type: ignore[arg-type]  # no integer, so bytes
        found.append(here)
    return found


DEAD: Final = 0
NOT_FOLLOWED: Final = 1
EVERY: Final = 1 << 40  # pairs
_UNKNOWN: Final = -1
_STEPS: Final = 6  # that a machine takes for one byte
_STATE_BYTES: Final = 600


def key_of(machine: Machine[Any], hypotheses: Hypotheses) -> Hashable:
    """Return a key that only hypotheses with the same future have, in whatever order they are."""
    if len(hypotheses) == 1:
        return machine.identify(hypotheses[0])
    return frozenset(map(machine.identify, hypotheses))


class StepTable:
    """A byte automaton, built lazily: its states are hypotheses by number, ``DEAD`` is none.

    ``step`` is a machine's, and is charged for ``n_steps``. ``key`` returns what only hypotheses
    with the same future have, ``stand_in`` what stands for hypotheses after a byte, ``None`` if
    nothing is followed. ``n_made`` counts the steps.
    """

    def __init__(
        self,
        step: Callable[[Hypotheses, bytes], Hypotheses],
        key: Callable[[Hypotheses], Hashable],
        byte_groups: Sequence[bytes],
        stand_in: Callable[[Hypotheses], Hypotheses | None],
        n_steps: int,
    ) -> None:
        self._ask, self._key, self._stand_in, self._n_steps = step, key, stand_in, n_steps
        columns = bytearray(256)
        for column, group in enumerate(byte_groups):
            for byte in group:
                columns[byte] = column
        self.column_of = np.frombuffer(columns, dtype=np.uint8)
        self._bytes = [group[:1] for group in byte_groups]
        self._width = len(self._bytes)
        self._table = np.full((64, self._width), _UNKNOWN, dtype=np.int32)
        self._table[: NOT_FOLLOWED + 1] = [[DEAD], [NOT_FOLLOWED]]
        self._numbers: dict[Hashable, int] = {}
        # By the number of a state, its hypotheses and the key that they had when they came.
        self.hypotheses: list[Hypotheses] = [(), ()]
        self.keys: list[Hashable] = [None, None]
        self.n_made = 0

    def find(self, hypotheses: Hypotheses) -> int:
        """Return the number of the state of some hypotheses."""
        key = self._key(hypotheses)
        state = self._numbers.setdefault(key, len(self.hypotheses))
        if state == len(self.hypotheses):
            self.hypotheses.append(hypotheses)
            self.keys.append(key)
            if state == len(self._table):
                self._table = np.concatenate([self._table, np.full_like(self._table, _UNKNOWN)])
        return state

    def leave_out(self, state: int, bytes_: list[int]) -> None:
        """Note that no text goes on from a state by some bytes, which are whole groups."""
        self._table[state, self.column_of[bytes_]] = DEAD

    def after(self, states: Ints, columns: NDArray[np.uint8], most: int = EVERY) -> Ints:
        """Return int32[n], the state after each column from the state beside it.

        At most so many pairs are asked for; others are ``NOT_FOLLOWED``.
        """
        pairs = states.astype(np.int64) * self._width + columns
        found: Ints = self._table.reshape(-1)[pairs]
        if found.min(initial=DEAD) == _UNKNOWN:
            unknown = np.unique(pairs[found == _UNKNOWN])[: max(0, most)]
            self.n_made += len(unknown)
            self._make(unknown.tolist())
            found = self._table.reshape(-1)[pairs]
            found[found == _UNKNOWN] = NOT_FOLLOWED
        return found

    def move(self, state: int, byte: int) -> int:
        """Return the state after a byte."""
        column = int(self.column_of[byte])
        if self._table[state, column] == _UNKNOWN:
            self._step(state, column)
        return int(self._table[state, column])

    def _make(self, pairs: list[int]) -> None:
        for pair in pairs:
            self._step(*divmod(pair, self._width))

    def _step(self, state: int, column: int) -> None:
        charge_steps(self._n_steps)
        reached, after = self._ask(self.hypotheses[state], self._bytes[column]), DEAD
        if reached:
            found = self._stand_in(reached)
            after = NOT_FOLLOWED if found is None else self.find(found)
        self._table[state, column] = after


class Successors(StepTable):
    """Where tokens lead from hypotheses. Not safe to use from several threads at once."""

    def __init__(
        self, machine: Machine[Any], trie: Trie, stand_in: Callable[[Hypotheses], Hypotheses | None]
    ) -> None:
        key = partial(key_of, machine)
        super().__init__(machine.step, key, machine.byte_groups, stand_in, _STEPS)
        self._trie, self._columns = trie, self.column_of[trie.byte_array]
        # Of each text of the trie, in order, the node that it ends in.
        n_ending = trie.ending_array.astype(np.int64)
        order = np.argsort(np.repeat(trie.low_array, n_ending), kind="stable")
        self._node_of = np.repeat(np.arange(len(n_ending), dtype=np.int32), n_ending)[order]

    def follow(self, start: int, is_asked: NDArray[np.bool_], most: int) -> Ints:
        """Return of each token that is asked about, in the trie's order, the state after it.

        The machine is asked for at most so many pairs, and stops where a limit of steps is reached.
        Levels are followed in order, so it is the longest tokens that are not followed.
        """
        found, until = np.full(len(self._columns), DEAD, dtype=np.int32), self.n_made + most
        found[ROOT], above = start, self._trie.parent_array
        before = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(is_asked, dtype=np.int32)])
        needed = np.flatnonzero(before[self._trie.nodes.high] > before[self._trie.low_array])
        ends = np.searchsorted(needed, self._trie.levels).tolist()
        for first, last in pairwise(ends[1:]):
            nodes = needed[first:last]
            columns = self._columns[nodes]
            found[nodes] = self.after(found[above[nodes]], columns, until - self.n_made)
        return np.where(is_asked, found[self._node_of], DEAD)

    def _make(self, pairs: list[int]) -> None:
        with suppress(LimitError):
            super()._make(pairs)

    @property
    def n_bytes(self) -> int:
        return self._table.nbytes + _STATE_BYTES * len(self.hypotheses) + self._node_of.nbytes
