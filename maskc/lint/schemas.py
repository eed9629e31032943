"""THE CHECKS of a JSON Schema, in the order of their codes.

Whether some value fits a subschema is asked of the compiler, with a reference to it in the place of
the schema; a branch of ``anyOf`` or ``oneOf`` is also asked for with its sibling keywords, as its
only branch. What some value would fit if inner ones were mended is not reported.

Limits: ``MAX_ASKED`` subschemas are asked whether a value fits; a note says if there are more.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.keywords import (
    ALL_KEYWORDS,
    Path,
    Subschema,
    is_known,
    leave_out,
    list_subschemas,
    pointer_to,
)
from maskc.jsonschema.patterns import build_pattern
from maskc.jsonschema.reader import read_schema
from maskc.lint import Finding, SourceLocation, find, in_order
from maskc.regular.ecma import PatternError
from maskc.runtime.schema.plan import JsonLayout

MAX_ASKED = 400
_FITS_NOTHING = "fits no value"
_URI = "urn:maskc:linted"


def lint_schema(schema: Any, resources: Mapping[str, Any] | None = None) -> tuple[Finding, ...]:
    """Return the findings: errors first, then by code, in the order of the schema.

    Raises:
        SchemaError: it is not a schema, or asks for what is not supported.
    """
    parsed, documents = read_schema(schema), dict(resources or {})
    if parsed is False:
        return (find("false schema", _locate(())),)
    _fits_some(parsed, documents, raises=True)
    compiler, subschemas = _Compiler(parsed, documents), list(list_subschemas(parsed))
    found = list(find_unsatisfiable(compiler, subschemas))
    for subschema in subschemas:
        if isinstance(subschema.schema, bool):
            continue
        found += _find_unknown(subschema)
        if not subschema.is_negated:
            found += _find_unbounded(subschema)
            found += _find_forbidden(compiler, subschema)
    return in_order(found)


def _fits_some(schema: Any, resources: Mapping[str, Any], *, raises: bool = False) -> bool:
    """Return whether some value fits; yes where the compiler refuses to say, unless it raises."""
    try:
        build_plan(
            schema, is_altered=True, resources=resources, layout=JsonLayout(), assert_formats=True
        )
    except SchemaError as error:
        if raises and error.reason != _FITS_NOTHING:
            raise
        return error.reason != _FITS_NOTHING
    return True


class _Compiler:
    """Is asked whether some value fits a part of one schema."""

    def __init__(self, schema: Any, resources: Mapping[str, Any]) -> None:
        self.schema, self._resources = schema, resources

    def fits(self, subschema: Subschema, inner: Any, schema: Any = None) -> bool:
        """Return whether a value fits ``inner`` in the place of a subschema."""
        document = _put(self.schema if schema is None else schema, subschema.path, inner)
        asking: dict[str, Any] = {"$ref": f"{_URI}#{quote(subschema.pointer, safe='/~')}"}
        if isinstance(self.schema, dict) and "$schema" in self.schema:
            asking["$schema"] = self.schema["$schema"]
        return _fits_some(asking, {**self._resources, _URI: document})

    def fits_without(self, subschema: Subschema, lost: Sequence[Path]) -> bool:
        schema = leave_out(self.schema, [], lost) if lost else self.schema
        inner = schema
        for step in subschema.path:
            inner = inner[step]
        return self.fits(subschema, inner, schema)


def _put(schema: Any, path: Path, inner: Any) -> Any:
    """Return a document with another subschema at a path; what is not on the way is shared."""
    if not path:
        return inner
    below = _put(schema[path[0]], path[1:], inner)
    if isinstance(schema, dict):
        return {**schema, path[0]: below}
    return [below if n == path[0] else item for n, item in enumerate(schema)]


def find_unsatisfiable(compiler: _Compiler, subschemas: Sequence[Subschema]) -> Iterator[Finding]:
    """Yield a finding for each subschema that no value fits, unless one inside it is the cause."""
    asked = [
        subschema
        for subschema in subschemas
        if not isinstance(subschema.schema, bool) and not subschema.is_negated
    ]
    lost: list[Path] = []
    found: list[Finding] = []
    for subschema in reversed(asked[:MAX_ASKED]):
        for keyword, n, branch in _list_branches(subschema):
            path = (*subschema.path, keyword, n)
            # What is inside it, or stands beside it, may be at fault for itself.
            if (
                not any(known[: len(path)] == path for known in lost)
                and not compiler.fits(subschema, {**subschema.schema, keyword: [branch]})
                and compiler.fits(subschema, {**subschema.schema, keyword: [True]})
            ):
                lost.append(path)
                found.append(find("lost branch", _locate(path), keyword=keyword))
        if not compiler.fits_without(subschema, []):
            here = subschema.path
            inside = [p for p in lost if len(p) > len(here) and p[: len(here)] == here]
            if not inside or not compiler.fits_without(subschema, inside):
                lost.append(here)
                found.append(find("lost schema", _locate(here)))
    yield from reversed(found)
    if len(asked) > MAX_ASKED:
        yield find("many subschemas", _locate(()), n_all=len(asked), n_asked=MAX_ASKED)


def _list_branches(subschema: Subschema) -> Iterator[tuple[str, int, Any]]:
    """Yield the branches of a choice, but for those that are ``false``."""
    for keyword in ("anyOf", "oneOf"):
        for n, branch in enumerate(_list_of(subschema.schema, keyword)):
            if branch is not False and subschema.has(keyword):
                yield keyword, n, branch


def _list_of(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    found = schema.get(keyword, [])
    return found if isinstance(found, list) else []


def _find_unknown(subschema: Subschema) -> Iterator[Finding]:
    """Yield the keywords that the dialect does not know, but for those named ``x-…``."""
    for keyword in subschema.unknown:
        if keyword.startswith("x-"):
            continue
        if keyword in ALL_KEYWORDS:
            yield find("other dialect", _locate(subschema.path), keyword=keyword)
            continue
        known = [name for name in sorted(ALL_KEYWORDS) if is_known(name, subschema.year)]
        near = difflib.get_close_matches(keyword, known, 1)
        remedy = f"write {near[0]}" if near else f"leave it out, or name it x-{keyword}"
        yield find("unknown keyword", _locate(subschema.path), keyword=keyword, remedy=remedy)


def _takes(subschema: Subschema, name: str, bounds: Sequence[str]) -> bool:
    names = subschema.schema.get("type")
    is_taken = name in names if isinstance(names, list) else names == name
    return is_taken and not any(map(subschema.has, bounds))


def _find_unbounded(subschema: Subschema) -> Iterator[Finding]:
    """Yield what of a subschema has no bound, so that a model can write it for ever."""
    schema, here, listed = subschema.schema, _locate(subschema.path), ("enum", "const", "$ref")
    if _takes(subschema, "string", ("maxLength", "format", *listed)) and _is_infinite(schema):
        yield find("unbounded string", here)
    if _takes(subschema, "array", ("maxItems", *listed)):
        items, rest = schema.get("items"), "items" if subschema.year >= 2020 else "additionalItems"
        is_tuple = subschema.has("prefixItems") or isinstance(items, list)
        if items is not False and not (is_tuple and schema.get(rest) is False):
            yield find("unbounded array", here)
    is_bounded = all(
        subschema.has(name) or subschema.has(f"exclusive{name.title()}")
        for name in ("minimum", "maximum")
    )
    is_number = _takes(subschema, "number", listed) or _takes(subschema, "integer", listed)
    if is_number and not is_bounded:
        yield find("unbounded number", here)


def _is_infinite(schema: Mapping[str, Any]) -> bool:
    """Return whether texts of any length match the pattern of a string, if it has one."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return True
    try:
        dfa = build_pattern(pattern)
    except (PatternError, TooLargeError):
        return False
    return dfa.is_infinite(dfa.start)


def _find_forbidden(compiler: _Compiler, subschema: Subschema) -> Iterator[Finding]:
    """Yield the keys that must be there and may not be."""
    for name in _list_of(subschema.schema, "required"):
        if not isinstance(name, str):
            continue
        # Whatever else it requires.
        inner = {
            k: v for k, v in subschema.schema.items() if k not in ("required", "minProperties")
        }
        asked = {"type": "object", "required": [name]}
        inner["allOf"] = [*_list_of(inner, "allOf"), asked]
        if not compiler.fits(subschema, inner):
            yield find("forbidden key", _locate(subschema.path), key=name)


def _locate(path: Path) -> SourceLocation:
    return SourceLocation("schema", pointer_to(path) or "#", None)
