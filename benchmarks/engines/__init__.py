"""The engines, one a file, each behind the same two calls.

An engine's module has ``prepare(workload, artifact) -> Prepared``: it reads the vocabulary and
finds its grammar. ``Prepared.load`` then does what happens once a grammar (compiling for the peers,
loading for maskc), and returns what makes a session at the start of a text.

An engine that compiles JSON Schemas has ``read_schemas() -> Schemas`` beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from maskc.bench.timing import Bitmask, Session


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """An engine that knows the vocabulary.

    Attributes:
        name: with its version.
        bitmask: int32[1, n_words], which every session writes to.
        load: compiles or loads the grammar afresh, and returns what makes a session.
    """

    name: str
    bitmask: Bitmask
    load: Callable[[], Callable[[], Session]]


@dataclass(frozen=True, slots=True)
class SchemaSession:
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
    """An engine does not compile a schema; its message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Schemas:
    """An engine that knows the vocabulary.

    Attributes:
        name: with its version.
        bitmask: int32[1, n_words], which every session writes to.
        compile: a schema to what makes a session, or a :class:`RefusedError`.
    """

    name: str
    bitmask: Bitmask
    compile: Callable[[AskedSchema], Callable[[], SchemaSession]]
