"""Which bytes must come next, whatever the model says?

A byte is forced where the text may not end and every text that goes on begins with that byte. It is
found by trying one byte of each group that the machine does not tell apart; before that, the
legal tokens are looked at, since mostly two of them begin with different bytes.

Example: in json, ``[t`` forces ``rue``, and ``[`` forces nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.machine import Hypotheses, Machine

MAX_FORCED = 4096


def find_forced_bytes(
    machine: Machine[Any], hypotheses: Hypotheses, first_bytes: NDArray[np.int16]
) -> bytes:
    """Return the bytes that every way to go on begins with; empty if there is a choice.

    Args:
        machine: the machine.
        hypotheses: what it knows of the text so far.
        first_bytes: int16[vocab_size]: each token's first byte, -1 for one without bytes.

    Returns:
        at most ``MAX_FORCED`` bytes.
    """
    forced = bytearray()
    here = hypotheses
    while len(forced) < MAX_FORCED and not any(map(machine.may_end, here)):
        if _has_choice(machine, here, first_bytes):
            break
        live = list(_list_live(machine, here))
        if len(live) != 1:
            break
        byte, here = live[0]
        forced.append(byte)
    return bytes(forced)


def _list_live(machine: Machine[Any], here: Hypotheses) -> Iterable[tuple[int, Hypotheses]]:
    """Return the legal bytes and what each leads to; two of them at most."""
    n_found = 0
    for group in machine.byte_groups:
        after = machine.step(here, group[:1])
        if after:
            for byte in group[: 2 - n_found]:
                n_found += 1
                yield byte, after
            if n_found > 1:
                return


def _has_choice(machine: Machine[Any], here: Hypotheses, first_bytes: NDArray[np.int16]) -> bool:
    """Return whether legal tokens are known to begin with different bytes."""
    mask = machine.pool.unite(map(machine.mask, here))
    if mask.has_choice is None:
        firsts = first_bytes[
            np.flatnonzero(np.unpackbits(mask.words.view(np.uint8), bitorder="little"))
        ]
        # A legal token without bytes, where the text may not end, is a choice as well.
        mask.has_choice = bool(((firsts != firsts[:1]) | (firsts < 0)).any())
    return mask.has_choice
