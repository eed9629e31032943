"""Are two parser stacks equal, however deep they are?

Each stack has a number, and equal stacks have the same: that of the state on top and of the number
below. So only what is new of a stack is looked at: a text that grows by a token is numbered in the
same time at 100,000 open brackets as at one.

Example: after ``[[1`` of JSON the stack of ``[[`` has its number already, and after ``[[2`` all of
it has.

Limits: numbers are remembered as long as other results are. A stack that comes up again after that
has another one, so different numbers say nothing.

Source: hash consing, Ershov 1958 (doi:10.1145/368892.368907).
"""

from __future__ import annotations

from itertools import count

from maskc.runtime.cache.budget import EDGE_BYTES, Budget, Cache
from maskc.runtime.lalr.stack import Stack, serial_of

_STATE_BITS = 32


class StackNumbers:
    """Numbers the stacks of one machine, in whatever threads it is used.

    Args:
        budget: what is remembered is charged to.
    """

    def __init__(self, budget: Budget) -> None:
        self._numbers = count(1)
        self._by_serial = Cache(budget, lambda _: EDGE_BYTES)  # of a stack → its number
        self._by_pair = Cache(budget, lambda _: EDGE_BYTES)  # number below, state → number

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
            key = below << _STATE_BITS | item.state
            known: int | None = self._by_pair.get(key)
            if known is None:
                # Two threads may give two numbers: then each is that of this stack alone.
                known = next(self._numbers)
                self._by_pair.put(key, known)
            self._by_serial.put(serial_of(item), known)
            below = known
        return below
