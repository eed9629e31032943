"""Work that several threads ask for at the same time, done once (single flight).

The first thread that asks for a key does the work; those that ask for it meanwhile wait, and get
its result, or its error if the same input would meet that again. If the first one gave up, was
interrupted or met an error of the moment, the next one does the work.

Work inside other work that has a budget is done by each thread: the budget's exception may come
anywhere, also where a thread tells the others that it is done.

Example: eight threads that ask for one new grammar compile it once.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from maskc.budget import open_budget
from maskc.errors import MaskcError

Wait = Callable[[threading.Condition, Callable[[], bool]], None]


class _Flight:
    """Work that one thread does."""

    def __init__(self) -> None:
        self.is_over = False
        self.result: tuple[Any, ...] = ()
        self.error: MaskcError | None = None

    def has_landed(self) -> bool:
        return self.is_over


class SingleFlight:
    """Does work once for all threads that ask for it at the same time.

    Args:
        wait: waits with a condition until a predicate holds, or raises; the condition is held.
    """

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self.begin_anew()
        _made_here.add(self)

    def begin_anew(self) -> None:
        """Forget what other threads do, which a forked process does not have."""
        self._turn = threading.Condition()
        self._flights: dict[Hashable, _Flight] = {}

    def run(self, key: Hashable, work: Callable[[], Any]) -> Any:
        """Return the result of the work, which is done here or by the thread that does it now."""
        if open_budget() is not None:
            return work()
        while True:
            with self._turn:
                flight, is_first = self._flights.get(key), False
                if flight is None:
                    flight, is_first = self._flights.setdefault(key, _Flight()), True
                else:
                    self._wait(self._turn, flight.has_landed)
            if is_first:
                return self._lead(key, flight, work)
            if flight.error is not None:
                # One of its own: each thread adds its traceback.
                raise type(flight.error)(*flight.error.args)
            if flight.result:
                return flight.result[0]

    def _lead(self, key: Hashable, flight: _Flight, work: Callable[[], Any]) -> Any:
        try:
            flight.result = (work(),)
        except MaskcError as error:
            if error.is_lasting:
                flight.error = error
            raise
        finally:
            with self._turn:
                flight.is_over = True
                self._flights.pop(key, None)
                self._turn.notify_all()
        return flight.result[0]


_made_here: weakref.WeakSet[SingleFlight] = weakref.WeakSet()


def _begin_anew() -> None:
    for made in list(_made_here):
        made.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
