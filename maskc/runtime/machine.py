"""The interface of a machine, as a matcher needs it, and sequences of tokens that are taken by it.

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

A machine is shared by all matchers of an artifact, in whatever threads they run.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from maskc.errors import LimitError
from maskc.runtime.arguments import as_number, as_token_ids
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.step_budget import one_mask

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
