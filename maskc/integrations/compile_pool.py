"""A kit's compiler whose work is done in processes of its own, beside a server's.

Two processes: an order goes to the quick one first unless it is long, and where its time there is
not enough, to the slow one, which steps back for all others; there, those who have not been there
before go ahead, for some seconds. In both, what is shorter goes ahead of what is longer. What was
refused a moment ago is refused again for a minute, without being compiled: a client whose request
was refused tends to send it again.

What comes back is checked as a file is. A process that is forked from the server's starts processes
of its own when it first needs them.

An order to another process costs about 1.5 ms when the machine is idle. A schema of a few hundred
characters is compiled in 2 ms, a short pattern in 2, any grammar in 40 or more (llama3, minima of
40 on two shared cores; the other process: 3.7, 3.4 and 59 ms). So the first two are compiled where
they are asked for, if nothing in them can make so short a text dear: a schema with a ``"pattern"``
is not cheap, and neither is ``(a{1,500}){1,500}``.

Limits: if the server is killed, a process that works on an order ends after it, in the time that
the order may take.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from maskc.artifact.model import Contents
from maskc.errors import ArtifactError, BudgetError, MaskcError
from maskc.integrations.compile_worker import (
    NAME,
    PROGRAM,
    find_or_make,
    list_tokens,
    name_order,
    pack,
    read_answer,
    unpack,
    write_order,
)
from maskc.jobs import SchemaJob
from maskc.kit.compiling import Automaton, Compiled, GrammarOrder, InProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.limits import HOW_TO_RAISE, Limits
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata import TabledAutomaton
from maskc.runtime.loading import check_contents
from maskc.runtime.schema.plan import FrozenPlan
from maskc.vocab.vocabulary import Vocabulary
from maskc.work import Worker, open_server
from maskc.work.worker_queue import Request, WorkerDiedError, WorkerQueue

# Of processor time, until an order begins anew. With llama3 a schema of some hundred characters
# takes 0.01, a grammar of 30 rules 0.2 to 0.3. With 0.1 for schemas and 0.4 for grammars in a third
# process, good grammars waited longer beside hostile ones: two cores have no room for it.
QUICK_SECONDS, SLOW_SECONDS = 0.3, 2.0
# What is longer cannot be done in the quick process: there it would hold up others for nothing.
_MOST_QUICK = {"schema": 200_000, "pattern": 5_000, "grammar": 5_000}  # characters
_YIELDS = 10.0  # seconds for which one that takes still longer lets others go ahead
# What is longer lets what is shorter go ahead, for as long as it may take on a busy machine.
_CHARACTERS = {"schema": 5_000, "pattern": 1_000, "grammar": 500}  # a second
_SLOW_NICENESS = 10
# The system counts processor time; if the machine is busy, an order takes so much longer.
_PATIENCE = 20.0  # times the seconds that it may take, or a second
_REFUSED_SECONDS, _MOST_REFUSED = 60.0, 1_000
# The status of a process that the system ended for its processor time, where the system does that.
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 24)

_MOST_SCHEMA, _MOST_PATTERN = 1_000, 64  # characters
# What takes more than a look at each of its parts, or brings a pattern or another document.
_DEAR_KEYWORDS = frozenset(
    (
        *("$ref", "$dynamicRef", "$recursiveRef", "$schema", "allOf", "anyOf", "oneOf", "not"),
        *("if", "then", "else", "pattern", "patternProperties", "propertyNames", "format"),
        *("multipleOf", "divisibleBy", "uniqueItems", "contains", "minContains", "maxContains"),
        *("dependencies", "dependentSchemas", "dependentRequired", "extends", "disallow"),
        *("unevaluatedProperties", "unevaluatedItems"),
    )
)
_QUOTED = re.compile(r'"([^"]*)"')
_LARGE_NUMBER = re.compile(r"[0-9]{7}|[0-9][eE]")
_ONE_COUNT = re.compile(r"[^{]*(\{[0-9]{1,2}(,[0-9]{0,2})?\}[^{]*)?")

_request: ContextVar[Request | None] = ContextVar("maskc_request", default=None)


def is_cheap_schema(text: str) -> bool:
    """Return whether a schema is short and has nothing in it that could make it dear."""
    if len(text) > _MOST_SCHEMA or "\\" in text or _LARGE_NUMBER.search(text):
        return False
    return _DEAR_KEYWORDS.isdisjoint(_QUOTED.findall(text))


def is_cheap_pattern(text: str) -> bool:
    """Return whether a pattern is short, looks at nothing around it and counts once at most."""
    is_plain = len(text) <= _MOST_PATTERN and "(?" not in text
    return is_plain and bool(_ONE_COUNT.fullmatch(text))


@contextmanager
def holding(request: Request) -> Iterator[None]:
    """Ask with this request in the block, so that another thread can give it up."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


class _Processes:
    """The server of one process, the two queues of its workers, and what was refused."""

    def __init__(self, told: bytes) -> None:
        self.pid = os.getpid()
        self.n_started = 0
        self.quick, self.slow = WorkerQueue(self._start), WorkerQueue(self._start)
        self.refused: OrderedDict[str, tuple[float, MaskcError]] = OrderedDict()
        self.lock = threading.Lock()
        self._told = told
        self._server = open_server(PROGRAM, told, is_apart=True)

    def _start(self, seconds: float) -> Worker:
        with self.lock:
            if not self._server.is_alive:
                self._server.close()
                self._server = open_server(PROGRAM, self._told, is_apart=True)
            server = self._server
            self.n_started += 1
        return server.start(seconds)

    def close(self) -> None:
        if self.pid == os.getpid():
            self.quick.close()
            self.slow.close()
            self._server.close()


class OtherProcess:
    """A :class:`maskc.kit.compiling.Compiler`. Safe to use from any thread."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits = REQUEST_LIMITS) -> None:
        self._here = InProcess(lambda: vocabulary)
        self._tokens = list_tokens(vocabulary)
        header = {"eos_ids": list(vocabulary.eos_ids), "bytes": limits.bytes}
        self._told = pack(header, self._tokens)
        self._begin()

    def _begin(self) -> None:
        self.processes = _Processes(self._told)
        # Runs when nobody holds this any more, and at the latest when the program ends.
        self.close = weakref.finalize(self, self.processes.close)

    def _own(self) -> _Processes:
        """Return the processes of this one, which may have been forked from another."""
        if self.processes.pid != os.getpid():
            self._begin()
        return self.processes

    def plan(self, job: SchemaJob, limits: Limits, *, waits: bool = False) -> FrozenPlan:
        """Return the plan of a schema, in which nothing waits, as files and processes pass it."""
        del waits
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
            raise ArtifactError(NAME, f"is damaged: {error}", "send the request again") from None

    def artifact(self, order: GrammarOrder, limits: Limits) -> Compiled:
        """Return the artifact of a grammar, or its positions if its loops are to be counted."""
        data = self._ask(order.describe(), limits)
        if not data:
            return self._here.artifact(order, limits)
        header, arrays = unpack(data)
        contents = check_contents(Contents(header, {**arrays, **self._tokens}), NAME)
        return Artifact(contents)

    def statistics(self) -> dict[str, int]:
        """Return how many compiling processes were started."""
        return {"processes_started": self._own().n_started}

    def wait(self, turn: threading.Condition, is_over: Callable[[], bool]) -> None:
        """Wait until another thread has made something, as long as the request is good."""
        (_request.get() or Request()).wait(turn, is_over)

    def _ask(self, order: Mapping[str, Any], limits: Limits) -> bytes:
        return find_or_make(order, lambda: self._order(order, limits))

    def _order(self, order: Mapping[str, Any], limits: Limits) -> bytes:
        processes, name = self._own(), name_order({"order": dict(order), "limits": str(limits)})
        with processes.lock:
            until, error = processes.refused.get(name, (0.0, None))
        if error is not None and time.monotonic() < until:
            # One of its own, since several threads may raise it, each with a traceback.
            raise type(error)(*error.args)
        try:
            return self._compile(processes, order, limits)
        except MaskcError as refused:
            if refused.is_lasting:
                with processes.lock:
                    processes.refused[name] = time.monotonic() + _REFUSED_SECONDS, refused
                    processes.refused.move_to_end(name)
                    if len(processes.refused) > _MOST_REFUSED:
                        processes.refused.popitem(last=False)
            raise

    def _compile(self, processes: _Processes, order: Mapping[str, Any], limits: Limits) -> bytes:
        request = _request.get() or Request()
        yields = min(_YIELDS, len(order["text"]) / _CHARACTERS[order["kind"]])
        slow = processes.slow
        is_long = len(order["text"]) > _MOST_QUICK[order["kind"]]
        for queue, seconds in ((processes.quick, QUICK_SECONDS), (slow, SLOW_SECONDS)):
            if limits.seconds > seconds and (queue is slow or not is_long):
                try:
                    most = replace(limits, seconds=seconds)
                    return _ask_queue(queue, order, most, request, yields, is_nice=queue is slow)
                except BudgetError as error:
                    if error.limit != seconds:
                        raise
        return _ask_queue(slow, order, limits, request, _YIELDS, is_nice=True)


def _ask_queue(
    queue: WorkerQueue,
    order: Mapping[str, Any],
    limits: Limits,
    request: Request,
    yields: float,
    *,
    is_nice: bool,
) -> bytes:
    data = write_order(order, limits, niceness=_SLOW_NICENESS * is_nice)
    patience = _PATIENCE * max(limits.seconds, 1.0)
    try:
        return read_answer(queue.ask(data, request, patience=patience, yields=yields))
    except WorkerDiedError as error:
        if error.status != _OUT_OF_TIME:
            raise
        remedy = f"simplify it, or raise {HOW_TO_RAISE['seconds']}"
        raise BudgetError("seconds of processor time", limits.seconds, remedy) from None
