"""What was compiled for a request goes with it, so that nobody compiles it again.

A server's front end accepts a request by compiling what it brings; the engine, in another process,
needs the same plans, tables and artifacts. They are *recorded* where they come from a compiler, by
what was asked for, and *used* where the same is asked for: who uses them checks them as it checks
what a compiling process sends. A refusal is recorded, too: a larger schema may be asked for next.

Example: ``with recording() as answers`` keeps the plan that ``kit.json_schema(text)`` compiles, and
``with using(answers)`` the engine's kit compiles no schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from maskc.errors import MaskcError
from maskc.integrations.compile_worker import read_answer, write_refusal

# Of one request: what goes through a pipe with it, and is read by the engine at once.
MOST_BYTES = 4_000_000

Answers = dict[str, bytes]
_REFUSAL = "-"  # after the name of an order that was refused

_recorded: ContextVar[Answers | None] = ContextVar("maskc_recorded", default=None)
_used: ContextVar[Mapping[str, bytes] | None] = ContextVar("maskc_used", default=None)


@contextmanager
def recording() -> Iterator[Answers]:
    """Record what is compiled in the block; what is too large is left out."""
    answers: Answers = {}
    token = _recorded.set(answers)
    try:
        yield answers
    finally:
        _recorded.reset(token)


@contextmanager
def using(answers: Mapping[str, bytes]) -> Iterator[None]:
    """Use what was recorded instead of compiling it."""
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
    """Return a name that no other order has."""
    return hashlib.sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()


def read_answers(given: Any) -> Answers:
    """Return answers that came with a request, as far as they are some.

    What a client can send with a request is JSON, which has no bytes.
    """
    if not isinstance(given, dict):
        return {}
    return {k: v for k, v in given.items() if isinstance(k, str) and isinstance(v, bytes)}
