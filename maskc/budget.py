"""The budget of a compilation, and the error that says what it ran out of.

A *budget* goes through all passes of a compilation: seconds of processor time, growth of resident
memory, characters of the grammar's text, and work units (symbols that Lark writes out when it
expands the rules). :func:`maskc.bounded.run_bounded` opens it; passes ask the open one.

Work and text are counted before they are done, so that the same input always gets the same answer.
Clock and memory are the backstop, which another thread looks at (:mod:`maskc.bounded`). What
allocates a lot at once, in C, asks :func:`reserve` before.

Limits: the memory is the process's: what other threads allocate meanwhile counts too.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from maskc.errors import BudgetError, LimitError, MaskcError, PostlexError, UnsupportedTerminalError
from maskc.limits import HOW_TO_RAISE, MEGABYTE, Limits
from maskc.system import read_memory
from maskc.wording import LARK_WORDING, Phrase, Wording

Task = str | Callable[[], str]

WORTH_ASKING = 16 * MEGABYTE  # less is seen in time by who looks on


class SpentError(BaseException):
    """Ends the compilation from inside; no ``except Exception`` on the way may keep it."""


@dataclass(slots=True)
class CompileBudget:
    """What is left of the limits of one compilation."""

    limits: Limits  # of the compilation
    name: str  # of the grammar
    task: Task = ""  # what is being worked on
    base: int = 0  # resident memory at the start, in bytes
    text: str = ""  # of the grammar, to find lines in
    wording: Wording = LARK_WORDING  # what its author calls its parts
    # symbol → the author's rule that it was made for, where the author did not name it
    rule_of: Mapping[str, str] = field(default_factory=dict)
    # path → text of what the grammar imports
    imports: Mapping[str, str] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic  # the processor time of the thread that compiles
    until: float = math.inf  # of that clock

    def grown(self) -> int:
        """Return by how many bytes the process has grown."""
        return read_memory() - self.base

    def quote(self, kind: str, name: str) -> str:
        """Return what a terminal or rule is called in a message: with its line, if it has one."""
        name = self.rule_of.get(name, name)
        return self.wording.quote(kind, name, self.text, self.imports)

    def where(self) -> str:
        """Return the name of the grammar and the task, in words."""
        try:
            task = self.task() if callable(self.task) else self.task
        except MemoryError:  # what is told about is what takes it
            task = ""
        return ": ".join(filter(None, (self.name, task)))

    def out_of_time(self) -> BudgetError:
        return BudgetError(
            "seconds of processor time",
            self.limits.seconds,
            f"simplify it, or raise {HOW_TO_RAISE['seconds']}",
            self.where(),
        )

    def out_of_memory(self) -> BudgetError:
        return BudgetError(
            "MB of memory",
            self.limits.bytes / MEGABYTE,
            f"simplify it, or raise {HOW_TO_RAISE['bytes']}",
            self.where(),
        )

    def too_deep(self) -> LimitError:
        """Return the error for what is nested deeper than Python's calls go."""
        return LimitError("nested calls", sys.getrecursionlimit(), Phrase.NEST_LESS, self.where())

    def reword(self, error: MaskcError) -> MaskcError:
        """Return the error in the words of those who wrote the grammar."""
        if isinstance(error, UnsupportedTerminalError) and error.label:
            return error
        phrases = self.wording.phrases
        if isinstance(error, UnsupportedTerminalError):
            quoted = self.quote("terminal", error.terminal)
            remedy = phrases.get(error.remedy, error.remedy)
            label = f"{self.name}: {quoted}"
            return UnsupportedTerminalError(error.terminal, error.construct, remedy, label)
        if isinstance(error, PostlexError):
            return error.of(self.name)
        fields = [phrases.get(a, a) if isinstance(a, str) else a for a in error.args]
        return error if fields == list(error.args) else type(error)(*fields)


_open: ContextVar[CompileBudget | None] = ContextVar("maskc_open_budget", default=None)


def open_budget() -> CompileBudget | None:
    """Return the budget of the compilation that is going on in this context."""
    return _open.get()


@contextmanager
def opened(budget: CompileBudget) -> Iterator[None]:
    """Have what is called inside ask a budget."""
    token = _open.set(budget)
    try:
        yield
    finally:
        _open.reset(token)


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


def at(task: Task) -> None:
    """Say what is being worked on; a function is asked only if the budget is spent there."""
    budget = _open.get()
    if budget is not None:
        budget.task = task


def name_grammar(
    name: str, text: str, wording: Wording = LARK_WORDING, rule_of: Mapping[str, str] | None = None
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
    """Ask for memory that is about to be taken at once; LimitError: the limit is below it."""
    budget = _open.get()
    if n_bytes < WORTH_ASKING or budget is None:
        return
    if budget.grown() + n_bytes > budget.limits.bytes:
        raise BudgetError(
            f"MB of memory for {what}",
            budget.limits.bytes / MEGABYTE,
            f"simplify it, or raise {HOW_TO_RAISE['bytes']}",
            budget.where(),
        )


def poll() -> None:
    """End the compilation here if its time is spent; see the module."""
    budget = _open.get()
    if budget is not None and budget.clock() > budget.until:
        raise SpentError


def check_text(n_characters: int, name: str) -> None:
    """Check the size of a grammar that is about to be read; LimitError: it is too large."""
    limit = current_limits().text
    if n_characters > limit:
        raise LimitError(
            Phrase.CHARACTERS, limit, f"remove unused parts, or raise {HOW_TO_RAISE['text']}", name
        )
