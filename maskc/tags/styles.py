"""How a style writes a parameter: the texts around its name and its value, from ``styles.json``.

Strings are written as they are; everything else is JSON. A style that names the type of a value
does so between the name and the value.

A schema of a tool is compiled when the tool is called, and that must not fail then. So a schema
that is written with the usual keywords only, with values of the right kinds, is left for later, as
it certainly compiles; any other one is compiled with the request, and refused there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_NOTES = frozenset(("default", "deprecated", "description", "examples", "title"))
_OF_PARAMETERS = frozenset(
    ("type", "properties", "required", "additionalProperties", "description", "title")
)
_MAX_DEPTH = 20
_MOST_MEMBERS = 100
_MOST_SCHEMAS = 1_000
_MOST = 1_000_000
_MOST_CHARACTERS = 10_000  # of the names of properties, or of an enum


@dataclass(frozen=True, slots=True)
class CallStyle:
    """The texts of a style."""

    before: str  # before the name
    string: str  # between the name and a string
    other: str  # between the name and any other value; `{type}` is its type, if that is written
    close: str  # after the value, with `{name}` if the name is written again
    gap: str = ""  # another text, with blanks before it, that follows string and other
    forbidden: str = ""  # what stands in no string; empty: close
    # what may stand before and after a string that is not free, as templates write it
    line: str = ""
    # another way to write false and true, as the models' own templates do in Python's words, and
    # parsers read both; empty: JSON alone
    booleans: tuple[str, ...] = ()
    # type → the word for it, where that is another one
    types: Mapping[str, str] = field(default_factory=dict)
    # what opens a value → what closes it, where that is not close
    ends: Mapping[str, str] = field(default_factory=dict)
    # between parameters and between items, without blanks; names that the schema does not give are
    # not written
    separator: str = ""
    marks: str = ""  # characters that stand in no name
    unwritten: tuple[str, ...] = ()  # types that not all parsers read
    numbers: str = "digits"  # a layout's: with short there are no exponents
    # what texts stand between, one of them, with Python's escapes; empty: nothing
    quotes: tuple[str, ...] = ()
    # null, false and true → the words for it, where those are others
    literals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inner: str = ""  # the style of objects inside of arguments, whose names are in quotes
    # whether a blank may stand after a separator, and before a value in an object
    is_spaced: bool = False
    identifiers: str = ""  # a pattern of names, of Python's arguments; empty: names of any kind
    # whether names may be words of Python, which some parsers rename before they read
    keywords: bool = False
    # before an item of an array, and between it and its value as string and other; empty: arrays
    # and objects are JSON
    item: tuple[str, str, str] | None = None

    def before_value(self, opening: str) -> list[str]:
        """Return the ways to write what stands between a name and a value."""
        has_blank = self.is_spaced and not self.identifiers
        return [opening, f"{opening[0]} {opening[1:]}"] if has_blank else [opening]

    @property
    def is_nested(self) -> bool:
        """Whether arrays and objects are written as parameters are."""
        return self.item is not None

    @property
    def closes_by_name(self) -> bool:
        """Whether the name is written again after the value."""
        return "{name}" in self.close

    def between(self, kind: str, text: str) -> str:
        return text.replace("{type}", self.types.get(kind, kind))

    def closing(self, opening: str) -> str:
        return next((e for begin, e in self.ends.items() if opening.endswith(begin)), self.close)

    @property
    def writes_types(self) -> bool:
        """Whether each value has its type written before it."""
        return "{type}" in self.other


def _read_style(entry: Mapping[str, Any]) -> CallStyle:
    while "like" in entry:
        entry = {**_DATA[entry["like"]], **{k: v for k, v in entry.items() if k != "like"}}
    texts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return CallStyle(**texts)


_DATA = json.loads((files("maskc.tags") / "styles.json").read_bytes())
STYLES: dict[str, CallStyle] = {name: _read_style(entry) for name, entry in _DATA.items()}


def is_name(name: Any) -> bool:
    """Return whether a name of a property has no delimiters, and no blanks that parsers strip."""
    return (
        isinstance(name, str)
        and bool(name)
        and name == name.strip()
        and not any(character in '<>"|&=' or character < " " for character in name)
        and not any(0xD800 <= ord(character) <= 0xDFFF for character in name)
    )


def is_plain(schema: Any) -> bool:
    """Return whether a schema is known to compile, and fast."""
    return _is_simple(schema) or _walk(schema, 0, _MOST_SCHEMAS) >= 0


def _walk(schema: Any, depth: int, left: int) -> int:
    """Return how many more schemas there may be after one, -1 if it is not plain."""
    if type(schema) is not dict or depth > _MAX_DEPTH or not left:
        return left if schema is True else -1
    left -= 1
    for keyword, value in schema.items():
        if keyword == "properties":
            if type(value) is not dict or len(value) > _MOST_MEMBERS or not _are_ascii(value):
                return -1
            left -= len(value)
            for inner in value.values():
                if left >= 0 and not _is_simple(inner):
                    left = _walk(inner, depth + 1, left)
        elif keyword == "items":
            left = _walk(value, depth + 1, left)
        elif not _is_usual(keyword, value, schema):
            return -1
        if left < 0:
            return -1
    return left


def _is_usual(keyword: str, value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a keyword without schemas in it is known to compile."""
    match keyword:
        case "type":
            return type(value) is str and value in _TYPES
        case "required":
            known = schema.get("properties")
            return _are_names(value) and type(known) is dict and known.keys() >= set(value)
        case "enum":
            return _are_names(value) and bool(value) and schema.get("type", "string") == "string"
        case "additionalProperties":
            return type(value) is bool
        case "description":
            return type(value) is str
        case "minLength" | "maxLength":
            return "enum" not in schema and _is_range(schema, "minLength", "maxLength", 0)
        case "minItems" | "maxItems":
            return _is_range(schema, "minItems", "maxItems", 0)
        case "minimum" | "maximum":
            return _is_range(schema, "minimum", "maximum", -_MOST)
    return keyword in _NOTES


def _is_range(schema: dict[str, Any], first: str, last: str, least: int) -> bool:
    low, high = schema.get(first, least), schema.get(last, _MOST)
    return type(low) is int and type(high) is int and least <= low <= high <= _MOST


def _is_simple(schema: Any) -> bool:
    if type(schema) is not dict or not 0 < len(schema) < 3:
        return False
    kind = schema.get("type")
    return (
        type(kind) is str
        and kind in _TYPES
        and (len(schema) == 1 or type(schema.get("description")) is str)
    )


def _are_names(value: Any) -> bool:
    if type(value) is not list or len(value) > _MOST_MEMBERS or not _are_ascii(value):
        return False
    return len(set(value)) == len(value)


def _are_ascii(texts: Collection[Any]) -> bool:
    try:
        return all(map(str.isascii, texts)) and sum(map(len, texts)) <= _MOST_CHARACTERS
    except TypeError:
        return False  # one of them is no text


def may_wait(schema: Any, style: str, excludes: tuple[str, ...]) -> bool:
    """Return whether a schema is known to be one that a style can write, without reading it all."""
    if STYLES[style].is_nested or type(schema) is not dict or schema.keys() - _OF_PARAMETERS:
        return False
    if schema.get("type") != "object" or not is_plain(schema):
        return False
    properties, forbidden = schema.get("properties", {}), list_forbidden(style, excludes)
    return all(
        is_name(name) and not names_forbidden(inner, forbidden)
        for name, inner in properties.items()
    )


def list_forbidden(style: str, excludes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts that no value which is written as it is may contain."""
    return tuple(dict.fromkeys((STYLES[style].forbidden or STYLES[style].close, *excludes)))


def names_forbidden(schema: Any, forbidden: tuple[str, ...]) -> bool:
    """Return whether one of the texts that a schema lists cannot be written as it is."""
    listed = schema.get("enum") if isinstance(schema, Mapping) else None
    return isinstance(listed, list) and any(
        isinstance(text, str) and word in text for text in listed for word in forbidden
    )
