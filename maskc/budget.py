"""What may a compilation take, and what did it run out of?

A *budget* goes through all passes of a compilation: seconds of processor time, growth of resident
memory, characters of the grammar's text, and work units (symbols that Lark writes out when it
expands the rules). :func:`run_bounded` opens it, unless one is open; passes ask the open one.

Work and text are counted before they are done, so that the same input always gets the same answer.
Clock and memory are the backstop: a second thread looks at both every 50 ms and, where one is
spent, raises an exception in the compiling thread, at the next call or loop of any Python code,
Lark's included; it costs nothing where nobody looks. What allocates a lot at once, in C, asks
:func:`reserve` before. Modules that are compiled by mypyc neither let another thread run nor take
its exceptions: their long loops call :func:`poll` now and then.

Example: ``run_bounded(work, Limits(seconds=2))`` returns what ``work()`` returns, or raises
``LimitError: x.lark: pass store: more than 2 seconds of processor time; …``.

Limits: one call of C code is not interrupted, so none may take long
(:mod:`maskc.frontends.match_length` is why no grammar's pattern is given to ``re`` with a text).
The memory is the process's: what other threads allocate meanwhile counts too. Where a thread has no
clock of its own, the wall's is taken.
"""

from __future__ import annotations

import ctypes
import math
import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from maskc.errors import (
    BudgetError,
    LimitError,
    MaskcError,
    PostlexError,
    UnsupportedTerminalError,
)
from maskc.limits import MEGABYTE, WAYS, Limits
from maskc.wording import LARK_WORDING, Phrase, Wording

T = TypeVar("T")
Place = str | Callable[[], str]

WORTH_ASKING = 16 * MEGABYTE  # less is seen in time by who looks on
LOOK_EVERY = 0.05  # seconds
LOOK_AGAIN_EVERY = 0.01  # seconds, once it is raised
RAISE_AGAIN_AFTER = 1.0  # seconds, if somebody caught it


class _SpentError(BaseException):
    """Ends the compilation from inside; no ``except Exception`` on the way may keep it."""


@dataclass(slots=True)
class Budget:
    """What is left of the limits of one compilation.

    Attributes:
        limits: of the compilation.
        name: of the grammar.
        place: what is being worked on.
        base: resident memory at the start, in bytes.
        text: of the grammar, to find lines in.
        wording: what its author calls its parts.
        rule_of: symbol → the author's rule that it was made for, where the author did not name it.
        imports: path → text of what the grammar imports.
        clock: the processor time of the thread that compiles.
        until: of that clock.
    """

    limits: Limits
    name: str
    place: Place = ""
    base: int = 0
    text: str = ""
    wording: Wording = LARK_WORDING
    rule_of: Mapping[str, str] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    until: float = math.inf

    def grown(self) -> int:
        """Return by how many bytes the process has grown."""
        return read_memory() - self.base

    def quote(self, kind: str, name: str) -> str:
        """Return what a terminal or rule is called in a message: with its line, if it has one."""
        name = self.rule_of.get(name, name)
        return self.wording.quote(kind, name, self.text, self.imports)

    def where(self) -> str:
        """Return the place in words."""
        try:
            place = self.place() if callable(self.place) else self.place
        except MemoryError:  # what is told about is what takes it
            place = ""
        return ": ".join(filter(None, (self.name, place)))

    def out_of_time(self) -> BudgetError:
        """Return the error that says so."""
        return BudgetError(
            "seconds of processor time",
            self.limits.seconds,
            f"simplify it, or allow more with {WAYS['seconds']}",
            self.where(),
        )

    def out_of_memory(self) -> BudgetError:
        """Return the error that says so."""
        return BudgetError(
            "MB of memory",
            self.limits.bytes / MEGABYTE,
            f"simplify it, or allow more with {WAYS['bytes']}",
            self.where(),
        )

    def too_deep(self) -> LimitError:
        """Return the error for what is nested deeper than Python's calls go."""
        return LimitError(
            "calls inside each other",
            sys.getrecursionlimit(),
            Phrase.NEST_LESS,
            self.where(),
        )


_open: ContextVar[Budget | None] = ContextVar("maskc_open_budget", default=None)


def open_budget() -> Budget | None:
    """Return the budget of the compilation that is going on in this context."""
    return _open.get()


def current_limits() -> Limits:
    """Return the limits of the open budget; the default ones if none is open."""
    budget = _open.get()
    return budget.limits if budget else Limits()


def name_parts(names: Mapping[str, str]) -> None:
    """Say what the author calls parts of the grammar that have names of Lark's making."""
    budget = _open.get()
    if budget is not None:
        budget.rule_of = {**names, **budget.rule_of}


def own_name(name: str) -> str:
    """Return what the author calls a part of the grammar, as far as somebody said so."""
    budget = _open.get()
    return name if budget is None else budget.rule_of.get(name, name)


def name_imports(texts: Mapping[str, str]) -> None:
    """Say which texts the grammar imports, by path; more may be added later."""
    budget = _open.get()
    if budget is not None:
        budget.imports = texts


def at(place: Place) -> None:
    """Say what is being worked on; a function is asked only if the budget is spent there."""
    budget = _open.get()
    if budget is not None:
        budget.place = place


def name_grammar(
    name: str,
    text: str,
    wording: Wording = LARK_WORDING,
    rule_of: Mapping[str, str] | None = None,
) -> None:
    """Say which grammar it is that the budget is for, and what its author calls its parts."""
    budget = _open.get()
    if budget is not None:
        budget.name, budget.text = name, text
        budget.wording, budget.rule_of = wording, rule_of or {}


def quote_symbol(kind: str, name: str) -> str:
    """Return what a terminal or rule is called in a message: with its line, if it has one."""
    budget = _open.get()
    if budget is None:
        return LARK_WORDING.quote(kind, name, "")
    return budget.quote(kind, name)


def reserve(n_bytes: int, what: str) -> None:
    """Ask for memory that is about to be taken at once.

    Raises:
        LimitError: the limit is below it.
    """
    budget = _open.get()
    if n_bytes < WORTH_ASKING or budget is None:
        return
    if budget.grown() + n_bytes > budget.limits.bytes:
        raise BudgetError(
            f"MB of memory for {what}",
            budget.limits.bytes / MEGABYTE,
            f"simplify it, or allow more with {WAYS['bytes']}",
            budget.where(),
        )


def poll() -> None:
    """End the compilation here if its time is spent; see the module."""
    budget = _open.get()
    if budget is not None and budget.clock() > budget.until:
        raise _SpentError


def check_text(n_characters: int, name: str) -> None:
    """Check the size of a grammar that is about to be read.

    Raises:
        LimitError: it is too large.
    """
    limit = current_limits().text
    if n_characters > limit:
        raise LimitError(
            Phrase.CHARACTERS,
            limit,
            f"leave out what is not used, or allow more with {WAYS['text']}",
            name,
        )


def run_bounded(work: Callable[[], T], limits: Limits | None = None, *, name: str = "") -> T:
    """Return what the work returns; if a budget is open already, it is that one's.

    Args:
        work: is called once, in this thread.
        limits: ``None``: the default ones.
        name: of the grammar.

    Raises:
        LimitError: the budget was spent; nothing of the work goes on.
    """
    if _open.get() is not None:
        return work()
    budget = Budget(limits or Limits(), name, base=read_memory())
    token = _open.set(budget)
    try:
        with _SILENCE:
            return _run_watched(work, budget)
    except MaskcError as error:
        placed = error.at(budget.where()) if isinstance(error, LimitError) else error
        reworded = _reword(placed, budget)
        if reworded is error:
            raise
        raise reworded from None
    finally:
        _open.reset(token)


def _reword(error: MaskcError, budget: Budget) -> MaskcError:
    """Return the error in the words of those who wrote the grammar."""
    if isinstance(error, UnsupportedTerminalError) and error.place:
        return error
    phrases = budget.wording.phrases
    if isinstance(error, UnsupportedTerminalError):
        quoted = budget.quote("terminal", error.terminal)
        remedy = phrases.get(error.remedy, error.remedy)
        place = f"{budget.name}: {quoted}"
        return UnsupportedTerminalError(error.terminal, error.construct, remedy, place)
    if isinstance(error, PostlexError):
        return error.at(budget.name)
    fields = [phrases.get(a, a) if isinstance(a, str) else a for a in error.args]
    return error if fields == list(error.args) else type(error)(*fields)


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
        if issubclass(lost.exc_type, _SpentError):
            self.lost_in.add(threading.get_ident())
        else:
            self._before(lost)


_SILENCE = _Silence()


def _run_watched(work: Callable[[], T], budget: Budget) -> T:
    watch = _Watch(budget)
    try:
        try:
            watch.start()
            return work()
        finally:
            # First of all, and without a call: an exception comes only with calls and loops.
            watch.is_armed = False
    except _SpentError:
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
            except _SpentError:  # it was on its way when the work ended
                continue
    raise watch.reason() from None


class _Watch:
    """Looks at the clock and the memory of a thread from another one."""

    def __init__(self, budget: Budget) -> None:
        self.is_armed = False
        self.reason: Callable[[], LimitError] = budget.out_of_time
        self._budget = budget
        self._watched = threading.get_ident()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        budget.clock = _thread_clock(self._watched)
        budget.until = budget.clock() + budget.limits.seconds
        self._thread = threading.Thread(target=self._look, name="maskc-budget", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.is_armed = True

    def stop(self) -> None:
        """Return when nothing will be raised any more.

        What was raised comes with this thread's next call. Taking it back instead, with no
        exception for the thread, would leave CPython 3.11 and 3.12 looking for one from then on,
        at every call and loop of the whole process, and hang whoever profiles it.
        """
        with self._lock:  # who held it saw that it is armed, and has raised by now
            pass
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()  # a thread that has ended has no clock

    def _look(self) -> None:
        wait, again = LOOK_EVERY, 0.0
        while not self._ended.wait(wait):
            if self._budget.clock() > self._budget.until:
                self.reason = self._budget.out_of_time
            elif self._budget.grown() > self._budget.limits.bytes:
                self.reason = self._budget.out_of_memory
            else:
                continue
            if time.monotonic() < again and self._watched not in _SILENCE.lost_in:
                continue  # it is on its way, through whatever is cleared up
            with self._lock:
                if not self.is_armed:
                    return
                _SILENCE.lost_in.discard(self._watched)
                _raise_in(self._watched, _SpentError)
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


def read_memory() -> int:
    """Return the process's resident memory in bytes; where there is no /proc, its peak."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if os.uname().sysname == "Darwin" else peak * 1024
