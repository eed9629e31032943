"""The engines, one a file, each behind the same two calls.

An engine's module has ``read() -> Engine``, which reads the vocabulary. ``Engine.compile`` then
does what happens once for a constraint, and returns what begins a text.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from maskc.bench.timing import Bitmask

TOKENIZER = "llama3"
ENGINES = ("maskc", "llguidance", "xgrammar", "glrmask", "maskforge")
# Of these, those that read other constraints than JSON Schemas.
PEERS = ("llguidance", "xgrammar", "glrmask")


@dataclass(frozen=True, slots=True)
class Session:
    """One text of some engine.

    Attributes:
        fill: writes the mask of what is legal next, into the engine's bitmask.
        accept: takes a token; what it returns is false iff the token is illegal.
        may_end: whether the text may end here.
    """

    fill: Callable[[], object]
    accept: Callable[[int], object]
    may_end: Callable[[], bool]


@dataclass(frozen=True, slots=True, eq=False)
class AskedSchema:
    """A schema, with what only some engines have a use for.

    Attributes:
        schema: any JSON value.
        resources: address → the text of a document that it may refer to.
        asserts_formats: whether ``format`` is to be asserted, where an engine leaves the choice.
    """

    schema: Any
    resources: Mapping[str, str] = field(default_factory=dict)
    asserts_formats: bool = True


class RefusedError(Exception):
    """An engine does not compile a constraint; its message says why."""


Start = Callable[[], Session]


@dataclass(frozen=True, slots=True, eq=False)
class Engine:
    """An engine that knows the vocabulary.

    Attributes:
        name: with its version.
        bitmask: int32[1, n_words], which every session writes to.
        compile: a kind and a constraint to what makes a session, or a :class:`RefusedError`. Kinds:
            ``workload`` (its name and maskc's artifact), ``schema`` (an :class:`AskedSchema`),
            ``choice``, ``regex``, ``lark`` (a text), ``grammar`` (texts by notation).
    """

    name: str
    bitmask: Bitmask
    compile: Callable[[str, Any], Start]


def read_engine(name: str) -> Engine:
    """Return an engine by its name."""
    return cast(Engine, importlib.import_module(f"benchmarks.engines.{name}_engine").read())
