"""The judge of JSON values: the package ``jsonschema``, with exact numbers.

Whether a text keeps an artifact's layout is read from its own signs, by docs/json-schema.md;
nothing of the runtime is asked. Spellings that a layout has in part are not judged: exponents, and
escapes of what need not be escaped.

Limits: the judge reads fewer formats than we assert, other numbers than the layouts
``plain`` and ``short`` and those with ``digits`` have, keys in any order, and no numbers of more
than 4,000 digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

from maskc.errors import MissingPackageError, SchemaError
from maskc.formats import judge_of
from maskc.runtime.artifact import Artifact
from maskc.runtime.schema.numbers.powers import decimal
from maskc.runtime.schema.plan.values import number_value
from maskc.verify.ecma import to_python

_MOST_DIGITS = 4_000  # of a number, written out
# Keywords with schemas by name, and those with what is no schema.
_NAMED = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
)
_VALUES = frozenset(("const", "enum", "default", "examples"))
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')
_GAP = re.compile(r"[ \t\n\r]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_MUST_BE_ESCAPED = frozenset('"\\bfnrt')  # as escapes are written; others of \u are not judged
_MOST_BLANKS = 8
_GREAT_EXPONENT = 18  # beyond it a number is not written out


class NotJsonError(ValueError):
    """A text is not JSON, or has a key twice in one object."""


class NotJudgedError(ValueError):
    """A number has more digits, or a value more levels, than the judge reads."""


class ValueJudge:
    """Says whether a value is valid.

    Raises:
        MissingPackageError: the package is not installed.
        SchemaError: the judge cannot read a number or a pattern of it.
    """

    def __init__(
        self,
        text: str,
        resources: Mapping[str, Any] | None = None,
        formats: Mapping[str, str | None] | None = None,
    ) -> None:
        try:
            from jsonschema import FormatChecker
            from jsonschema.validators import Draft202012Validator, validator_for
            from referencing import Registry, Resource
            from referencing.exceptions import Unresolvable
            from referencing.jsonschema import DRAFT202012, specification_with
        except ImportError:
            raise MissingPackageError("jsonschema", "json-schema") from None
        try:
            schema = _load(text)
        except NotJudgedError as error:
            raise SchemaError("", "", str(error), "verify it without such numbers") from None
        self.schema = schema  # as it was read, its patterns as re reads them
        kind = validator_for(schema, default=Draft202012Validator)
        specification = DRAFT202012
        if isinstance(schema, dict) and "$schema" in schema:
            specification = specification_with(schema["$schema"], default=DRAFT202012)
        # With a registry of its own the judge fetches nothing.
        registry: Any = Registry().with_resources(
            (uri, Resource.from_contents(_load(other), default_specification=specification))
            for uri, other in (resources or {}).items()
        )
        checker = FormatChecker(())
        for name, is_of in judges_of(formats or {}).items():
            checker.checks(name)(is_of)
        self._validator = kind(schema, registry=registry, format_checker=checker)
        self._unresolvable = Unresolvable

    def judge(self, value: Any) -> bool:
        """Return whether a value is valid."""
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
    """Says whether a value is valid by the schema of an artifact."""

    def __init__(self, artifact: Artifact, resources: Mapping[str, Any] | None = None) -> None:
        formats = artifact.header.get("registered_formats", {})
        super().__init__(artifact.header["grammar"]["text"], resources, formats)
        # how texts may be written, as the artifact's header has it
        self.layout: Mapping[str, str] = artifact.header["schema_layout"]
        # whether every valid value is accepted, if it is written as compact JSON
        self.is_complete = (
            self.layout["key_order"] == "any"
            and self.layout["numbers"] in ("usual", "any")
            and "digits" not in self.layout
            and not _has_format(self.schema, judges_of(formats))
        )


def _load(other: Any) -> Any:
    """Return a schema, or a document with schemas, as the judge reads it."""
    text = other if isinstance(other, str | bytes) else json.dumps(other)
    return _read_patterns(json.loads(text, parse_float=_read_number, parse_int=_read_number))


def _read_patterns(schema: Any) -> Any:
    """Return a schema with patterns as ``re`` reads them."""
    if isinstance(schema, list):
        return [_read_patterns(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for keyword, inner in schema.items():
        if keyword in _NAMED and isinstance(inner, dict):
            of_patterns = keyword == "patternProperties"
            found[keyword] = {
                _to_python(name) if of_patterns else name: _read_patterns(there)
                for name, there in inner.items()
            }
        elif keyword == "pattern" and isinstance(inner, str):
            found[keyword] = _to_python(inner)
        else:
            found[keyword] = inner if keyword in _VALUES else _read_patterns(inner)
    return found


def _to_python(pattern: str) -> str:
    try:
        return to_python(pattern)
    except ValueError as error:
        problem = f"the judge does not read the pattern {pattern!r}: {error}"
        raise SchemaError("", "pattern", problem, "verify it without this pattern") from None


def judges_of(formats: Mapping[str, str | None]) -> dict[str, Callable[[Any], bool]]:
    found: dict[str, Callable[[Any], bool]] = {}
    for name, pattern in formats.items():
        judge: Callable[[str], object] | None = judge_of(name)
        if judge is None and pattern is not None:
            try:
                judge = re.compile(_to_python(pattern)).fullmatch
            except (re.error, OverflowError, RecursionError):
                problem = f"{name} has a pattern that the judge does not read"
                raise SchemaError("", "format", problem, "register it with a judge") from None
        if judge is not None:
            found[name] = partial(_judge_strings, judge)
    return found


def _judge_strings(judge: Callable[[str], object], value: Any) -> bool:
    return not isinstance(value, str) or bool(judge(value))


def _has_format(schema: Any, judged: Collection[str]) -> bool:
    if isinstance(schema, dict):
        found = schema.get("format")
        is_judged = isinstance(found, str) and found in judged
        return (found is not None and not is_judged) or any(
            _has_format(inner, judged) for inner in schema.values()
        )
    return isinstance(schema, list) and any(_has_format(inner, judged) for inner in schema)


def read_json(text: str) -> Any:
    """Return the value of a text.

    Raises:
        NotJsonError: it is not JSON, or has a key twice.
        NotJudgedError: it has a number of too many digits, or is nested too deep.
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
    except RecursionError:
        raise NotJudgedError("is nested deeper than the judge reads") from None
    except ValueError as error:
        raise NotJsonError(str(error)) from None
    return value


def _read_number(text: str) -> int | Fraction:
    """Return a number exactly: the judge computes with fractions as with floats."""
    _, sign, digits, exponent = number_value(text)
    if len(digits) + abs(exponent) > _MOST_DIGITS:
        raise NotJudgedError(f"has a number of more than {_MOST_DIGITS:,} digits, written out")
    value = Fraction(int(digits or 0)) * Fraction(10) ** exponent * (-1 if sign else 1)
    return int(value) if value.denominator == 1 else value


def _refuse_constant(name: str) -> None:
    raise NotJsonError(f"{name} is not JSON")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJsonError("a key is there twice")
    return found


class BlankLayout(Enum):
    """Where blanks stand: between what they separate, and after each line break."""

    COMPACT = "compact"
    SPACED = "spaced"
    INDENTED = "indented"


def write_value(value: Any, layout: BlankLayout = BlankLayout.COMPACT, depth: int = 0) -> str:
    """Return a value of :func:`read_json` as JSON, with few escapes and exponents."""
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return _write_number(value)
    if not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    is_compact = layout is BlankLayout.COMPACT
    colon, start, end, comma = ":" if is_compact else ": ", "", "", "," if is_compact else ", "
    if layout is BlankLayout.INDENTED:
        start, end = (f"\n{'  ' * inner}" for inner in (depth + 1, depth))
        comma = f",{start}"
    if isinstance(value, list):
        parts = [write_value(inner, layout, depth + 1) for inner in value]
        return f"[{start}{comma.join(parts)}{end}]"
    parts = [
        f"{json.dumps(key, ensure_ascii=False)}{colon}{write_value(inner, layout, depth + 1)}"
        for key, inner in value.items()
    ]
    return f"{{{start}{comma.join(parts)}{end}}}"


def _write_number(value: int | Fraction) -> str:
    digits, exponent = decimal(abs(Fraction(value))) or (0, 0)
    written, sign = str(digits), "-" if value < 0 else ""
    if abs(exponent) > _GREAT_EXPONENT:
        return f"{sign}{written}e{exponent}"
    if exponent >= 0:
        return f"{sign}{written}{'0' * exponent}"
    written = written.rjust(1 - exponent, "0")
    return f"{sign}{written[:exponent]}.{written[exponent:]}"


def keeps_layout(text: str, layout: Mapping[str, str]) -> bool | None:
    """Return whether a text keeps a layout, ``None`` if that is not judged."""
    found: bool | None = True
    depth = index = 0
    while True:
        gap = _GAP.match(text, index)
        blanks = gap[0] if gap else ""
        if not _may_stand(blanks, depth, layout["blanks"]):
            return False
        index += len(blanks)
        if index == len(text):
            return found
        part = _PARTS.match(text, index)
        if part is None:
            raise ValueError(f"the text is not JSON at character {index}")
        index = part.end()
        sign = part[0]
        depth += (sign in "{[") - (sign in "}]")
        kept = _keeps_spelling(sign, layout)
        if kept is False:
            return False
        found = found and kept


def _may_stand(blanks: str, depth: int, choice: str) -> bool:
    if choice == "any" or not blanks:
        return True
    bounded = rf"[ \t]{{0,{_MOST_BLANKS}}}(?:\r?\n[ \t]{{0,{_MOST_BLANKS * depth}}})?"
    return choice == "bounded" and re.fullmatch(bounded, blanks) is not None


def _keeps_spelling(sign: str, layout: Mapping[str, str]) -> bool | None:
    if sign[0] == '"':
        if layout["escapes"] == "any":
            return True
        if layout["escapes"] == "ascii" and not sign.isascii():
            return False
        return True if _MUST_BE_ESCAPED.issuperset(_ESCAPE.findall(sign)) else None
    if sign[0] in "-0123456789" and re.search("[eE]", sign):
        return {"any": True, "usual": None}.get(layout["numbers"], False)
    return True
