"""A kit's compiler whose work is done in processes of its own, beside a server's.

Two processes: an order goes to the quick one first, and where its time there is not enough, to the
slow one, which steps back for all others; there, those who have not been there before go ahead, for
some seconds. In both, what is shorter goes ahead of what is longer. So who asks for little waits
for others who ask for little, and not for those who ask for much. What was refused is remembered
for a minute.

What comes back is checked as a file is. A process that is forked from the server's starts processes
of its own when it first needs them.

Example: ``make_kit(vocabulary, compiler=OtherProcess(vocabulary, limits))``.

What is cheap (:mod:`maskc.integrations.compile_costs`) is compiled where it is asked for.

Limits: if the server is killed, a process that works on an order ends after it, in the time that
the order may take.

What was refused a moment ago is refused again for a minute, without being compiled: a client whose
request was refused tends to send it again, and one that means harm does so on purpose.
"""

from __future__ import annotations

import json
import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc.artifact.model import Contents
from maskc.errors import BudgetError, MaskcError
from maskc.integrations.compile_answers import find_or_make, name_order
from maskc.integrations.compile_costs import is_cheap_pattern, is_cheap_schema
from maskc.integrations.compile_lane import Lane
from maskc.integrations.compile_messages import damaged, unpack, write_limits
from maskc.integrations.compile_process import Processes
from maskc.integrations.compile_ticket import Crowd, Ticket
from maskc.integrations.compile_worker import TOKEN_ARRAYS
from maskc.jobs import SchemaJob
from maskc.kit.compiling import Automaton, Compiled, GrammarOrder, InProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, check_contents
from maskc.runtime.link.automata.tabled import TabledAutomaton
from maskc.runtime.schema.plan.plan import FrozenPlan
from maskc.vocab.vocabulary import Vocabulary

_SECONDS = 60.0
_MOST = 1_000


class Refusals:
    """Errors by the names of orders. Safe to use from any thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, MaskcError]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, name: str) -> None:
        """Raise the error with which an order was refused, if it was, in the last minute."""
        with self._lock:
            until, error = self._kept.get(name, (0.0, None))
        if error is not None and time.monotonic() < until:
            # One of its own, since several threads may raise it, each with a traceback.
            raise type(error)(*error.args)

    def add(self, name: str, error: MaskcError) -> None:
        """Keep the error with which an order was refused."""
        with self._lock:
            self._kept[name] = time.monotonic() + _SECONDS, error
            self._kept.move_to_end(name)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)


# Of processor time, until an order begins anew. With llama3 a schema of some hundred characters
# takes 0.01, a grammar of 30 rules 0.2 to 0.3. With 0.1 for schemas and 0.4 for grammars in a third
# process, good grammars waited longer beside hostile ones: two cores have no room for it.
QUICK_SECONDS, SLOW_SECONDS = 0.3, 2.0
_YIELDS = 10.0  # seconds for which one that takes still longer lets others go ahead
# What is longer lets what is shorter go ahead, for as long as it may take on a busy machine.
_CHARACTERS = {"schema": 5_000, "pattern": 1_000, "grammar": 500}  # a second
_SLOW_NICENESS = 10

_ticket: ContextVar[Ticket | None] = ContextVar("maskc_ticket", default=None)


@contextmanager
def holding(ticket: Ticket) -> Iterator[None]:
    """Ask with this ticket in the block, so that another thread can give it up."""
    token = _ticket.set(ticket)
    try:
        yield
    finally:
        _ticket.reset(token)


class OtherProcess:
    """A :class:`maskc.kit.compiling.Compiler`. Safe to use from any thread.

    Args:
        vocabulary: what grammars are compiled for.
        limits: the largest that are asked for.
        keeps_spare: whether there is always a process that waits for orders.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        limits: Limits = REQUEST_LIMITS,
        *,
        keeps_spare: bool = False,
    ) -> None:
        self._begin = partial(self._begin_with, vocabulary, limits, keeps_spare=keeps_spare)
        self._begin()
        self._here = InProcess(lambda: vocabulary)
        texts = [token or b"" for token in vocabulary.tokens]
        self._tokens: dict[str, NDArray[Any]] = {
            TOKEN_ARRAYS[0]: np.cumsum([0, *map(len, texts)]).astype(np.int32),
            TOKEN_ARRAYS[1]: np.frombuffer(b"".join(texts), dtype=np.uint8),
        }
        self._quick.start()
        _made_here.add(self)

    def _begin_with(self, vocabulary: Vocabulary, limits: Limits, *, keeps_spare: bool) -> None:
        self._processes = Processes(vocabulary, limits, keeps_spare=keeps_spare)
        self._quick = Lane(self._processes, niceness=0)
        self._slow = Lane(self._processes, niceness=_SLOW_NICENESS)
        self._refusals = Refusals()
        # Runs when nobody holds this any more, and at the latest when the program ends.
        self.close = weakref.finalize(self, _close, self._quick, self._slow, self._processes)

    def begin_anew(self) -> None:
        """Leave the processes and the locks to the process that this one was forked from."""
        self.close.detach()
        self._begin()

    def plan(self, job: SchemaJob, limits: Limits) -> FrozenPlan:
        """Return the plan of a schema."""
        try:
            asked = job.describe()
            json.dumps(asked)
        except (TypeError, ValueError, RecursionError):
            return self._here.plan(job, limits)  # which says what is wrong with it
        if not job.resources and is_cheap_schema(asked["text"]):
            made: list[FrozenPlan] = []

            def make() -> bytes:
                made.append(self._here.plan(job, limits))
                return made[0].data

            data = find_or_make(asked, make)
            return made[0] if made else FrozenPlan(data)
        return FrozenPlan(self._ask(asked, limits))

    def automaton(self, pattern: str, limits: Limits) -> Automaton:
        """Return the automaton of a pattern: its tables, or one that makes its states here."""
        is_cheap = is_cheap_pattern(pattern)
        data = b"" if is_cheap else self._ask({"kind": "pattern", "text": pattern}, limits)
        if not data:
            return self._here.automaton(pattern, limits)
        try:
            return TabledAutomaton(unpack(data)[1])
        except ValueError as error:
            raise damaged(str(error)) from None

    def artifact(self, order: GrammarOrder, limits: Limits) -> Compiled:
        """Return the artifact of a grammar, or its positions if its loops are to be counted."""
        asked = {
            "kind": "grammar",
            "dialect": order.dialect,
            "text": order.text,
            "settings": dict(order.settings),
        }
        data = self._ask(asked, limits)
        if not data:
            return self._here.artifact(order, limits)
        header, arrays = unpack(data)
        contents = check_contents(Contents(header, {**arrays, **self._tokens}), "<compiled>")
        return Artifact(contents)

    def statistics(self) -> dict[str, int]:
        """Return how many compiling processes were started."""
        return {"processes_started": self._processes.n_started}

    def wait(self, turn: threading.Condition, is_over: Callable[[], bool]) -> None:
        """Wait until another thread has made something, as long as the ticket is good."""
        Crowd(turn).wait(_ticket.get() or Ticket(), is_over)

    def _ask(self, order: Mapping[str, Any], limits: Limits) -> bytes:
        return find_or_make(order, lambda: self._order(order, limits))

    def _order(self, order: Mapping[str, Any], limits: Limits) -> bytes:
        name = name_order({**order, "limits": write_limits(limits)})
        self._refusals.check(name)
        try:
            return self._compile(order, limits, _ticket.get() or Ticket())
        except MaskcError as error:
            if error.is_lasting:
                self._refusals.add(name, error)
            raise

    def _compile(self, order: Mapping[str, Any], limits: Limits, ticket: Ticket) -> bytes:
        yields = min(_YIELDS, len(order["text"]) / _CHARACTERS[order["kind"]])
        for lane, seconds in ((self._quick, QUICK_SECONDS), (self._slow, SLOW_SECONDS)):
            if limits.seconds > seconds:
                try:
                    return lane.ask(order, replace(limits, seconds=seconds), ticket, yields=yields)
                except BudgetError as error:
                    if error.limit != seconds:
                        raise
        return self._slow.ask(order, limits, ticket, yields=_YIELDS)


def _close(*lanes: Lane | Processes) -> None:
    for lane in lanes:
        lane.close()


_made_here: weakref.WeakSet[OtherProcess] = weakref.WeakSet()


def _begin_anew() -> None:
    for made in list(_made_here):
        made.begin_anew()


os.register_at_fork(after_in_child=_begin_anew)
