"""Moves a sequence of a machine by tokens, one after the other.

Nothing is changed here: a matcher asks, and then takes what was found, or does not.

Example: of ``]``, ``]`` after ``[[1`` and an end of sequence all three can be taken; what a fourth
token would do is not asked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from maskc.errors import LimitError
from maskc.runtime.arguments import as_number, as_token_ids
from maskc.runtime.machine import Hypotheses, Machine
from maskc.runtime.step_budget import one_mask


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
