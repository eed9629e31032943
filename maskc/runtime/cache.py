"""The memory budget of computed results: caches, their eviction, and hash consing.

Whatever the machines of an artifact compute can be computed again, so it is cached. All caches of
an artifact share one *budget* in bytes, and each has two *generations*: new results go into the
current one. When the current generations have together reached a third of the budget, the previous
ones are evicted and the current ones become the previous ones. A result that is found in
the previous generation is copied into the current one, so results in use are kept, and results
that only one text needed are gone two generations later.

Evicted results are freed a few at a time, by whoever adds a new one: to free a hundred megabytes
of small objects at once would hold up one fill for a fifth of a second. Until they are freed they
still take memory, so each generation has a third of the budget, and what is being freed the last.
Python's garbage collector runs when so many more objects were made than freed; while old results
are freed as fast as new ones are made it would not run at all, and then look at all the new ones at
once. So meanwhile it is called from here, as often as it would run by itself.

A cache measures a result by its key and itself whenever it enters the current generation, so a
generation's size is that of what is in it. Who adds a result charges nothing; only what makes a
cached result grow charges the growth.

Example: Python's standard library takes about 340 bytes a token when it is first read; with a
budget of 192 MiB the results of the latest 200,000 tokens are cached.

Source: two generations instead of a list in order of use, as a list would be written to at each
look-up; compare the segmented LRU of Karedla, Love and Wherry 1994 (doi:10.1109/2.268884).
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Hashable
from itertools import count
from typing import Any, Final, TypeVar

_Result = TypeVar("_Result")

# Estimated sizes of CPython objects; a test compares what is allocated with the budget.
ENTRY_BYTES: Final = 250  # a key, its entry in a dict, a small result
EDGE_BYTES: Final = 130  # an integer key and its entry in a dict

_FREED_AT_ONCE: Final = 8
_COLLECTED_AFTER: Final = (
    256  # times that some were freed; ten times that for the second generation
)


class Generations:
    """Key → result, twice. Whatever looks into one of them has to read it once."""

    __slots__ = ("current", "previous")

    def __init__(self) -> None:
        self.current: dict[Any, Any] = {}  # what was added or used since the generation began
        # what was current before that, and has not been used since
        self.previous: dict[Any, Any] = {}

    def start(self) -> dict[Any, Any]:
        """Make the current generation the previous one; return the one that is evicted."""
        evicted, self.previous, self.current = self.previous, self.current, {}
        return evicted


class Budget:
    """The number of bytes that several caches may take together. Safe to use from any thread.

    Args:
        limit: in bytes, for both generations and what is being freed.

    Attributes:
        limit: as given, less what was given up.
        n_generations: how many were started; while it stays, nothing is evicted.
    """

    def __init__(self, limit: int) -> None:
        self.limit, self._share = limit, limit // 3
        self.n_generations = 0
        self._charged = 0
        self._previous = 0  # of the previous generation
        self._caches: dict[int, Generations] = {}  # of the caches that live, by id
        self._evicted: list[dict[Any, Any]] = []
        self._n_freed = 0
        self._lock = threading.Lock()

    def add(self, cache: int) -> Generations:
        """Return where a cache, by its id, has its results: its generations are the others'."""
        # Of two that threads make at once, one is used.
        return self._caches.setdefault(cache, Generations())

    def drop(self, cache: int) -> None:
        """Forget the results of a cache that is gone."""
        # Without the lock: the garbage collector may come here while it is held.
        self._caches.pop(cache, None)

    def give_up(self, n_bytes: int) -> None:
        """Leave a part of the limit to others, for good."""
        self.limit -= n_bytes
        self._share = self.limit // 3

    def charge(self, n_bytes: int) -> None:
        """Count bytes towards the current generation, and start a new one if it has its share.

        Caches call it; others only where a result that is cached has grown.
        """
        # Sizes are estimates: an addition that is lost between two threads does no harm.
        self._charged += n_bytes
        if self._charged > self._share or self._evicted:
            self._evict()

    @property
    def n_bytes(self) -> int:
        """About how much is cached: the current generation, and the previous one."""
        return self._charged + self._previous

    def clear(self) -> None:
        """Evict everything and free it now, however long that takes."""
        with self._lock:
            self._charged = self._previous = 0
            self.n_generations += 1
            self._evicted.clear()
            for generations in list(self._caches.values()):
                generations.start()
                generations.start()

    def _evict(self) -> None:
        """Free a few evicted results; start a new generation if the current one has its share."""
        with self._lock:
            self._n_freed += 1
            n_freed = self._n_freed
            for _ in range(_FREED_AT_ONCE):
                if self._evicted and not self._evicted[-1]:
                    self._evicted.pop()
                elif self._evicted:
                    self._evicted[-1].popitem()
            if self._charged > self._share:
                self._charged, self._previous = 0, self._charged
                self.n_generations += 1
                self._evicted += [known.start() for known in list(self._caches.values())]
        # Without the lock: what the collector frees may be somebody's who comes here.
        if n_freed % _COLLECTED_AFTER == 0 and gc.isenabled():
            gc.collect(int(n_freed % (10 * _COLLECTED_AFTER) == 0))


def measure_sized(_: object, result: Any) -> int:
    """Return the bytes of an entry whose result tells its own by ``n_bytes``."""
    return ENTRY_BYTES + int(result.n_bytes)


class Cache:
    """Results by key, in two generations. No result is ``None``.

    Args:
        budget: what the results are charged to.
        measure: key and result → the estimated bytes of both; ``None``: ``n_bytes``.
        n_bytes: what every entry takes, if all take the same.
    """

    def __init__(
        self,
        budget: Budget,
        measure: Callable[[Any, Any], int] | None = None,
        n_bytes: int = ENTRY_BYTES,
    ) -> None:
        self.budget = budget  # as given
        self._measure = measure
        self._n_bytes = n_bytes
        # Made when something is added: a schema's machine has twenty caches, and few are used.
        self._generations: Generations | None = None

    def __del__(self) -> None:
        if self._generations is not None:
            self.budget.drop(id(self))

    @property
    def generations(self) -> Generations:
        """The results.

        Hot loops look into the current ones first, as a call of :meth:`get` takes longer than the
        look-up.
        """
        if self._generations is None:
            self._generations = self.budget.add(id(self))
        return self._generations

    def get(self, key: object) -> Any:
        """Return the result, ``None`` if there is none."""
        generations = self._generations
        if generations is None:
            return None
        current: dict[Any, Any] = generations.current
        found: Any = current.get(key)
        if found is None:
            previous: dict[Any, Any] = generations.previous
            if previous:
                found = previous.get(key)
                if found is not None:
                    self.put(key, found)
        return found

    def get_or_make(self, key: object, make: Callable[[], _Result]) -> _Result:
        """Return the result, which is made if there is none."""
        found: _Result | None = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def put(self, key: object, result: object) -> None:
        """Add a result to the current generation."""
        current: dict[Any, Any] = self.generations.current
        current[key] = result
        self.budget.charge(self.measure(key, result))

    def measure(self, key: object, result: object) -> int:
        """Return about how many bytes a key and its result take."""
        return self._n_bytes if self._measure is None else self._measure(key, result)


class Interner:
    """Hash consing: numbers keys from 1 on, in whatever threads it is used.

    The number of a stack is that of what is on top and of the numbers below, however deep it is. So
    only what is new of a stack is looked at: a text that grows by a token is numbered in the same
    time at 100,000 open brackets as at one.

    Numbers are remembered as long as other results are. What comes up again after that has another
    one, so different numbers say nothing. Two threads may give one key two numbers: a benign race,
    which costs a cache miss.

    Example: after ``[[1`` of JSON the stack of ``[[`` has its number already, and after ``[[2`` all
    of it has.

    Source: Ershov 1958 (doi:10.1145/368892.368907).

    Args:
        budget: what is remembered is charged to.
        n_bytes: of a key.
    """

    def __init__(self, budget: Budget, n_bytes: int = ENTRY_BYTES) -> None:
        self._numbers = count(1)
        self._known = Cache(budget, n_bytes=n_bytes)

    def number(self, key: Hashable) -> int:
        """Return the number of a key: only equal ones have it."""
        known: int | None = self._known.get(key)
        if known is None:
            known = next(self._numbers)
            self._known.put(key, known)
        return known
