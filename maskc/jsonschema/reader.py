"""What was given as a schema, as parsed JSON: a mapping, a text, or a Python type.

Numbers are read exactly. What cannot be a schema is refused here: no JSON, a key twice in one
object, half of a surrogate pair, too long, nested too deep. A document that holds schemas and is
none, and would allow any JSON text, is refused by :func:`check_root`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.jsonschema.keywords import ALL_KEYWORDS, ASKING
from maskc.jsonschema.sources import describe_type, is_type

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_DEPTH: Final = 100
_MAX_DIGITS: Final = 4_000
_MOST_BITS: Final = 13_000  # of a number that surely has no more digits
_MANY_BITS: Final = 13_300  # one with more surely has more digits
# The members of requests that hold a schema, and the types of those that hold such a member.
_HOLDERS: Final = ("json_schema", "function", "schema", "parameters", "inputSchema", "input_schema")
_WRAPPERS: Final = ("json_schema", "function")
_NESTS: Final = (dict, list, tuple)
_TEXT: Final = frozenset([str])
# What was checked for its depth is not inside itself.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False)


def read_schema(given: Any) -> Any:
    """Return a schema as parsed JSON.

    Args:
        given: parsed JSON, its text, or a Python type.
    """
    if isinstance(given, str | bytes | bytearray):
        parsed = _load(given)
        _check(parsed)
        return parsed
    if is_type(given):
        given = describe_type(given)
    if not isinstance(given, dict | bool):
        raise _fault(
            "is neither an object nor a Boolean", "give a mapping, a JSON text or a Python type"
        )
    if _check(given):
        return given
    try:
        # One way in: what is compiled is what the artifact will show.
        text = json.dumps(given, default=_refuse, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise _fault(f"is not JSON ({error})", "give plain JSON values") from None
    return _load(text)


def _fault(fact: str, remedy: str) -> SchemaError:
    return SchemaError("", "", fact, remedy)


def check_root(parsed: Any) -> None:
    """Refuse a document that holds schemas and is none.

    Such are an OpenAPI document, the definition of a tool, and what stands around a schema in
    ``response_format``. A root that has a keyword which asks something is a schema, and so is one
    that has annotations, extensions (``x-…``) or nothing; a root that has only names which no
    dialect knows is none.
    """
    if not isinstance(parsed, dict):
        return
    for name in ("openapi", "swagger"):
        if isinstance(parsed.get(name), str) and ASKING.isdisjoint(parsed):
            remedy = 'choose one of its schemas with component="NAME", or --component NAME'
            raise SchemaError(
                "", name, "makes it the description of an interface, not a schema", remedy
            )
    kind = parsed.get("type")
    if ASKING.isdisjoint(parsed) or (isinstance(kind, str) and kind in _WRAPPERS):
        inner = _find_inner(parsed)
        if inner:
            fact = "contains a schema but is not one, and would allow any JSON text"
            raise _fault(fact, f"give the schema at {inner}")
    if parsed and not any(name in ALL_KEYWORDS or name.startswith("x-") for name in parsed):
        unknown = ", ".join(f"{name:.40}" for name in list(parsed)[:4])
        raise _fault(
            f"has no keyword of JSON Schema, only {unknown}",
            "give the schema itself, or {} for any JSON text",
        )


def _find_inner(parsed: dict[str, Any]) -> str:
    """Return the pointer to the schema that a wrapper holds, an empty text if it holds none."""
    pointer = ""
    while name := next((n for n in _HOLDERS if isinstance(parsed.get(n), dict)), ""):
        parsed, pointer = parsed[name], f"{pointer}/{name}"
        if name not in _WRAPPERS:
            break
    return pointer


def _refuse(value: object) -> object:
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _load(text: str | bytes | bytearray) -> Any:
    if len(text) > MAX_BYTES:
        raise _fault(
            f"has more than {MAX_BYTES:,} bytes", "split it, and give the parts as resources"
        )
    try:
        return json.loads(
            text,
            parse_float=Decimal,
            parse_int=_parse_int,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError as error:
        raise _fault(f"is not UTF-8 at byte {error.start}", "save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise _fault(
            f"is not JSON: line {error.lineno}, column {error.colno}: {error.msg}",
            "give valid JSON",
        ) from None


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise _too_long()
    return int(digits)


def _too_long() -> SchemaError:
    return _fault(f"has a number of more than {_MAX_DIGITS:,} digits", "write a shorter one")


def _refuse_constant(name: str) -> None:
    raise _fault(f"has {name}, which is not JSON", "give valid JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _fault(f"has the key {twice!r} twice in one object", "keep one of the two")
    return found


def _too_deep() -> SchemaError:
    return _fault(f"is nested deeper than {MAX_DEPTH} levels", "name inner schemas in $defs")


def _check(parsed: Any) -> bool:
    """Refuse what is nested too deep, and strings that are no Unicode text.

    Returns:
        Whether it is what its JSON text would be read as: a fraction, a tuple or a key that is no
        text is not.
    """
    is_read = True
    open_ = [(parsed, 0)] if isinstance(parsed, _NESTS) else []
    while open_:
        here, depth = open_.pop()
        if depth >= MAX_DEPTH and here:
            raise _too_deep()
        kind = type(here)
        is_read = is_read and (kind is dict or kind is list)
        inner: Iterable[Any] = here
        if isinstance(here, dict):
            has_texts = _TEXT.issuperset(map(type, here))
            is_read = is_read and has_texts
            is_plain = has_texts and "".join(here).isascii()
            inner = here.values() if is_plain else [*here, *here.values()]
        for value in inner:
            kind = type(value)
            if kind is str:
                if not value.isascii():
                    _check_text(value)
            elif isinstance(value, _NESTS):
                open_.append((value, depth + 1))
            elif isinstance(value, str):
                is_read = False
                _check_text(value)
            elif kind is int:
                n_bits = value.bit_length()
                if n_bits > _MANY_BITS:
                    raise _too_long()
                is_read = is_read and n_bits <= _MOST_BITS
            elif value is not None and kind is not bool:
                is_read = False
    return is_read


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _fault(
            f"has the string {text[:60]!a} with half of a surrogate pair", "write whole characters"
        ) from None


def write_json(parsed: Any) -> str:
    """Return parsed JSON as text, with its numbers as exact as they were read."""
    try:
        return _ENCODER.encode(parsed)
    except TypeError:
        return _write_exactly(parsed)  # a number with a fraction is a Decimal


def _write_exactly(parsed: Any) -> str:
    if isinstance(parsed, dict):
        members = (f"{_write_exactly(k)}: {_write_exactly(value)}" for k, value in parsed.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(parsed, list):
        return f"[{', '.join(map(_write_exactly, parsed))}]"
    if isinstance(parsed, Decimal):
        return str(parsed)
    return _ENCODER.encode(parsed)
