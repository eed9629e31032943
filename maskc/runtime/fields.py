"""Fields of a plan in an artifact, each declared once for who writes it and who reads it.

A plan is JSON. A *field* says how a value is written in it, and reads it again; whoever reads a
plan may have been sent it by anybody, so a field refuses what it cannot be. Numbers are checked
against the sizes of what they count or index, which a *scope* holds by name.

Example: ``listed(number("nodes"))`` is a list of numbers of nodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class PlanError(ValueError):
    """A plan is damaged; the text says where."""


class Scope(NamedTuple):
    """What numbers of a plan are checked against."""

    sizes: dict[str, int]  # how many there are of what numbers index, by its name
    ends: frozenset[int] = frozenset()  # the tokens that end the sequence


class Codec(NamedTuple):
    """How a value is written in a plan."""

    # parsed JSON, scope → the value; raises a PlanError if it is none
    read: Callable[[Any, Scope], Any]
    write: Callable[[Any], Any]  # the value → JSON
    size: str = ""  # the name of the length of the list that it is; empty: nobody asks


def parse_plan(data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise PlanError("the plan is not JSON") from None
    if not isinstance(raw, dict):
        raise PlanError("the plan is not an object")
    return raw


def read_list(value: Any, n: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        raise PlanError("the plan lacks a list")
    if n is not None and len(value) != n:
        raise PlanError(f"a list of the plan has {len(value)} entries instead of {n}")
    return value


def read_number(value: Any, below: int, least: int = 0) -> int:
    if type(value) is not int or not least <= value < below:
        raise PlanError(f"the plan holds {str(value)[:40]}, outside {least} … {below - 1}")
    return value


def as_it_is(value: Any) -> Any:
    return value


def number(below: int | str, least: int = 0) -> Codec:
    """Declare a number below another one, or below the size of a name."""

    def read(value: Any, scope: Scope) -> int:
        limit = scope.sizes[below] if isinstance(below, str) else below
        if type(value) is int and least <= value < limit:
            return value
        return read_number(value, limit, least)

    return Codec(read, as_it_is)


def _read_flag(value: Any, _scope: Scope) -> bool:
    if not isinstance(value, bool):
        raise PlanError("the plan lacks a true or false")
    return value


FLAG = Codec(_read_flag, as_it_is)


def bits(below: int) -> Codec:
    """Declare a bit set, written as the list of its bits, which are below a number."""

    def read(value: Any, _scope: Scope) -> int:
        found = 0
        for bit in read_list(value):
            found |= 1 << read_number(bit, below)
        return found

    return Codec(read, lambda value: [n for n in range(value.bit_length()) if value >> n & 1])


def optional(inner: Codec) -> Codec:
    write = inner.write
    return Codec(
        lambda value, scope: None if value is None else inner.read(value, scope),
        as_it_is if write is as_it_is else lambda value: None if value is None else write(value),
    )


def listed(
    inner: Codec, *, length: str = "", size: str = "", into: Callable[[Any], Any] = list
) -> Codec:
    """Declare a list; ``length`` is the name of how long it is, ``size`` that of its own length."""

    def read(value: Any, scope: Scope) -> Any:
        found = read_list(value, scope.sizes[length] if length else None)
        return into([inner.read(entry, scope) for entry in found])

    write: Callable[[Any], Any] = list
    if inner.write is not as_it_is:
        write = lambda values: list(map(inner.write, values))  # noqa: E731
    return Codec(read, write, size)


def pairs(left: Codec, right: Codec) -> Codec:
    """Declare a tuple of pairs, which are written as they are, in one list."""

    def read(value: Any, scope: Scope) -> tuple[tuple[Any, Any], ...]:
        flat = read_list(value)
        if len(flat) % 2:
            raise PlanError("a list of the plan is cut off")
        found = zip(flat[::2], flat[1::2], strict=True)
        return tuple([(left.read(one, scope), right.read(other, scope)) for one, other in found])

    return Codec(read, lambda values: [n for pair in values for n in pair])


def grouped(into: Callable[..., Any], *fields: Codec) -> Codec:
    """Declare a list with a value for each of some fields, of which something is made.

    What is written is a tuple of these values, or a dataclass with them.
    """
    readers, writers = [field.read for field in fields], [field.write for field in fields]
    sizes = [(n, field.size) for n, field in enumerate(fields) if field.size]
    names = list(getattr(into, "__dataclass_fields__", ()))

    def read(value: Any, scope: Scope) -> Any:
        entries = read_list(value, len(readers))
        for n, size in sizes:
            scope.sizes[size] = len(read_list(entries[n]))
        return into(*[read(entry, scope) for read, entry in zip(readers, entries, strict=True)])

    def write(record: Any) -> list[Any]:
        values = record if isinstance(record, tuple) else [getattr(record, n) for n in names]
        return [write(value) for write, value in zip(writers, values, strict=True)]

    return Codec(read, write)


def together(*values: Any) -> tuple[Any, ...]:
    return values
