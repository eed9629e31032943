"""The JSON Schema of a Python type, no wider than what Pydantic reads.

The schema that Pydantic itself writes allows texts that its validation refuses: the year 0000, a
second 60, any text for a ``Decimal`` or an ``HttpUrl``, any key of a ``dict[int, str]``. Here each
of these gets a pattern, so that a text of the schema is a value of the type. A pattern may refuse
texts that Pydantic would read, such as a URL whose host has letters beyond ASCII.

What no schema says is left: validators written in Python, bounds of dates, paths that must exist.

Example: of a ``Decimal``, the texts are ``{"type": "string", "pattern": "^[+-]?(?:[0-9]+…"}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from string import ascii_lowercase
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from maskc.jsonschema.formats import IPV4
from maskc.jsonschema.keywords import subschemas_of

_HEX = "[0-9A-Fa-f]"
_YEAR = "^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-"  # datetime.MINYEAR is 1
_SECOND = "[0-9]{2}:[0-9]{2}:[0-5]"  # no leap second
_DURATION = "^[PYMWDTHS]*(?:[0-9]{1,6}[PYMWDTHS]+)*$"  # less than datetime.timedelta.max
_UNSIGNED = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?"
_NUMBER = f"[+-]?{_UNSIGNED}"
_INTEGER = "^(?:0|-?[1-9][0-9]{0,4299})$"  # sys.int_info.default_max_str_digits
_TRIMMED = r"^(?:[^\s\x85](?:[\s\S]*[^\s\x85])?)?$"  # by what Rust trims

_LABEL = "[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*"  # without --, so not one of IDNA that has to decode
_HOST = rf"(?:{_LABEL}\.)*[A-Za-z](?:[_-]?[A-Za-z0-9])*|{IPV4}"
_PORT = "(?::(?:[1-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_OF_USER = f"(?:[A-Za-z0-9._~!$&'()*+;=-]|%{_HEX}{{2}})"
_USER = f"(?:{_OF_USER}+(?::{_OF_USER}*)?@|:{_OF_USER}+@)?"

_N_FRACTION_DIGITS = 17  # after the point, as in the plain layout
_N_DIGITS = 15  # of a number: Pydantic reads it as a float first

# Types of keys that are no texts → what their texts are.
_NAMES: dict[str, dict[str, Any]] = {
    "integer": {"pattern": _INTEGER},
    "number": {"pattern": f"^{_NUMBER}$"},
    "boolean": {"enum": ["true", "false"]},
}
_AS_TEXTS = "its numbers are also read as texts"  # a comment of an enumeration


def _write_others(words: Sequence[str]) -> str:
    """Return a pattern of the words of two or more letters but some, without a look-ahead.

    In upper case, too: of ``a``, the words are two or more letters, and the pattern is
    ``(?:[bcd…BCD…][A-Za-z]{1,30}|[aA][A-Za-z]{1,30})``.
    """
    following: dict[str, str] = {}
    for word in words:
        for n, letter in enumerate(word):
            following[word[:n]] = following.get(word[:n], "") + letter
    found = [_spell(word) for word in following if len(word) > 1 and word not in words]
    for word, letters in following.items():
        others = "".join(letter for letter in ascii_lowercase if letter not in letters)
        least = 0 if word else 1
        found.append(f"{_spell(word)}[{others}{others.upper()}][A-Za-z]{{{least},30}}")
    found += [f"{_spell(word)}[A-Za-z]{{1,30}}" for word in words if word not in following]
    return f"(?:{'|'.join(found)})"


def _spell(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)


# Formats that only Pydantic knows, or that it reads more narrowly → what replaces them.
_FORMATS: dict[str, dict[str, Any]] = {
    **{
        f"uuid{version}": {
            "format": "uuid",
            "pattern": f"^{_HEX}{{8}}-{_HEX}{{4}}-{version}{_HEX}{{3}}-[89ABab]",
        }
        for version in range(1, 9)
    },
    **{
        name: {
            "pattern": f"^(?:[A-Za-z0-9{two}]{{4}})*"
            f"(?:[A-Za-z0-9{two}][AQgw]==|[A-Za-z0-9{two}]{{2}}[AEIMQUYcgkosw048]=)?$"
        }
        for name, two in (("base64", "+/"), ("base64url", "_-"))
    },
    # As the package email-validator takes them: no quotes, and no names of special use.
    "email": {
        "maxLength": 254,
        "pattern": r"^[A-Za-z0-9_](?:\.?[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]){0,31}"
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
        asked, pattern = _count_digits(places, digits)
        number = {**numbers[0], "allOf": [asked]} if asked else numbers[0]
        if numbers != [{"type": "number"}]:  # no pattern says which texts are in bounds
            return number
        return {"anyOf": [number, {"type": "string", "pattern": f"^[+-]?{pattern}$"}]}

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

    def enum_schema(self, schema: Any) -> Any:
        found = super().enum_schema(schema)
        has_numbers = schema.get("sub_type") in ("int", "float")
        return {**found, "$comment": _AS_TEXTS} if has_numbers else found

    def dict_schema(self, schema: Any) -> Any:
        found = super().dict_schema(schema)
        has_common = hasattr(GenerateJsonSchema, "_common_dict_schema")
        return found if has_common else self._narrow_names(found, schema)

    def _common_dict_schema(self, schema: Any) -> Any:  # later versions: of OrderedDict, too
        return self._narrow_names(super()._common_dict_schema(schema), schema)

    def _narrow_names(self, found: Any, schema: Any) -> Any:
        keys = self.generate_inner(schema["keys_schema"]) if "keys_schema" in schema else {}
        if keys not in ({}, {"type": "string"}):
            found["propertyNames"] = keys  # as texts in the end, when references lead somewhere
        if "patternProperties" in found:
            found["additionalProperties"] = False
        return found


def _name_texts(keys: Any, definitions: Mapping[str, Any]) -> Any:
    """Return the schema of the texts of keys; ``False`` if none is read.

    >>> _name_texts({"anyOf": [{"type": "integer"}, {"const": "all"}, {"const": 1}]}, {})
    {'anyOf': [{'pattern': '^(?:0|-?[1-9][0-9]{0,4299})$'}, {'enum': ['all']}]}
    """
    if not isinstance(keys, dict):
        return keys
    if isinstance(keys.get("$ref"), str):
        target = definitions.get(keys["$ref"].removeprefix("#/$defs/"))
        texts = _name_texts(target, {})
        return keys if texts == target else texts
    if "type" not in keys and isinstance(keys.get("allOf"), list):
        return {**keys, "allOf": [_name_texts(one, definitions) for one in keys["allOf"]]}
    if isinstance(keys.get("anyOf"), list):
        branches = [one for one in keys["anyOf"] if isinstance(one, dict)]
        if any(one.get("type") == "string" and "pattern" in one for one in branches):
            # Of a decimal with so many digits, the texts say more than the numbers.
            branches = [
                one for one in branches if one.get("type") != "number" or "allOf" not in one
            ]
        texts = [_name_texts(one, definitions) for one in branches]
        read = [one for one in texts if one is not False]
        return {"anyOf": read} if read else False
    values = [keys["const"]] if "const" in keys else keys.get("enum")
    if isinstance(values, list):
        kinds = (str, int, float) if keys.get("$comment") == _AS_TEXTS else (str,)
        listed = [str(value) for value in values if isinstance(value, kinds)]
        return {"enum": listed} if listed else False
    kind = keys.get("type")
    if kind in ("null", "array", "object"):
        return False
    return dict(_NAMES[kind]) if isinstance(kind, str) and kind in _NAMES else keys


def _narrow(found: Any, pattern: str | None) -> Any:
    """Return the schema of a format with a pattern; a date that is written as a number has none."""
    return found if pattern is None or "format" not in found else {**found, "pattern": pattern}


def _count_digits(places: int | None, digits: int | None) -> tuple[dict[str, Any], str]:
    """Return a schema of the numbers with so many decimal places, and so many digits in all.

    Also a pattern of their texts, which have no sign and no exponent.

    >>> _count_digits(1, 3)[0]
    {'multipleOf': 0.1, 'exclusiveMinimum': -100, 'exclusiveMaximum': 100}
    """
    if digits is None:
        if places is None:
            return {}, _UNSIGNED
        written = rf"[0-9]+(?:\.[0-9]{{1,{places}}})?" if places else "[0-9]+"
        return {"multipleOf": float(f"1e-{min(places, _N_FRACTION_DIGITS)}")}, written
    most = min(digits, _N_DIGITS) if places is None else min(digits, places)
    numbers, texts = list[dict[str, Any]](), list[str]()
    for n in range(most + 1) if places is None else [most]:
        bound = 10 ** (min(digits, _N_DIGITS) - min(n, _N_DIGITS))
        ends = {"exclusiveMinimum": -bound, "exclusiveMaximum": bound}
        number = {"multipleOf": float(f"1e-{min(n, _N_DIGITS)}"), **ends}
        if digits > n:
            numbers.append(number)
            texts.append(rf"[0-9]{{1,{digits - n}}}" + (rf"(?:\.[0-9]{{1,{n}}})?" if n else ""))
        else:  # 0 itself has a digit before the point
            numbers.append({**number, "not": {"const": 0}})
            texts.append(rf"0\.[0-9]{{0,{n - 1}}}[1-9]")
    return numbers[0] if len(numbers) == 1 else {"anyOf": numbers}, f"(?:{'|'.join(texts)})"


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
    # The format says which texts in brackets are addresses; that of several hosts is Pydantic's.
    one = f"(?:{_HOST}){_PORT}" if many else rf"(?:{_HOST}|\[[0-9A-Fa-f:.]+\]){_PORT}"
    hosts = f"{one}(?:,{one})*" if many else one
    return f"^(?:{schemes})://{_USER}{hosts}(?:[/?#][!-~]*)?$"


def _finish(schema: Any) -> Any:
    """Replace formats by what they mean, and the schemas of keys by those of their texts."""
    pending = [schema]
    while pending:
        one = pending.pop()
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("format"), str) and one["format"] in _FORMATS:
            one["allOf"] = [*one.get("allOf", ()), deepcopy(_FORMATS[one.pop("format")])]
        if "propertyNames" in one:
            one["propertyNames"] = _name_texts(one["propertyNames"], schema.get("$defs", {}))
        pending += [inner for _, inner in subschemas_of(one, 2020)]
    return schema
