"""Which formats are asserted: all, none, or by name, where one may also stand for another.

Example: with ``{"date-time": "date-time-local", "uri": "annotate"}`` a ``date-time`` has no offset,
and a ``uri`` is any string.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.arguments import as_one_of
from maskc.errors import WrongTypeError, WrongValueError
from maskc.formats.registry import registered
from maskc.jsonschema.formats import NAMES

_TREATMENTS = ("assert", "annotate")
# What stands in these is no schema.
_VALUES = frozenset(("const", "enum", "default", "example", "examples"))


def choose_formats(given: Any) -> tuple[bool, dict[str, str]]:
    """Return whether formats are asserted, and what single ones are instead.

    Args:
        given: ``assert``, ``annotate``, a mapping from names to these or to other names, or a text
            such as ``date-time=annotate,uri=annotate``.

    Raises:
        WrongTypeError, WrongValueError: it is none of these.
    """
    if isinstance(given, str) and "=" in given:
        pairs = (part.partition("=") for part in given.split(","))
        given = {name.strip(): treatment.strip() for name, _, treatment in pairs}
    if not isinstance(given, Mapping):
        return as_one_of("formats", given, _TREATMENTS) == "assert", {}
    known = {*NAMES, *registered()}
    for name, treatment in given.items():
        if not isinstance(name, str) or not isinstance(treatment, str):
            raise WrongTypeError("formats maps names of formats to texts")
        if name not in known:
            fact = f"formats has {name[:40]!r}, which is not a format that is asserted"
            raise WrongValueError(f"{fact}; give one of {', '.join(sorted(known))}")
        if treatment not in known and treatment not in _TREATMENTS:
            raise WrongValueError(
                f"formats reads {name} as {treatment[:40]!r}; "
                "give assert, annotate or another format"
            )
    return True, {
        name: treatment for name, treatment in given.items() if treatment not in ("assert", name)
    }


def rename_formats(schema: Any, treatments: Mapping[str, str]) -> Any:
    """Return a schema, as parsed JSON, with some formats replaced, or left out.

    >>> rename_formats({"items": {"format": "date"}}, {"date": "annotate"})
    {'items': {}}
    """
    if isinstance(schema, list):
        return [rename_formats(inner, treatments) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        key: inner if key in _VALUES else rename_formats(inner, treatments)
        for key, inner in schema.items()
    }
    treatment = treatments.get(found["format"]) if isinstance(found.get("format"), str) else None
    if treatment == "annotate":
        del found["format"]
    elif treatment is not None:
        found["format"] = treatment
    return found
