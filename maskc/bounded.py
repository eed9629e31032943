"""Running work until it is done or its budget is spent.

:func:`run_bounded` opens a :class:`~maskc.budget.CompileBudget`, unless one is open, and calls the
work. A second thread looks at the clock and the memory every 50 ms and, where one is spent, raises
an exception in the compiling thread, at the next call or loop of any Python code, Lark's included;
it costs nothing where nobody looks. Modules that are compiled by mypyc neither let another thread
run nor take its exceptions: their long loops call :func:`maskc.budget.poll` now and then.

Limits: one call of C code is not interrupted, so none may take long
(:mod:`maskc.regular.matching` is why no grammar's pattern is given to ``re`` with a text).
Where a thread has no clock of its own, the wall's is taken.
"""

from __future__ import annotations

import _thread
import ctypes
import gc
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from maskc.budget import CompileBudget, SpentError, open_budget, opened
from maskc.errors import LimitError, MaskcError
from maskc.limits import Limits
from maskc.system import bound_data, read_memory, unbound_data

T = TypeVar("T")

LOOK_EVERY = 0.05  # seconds
LOOK_AGAIN_EVERY = 0.01  # seconds, once it is raised
RAISE_AGAIN_AFTER = 1.0  # seconds, if somebody caught it


def run_bounded(work: Callable[[], T], limits: Limits | None = None, *, name: str = "") -> T:
    """Return what the work returns; if a budget is open already, it is that one's.

    Raises:
        LimitError: the budget was spent; nothing of the work goes on.
    """
    if open_budget() is not None:
        return work()
    with QUIET:
        return _run(work, limits, name)


def _run(work: Callable[[], T], limits: Limits | None, name: str) -> T:
    budget = CompileBudget(limits or Limits(), name, base=read_memory())
    with opened(budget):
        try:
            with _SILENCE:
                return _run_watched(work, budget)
        except MaskcError as error:
            located = error.at(budget.where()) if isinstance(error, LimitError) else error
            reworded = budget.reword(located)
            if reworded is error:
                raise
            raise reworded from None


class _Silence:
    """Keeps Python from reporting that our exception was lost where it cannot be raised.

    It may come while the collector or a weak reference calls somebody back: often, where most of
    the time goes to the collector. The watch of that thread is told, and raises it again at once;
    what others lose there is reported as before.

    Attributes:
        lost_in: the threads that have lost it since their watch last looked.
    """

    def __init__(self) -> None:
        self.lost_in: set[int] = set()
        self._lock = threading.Lock()
        self._n_inside = 0
        self._before = sys.unraisablehook

    def __enter__(self) -> None:
        with self._lock:
            if not self._n_inside:
                self._before, sys.unraisablehook = sys.unraisablehook, self._report
            self._n_inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside and sys.unraisablehook == self._report:
                sys.unraisablehook = self._before

    def _report(self, lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, SpentError):
            self.lost_in.add(threading.get_ident())
        else:
            self._before(lost)


_SILENCE = _Silence()


class _Quiet:
    """Keeps ``re`` from warning of ``[[a]`` and its like, in any number of threads.

    A later Python may read a set inside a set there; this one reads a bracket, and so do we.
    """

    _FILTER = (
        "ignore",
        re.compile("Possible (nested set|set (difference|intersection|symmetric|union))"),
        FutureWarning,
        None,
        0,
    )

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_inside = 0

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._FILTER not in warnings.filters:
                _change_filters(lambda filters: filters.insert(0, self._FILTER))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if not self._n_inside and self._FILTER in warnings.filters:
                _change_filters(lambda filters: filters.remove(self._FILTER))


def _change_filters(change: Callable[[list[Any]], None]) -> None:
    """Change the filters of warnings; those that were shown before are looked at again."""
    filters = cast(Any, warnings)
    change(filters.filters)
    filters._filters_mutated()  # noqa: SLF001  # what warnings.filterwarnings calls


QUIET = _Quiet()


def _run_watched(work: Callable[[], T], budget: CompileBudget) -> T:
    watch = _Watch(budget)
    try:
        try:
            watch.start()
            return work()
        finally:
            # First of all, and without a call: an exception comes only with calls and loops.
            watch.is_armed = False
    except SpentError:
        pass  # the watch knows why
    except MemoryError:
        watch.reason = budget.out_of_memory
    except RecursionError:
        watch.reason = budget.too_deep
    finally:
        while True:
            try:
                watch.stop()
                break
            except SpentError:  # it was on its way when the work ended
                continue
    raise watch.reason() from None


class _Watch:
    """Looks at the clock and the memory of a thread from another one.

    Nobody waits for that thread, neither until it runs nor until it has ended, which would take
    longer than to compile what most requests bring.
    """

    def __init__(self, budget: CompileBudget) -> None:
        self.is_armed = False
        self.reason: Callable[[], LimitError] = budget.out_of_time
        self._budget = budget
        self._watched = threading.get_ident()
        self._working = threading.Lock()  # held as long as the work goes on
        self._lock = threading.Lock()
        budget.clock = _thread_clock(self._watched)
        budget.until = budget.clock() + budget.limits.seconds

    def start(self) -> None:
        self._working.acquire()
        self.is_armed = True
        _thread.start_new_thread(self._look, ())

    def stop(self) -> None:
        """Return when nothing will be raised any more.

        What was raised comes with this thread's next call. Taking it back instead, with no
        exception for the thread, would leave CPython 3.11 and 3.12 looking for one from then on,
        at every call and loop of the whole process, and hang whoever profiles it.
        """
        with self._lock:  # who held it saw that it is armed, and has raised by now
            pass
        if self._working.locked():
            self._working.release()

    def _look(self) -> None:
        wait, again = LOOK_EVERY, 0.0
        while not self._working.acquire(timeout=wait):
            with self._lock:
                if not self.is_armed:  # a thread that has ended has no clock
                    return
                if self._budget.clock() > self._budget.until:
                    self.reason = self._budget.out_of_time
                elif self._budget.grown() > self._budget.limits.bytes:
                    self.reason = self._budget.out_of_memory
                else:
                    continue
                if time.monotonic() < again and self._watched not in _SILENCE.lost_in:
                    continue  # it is on its way, through whatever is cleared up
                _SILENCE.lost_in.discard(self._watched)
                _raise_in(self._watched, SpentError)
            wait, again = LOOK_AGAIN_EVERY, time.monotonic() + RAISE_AGAIN_AFTER


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _thread_clock(thread: int) -> Callable[[], float]:
    """Return a function that returns the processor time of a thread, in seconds."""
    find_clock = getattr(time, "pthread_getcpuclockid", None)
    if find_clock is None:
        return time.monotonic
    clock = find_clock(thread)
    return lambda: time.clock_gettime(clock)


_THRESHOLDS = 500_000, 20, 100  # objects, and collections of one generation before the next


def run_dedicated(work: Callable[[], T], limits: Limits) -> T:
    """Return what the work returns; the process does nothing else meanwhile.

    Memory is bounded by the system too, so that a single allocation in C beyond the limit fails at
    once. Python's collector of cycles looks more seldom: nearly all that a compilation makes stays
    until its end, and to walk it again and again was a twelfth of the time.

    Raises:
        LimitError: a limit was reached.
    """

    def bounded() -> T:
        with _bound_memory(limits.bytes), _collect_seldom():
            return work()

    return run_bounded(bounded, limits)


@contextmanager
def _collect_seldom() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _bound_memory(n_bytes: int) -> Iterator[None]:
    before = bound_data(n_bytes)
    try:
        yield
    finally:
        unbound_data(before)
