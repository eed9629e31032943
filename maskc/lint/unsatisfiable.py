"""Which subschemas, and which branches, does no value fit?

The compiler is asked, with a reference to the subschema in the place of the schema. A branch of
``anyOf`` or ``oneOf`` is also asked for with what stands beside it, as its only branch. What some
value would fit if inner ones were mended is not reported.

Example: in ``{"type": "string", "anyOf": [{"minimum": 1, "type": "number"}, {"maxLength": 9}]}``
the first branch fits a number, and nothing beside ``type``.

Limits: ``MAX_ASKED`` subschemas; a note says if there are more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from maskc.errors import SchemaError
from maskc.jsonschema.compiling import build_plan
from maskc.jsonschema.keywords import Path, Spot, leave_out, pointer_to
from maskc.lint.model import Finding, Place, Severity
from maskc.runtime.schema.plan.plan import Layout

CODE = "ML101"
MAX_ASKED = 400
FITS_NOTHING = "fits no value at all"
_URI = "urn:maskc:linted"


def find_unsatisfiable(
    schema: Any, spots: Sequence[Spot], resources: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield a finding for each subschema that no value fits, unless one inside it is the cause."""
    asked = [spot for spot in spots if not isinstance(spot.schema, bool) and not spot.is_negated]
    lost: list[Path] = []
    found: list[Finding] = []
    for spot in reversed(asked[:MAX_ASKED]):
        for keyword, n, branch in _list_branches(spot):
            path = (*spot.path, keyword, n)
            alone = {**spot.schema, keyword: [branch]}
            others = {**spot.schema, keyword: [True]}
            # What stands beside it may be at fault for itself.
            if (
                _is_outside(lost, path)
                and not _fits(schema, spot, resources, alone)
                and _fits(schema, spot, resources, others)
            ):
                lost.append(path)
                fact = f"no value fits this branch of {keyword}, with what stands beside it"
                found.append(_report(path, fact))
        if not fits_some(schema, spot, resources):
            mended = leave_out(schema, [], [path for path in lost if _is_inside(path, spot.path)])
            if mended is schema or not fits_some(mended, spot, resources):
                lost.append(spot.path)
                fact = "no value fits this schema: its keywords contradict each other"
                found.append(_report(spot.path, fact))
    yield from reversed(found)
    if len(asked) > MAX_ASKED:
        yield Finding(
            CODE,
            Severity.NOTE,
            Place("schema", "#", None),
            f"of {len(asked):,} subschemas, {MAX_ASKED} were asked whether a value fits them",
            None,
            "lint the parts by themselves",
        )


def _list_branches(spot: Spot) -> Iterator[tuple[str, int, Any]]:
    """Yield the branches of a choice, but for those that are ``false``."""
    for keyword in ("anyOf", "oneOf"):
        for n, branch in enumerate(_list_of(spot.schema, keyword)):
            if branch is not False and spot.has(keyword):
                yield keyword, n, branch


def _is_inside(path: Path, outer: Path) -> bool:
    return len(path) > len(outer) and path[: len(outer)] == outer


def _is_outside(lost: Sequence[Path], path: Path) -> bool:
    return not any(known[: len(path)] == path for known in lost)


def fits_some(schema: Any, spot: Spot, resources: Mapping[str, Any]) -> bool:
    """Return whether some value fits a subschema; yes where the compiler refuses to say.

    Args:
        schema: parsed; it may differ from what the subschema was found in.
        spot: where the subschema is.
        resources: URI → other documents.
    """
    inner = schema
    for step in spot.path:
        inner = inner[step]
    return _fits(schema, spot, resources, inner)


def may_have(schema: Any, spot: Spot, resources: Mapping[str, Any], name: str) -> bool:
    """Return whether some object with a key fits a subschema, whatever else it requires."""
    inner = {k: v for k, v in spot.schema.items() if k not in ("required", "minProperties")}
    asked = {"type": "object", "required": [name]}
    inner["allOf"] = [*_list_of(inner, "allOf"), asked]
    return _fits(schema, spot, resources, inner)


def _list_of(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    found = schema.get(keyword, [])
    return found if isinstance(found, list) else []


def _fits(schema: Any, spot: Spot, resources: Mapping[str, Any], inner: Any) -> bool:
    document = _put(schema, spot.path, inner)
    asking: dict[str, Any] = {"$ref": f"{_URI}#{quote(spot.pointer, safe='/~')}"}
    if isinstance(schema, dict) and "$schema" in schema:
        asking["$schema"] = schema["$schema"]
    try:
        build_plan(
            asking,
            is_altered=True,
            resources={**resources, _URI: document},
            layout=Layout(),
            assert_formats=True,
        )
    except SchemaError as error:
        return error.reason != FITS_NOTHING
    return True


def _put(schema: Any, path: Path, inner: Any) -> Any:
    """Return a document with another subschema at a path; what is not on the way is shared."""
    if not path:
        return inner
    below = _put(schema[path[0]], path[1:], inner)
    if isinstance(schema, dict):
        return {**schema, path[0]: below}
    return [below if n == path[0] else item for n, item in enumerate(schema)]


def _report(path: Path, fact: str) -> Finding:
    return Finding(
        CODE,
        Severity.ERROR,
        Place("schema", pointer_to(path) or "#", None),
        fact,
        None,
        "take out one of the keywords that contradict each other, or the whole of it",
    )
