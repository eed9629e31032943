"""The JSON Schema of a Python type, no wider than what Pydantic reads.

The schema that Pydantic itself writes allows texts that its validation refuses: the year 0000, a
second 60, any text for a ``Decimal`` or an ``HttpUrl``, any key of a ``dict[int, str]``. Here each
of these gets a pattern, so that a text of the schema is a value of the type. A pattern may refuse
texts that Pydantic would read, such as a URL whose host has letters beyond ASCII.

What no schema says is left: validators written in Python, bounds of dates, paths that must exist.

Example: of a ``Decimal``, the texts are ``{"type": "string", "pattern": "^[+-]?(?:[0-9]+…"}``.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from string import ascii_lowercase
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from maskc.jsonschema.keywords import subschemas_of

_YEAR = "^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-"  # datetime.MINYEAR is 1
_SECOND = "[0-9]{2}:[0-9]{2}:[0-5]"  # no leap second
_DURATION = "^[PYMWDTHS]*(?:[0-9]{1,6}[PYMWDTHS]+)*$"  # less than datetime.timedelta.max
_UNSIGNED = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?"
_NUMBER = f"[+-]?{_UNSIGNED}"
_INTEGER = "^(?:0|-?[1-9][0-9]{0,4299})$"  # sys.int_info.default_max_str_digits
_TRIMMED = r"^(?:[^\s\x85](?:[\s\S]*[^\s\x85])?)?$"  # by what Rust trims

_LABEL = "[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"  # without --, so not one of IDNA that has to decode
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_HOST = rf"(?:(?:{_LABEL}\.)*[A-Za-z](?:-?[A-Za-z0-9])*|{_BYTE}(?:\.{_BYTE}){{3}})"
_PORT = "(?::(?:[1-5]?[0-9]{1,4}|6[0-4][0-9]{3}))?"
_USER = "(?:[A-Za-z0-9._~-]+(?::[A-Za-z0-9._~-]*)?@)?"

_N_FRACTION_DIGITS = 17  # after the point, as in the plain layout

# Types of keys that are no texts → what their texts are.
_NAMES: dict[str, dict[str, Any]] = {
    "integer": {"pattern": _INTEGER},
    "number": {"pattern": f"^{_NUMBER}$"},
    "boolean": {"enum": ["true", "false"]},
}

_HEX = "[0-9A-Fa-f]"


def _write_others(words: Sequence[str]) -> str:
    """Return a pattern of the words of two or more letters but some, without a look-ahead.

    >>> _write_others(["ab"])
    '(?:[bcdefghijklmnopqrstuvwxyz][a-z]{1,30}|a[acdefghijklmnopqrstuvwxyz][a-z]{0,30}|ab[a-z]{1,30})'
    """
    following: dict[str, str] = {}
    for word in words:
        for n, letter in enumerate(word):
            following[word[:n]] = following.get(word[:n], "") + letter
    found = [word for word in following if len(word) > 1 and word not in words]
    for word, letters in following.items():
        others = "".join(letter for letter in ascii_lowercase if letter not in letters)
        found.append(f"{word}[{others}][a-z]{{{0 if word else 1},30}}")
    found += [f"{word}[a-z]{{1,30}}" for word in words if word not in following]
    return f"(?:{'|'.join(found)})"


# Formats that Pydantic alone knows, or reads more narrowly → what is said in their place.
_FORMATS: dict[str, dict[str, Any]] = {
    **{
        f"uuid{version}": {
            "format": "uuid",
            "pattern": f"^{_HEX}{{8}}-{_HEX}{{4}}-{version}{_HEX}{{3}}-[89ABab]",
        }
        for version in range(1, 9)
    },
    "base64": {
        "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    },
    "base64url": {
        "pattern": "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?$",
    },
    # As the package email-validator takes them: no quotes, and no names of special use.
    "email": {
        "maxLength": 254,
        "pattern": "^[A-Za-z0-9](?:[._+-]?[A-Za-z0-9]){0,31}"
        r"@(?:[A-Za-z0-9](?:-?[A-Za-z0-9]){0,30}\.)+"
        f"{_write_others(('arpa', 'invalid', 'local', 'localhost', 'onion', 'test'))}$",
    },
    "ipvanyaddress": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
}


class NarrowJsonSchema(GenerateJsonSchema):
    """Pydantic's generator of schemas, with what its validation asks beyond them."""

    def generate(self, schema: Any, mode: Any = "validation") -> Any:
        return _finish(super().generate(schema, mode))

    def date_schema(self, schema: Any) -> Any:
        return _narrow(super().date_schema(schema), _YEAR)

    def time_schema(self, schema: Any) -> Any:
        return _narrow(super().time_schema(schema), f"^{_SECOND}")

    def datetime_schema(self, schema: Any) -> Any:
        found = super().datetime_schema(schema)
        if schema.get("tz_constraint") == "naive" and "format" in found:
            found["format"] = "date-time-local"
        return _narrow(found, f"{_YEAR}.*{_SECOND}")

    def timedelta_schema(self, schema: Any) -> Any:
        return _narrow(super().timedelta_schema(schema), _DURATION)

    def decimal_schema(self, schema: Any) -> Any:
        found = super().decimal_schema(schema)
        numbers = [one for one in found.get("anyOf", ()) if one.get("type") == "number"]
        if not numbers:  # of what is written, not read
            return found
        places, digits = schema.get("decimal_places"), schema.get("max_digits")
        is_free = numbers == [{"type": "number"}] and places is None and digits is None
        texts = [{"type": "string", "pattern": f"^{_NUMBER}$"}] if is_free else []
        asked = _count_digits(places, digits)
        return {
            "anyOf": [*({**numbers[0], "allOf": asked} if asked else n for n in numbers), *texts]
        }

    def url_schema(self, schema: Any) -> Any:
        return _narrow(super().url_schema(schema), _write_url(schema, many=False))

    def multi_host_url_schema(self, schema: Any) -> Any:
        return _narrow(super().multi_host_url_schema(schema), _write_url(schema, many=True))

    def str_schema(self, schema: Any) -> Any:
        found = super().str_schema(schema)
        strips = schema.get("strip_whitespace", self._config.str_strip_whitespace)
        return {**found, "allOf": [{"pattern": _TRIMMED}]} if strips else found

    def complex_schema(self, schema: Any) -> Any:
        del schema
        return {"type": "string", "pattern": f"^{_NUMBER}(?:[+-]{_UNSIGNED}j)?$"}

    def dict_schema(self, schema: Any) -> Any:
        found = super().dict_schema(schema)
        keys = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {}
        is_decimal = {"type": "number"} in keys.get("anyOf", ())
        names = _NAMES.get("number" if is_decimal else keys.get("type", ""), keys)
        if names not in ({}, {"type": "string"}):
            found["propertyNames"] = dict(names)
        if "patternProperties" in found:
            found["additionalProperties"] = False
        return found


def _narrow(found: Any, pattern: str | None) -> Any:
    """Return the schema of a format with a pattern; a date that is written as a number has none."""
    return found if pattern is None or "format" not in found else {**found, "pattern": pattern}


def _count_digits(places: int | None, digits: int | None) -> list[dict[str, Any]]:
    """Return schemas of the numbers with so many decimal places, and so many digits in all.

    >>> _count_digits(1, 3)
    [{'multipleOf': 0.1, 'exclusiveMinimum': -100, 'exclusiveMaximum': 100}]
    """
    if digits is None:
        return [] if places is None else [{"multipleOf": float(f"1e-{places}")}]
    either = [
        {
            "multipleOf": float(f"1e-{n}"),
            "exclusiveMinimum": -(10 ** (digits - n)),
            "exclusiveMaximum": 10 ** (digits - n),
        }
        for n in (
            range(min(digits, _N_FRACTION_DIGITS) + 1) if places is None else [min(places, digits)]
        )
    ]
    return either if len(either) == 1 else [{"anyOf": either}]


def _write_url(schema: Any, *, many: bool) -> str | None:
    """Return a pattern of the URLs with the schemes that are allowed; ``None`` if all are.

    >>> _write_url({"allowed_schemes": ["file"]}, many=False)
    '^(?:file):///[!-~]*$'
    """
    allowed = schema.get("allowed_schemes")
    if allowed is None:
        return None
    # No escapes: of a hyphen, ECMA-262 has none.
    schemes = "|".join("".join(c if c.isalnum() else f"[{c}]" for c in one) for one in allowed)
    if allowed == ["file"]:
        return f"^(?:{schemes}):///[!-~]*$"
    hosts = f"{_HOST}{_PORT}(?:,{_HOST}{_PORT})*" if many else f"{_HOST}{_PORT}"
    return f"^(?:{schemes})://{_USER}{hosts}(?:[/?#][!-~]*)?$"


def _finish(schema: Any) -> Any:
    """Replace formats by what they mean, and integers that are names of members by their texts."""
    pending = [schema]
    while pending:
        one = pending.pop()
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("format"), str) and one["format"] in _FORMATS:
            one["allOf"] = [*one.get("allOf", ()), deepcopy(_FORMATS[one.pop("format")])]
        name = one.get("propertyNames", {}).get("$ref", "").removeprefix("#/$defs/")
        keys = schema.get("$defs", {}).get(name, {})
        if not all(isinstance(value, str) for value in keys.get("enum", ())):
            kinds = (str, int) if keys.get("type") == "integer" else (str,)
            texts = [str(value) for value in keys["enum"] if isinstance(value, kinds)]
            one["propertyNames"] = {"enum": texts}
        pending += [inner for _, inner in subschemas_of(one, 2020)]
    return schema
