"""Is the value of a text valid? The judge is the package ``jsonschema``, with exact numbers.

Example: with ``{"multipleOf": 0.1}`` the text ``0.3`` is valid, though its float is no multiple.

Limits: the judge reads fewer formats than we assert, other numbers than the layout ``plain`` has
and keys in any order, and no numbers of more than 4,000 digits. It reads patterns as Python's
``re`` does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from maskc.errors import MissingPackageError, SchemaError
from maskc.runtime.artifact import Artifact
from maskc.runtime.schema.numbers.powers import decimal
from maskc.runtime.schema.plan.values import number_value

_MOST_DIGITS = 4_000  # of a number, written out


class NotJsonError(ValueError):
    """A text is no JSON, or has a key twice in one object."""


class NotJudgedError(ValueError):
    """A number has more digits than the judge reads."""


class ValueJudge:
    """Says whether a value is valid.

    Args:
        text: of a JSON Schema.
        resources: URI → the documents that it refers to.

    Attributes:
        schema: as it was read.

    Raises:
        MissingPackageError: the package is not installed.
        SchemaError: a number of the schema has more digits than the judge reads.
    """

    def __init__(self, text: str, resources: Mapping[str, Any] | None = None) -> None:
        try:
            from jsonschema.validators import Draft202012Validator, validator_for
            from referencing import Registry, Resource
            from referencing.exceptions import Unresolvable
            from referencing.jsonschema import DRAFT202012, specification_with
        except ImportError:
            raise MissingPackageError("jsonschema", "json-schema") from None
        try:
            schema = json.loads(text, parse_float=_read_number, parse_int=_read_number)
        except NotJudgedError as error:
            raise SchemaError("", "", str(error), "verify it without such numbers") from None
        self.schema = schema
        kind = validator_for(schema, default=Draft202012Validator)
        specification = DRAFT202012
        if isinstance(schema, dict) and "$schema" in schema:
            specification = specification_with(schema["$schema"], default=DRAFT202012)
        # With a registry of its own the judge fetches nothing.
        registry: Any = Registry().with_resources(
            (uri, Resource.from_contents(_load(other), default_specification=specification))
            for uri, other in (resources or {}).items()
        )
        self._validator = kind(schema, registry=registry)
        self._unresolvable = Unresolvable

    def judge(self, value: Any) -> bool:
        """Return whether a value is valid.

        Raises:
            SchemaError: a reference leads to a document that was not given.
        """
        try:
            return bool(self._validator.is_valid(value))
        except self._unresolvable as error:
            raise SchemaError(
                "",
                "$ref",
                f"{error.ref!r} leads to a document that is not in the artifact",
                "give it with --resource, as when compiling",
            ) from None


class Judge(ValueJudge):
    """Says whether a value is valid by the schema of an artifact.

    Args:
        artifact: of a JSON Schema.
        resources: URI → the documents that it refers to.

    Attributes:
        is_complete: whether every valid value is accepted, if it is written as compact JSON.

    Raises:
        MissingPackageError, SchemaError: as the base class.
    """

    def __init__(self, artifact: Artifact, resources: Mapping[str, Any] | None = None) -> None:
        super().__init__(artifact.header["grammar"]["text"], resources)
        layout = artifact.header["schema_layout"]
        self.is_complete = (
            layout["key_order"] == "any"
            and layout["numbers"] == "usual"
            and not _has_format(self.schema)
        )


def _load(other: Any) -> Any:
    """Return a document as the judge reads it."""
    text = other if isinstance(other, str | bytes) else json.dumps(other)
    return json.loads(text, parse_float=_read_number, parse_int=_read_number)


def _has_format(schema: Any) -> bool:
    if isinstance(schema, dict):
        return "format" in schema or any(map(_has_format, schema.values()))
    return isinstance(schema, list) and any(map(_has_format, schema))


def read_json(text: str) -> Any:
    """Return the value of a text.

    Raises:
        NotJsonError: it is not JSON, or has a key twice.
        NotJudgedError: it has a number of too many digits.
    """
    try:
        value = json.loads(
            text,
            parse_float=_read_number,
            parse_int=_read_number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_twice,
        )
        write_value(value).encode()
    except NotJudgedError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from None
    return value


def _read_number(text: str) -> int | Fraction:
    """Return a number exactly: the judge computes with fractions as with floats."""
    _, sign, digits, exponent = number_value(text)
    if len(digits) + abs(exponent) > _MOST_DIGITS:
        raise NotJudgedError(f"has a number of more than {_MOST_DIGITS:,} digits, written out")
    value = Fraction(int(digits or 0)) * Fraction(10) ** exponent * (-1 if sign else 1)
    return int(value) if value.denominator == 1 else value


def write_value(value: Any) -> str:
    """Return a value of :func:`read_json` as compact JSON."""
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(k)}:{write_value(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{','.join(map(write_value, value))}]"
    if isinstance(value, Fraction):
        digits, exponent = decimal(abs(value)) or (0, -1)
        written = str(digits).rjust(1 - exponent, "0")
        return f"{'-' if value < 0 else ''}{written[:exponent]}.{written[exponent:]}"
    return json.dumps(value, ensure_ascii=False)


def _refuse_constant(name: str) -> None:
    raise NotJsonError(f"{name} is no JSON")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJsonError("a key is there twice")
    return found
