"""Documents like those that a model writes, of a schema: a server follows them before it serves.

Objects have their properties in the schema's order, once all of them and once those that are
required. Values are those that the schema itself names (``examples``, ``default``, ``const``,
``enum``), or usual ones of its types. A matcher of the schema reads along, so what is written is
legal, whatever keywords were not looked at. Where no usual string is legal, one is searched.

Example: ``{"properties": {"a": {"type": "integer"}}}`` has the documents ``{"a": 12}`` and ``{}``.
After both a document of somebody else takes a tenth of the time that it takes without.

Limits: a reference to another document is taken for any schema, and what no usual value satisfies
ends a document. The beginning up to there is kept: it is followed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from maskc.errors import FormatError, LimitError
from maskc.jsonschema.reader import write_json
from maskc.runtime.matcher import Matcher
from maskc.runtime.step_budget import count_taken

# A text of each format, but for those of many characters that few ask for: of them one letter, for
# which the vocabulary is read by the classes that all have in common.
FORMATS = {
    "idn-hostname": "é",
    "date": "2024-02-29",
    "date-time": "2024-02-29T23:59:00.5+01:00",
    "date-time-local": "2024-02-29T23:59:00.5",
    "duration": "P1DT2H",
    "email": "ab.c@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.168.0.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/a/b",
    "relative-json-pointer": "1/a",
    "time": "23:59:00Z",
    "time-local": "23:59:00",
    "uri": "https://example.com/a?b=c#d",
    "uri-reference": "../a/b",
    "uri-template": "/a/{b}",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}

# The first ones are taken, and in arrays one after the other.
_TEXTS = ('Some text, 12 ("é").', "some_name-1", "A\nb")
_INTEGERS, _NUMBERS = (12, 1, 300), (1.5, 12, 0.25)
_TYPES = ("object", "string", "integer", "array", "number", "boolean", "null")
# A keyword that only one type has, by which a schema without `type` is told.
_TELLING = {
    "properties": "object",
    "required": "object",
    "additionalProperties": "object",
    "items": "array",
    "prefixItems": "array",
    "minimum": "number",
    "maximum": "number",
}
_BOUNDS = ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
# Tried in this order where a string is searched.
_TRIED = [bytes([byte]) for byte in b'"a1A0-./:_ @#' + bytes(range(33, 127))]

_MOST_ATTEMPTS = 4_000  # texts that a matcher is asked about, for one document
MOST_STEPS = 60_000  # that a document takes, see maskc.runtime.step_budget
_MOST_BYTES = 4_000  # of a document; then properties and items that need not be are left out
_MOST_DEPTH = 6  # of these
_DEEPEST = 40
_MOST_NAMED = 8  # values of `enum`, branches of `anyOf`
_MOST_SEARCHED = 400  # bytes tried where a string is searched
_LONGEST_TEXT = 1_000


def write_documents(schema: Any, open_matcher: Callable[[], Matcher]) -> list[bytes]:
    """Return up to two documents of a schema, or beginnings of them."""
    found = []
    for is_whole in (True, False):
        # A reader of a format may be another process's.
        with suppress(FormatError, LimitError):
            found.append(_Writer(schema, open_matcher(), is_whole=is_whole).run())
    return [document for document in dict.fromkeys(found) if document]


class _TooManyAttemptsError(Exception):
    """A document is not worth more attempts."""


class _Writer:
    """Writes one document, with all properties if it ``is_whole``."""

    def __init__(self, root: Any, matcher: Matcher, *, is_whole: bool) -> None:
        self._root, self._matcher, self._is_whole = root, matcher, is_whole
        self._number = 0  # of the item that is written: which of several values comes first
        self._parts: list[bytes] = []
        self._n_bytes = 0
        self._longest = b""
        self._n_left, self._last_step = _MOST_ATTEMPTS, count_taken() + MOST_STEPS

    def run(self) -> bytes:
        with suppress(FormatError, LimitError, _TooManyAttemptsError):
            self._write(self._root, 0)
        self._back(0)
        return self._longest

    def _put(self, *texts: bytes) -> bool:
        """Write the first of some texts that is legal; return whether one is."""
        for text in texts:
            self._count_attempt()
            if self._matcher.accept_bytes(text):
                self._parts.append(text)
                self._n_bytes += len(text)
                return True
        return False

    def _count_attempt(self) -> None:
        self._n_left -= 1
        if self._n_left < 0 or count_taken() > self._last_step:
            raise _TooManyAttemptsError

    def _back(self, n_parts: int) -> bool:
        """Take back all but some parts; return False."""
        if self._n_bytes >= len(self._longest):
            self._longest = b"".join(self._parts)
        dropped = self._parts[n_parts:]
        self._matcher.rollback(len(dropped))
        self._n_bytes -= sum(map(len, dropped))
        del self._parts[n_parts:]
        return False

    def _write(self, schema: Any, depth: int) -> bool:
        """Write a value; return whether one was found, and write nothing if not."""
        here = len(self._parts)
        if depth > _DEEPEST:
            return False
        return any(write() or self._back(here) for write in self._list_writers(schema, depth))

    def _list_writers(self, schema: Any, depth: int) -> Iterator[Callable[[], bool]]:
        schema = self._resolve(schema)
        for value in _list_named(schema, self._number):
            yield partial(self._write_value, value)
        for keyword in ("anyOf", "oneOf"):
            branches = schema.get(keyword)
            if isinstance(branches, list):
                others = {name: value for name, value in schema.items() if name != keyword}
                for branch in _rotate(branches, self._number)[:_MOST_NAMED]:
                    yield partial(self._write, _join(others, self._resolve(branch)), depth + 1)
        for kind in _list_types(schema, self._number):
            match kind:
                case "object":
                    yield partial(self._write_object, schema, depth)
                case "array":
                    yield partial(self._write_array, schema, depth)
                case "string":
                    yield partial(self._write_scalar, _list_texts(schema, self._number))
                    yield self._search_string
                case "integer" | "number":
                    usual = _INTEGERS if kind == "integer" else _NUMBERS
                    bounds = [schema[name] for name in _BOUNDS if name in schema]
                    values = [*_rotate(usual, self._number), *bounds]
                    yield partial(self._write_scalar, values)
                case "boolean":
                    yield partial(self._write_scalar, _rotate((True, False), self._number))
                case _:
                    yield partial(self._write_scalar, [None])

    def _resolve(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """Return a schema with what it refers to, and what all of its parts ask."""
        found = schema if isinstance(schema, dict) and depth < _DEEPEST else {}
        for _ in range(_DEEPEST):
            self._count_attempt()
            reference, parts = found.get("$ref"), found.get("allOf")
            if isinstance(reference, str):
                there = _follow(self._root, reference)
                found = _join({k: v for k, v in found.items() if k != "$ref"}, there)
            elif isinstance(parts, list):
                found = {name: value for name, value in found.items() if name != "allOf"}
                for part in parts:
                    found = _join(found, self._resolve(part, depth + 1))
            else:
                break
        return found

    def _write_object(self, schema: Mapping[str, Any], depth: int) -> bool:
        if not self._put(b"{"):
            return False
        properties, required = schema.get("properties"), schema.get("required")
        properties = properties if isinstance(properties, dict) else {}
        required = [n for n in required if type(n) is str] if isinstance(required, list) else []
        others = {name: None for name in required if name not in properties}
        n_written = 0
        for name, value in {**properties, **others}.items():
            if name in required or self._has_room(depth):
                n_written += self._write_member(n_written, name, value, depth)
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and not n_written and self._has_room(depth):
            self._write_member(0, "name", more, depth)
        return self._put(b"}")

    def _write_member(self, n_before: int, name: str, schema: Any, depth: int) -> bool:
        here, key = len(self._parts), write_json(name).encode()
        before = (b", ", b",") if n_before else (b"",)
        is_begun = self._put(*(text + key + colon for text in before for colon in (b": ", b":")))
        return (is_begun and self._write(schema, depth + 1)) or self._back(here)

    def _write_array(self, schema: Mapping[str, Any], depth: int) -> bool:
        if not self._put(b"["):
            return False
        first, each = schema.get("prefixItems"), schema.get("items", {})
        if isinstance(each, list):
            first, each = each, schema.get("additionalItems", {})
        first = first if isinstance(first, list) else []
        least, outer = schema.get("minItems", 0), self._number
        n_wanted = len(first) or 2 if self._has_room(depth) else 0
        for number in range(max(n_wanted, least if type(least) is int else 0)):
            here = len(self._parts)
            self._number = outer + number
            item = first[number] if number < len(first) else each
            is_begun = not number or self._put(b", ", b",")
            if not is_begun or not self._write(item, depth + 1):
                self._back(here)
                break
        self._number = outer
        return self._put(b"]")

    def _write_value(self, value: Any) -> bool:
        if isinstance(value, dict):
            return self._write_object(
                {"properties": {n: {"const": v} for n, v in value.items()}, "required": [*value]}, 0
            )
        if isinstance(value, list):
            items = [{"const": item} for item in value]
            return self._write_array({"prefixItems": items, "minItems": len(items)}, 0)
        return self._write_scalar([value])

    def _write_scalar(self, values: Iterable[Any]) -> bool:
        """Write the first of some values after which the value may be over."""
        here = len(self._parts)
        for value in values:
            if self._put(write_json(value).encode()):
                if self._matcher.is_accepting:
                    return True
                if self._put(b",", b"}", b"]"):
                    self._back(len(self._parts) - 1)
                    return True
                self._back(here)
        return False

    def _search_string(self) -> bool:
        """Write a string that is legal, found depth first; no state is come by twice."""
        if not self._put(b'"'):
            return False
        seen, untried = set(), [iter(_TRIED)]
        for _ in range(_MOST_SEARCHED):
            byte = next(untried[-1], None)
            if byte is None:
                untried.pop()
                if not untried:
                    break
                self._back(len(self._parts) - 1)
            elif self._put(byte):
                if byte == b'"':
                    return True
                state = self._matcher.configuration()
                if state in seen:
                    self._back(len(self._parts) - 1)
                else:
                    seen.add(state)
                    untried.append(iter(_TRIED))
        return False

    def _has_room(self, depth: int) -> bool:
        return self._is_whole and depth < _MOST_DEPTH and self._n_bytes < _MOST_BYTES


def _follow(root: Any, reference: str) -> Any:
    """Return what a reference within the document leads to, ``{}`` for another one."""
    name, *steps = reference.split("/")
    if name != "#":
        return {}
    found = root
    for step in steps:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found


def _join(one: dict[str, Any], other: Any) -> dict[str, Any]:
    """Return a schema that asks about what two ask; of what both say, what the other one says."""
    if not isinstance(other, dict):
        return one
    joined = {**one, **other}
    for name in ("properties", "required", "allOf"):
        first, second = one.get(name), other.get(name)
        if isinstance(first, dict) and isinstance(second, dict):
            joined[name] = {**first, **second}
        elif isinstance(first, list) and isinstance(second, list):
            joined[name] = [*first, *second]
    return joined


def _list_named(schema: Mapping[str, Any], number: int) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    examples, members = schema.get("examples"), schema.get("enum")
    found = _rotate(examples, number)[:_MOST_NAMED] if isinstance(examples, list) else []
    if "default" in schema:
        found.append(schema["default"])
    return found + (_rotate(members, number)[:_MOST_NAMED] if isinstance(members, list) else [])


def _list_types(schema: Mapping[str, Any], number: int) -> Sequence[Any]:
    named = schema.get("type")
    if isinstance(named, list):
        return _rotate(named, number)
    told = next((kind for keyword, kind in _TELLING.items() if keyword in schema), "string")
    return [named] if named in _TYPES else [told, *_TYPES]


def _list_texts(schema: Mapping[str, Any], number: int) -> list[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength", _LONGEST_TEXT)
    least = min(least, _LONGEST_TEXT) if type(least) is int else 0
    most = most if type(most) is int else _LONGEST_TEXT
    of_format = FORMATS.get(schema["format"]) if type(schema.get("format")) is str else None
    usual = [text[: max(0, most)].ljust(least, "a") for text in _rotate(_TEXTS, number)]
    return usual if of_format is None else [of_format, *usual]


def _rotate(values: Sequence[Any], number: int) -> list[Any]:
    first = number % len(values) if values else 0
    return [*values[first:], *values[:first]]
