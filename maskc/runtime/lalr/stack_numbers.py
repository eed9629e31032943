"""Numbers of LALR parser stacks: equal stacks have one, see :mod:`maskc.runtime.cache.interner`."""

from __future__ import annotations

from maskc.runtime.cache.budget import EDGE_BYTES, Budget, Cache
from maskc.runtime.cache.interner import Interner
from maskc.runtime.lalr.stack import Stack, serial_of

_STATE_BITS = 32


class StackNumbers:
    """Numbers the stacks of one machine, in whatever threads it is used."""

    def __init__(self, budget: Budget) -> None:
        self._by_serial = Cache(budget, lambda _: EDGE_BYTES)  # of a stack → its number
        self._by_pair = Interner(budget, EDGE_BYTES)  # of the number below, and a state

    def number(self, stack: Stack) -> int:
        """Return the number of a stack: only equal ones have it."""
        new: list[Stack] = []
        here: Stack | None = stack
        below = 0  # of what lies below all that is new; 0: nothing
        while here is not None:
            found: int | None = self._by_serial.get(here.serial) if here.serial else None
            if found is not None:
                below = found
                break
            new.append(here)
            here = here.below
        for item in reversed(new):
            below = self._by_pair.number(below << _STATE_BITS | item.state)
            self._by_serial.put(serial_of(item), below)
        return below
