"""What a schema says of each parameter by itself, or why the parameters cannot be separated.

A style of parameters writes each in its turn, so whatever ties them together is refused by name. A
value that is written as parameters are may be one of several objects: each is read by itself. A
part of the whole schema may refer to any other one, so its plan is made with the whole beside it.

Example: ``{"properties": {"n": {}}, "required": ["n"]}`` is one parameter, and it is required, as
it is where it stands in ``required`` alone;
``{"dependentRequired": {"a": ["b"]}}`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from maskc.errors import SchemaError
from maskc.runtime.link.joining.expressions import Expression
from maskc.tags.styles import STYLES, is_name

if TYPE_CHECKING:
    from maskc.tags.arguments import Arguments


MAX_PARAMETERS = 1_000
NOTES = {"$comment", "$schema", "default", "deprecated", "description", "examples", "title"}
NOTES |= {"readOnly", "writeOnly", "$defs", "definitions", "strict"}
_NAMES = ("$id", "id")  # of the whole schema
_OF_CHOICES = NOTES | {"discriminator", "type"}  # beside anyOf and oneOf
_TOLD_APART = ("$id", "$anchor", "$dynamicRef", "$recursiveRef", "$dynamicAnchor")
KNOWN = {"type", "properties", "required", "additionalProperties"}
KNOWN |= {"minProperties", "maxProperties"}
OF_ARRAYS = {"items", "maxItems", "minItems"}
_MOST_REFERENCES = 20
_ANYTHING: dict[str, Any] = {}

ROOTS = ("$defs", "definitions", "$schema")
_WHOLE = "maskc:arguments"  # the name of a whole schema that has none
HELD = (f"/$defs/{_WHOLE}", f"/definitions/{_WHOLE}")


@dataclass(frozen=True, slots=True)
class Where:
    """Where a schema stands, and in which style, for what is said of it."""

    pointer: str
    style: str

    def may_name(self, name: Any) -> bool:
        style = STYLES[self.style]
        if style.identifiers:
            is_named = isinstance(name, str) and bool(re.fullmatch(style.identifiers, name))
            return is_named and (style.keywords or not iskeyword(name))
        return is_name(name) and not any(mark in name for mark in style.marks)

    def refuse(self, path: str, keyword: str) -> SchemaError:
        return SchemaError(
            f"{self.pointer}{path}",
            keyword,
            f"cannot be expressed in the style {self.style}",
            "constrain each property by itself, or use a family with JSON arguments",
        )

    def name_none(self) -> SchemaError:
        return SchemaError(
            self.pointer,
            "additionalProperties",
            f"is not false, and the style {self.style} writes only named properties",
            'name some, or give "additionalProperties": false, in both cases without '
            '"strict": false',
        )

    def wrong(self, keyword: str, reason: str) -> SchemaError:
        return SchemaError(self.pointer, keyword, reason, "correct it")


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """The properties of an object."""

    names: tuple[str, ...]
    schemas: tuple[Any, ...]
    required: int  # those that there must be, as bits
    # low, high: how many there must be, and may be; None: any number
    low: int
    high: int | None
    others: Any  # the schema of all other properties


def read_object(
    top: Mapping[str, Any], root: Mapping[str, Any], where: Where, *, is_nested: bool
) -> ObjectSchema:
    """Return the properties of an object whose parameters do not depend on each other.

    If it is nested, it is the schema of a value, which may be no object. Raises a SchemaError: the
    style cannot write what the schema asks for.
    """
    known = KNOWN | NOTES
    known = known.union(_NAMES) if top is root else known
    for keyword in top:
        if keyword not in known and not (is_nested and keyword in OF_ARRAYS):
            raise where.refuse("", keyword)
    if top.get("type", "object") not in ("object", ["object"]) and not is_nested:
        raise where.wrong("type", "is not object")
    required, others = top.get("required", []), top.get("additionalProperties", True)
    if not isinstance(others, Mapping | bool):
        raise where.wrong("additionalProperties", "is not a schema")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise where.wrong("required", "is not a list of names")
    properties = dict(_read_properties(top, where))
    if others is False and not properties.keys() >= set(required):
        raise where.wrong("required", "names what may not be there")
    for name in required:
        # What has no schema of its own has that of all others.
        properties.setdefault(name, others)
    _check_names(properties, where)
    low, high = _read_bounds(top, properties, where)
    names = tuple(properties)
    bits = sum(1 << names.index(name) for name in set(required))
    return ObjectSchema(names, tuple(properties.values()), bits, low, high, others)


def _read_properties(top: Mapping[str, Any], where: Where) -> Mapping[str, Any]:
    properties = top.get("properties", {})
    if not isinstance(properties, Mapping) or len(properties) > MAX_PARAMETERS:
        raise where.wrong("properties", f"is not an object of at most {MAX_PARAMETERS:,} schemas")
    for name, inner in properties.items():
        if not isinstance(inner, Mapping | bool):
            raise where.wrong("properties", f"has no schema for {name!r}")
    return properties


def _check_names(properties: Mapping[str, Any], where: Where) -> None:
    if len(properties) > MAX_PARAMETERS:
        raise where.wrong("required", f"names more than {MAX_PARAMETERS:,} properties")
    for name in properties:
        if not where.may_name(name):
            raise where.wrong("properties", f"has the name {name!r}, which parsers cannot read")


def _read_bounds(
    top: Mapping[str, Any], properties: Mapping[str, Any], where: Where
) -> tuple[int, int | None]:
    for keyword in ("minProperties", "maxProperties"):
        count = top.get(keyword)
        if count is None:
            continue
        if type(count) is not int or count < 0:
            raise where.wrong(keyword, "is not a number")
        if top.get("additionalProperties", True) is not False:
            raise where.wrong(keyword, "counts names that the schema does not give")
    high = top.get("maxProperties", len(properties))
    n_required = len(set(top.get("required", [])))
    if high < n_required or top.get("minProperties", 0) > min(high, len(properties)):
        raise where.wrong("required", "and the bounds allow no object")
    return top.get("minProperties", 0), top.get("maxProperties")


def stands_alone(schema: Any, root: Mapping[str, Any]) -> bool:
    """Return whether a schema means the same by itself, with the definitions of the whole one."""
    open_ = [schema, *(root.get(key) for key in ("$defs", "definitions"))]
    while open_:
        here = open_.pop()
        if isinstance(here, Mapping):
            target = here.get("$ref")
            if isinstance(target, str) and not target.startswith(("#/$defs/", "#/definitions/")):
                return False
            if any(keyword in here for keyword in _TOLD_APART):
                return False
            for keyword, inner in here.items():
                is_named = keyword == "properties" and isinstance(inner, Mapping)
                open_ += inner.values() if is_named else [inner]
        elif isinstance(here, list):
            open_ += here
    return True


def resolve(top: Any, root: Mapping[str, Any], where: Where, path: str = "") -> Mapping[str, Any]:
    """Return what the top of a schema refers to; SchemaError if it is not a schema of an object."""
    for _ in range(_MOST_REFERENCES):
        if not isinstance(top, Mapping):
            break
        if "$ref" not in top:
            return top
        found = None if set(top) - NOTES - {"$ref", "type"} else _find(str(top["$ref"]), root)
        if found is None:
            raise where.refuse(path, "$ref")
        top = found
    raise SchemaError(
        f"{where.pointer}{path}", "", "is not a schema of an object", "give an object"
    )


def _find(reference: str, root: Mapping[str, Any]) -> Any:
    """Return what a reference into the whole schema names; ``None`` if it is none, or nothing."""
    name, _, pointer = reference.partition("#")
    if name and name not in [root.get(keyword) for keyword in _NAMES]:
        return None
    if pointer and not pointer.startswith("/"):
        return None
    here: Any = root
    for part in unquote(pointer).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping):
            here = here.get(key)
        elif isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        else:
            return None
    return here


Alternatives = list[Mapping[str, Any]]


def list_alternatives(
    schema: Any,
    kind: str,
    root: Mapping[str, Any],
    where: Where,
    path: str,
    known: dict[int, Alternatives | None] | None = None,
) -> Alternatives:
    """Return schemas, without references and choices, of which a value of a type meets one.

    A SchemaError says that they cannot be told: what stands beside a choice, or ``oneOf`` with
    objects that may be alike, belongs to several of them. ``known`` has those of the schemas that
    were looked at, ``None`` meanwhile.
    """
    known = {} if known is None else known
    if schema is False:
        return []
    inner = resolve(_ANYTHING if schema is True else schema, root, where, path)
    keyword = next((k for k in ("anyOf", "oneOf") if k in inner), "")
    if not keyword:
        return [inner] if _may_be(inner, kind) else []
    options = inner[keyword]
    found = known.get(id(inner), [])
    if set(inner) - _OF_CHOICES - {keyword} or not isinstance(options, list) or found is None:
        raise where.refuse(path, keyword)
    if id(inner) not in known:
        known[id(inner)] = None
        groups = [list_alternatives(each, kind, root, where, path, known) for each in options]
        if keyword == "oneOf" and not _are_apart([group for group in groups if group], root):
            raise where.refuse(path, keyword)
        found = list({id(each): each for group in groups for each in group}.values())
        known[id(inner)] = found
    return found


def _may_be(schema: Mapping[str, Any], kind: str) -> bool:
    """Return whether a schema says nothing, or not another thing, of a value's type."""
    types = schema.get("type", kind)
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    is_listed = isinstance(listed, list) and not any(isinstance(v, list | dict) for v in listed)
    return kind in (types if isinstance(types, list) else [types]) and not is_listed


def _are_apart(groups: list[Alternatives], root: Mapping[str, Any]) -> bool:
    """Return whether all require a property, of which each group lists other texts."""
    marks = [[_list_marks(each, root) for each in group] for group in groups]
    if len(groups) < 2:
        return True
    for name in marks[0][0]:
        if all(name in each for group in marks for each in group):
            texts = [frozenset[str]().union(*(each[name] for each in group)) for group in marks]
            if sum(map(len, texts)) == len(frozenset[str]().union(*texts)):
                return True
    return False


def _list_marks(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the texts that an object's required properties may be, of those that list them."""
    required, found = schema.get("required", ()), dict[str, frozenset[str]]()
    properties = schema.get("properties", {})
    if schema.get("type") != "object" or not isinstance(properties, Mapping):
        return found
    for name, inner in properties.items():
        if isinstance(inner, Mapping) and isinstance(inner.get("$ref"), str):
            inner = _find(inner["$ref"], root)
        if not isinstance(inner, Mapping) or name not in required:
            continue
        listed = [inner["const"]] if "const" in inner else inner.get("enum")
        if isinstance(listed, list) and all(isinstance(text, str) for text in listed):
            found[name] = frozenset(listed)
    return found


def escape(name: str) -> str:
    """Return a name as a part of a JSON pointer.

    >>> escape("a/b")
    'a~1b'
    """
    return name.replace("~", "~0").replace("/", "~1")


class ParameterContext:
    """What the parameters of a tool share with those that are values of them."""

    def __init__(self, root: Mapping[str, Any], pointer: str) -> None:
        self.root, self.pointer = root, pointer  # the whole schema, and where it stands
        self.tables: dict[int, Arguments] = {}  # of nested values, by schema
        self.arrays: dict[Any, Expression] = {}  # the items of nested ones, by schema and bounds
        self.writable: dict[int, bool] = {}  # by schema, whether there is a way to write a value
        self._pointers: dict[int, str] = {}

    def value(self, schema: Any) -> dict[str, Any]:
        root = self.root
        inner = {} if schema is True else {"not": {}} if schema is False else dict(schema)
        pointer = self._find_pointer(schema)
        if pointer is None or stands_alone(schema, root):
            return inner | {key: root[key] for key in ROOTS if key in root and key not in inner}
        # The whole schema stays one, under its own name.
        dialect = str(root.get("$schema", ""))
        name = "id" if "draft-04" in dialect else "$id"
        whole = {**root, name: root.get(name, _WHOLE)}
        held = {"definitions" if "draft-0" in dialect else "$defs": {_WHOLE: whole}}
        reference = {"$ref": f"{whole[name]}#{quote(pointer)}"}
        return {**held, "allOf": [reference], **({"$schema": dialect} if dialect else {})}

    def _find_pointer(self, schema: Any) -> str | None:
        """Return the JSON pointer to a part of the whole schema, ``None`` if it is none."""
        if not self._pointers:
            open_: list[tuple[Any, str]] = [(self.root, "")]
            while open_:
                here, pointer = open_.pop()
                if id(here) in self._pointers or not isinstance(here, Mapping | list):
                    continue
                self._pointers[id(here)] = pointer
                pairs = here.items() if isinstance(here, Mapping) else enumerate(here)
                open_ += [(inner, f"{pointer}/{escape(str(key))}") for key, inner in pairs]
        return self._pointers.get(id(schema))
