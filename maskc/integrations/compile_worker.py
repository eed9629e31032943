"""A process that compiles what a server's requests bring, one after the other.

It is started by :mod:`maskc.integrations.compile_process`, gets the vocabulary, says that it is
ready, and answers orders until its pipe is closed. What it may take is kept three times: by the
budget of a compilation, whose sentence the client gets; by the system, which bounds the address
space and ends the process where one call of C goes on after its time; and by the server, which
waits only so long. A signal (SIGUSR1) ends the order that is being worked on, and nothing else.

Of a schema the answer is its plan, of a grammar its artifact without the tokens, of a pattern the
tables of its automaton if it has few states; else that the pattern is small and can be compiled
where it is used, state by state. The same is said of what is followed with counters.
"""

from __future__ import annotations

import os
import resource
import signal
from itertools import pairwise
from multiprocessing.connection import wait
from socket import socket
from types import FrameType
from typing import Any

from maskc.bounded import run_bounded
from maskc.budget import bound_data, read_memory
from maskc.errors import BudgetError, LimitError, MaskcError
from maskc.integrations.compile_messages import (
    check_size,
    pack,
    read_limits,
    receive,
    send,
    unpack,
    write_error,
)
from maskc.jobs import SchemaJob
from maskc.kit.compiling import GrammarOrder, InProcess
from maskc.kit.kit import REQUEST_LIMITS
from maskc.kit.patterns import Pattern
from maskc.limits import MEGABYTE, WAYS, Limits
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata.tabled import tabulate
from maskc.vocab.vocabulary import Vocabulary

TOKEN_ARRAYS = ("token_first", "token_bytes")
# A pattern of so few nodes is compiled in the server in half a second at the worst; its states
# are worth tabulating if they are few.
SMALL_NODES, FEW_STATES = 60_000, 500
MOST_STATES = 50_000

_LOOK_EVERY = 5.0  # seconds, whether the server is still there
_MORE_SECONDS = 3.0  # of processor time, until the system ends what the budget could not
_KEPT_BYTES = 500 * MEGABYTE  # of earlier orders


class _CancelledError(BaseException):
    """Ends an order from inside; no ``except Exception`` on the way may keep it."""


class _Orders:
    """Answers orders.

    Args:
        vocabulary: of the kit.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._compiler = InProcess(lambda: vocabulary)
        self._is_working = False
        signal.signal(signal.SIGUSR1, self._cancel)

    def warm_up(self) -> None:
        """Compile a grammar and classes, for what is loaded and made with the first ones."""
        self._compiler.automaton(r"\w\W\d\s", REQUEST_LIMITS)
        self._compiler.artifact(GrammarOrder("lark", 'start: "a" start | "b"', {}), REQUEST_LIMITS)

    def _cancel(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_working:
            self._is_working = False
            raise _CancelledError

    def answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Return the answer to an order, and its bytes."""
        try:
            self._is_working = True
            return self._answer(asked)
        except _CancelledError:
            return {"cancelled": True}, b""
        finally:
            self._is_working = False

    def _answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        limits = read_limits(asked["limits"])
        try:
            return {}, self._work(asked, limits)
        except MaskcError as refused:
            return write_error(refused), b""
        except MemoryError:
            remedy = f"simplify it, or allow more with {WAYS['bytes']}"
            error = BudgetError("MB of memory", limits.bytes / MEGABYTE, remedy)
            return write_error(error), b""

    def _work(self, asked: dict[str, Any], limits: Limits) -> bytes:
        kind = asked["kind"]
        if kind == "schema":
            data = self._compiler.plan(SchemaJob.read(asked), limits).data
        elif kind == "pattern":
            text = asked["text"]
            data = run_bounded(lambda: self._tabulate(text, limits), limits, name="<regex>")
        else:
            order = GrammarOrder(asked["dialect"], asked["text"], asked["settings"])
            made = self._compiler.artifact(order, limits)
            if not isinstance(made, Artifact):
                return b""  # it has counters, and few positions
            contents = made.contents
            kept = {n: a for n, a in contents.arrays.items() if n not in TOKEN_ARRAYS}
            data = pack(contents.header, kept)
        check_size(asked, len(data))
        return data

    def _tabulate(self, text: str, limits: Limits) -> bytes:
        pattern = self._compiler.automaton(text, limits)
        if not isinstance(pattern, Pattern):
            return b""  # it has counters, and few positions
        # Whether a state of one that looks around is live is searched for, which nobody waits for.
        is_small = pattern.n_nodes <= SMALL_NODES and pattern.is_plain
        tables = tabulate(pattern, FEW_STATES if is_small else MOST_STATES)
        if tables is not None:
            return pack({}, tables)
        if is_small:
            return b""
        raise LimitError(
            "states in the pattern's automaton", MOST_STATES, "lower the counts in it", "<regex>"
        )


def serve(file: int) -> None:
    """Answer what comes through a pipe until its other end is closed."""
    server = os.getppid()
    with socket(fileno=file) as stream:
        try:
            told, data = receive(stream)
            _, arrays = unpack(data)
            first, texts = (arrays[name] for name in TOKEN_ARRAYS)
            raw, ends = texts.tobytes(), first.tolist()
            tokens = tuple(raw[a:b] or None for a, b in pairwise(ends))
            orders = _Orders(Vocabulary(tokens, tuple(told["eos_ids"]), "kit"))
            if told["warm"]:
                orders.warm_up()
            # Where the budget of an order is too slow to see it.
            bound_data(read_limits(told["limits"]).bytes + _KEPT_BYTES)
            send(stream, {"ready": True})
            base = read_memory()
            while True:
                while not wait([stream], _LOOK_EVERY):
                    if os.getppid() != server:
                        return
                asked, _ = receive(stream)
                send(stream, {"begun": True})
                os.nice(max(0, asked["nice"] - os.nice(0)))
                _bound_time(read_limits(asked["limits"]))
                message, data = orders.answer(asked)
                send(stream, {**message, "grown": read_memory() - base}, data)
        except (EOFError, OSError):
            return  # the server has gone


def _bound_time(limits: Limits) -> None:
    """Let the system end this process if an order takes longer than the budget allows."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + limits.seconds + _MORE_SECONDS) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
