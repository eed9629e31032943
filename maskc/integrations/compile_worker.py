"""A process that compiles what a server's requests bring, one after the other.

What it may take is kept three times: by the budget of a compilation, whose sentence the client
gets; by the system, which bounds the address space and ends the process where one call of C goes on
after its time; and by the server, which waits only so long.

An order is JSON: ``{"kind": "pattern", "text": "a+", "nice": 0, "limits": [5, 500000000, …]}``. The
answer is a byte that says whether it is refused, and bytes: of a schema its plan, of a grammar its
artifact without the tokens, of a pattern the tables of its automaton if it has few states; nothing
where the pattern can be compiled where it is used. A refusal is an error's class and fields.
Nothing is pickled, and what is read is checked as a file is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maskc import errors
from maskc.artifact.container import decode, encode
from maskc.artifact.model import FORMAT
from maskc.bounded import run_bounded
from maskc.errors import BudgetError, LimitError, MaskcError
from maskc.jobs import SchemaJob
from maskc.kit.compiling import GrammarOrder, InProcess, PatternAutomaton
from maskc.kit.kit import REQUEST_LIMITS
from maskc.limits import HOW_TO_RAISE, MEGABYTE, Limits
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.automata import tabulate
from maskc.system import bound_data, bound_seconds, step_back
from maskc.vocab.vocabulary import Vocabulary
from maskc.work import Service

PROGRAM = "maskc.integrations.compile_worker:open_compiler"
TOKEN_ARRAYS = ("token_first", "token_bytes")
# A pattern of so few nodes is compiled in the server in half a second at the worst; its states
# are worth tabulating if they are few.
SMALL_NODES, FEW_STATES = 60_000, 500
MOST_STATES = 50_000
# Of a plan, what a server reads in about a second at the worst, beside its other work, and as much
# as was asked for: what is listed there is listed in the plan. Of the rest, mostly arrays, what it
# reads in a few hundredths.
MAX_BYTES = {"schema": 400_000, "pattern": 16_000_000, "grammar": 16_000_000}

_MORE_SECONDS = 3.0  # of processor time, until the system ends what the budget could not
_KEPT_BYTES = 500 * MEGABYTE  # of earlier orders
_MOST_GROWN = 200 * MEGABYTE  # a process that keeps more than this after an order is replaced
NAME = "<compiled>"
_DONE, _REFUSED = b"+", b"-"


def write_order(order: Mapping[str, Any], limits: Limits, *, niceness: int = 0) -> bytes:
    """Return the message of an order; who yields to others is nicer."""
    bounds = [limits.seconds, limits.bytes, limits.text, limits.work]
    return json.dumps({**order, "nice": niceness, "limits": bounds}).encode()


def read_answer(data: bytes) -> bytes:
    """Return what an order came to; MaskcError: it was refused."""
    if data[:1] == _DONE:
        return data[1:]
    name, fields = json.loads(data[1:])
    made = getattr(errors, name)
    raise made(*(tuple(part) if isinstance(part, list) else part for part in fields))


def write_refusal(error: MaskcError) -> bytes:
    return _REFUSED + json.dumps([type(error).__name__, list(error.args)]).encode()


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    return encode({"format": FORMAT, **header}, arrays)


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
    """Return what :func:`pack` was given, with the format; ArtifactError: it is damaged."""
    return decode(data, NAME)


def list_tokens(vocabulary: Vocabulary) -> dict[str, NDArray[Any]]:
    texts = [token or b"" for token in vocabulary.tokens]
    first = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    return dict(zip(TOKEN_ARRAYS, (first, np.frombuffer(b"".join(texts), np.uint8)), strict=True))


def open_compiler(told: bytes) -> Service:
    """Return what answers orders, by the vocabulary that it is told; something is compiled first.

    The first grammar takes 0.7 seconds more than others, for what is loaded and made with it.
    """
    header, arrays = unpack(told)
    first, texts = (arrays[name] for name in TOKEN_ARRAYS)
    raw = texts.tobytes()
    tokens = tuple(raw[a:b] or None for a, b in pairwise(first.tolist()))
    vocabulary = Vocabulary(tokens, tuple(header["eos_ids"]), "kit")
    compiler = InProcess(lambda: vocabulary)
    compiler.automaton(r"\w\W\d\s", REQUEST_LIMITS)
    compiler.artifact(GrammarOrder("lark", 'start: "a" start | "b"', {}), REQUEST_LIMITS)
    # Where the budget of an order is too slow to see it.
    bound_data(header["bytes"] + _KEPT_BYTES)
    return partial(_answer, compiler), _MOST_GROWN


def _answer(compiler: InProcess, data: bytes) -> bytes:
    asked = json.loads(data)
    limits = Limits(*asked["limits"])
    step_back(asked["nice"])
    # The system ends this process if an order takes longer than the budget allows.
    bound_seconds(limits.seconds + _MORE_SECONDS)
    try:
        made = _compile(compiler, asked, limits)
        check_size(asked, len(made))
    except MaskcError as refused:
        return write_refusal(refused)
    except MemoryError:
        remedy = f"simplify it, or raise {HOW_TO_RAISE['bytes']}"
        return write_refusal(BudgetError("MB of memory", limits.bytes / MEGABYTE, remedy))
    return _DONE + made


def check_size(asked: Mapping[str, Any], n_bytes: int) -> None:
    """Raise a LimitError if the answer to an order is larger than a server reads."""
    most = MAX_BYTES[asked["kind"]]
    if asked["kind"] == "schema":
        most += len(json.dumps(asked["text"]))
    if n_bytes > most:
        raise LimitError("bytes of compiled data", most, "ask for less")


def _compile(compiler: InProcess, asked: dict[str, Any], limits: Limits) -> bytes:
    if asked["kind"] == "schema":
        return compiler.plan(SchemaJob.read(asked), limits).data
    if asked["kind"] == "pattern":
        work = partial(_tabulate, compiler, asked["text"], limits)
        return run_bounded(work, limits, name="<regex>")
    made = compiler.artifact(GrammarOrder.read(asked), limits)
    if not isinstance(made, Artifact):
        return b""  # it has counters, and few positions
    contents = made.contents
    return pack(
        contents.header, {n: a for n, a in contents.arrays.items() if n not in TOKEN_ARRAYS}
    )


def _tabulate(compiler: InProcess, text: str, limits: Limits) -> bytes:
    pattern = compiler.automaton(text, limits)
    if not isinstance(pattern, PatternAutomaton):
        return b""  # it has counters, and few positions
    # Whether a state of one that looks around is live is searched for, which nobody waits for.
    is_small = pattern.n_nodes <= SMALL_NODES and pattern.is_plain
    tables = tabulate(pattern, FEW_STATES if is_small else MOST_STATES)
    if tables is None and not is_small:
        fact = "states in the pattern's automaton"
        raise LimitError(fact, MOST_STATES, "lower the counts in it", "<regex>")
    return b"" if tables is None else pack({}, tables)


# Of one request: what goes through a pipe with it, and is read by the engine at once.
MOST_BYTES = 4_000_000

Answers = dict[str, bytes]
_REFUSAL = "-"  # after the name of an order that was refused

_recorded: ContextVar[Answers | None] = ContextVar("maskc_recorded", default=None)
_used: ContextVar[Mapping[str, bytes] | None] = ContextVar("maskc_used", default=None)


@contextmanager
def recording() -> Iterator[Answers]:
    """Record what is compiled in the block; what is too large is left out.

    A server's front end accepts a request by compiling what it brings; the engine, in another
    process, needs the same. So what comes from a compiler is recorded by what was asked for, a
    refusal too, and goes with the request.
    """
    answers: Answers = {}
    token = _recorded.set(answers)
    try:
        yield answers
    finally:
        _recorded.reset(token)


@contextmanager
def using(answers: Mapping[str, bytes]) -> Iterator[None]:
    """Use what was recorded instead of compiling it; it is checked as any answer is."""
    token = _used.set(answers)
    try:
        yield
    finally:
        _used.reset(token)


def find_or_make(order: Mapping[str, Any], make: Callable[[], bytes]) -> bytes:
    """Return what was recorded for an order, which is JSON, or what is made now."""
    recorded, used = _recorded.get(), _used.get()
    if recorded is None and used is None:
        return make()
    name = name_order(order)
    found = None if used is None else used.get(name)
    if found is None and used is not None and name + _REFUSAL in used:
        return read_answer(used[name + _REFUSAL])
    if found is None:
        try:
            found = make()
        except MaskcError as refused:
            if recorded is not None and refused.is_lasting:
                recorded[name + _REFUSAL] = write_refusal(refused)
            raise
    if recorded is not None and sum(map(len, recorded.values())) + len(found) <= MOST_BYTES:
        recorded[name] = found
    return found


def name_order(order: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()


def read_answers(given: Any) -> Answers:
    """Return the answers that came with a request; a client's own JSON has no bytes."""
    if not isinstance(given, dict):
        return {}
    return {k: v for k, v in given.items() if isinstance(k, str) and isinstance(v, bytes)}
