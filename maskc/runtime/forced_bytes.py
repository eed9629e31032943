"""The bytes that must come next, whatever the model says.

A byte is forced where the text may not end and every text that goes on begins with that byte. The
mask says which bytes the legal tokens begin with, mostly two; where it is one, the other bytes that
may come are those that no token writes alone, which few vocabularies have, and these are tried.

Example: in json, ``[t`` forces ``rue``, and ``[`` forces nothing.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.machine import Hypotheses, Machine

MAX_FORCED = 4096
_CHOICE, _NO_TOKEN = -1, -2


class TokenLookup(Protocol):
    """What is asked of the tokens."""

    @property
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for one without bytes."""

    @property
    def joined_bytes(self) -> bytes:
        """The bytes that no token writes alone."""


def find_forced_bytes(machine: Machine[Any], hypotheses: Hypotheses, tokens: TokenLookup) -> bytes:
    """Return the bytes that every way to go on begins with; empty if there is a choice.

    Args:
        machine: the machine.
        hypotheses: what it knows of the text so far.
        tokens: its vocabulary.

    Returns:
        at most ``MAX_FORCED`` bytes.
    """
    forced = bytearray()
    here = hypotheses
    while len(forced) < MAX_FORCED and not any(map(machine.may_end, here)):
        begins = _find_begin(machine, here, tokens.first_bytes)
        if begins == _CHOICE:
            break
        # A byte that some token writes alone may come iff that token is legal.
        candidates = {*tokens.joined_bytes, *([begins] if begins >= 0 else ())}
        live = _list_live(machine, here, sorted(candidates))
        if len(live) != 1:
            break
        byte, here = live[0]
        forced.append(byte)
    return bytes(forced)


def _list_live(
    machine: Machine[Any], here: Hypotheses, candidates: list[int]
) -> list[tuple[int, Hypotheses]]:
    """Return those of some bytes that may come, and what each leads to; two of them at most."""
    found: list[tuple[int, Hypotheses]] = []
    for byte in candidates:
        after = machine.step(here, bytes([byte]))
        if after:
            found.append((byte, after))
            if len(found) > 1:
                break
    return found


def _find_begin(machine: Machine[Any], here: Hypotheses, first_bytes: NDArray[np.int16]) -> int:
    """Return the byte that all legal tokens begin with, ``_CHOICE`` if they differ."""
    mask = machine.pool.unite(map(machine.mask, here))
    if mask.begins is None:
        legal = np.flatnonzero(np.unpackbits(mask.words.view(np.uint8), bitorder="little"))
        firsts = first_bytes[legal]
        if not len(firsts):
            mask.begins = _NO_TOKEN
        elif (firsts != firsts[0]).any() or firsts[0] < 0:
            # A legal token without bytes, where the text may not end, is a choice as well.
            mask.begins = _CHOICE
        else:
            mask.begins = int(firsts[0])
    return mask.begins
