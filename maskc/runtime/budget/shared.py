"""What is known of the ends of texts, once for each machine that shares a pool of masks.

Constraints of one schema have one machine, and links of the same parts are one text; so what is
found for one request is there for the next one. All of it together takes an eighth of the
``cache_bytes`` of the artifact or the kit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from maskc.runtime.budget.endings import Endings
from maskc.runtime.link.joining.machine import LinkMachine
from maskc.runtime.machine import Machine
from maskc.runtime.schema.tries.tokens import TokenIndex

_MOST_MACHINES: Final = 64
_LOCK: Final = threading.Lock()


class SharedEndings:
    """The endings of the machines of one pool, within so many bytes. Safe from any thread."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._known: OrderedDict[object, Endings] = OrderedDict()
        self._sizes: dict[Endings, int] = {}
        self._lock = threading.Lock()

    def get(self, machine: Machine[Any], index: TokenIndex, ends: frozenset[int]) -> Endings:
        """Return those of a machine; see :class:`Endings`."""
        key: object = machine.root if isinstance(machine, LinkMachine) else machine
        with self._lock:
            found = self._known.get(key)
            if found is None:
                found = self._known[key] = Endings(machine, index, ends, self._make_room)
                if len(self._known) > _MOST_MACHINES:
                    _, dropped = self._known.popitem(last=False)
                    self._sizes.pop(dropped, None)
            self._known.move_to_end(key)
        return found

    def _make_room(self, asking: Endings) -> None:
        """Have endings forget, the one that was not asked for longest first, and who asks last."""
        with self._lock:
            self._sizes.pop(asking, None)  # it comes last now
            self._sizes[asking] = asking.n_bytes
            too_many = sum(self._sizes.values()) - self._most_bytes
            if too_many <= 0:
                return
            others = [each for each in self._sizes if each is not asking]
        for each in (*others, asking):
            if too_many > 0 and each.forget():
                too_many -= self._sizes.pop(each, 0)

    @property
    def n_bytes(self) -> int:
        """About how much is remembered."""
        with self._lock:
            return sum(each.n_bytes for each in self._known.values())


def endings_of(machine: Machine[Any], index: TokenIndex, ends: frozenset[int]) -> Endings:
    """Return what is known of the ends of a machine's texts; see :class:`Endings`."""
    pool = machine.pool
    with _LOCK:
        if pool.endings is None:
            pool.endings = SharedEndings(pool.cache_bytes // 8)
    shared: SharedEndings = pool.endings
    return shared.get(machine, index, ends)
