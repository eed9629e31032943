r"""The nearest larger schema that can be compiled, with a note of each change.

A schema is refused by its location and a keyword. There we leave the keyword out, else all but the
type, else all; then we try again. A larger subschema makes the whole larger where it stands
positively. Where it does not (in ``not``, ``if``, ``oneOf``, counted by ``maxContains``), we first
leave out the keyword that turns it, or read ``oneOf`` as ``anyOf``: all such keywords from which
the location is reached, so that it has positive uses alone.

What other keywords of the object count on goes together: ``additionalProperties`` with
``properties``, ``contains`` with ``minContains``, and what is *unevaluated* with every keyword
that evaluates something.

Example: ``{"type": "string", "pattern": "(a)\\1"}`` becomes ``{"type": "string"}``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from maskc.errors import BudgetError, LimitError, MaskcError, SchemaError, UnsatisfiableError
from maskc.formats import EMAIL, HOST, READ
from maskc.jsonschema.formulas import TYPES
from maskc.jsonschema.keywords import REFERENCES, Path, edit_at, is_schema_at, pointer_to, without
from maskc.jsonschema.reader import check_root, read_schema
from maskc.jsonschema.uses import (
    COMBINING,
    DEFINITIONS,
    TURNING,
    UNEVALUATED,
    Missing,
    SchemaUses,
    find,
    to_path,
)

MOST_CHANGES = 64
_Made = TypeVar("_Made")
Edit = Callable[[Any], Any]

# The document's names: without one of them the rest means something else.
_NAMES = frozenset(
    ("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary")
)
# What stays where all else goes: other parts of the document need it.
_KEPT = _NAMES | set(DEFINITIONS)
# Those that evaluate no member and no item: what is unevaluated stays so without them.
_ASSERTIONS = frozenset(
    (
        *("type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum"),
        *("exclusiveMaximum", "minLength", "maxLength", "pattern", "format", "minItems"),
        *("maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "not"),
        *("dependentRequired", "propertyNames", "maxContains", *UNEVALUATED),
    )
)
# Keyword → those that go with it, as they would ask for more without it.
_TOGETHER = {
    "properties": ("additionalProperties",),
    "patternProperties": ("additionalProperties",),
    "prefixItems": ("items", "additionalItems"),
    "items": ("additionalItems",),
    "contains": ("minContains", "maxContains"),
    "minContains": ("contains", "maxContains"),
    "if": ("then", "else"),
}
# They are read by programs, and where they stand is not always told.
_READ_FORMATS = (HOST, EMAIL, *READ)


class Change(NamedTuple):
    """What was done to a schema."""

    path: Path  # where the schema stands
    edit: Edit  # returns what stands there now
    reading: str  # how it is read
    is_plain: bool = False  # whether as much is evaluated as before


def compile_loosely(
    schema: Any,
    make: Callable[[Any], _Made],
    *,
    pointer: str = "",
    seconds: float,
    is_root: bool = False,
    has_resources: bool = False,
) -> tuple[_Made, tuple[str, ...]]:
    """Return what is made of a schema, or of the nearest larger one, and notes of what was changed.

    Args:
        schema: a mapping, or its JSON text.
        make: raises a SchemaError whose pointer begins with that of the schema.
        pointer: where the schema stands.
        seconds: after half of them in this thread, or twice as many by the clock since the first
            refusal, the schema is read by its type alone, or as anything.
        is_root: whether a document that only holds schemas is refused.
        has_resources: whether other documents may refer to it: then it is so at once.

    Raises:
        BudgetError: the time or the memory is spent.
        UnsatisfiableError: no value fits.
    """
    try:
        schema = read_schema(schema)
        check_root(schema if is_root else {})
    except SchemaError as error:
        raise SchemaError(pointer, error.keyword, error.reason, error.remedy) from None
    notes: list[str] = []
    first: MaskcError | None = None
    busy_until, until = time.thread_time() + seconds / 2, math.inf
    while True:
        try:
            made = make(schema)
        except (UnsatisfiableError, BudgetError):
            raise
        except (SchemaError, LimitError) as error:
            refused = error
            if first is None:
                # The processes of a server may have been started until here.
                first, until = error, time.monotonic() + 2 * seconds
        else:
            left = len(notes) - MOST_CHANGES
            more = [f"{left:,} more changes"] if left > 0 else []
            return made, (*notes[:MOST_CHANGES], *more)
        below, keyword, reason = _explain(refused, pointer)
        is_late = time.thread_time() > busy_until or time.monotonic() > until
        is_last = has_resources or is_late or len(notes) >= MOST_CHANGES
        changes = _loosen_all(schema) if is_last else loosen(schema, below, keyword)
        if not changes:
            raise first
        schema = apply_all(schema, changes)
        for change in changes:
            here = pointer_to(change.path)
            at = "" if here == below else f" (at {pointer + below or '#'})"
            notes.append(
                f"schema at {pointer + here or '#'}: read {change.reading}, since {reason}{at}"
            )


def _explain(error: SchemaError | LimitError, pointer: str) -> tuple[str, str, str]:
    """Return the location of an error below a pointer, its keyword and its reason."""
    if isinstance(error, LimitError):
        return "", "", f"it takes more than {error.limit:,.15g} {error.what}"
    keyword = f"{error.keyword:.60} " if error.keyword else "it "
    below = error.pointer.removeprefix(pointer) if error.pointer.startswith(pointer) else ""
    return below.removeprefix("#"), error.keyword, f"{keyword}{error.reason:.200}"


def _loosen_all(schema: Any) -> list[Change]:
    return list(_keep(SchemaUses(schema), (), frozenset()))[:1]


def loosen(document: Any, pointer: str, keyword: str) -> list[Change]:
    """Return the changes after which a schema asks for less at a location, none if there are none.

    Args:
        document: parsed JSON.
        pointer: where it is refused.
        keyword: for which keyword; empty: for what it is.
    """
    uses = SchemaUses(document)
    for change in _list_changes(uses, *_find_location(uses, pointer, keyword)):
        turning = uses.turning(uses.holder(change.path))
        changes = [_leave_out(uses, *each) for each in turning] or [change]
        return changes if all(c.is_plain for c in changes) else _close_none(uses) or changes
    return []


def _list_changes(uses: SchemaUses, path: Path, keyword: str) -> Iterator[Change]:
    """Yield changes that change something, the smallest first."""
    if path not in uses.schemas:
        # It stands where a schema belongs, and is none.
        holder = uses.holder(path)
        turns = str(path[len(holder)])
        is_turned = turns in TURNING or (turns == "contains" and uses.has(holder, "maxContains"))
        yield _leave_out(uses, holder, turns) if is_turned else _allow_all(path)
        path = holder
    while True:
        if keyword in DEFINITIONS:
            keyword = ""
        if keyword in _NAMES:
            yield from _keep(uses, path, frozenset())
        for below in uses.about_same_value(path) if keyword else ():
            if uses.has(below, keyword):
                yield _leave_out(uses, below, keyword)
        for name in () if keyword else COMBINING:
            if uses.has(path, name):
                yield _leave_out(uses, path, name)
        for below, schema in uses.schemas.items() if keyword == "format" else ():
            if isinstance(schema, dict) and schema.get("format") in _READ_FORMATS:
                yield _leave_out(uses, below, "format")
        yield from _keep(uses, path, _KEPT)
        if not path:
            return
        holder = uses.holder(path[:-1])
        path, keyword = holder, str(path[len(holder)])


def _find_location(uses: SchemaUses, pointer: str, keyword: str) -> tuple[Path, str]:
    """Return the path of the schema at a pointer, or around it, and the keyword there."""
    path = to_path(uses.document, pointer)
    if pointer and not pointer.startswith("/"):
        # Of another document, a pointer begins with the reference.
        for below, schema in uses.schemas.items():
            for name in REFERENCES:
                if uses.has(below, name) and pointer.startswith(str(schema[name])):
                    return below, name
        return (), keyword
    if path in uses.schemas:
        return path, keyword
    holder = uses.holder(path)
    if is_schema_at(path[len(holder) :]) and not isinstance(find(uses.document, path), Missing):
        return path, ""
    return holder, str(path[len(holder)])


def _keep(uses: SchemaUses, path: Path, kept: frozenset[str]) -> Iterator[Change]:
    """Yield the changes that leave a schema its type alone, and nothing."""
    schema = uses.schemas[path]
    if not isinstance(schema, dict):
        if schema is not True:
            yield _allow_all(path)
        return
    names = kept | {"type"}
    # In old dialects nothing counts beside a reference.
    is_ignored = uses.is_old and "$ref" in schema
    if _is_type(schema.get("type")) and not is_ignored and schema.keys() - names:
        yield Change(path, _with(names), "by its type alone")
    if schema.keys() - kept:
        yield Change(path, _with(kept), "as any value")


def _leave_out(uses: SchemaUses, path: Path, keyword: str) -> Change:
    schema = uses.schemas[path]
    if keyword == "oneOf" and "anyOf" not in schema:
        return Change(path, _rename_one_of, "with anyOf for oneOf", is_plain=True)
    removed = {keyword, *_TOGETHER.get(keyword, ())}
    if keyword in ("minimum", "maximum"):
        other = f"exclusive{keyword.capitalize()}"  # of draft 4
        removed |= {other} if isinstance(schema.get(other), bool) else set()
    if keyword == "$ref" and uses.is_old:
        removed = schema.keys() - _KEPT
    names = [keyword, *sorted((removed & schema.keys()) - {keyword})]
    reading = f"without {', '.join(names)}"
    return Change(path, without(removed), reading, is_plain=removed <= _ASSERTIONS)


def _close_none(uses: SchemaUses) -> list[Change]:
    """Return what leaves nothing that asks what other keywords evaluate, and nothing turned."""
    removed = {*UNEVALUATED, *TURNING, "then", "else"}
    if not any(uses.has(path, name) for path in uses.schemas for name in UNEVALUATED):
        return []
    found = []
    for path, schema in uses.schemas.items():
        names = [name for name in schema if name in removed] if isinstance(schema, dict) else []
        if names:
            found.append(Change(path, without(removed), f"without {', '.join(names)}"))
    return found


def _allow_all(path: Path) -> Change:
    return Change(path, lambda _: True, "as any value")


def _with(kept: frozenset[str]) -> Edit:
    return lambda schema: {name: value for name, value in schema.items() if name in kept}


def _rename_one_of(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf" if name == "oneOf" else name: value for name, value in schema.items()}


def _is_type(given: Any) -> bool:
    names = given if isinstance(given, list) else [given]
    return bool(names) and all(name in (*TYPES, "integer") for name in names)


def apply_all(document: Any, changes: Iterable[Change]) -> Any:
    """Return a document with changes; what is not on the way to one is shared."""
    for change in changes:
        document = edit_at(document, change.path, change.edit)
    return document
