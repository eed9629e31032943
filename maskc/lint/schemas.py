"""What the author of a JSON Schema should know: THE CHECKS, in the order of their codes.

A schema is looked at as it is written, subschema by subschema; whether some value fits one is asked
of the compiler (:mod:`maskc.lint.unsatisfiable`).

Example: in ``{"type": "object", "propertys": {}}`` the keyword ``propertys`` is unknown; did the
author mean ``properties``?
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.keywords import ALL_KEYWORDS, Spot, is_known, list_spots
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.reader import read_schema
from maskc.lint.model import Finding, Place, Severity
from maskc.lint.unsatisfiable import FITS_NOTHING, find_unsatisfiable, may_have
from maskc.regular.ecma import PatternError
from maskc.runtime.schema.plan.plan import Layout


def lint_schema(schema: Any, resources: Mapping[str, Any] | None = None) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order of the schema.

    Args:
        schema: as :func:`maskc.jsonschema.reader.read_schema` takes it.
        resources: URI → other documents, likewise.

    Raises:
        SchemaError: it is no schema, or asks for what is not supported.
    """
    parsed, documents = read_schema(schema), dict(resources or {})
    try:
        build_plan(
            parsed, resources=documents, layout=Layout(), assert_formats=True, is_altered=True
        )
    except SchemaError as error:
        if error.reason != FITS_NOTHING:
            raise
    spots = list(list_spots(parsed))
    found = list(find_unsatisfiable(parsed, spots, documents))
    for spot in spots:
        if isinstance(spot.schema, bool):
            continue
        found += _find_unknown(spot)
        if not spot.is_negated:
            found += _find_unbounded_string(spot)
            found += _find_unbounded_array(spot)
            found += _find_forbidden(parsed, spot, documents)
    severities = list(Severity)
    return tuple(sorted(found, key=lambda f: (severities.index(f.severity), f.code)))


def _find_unknown(spot: Spot) -> Iterator[Finding]:
    """Yield the keywords that the dialect does not know, but for those named ``x-…``."""
    for keyword in spot.unknown:
        if keyword.startswith("x-"):
            continue
        if keyword in ALL_KEYWORDS:
            fact = f"{keyword} is no keyword of this dialect: it forbids nothing"
            remedy = "name the dialect that has it in $schema, or leave it out"
        else:
            fact = f"{keyword} is an unknown keyword: it forbids nothing"
            known = [name for name in sorted(ALL_KEYWORDS) if is_known(name, spot.year)]
            near = difflib.get_close_matches(keyword, known, 1)
            remedy = f"write {near[0]}" if near else f"leave it out, or name it x-{keyword}"
        yield Finding("ML102", Severity.WARNING, place_of(spot), fact, None, remedy)


def _takes(spot: Spot, name: str) -> bool:
    """Return whether a subschema names a type among those that it takes."""
    names = spot.schema.get("type")
    return name in names if isinstance(names, list) else names == name


def _find_unbounded_string(spot: Spot) -> Iterator[Finding]:
    bounds = ("maxLength", "enum", "const", "format", "$ref")
    if not _takes(spot, "string") or any(spot.has(keyword) for keyword in bounds):
        return
    pattern = spot.schema.get("pattern")
    if isinstance(pattern, str):
        try:
            dfa = build_pattern(pattern)
        except (PatternError, TooLargeError):
            return
        if not dfa.is_endless(dfa.start):
            return
    yield Finding(
        "ML103",
        Severity.NOTE,
        place_of(spot),
        "a string here has no bound: a model can write it for ever",
        None,
        "add maxLength",
    )


def _find_unbounded_array(spot: Spot) -> Iterator[Finding]:
    bounds = ("maxItems", "enum", "const", "$ref")
    if not _takes(spot, "array") or any(spot.has(keyword) for keyword in bounds):
        return
    rest = "items" if spot.year >= 2020 else "additionalItems"
    is_tuple = spot.has("prefixItems") or isinstance(spot.schema.get("items"), list)
    if spot.schema.get("items") is False or is_tuple and spot.schema.get(rest) is False:
        return
    yield Finding(
        "ML104",
        Severity.NOTE,
        place_of(spot),
        "an array here has no bound: a model can write items for ever",
        None,
        "add maxItems",
    )


def _find_forbidden(schema: Any, spot: Spot, resources: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the keys that must be there and may not be."""
    required = spot.schema.get("required")
    for name in required if isinstance(required, list) else ():
        if not isinstance(name, str):
            continue
        if not may_have(schema, spot, resources, name):
            yield Finding(
                "ML105",
                Severity.ERROR,
                place_of(spot),
                f"the key {name!r} is required and forbidden: no object fits",
                None,
                f"leave {name!r} out of required, or allow it in properties",
            )


def place_of(spot: Spot) -> Place:
    """Return where a finding about a subschema is."""
    return Place("schema", spot.pointer or "#", None)
