"""What arguments are in a style of parameters: each in its turn, strings as they are.

The schema's top must be an object that says of each parameter alone what it may be: what ties
parameters together is refused by name. The schemas of values are compiled as everywhere, so
whatever JSON Schema can say of a value holds here as well; of a value that may be a string or
something else, the string is written as it is, and the rest as JSON.

Example: ``{"properties": {"n": {"type": "integer"}}}`` in ``qwen_xml`` is nothing, or
``<parameter=n>3</parameter>``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from maskc.errors import SchemaError, UnsatisfiableError
from maskc.runtime.link.expressions import Expression
from maskc.runtime.link.members import Members
from maskc.runtime.link.names import OtherName
from maskc.runtime.link.raw_text import RawText
from maskc.runtime.schema.plan import Plan, Position
from maskc.tags.items import Item, Late
from maskc.tags.plain import is_plain
from maskc.tags.styles import STYLES

MAX_PARAMETERS = 1_000
_NOTES = {"$comment", "$schema", "default", "deprecated", "description", "examples", "title"}
_NOTES |= {"readOnly", "writeOnly", "$defs", "definitions", "strict"}
_KNOWN = {"type", "properties", "required", "additionalProperties"}
_KNOWN |= {"minProperties", "maxProperties"}
_ROOTS = ("$defs", "definitions", "$schema")
_OF_ARRAYS = {"items", "maxItems", "minItems"}
_ANYTHING: dict[str, Any] = {}
_BLANKS = r"[ \t\r\n]{0,8}"
_TYPES = ("null", "boolean", "number", "array", "object")
_MOST_REFERENCES = 20


class Maker(Protocol):
    """What a builder lends; see :class:`maskc.tags.building.Builder`."""

    def join(self, items: list[Item]) -> Expression:
        """Return one item after the other."""

    def either(self, options: list[list[Item]]) -> Expression:
        """Return one of some lists of items."""

    def text(self, text: str) -> list[Item]:
        """Return a text."""

    def free(self, barred: tuple[str, ...]) -> list[Item]:
        """Return free text without some words."""

    def json(self, schema: Any) -> Expression:
        """Return the expression of a schema."""

    def plan(self, schema: Any) -> Plan:
        """Return the plan of a schema."""

    def pattern(self, pattern: str) -> Expression:
        """Return the expression of a pattern."""

    def piece(self, automaton: Any) -> Expression:
        """Return the expression of an automaton."""

    def repeat(self, body: Expression, low: int, high: int | None) -> Expression:
        """Return a body so many times."""

    def intern(self, key: Any, make: Callable[[], Expression]) -> Expression:
        """Return the expression of a key."""


class Arguments:
    """The parameters of one tool; see :class:`maskc.runtime.link.members.Table`.

    Args:
        maker: of the request.
        schema: of the arguments.
        style: its name.
        excludes: what stands in no string.
        pointer: where the schema stands.
        ordered: whether parameters come in the schema's order.
        outer: those that they are a value of.

    Attributes:
        root: the whole schema, where definitions are.
        tables: of nested values, by schema.

    Raises:
        SchemaError: the style cannot write what the schema asks for.
    """

    def __init__(
        self,
        maker: Maker,
        schema: Any,
        *,
        style: str,
        excludes: tuple[str, ...],
        pointer: str,
        ordered: bool,
        outer: Arguments | None = None,
    ) -> None:
        self._maker, self._style, self._pointer = maker, STYLES[style], pointer
        self._style_name, self._ordered, self._excludes = style, ordered, excludes
        self._barred = (self._style.barred or self._style.close, *excludes)
        top = _ANYTHING if schema is True else schema
        self.root: Mapping[str, Any] = (
            outer.root if outer else top if isinstance(top, Mapping) else {}
        )
        self.tables: dict[int, Arguments] = outer.tables if outer else {}
        top = self._resolve(top, "")
        self.tables[id(top)] = self
        properties = self._check(top, is_nested=outer is not None)
        self._names = list(properties)
        self._schemas = [properties[name] for name in self._names]
        required = top.get("required", ())
        self._required = sum(1 << self._names.index(name) for name in set(required))
        self._low, self._high = top.get("minProperties", 0), top.get("maxProperties")
        self._others = top.get("additionalProperties", True)
        if self._style.closes_by_name:
            if not properties and self._others is not False:
                raise self._refuse("", "additionalProperties")
            self._others = False  # a name that is not known cannot be closed
        self._following: dict[int, Expression | None] = {}
        self._values: dict[int, list[tuple[str, Item]]] = {}
        self._possible = (1 << len(self._names)) - 1  # but for those that fit no value
        for number, inner in enumerate(self._schemas):
            is_left = is_plain(inner) and not self._style.is_nested
            if not is_left and not self._find_values(number):
                self._possible &= ~(1 << number)
        if self._required & ~self._possible:
            raise self._wrong("required", "names what fits no value at all")

    def expression(self) -> Expression:
        """Return all of the arguments."""
        return self._maker.join([self._members(0), self._maker.pattern(_BLANKS)])

    def _members(self, seen: int) -> Expression:
        return self._maker.intern((Members, self, seen), lambda: Members(self, seen))

    def may_end(self, seen: int) -> bool:
        """Return whether a set of parameters is enough."""
        return not self._required & ~seen and seen.bit_count() >= self._low

    def next(self, seen: int) -> Expression | None:
        """Return a parameter that may come, and all after it; ``None``: there is none."""
        if seen not in self._following:
            self._following[seen] = self._find_next(seen)
        return self._following[seen]

    def _find_next(self, seen: int) -> Expression | None:
        options: list[list[Item]] = []
        for number in self._list_allowed(seen):
            after = partial(self._members, seen | 1 << number)
            before = [*self._maker.text(f"{self._style.before}{self._names[number]}")]
            for between, value in self._find_values(number):
                options.append(self._parameter(before, between, value, after, self._names[number]))
        if self._others is not False and not (self._ordered and self._required & ~seen):
            name = self._maker.piece(OtherName(name.encode() for name in self._names))
            before = [*self._maker.text(self._style.before), name]
            # In the schema's order other names come last.
            last = (1 << len(self._names)) - 1 if self._ordered else seen
            for between, value in self._values_of(self._others):
                options.append(
                    self._parameter(before, between, value, partial(self._members, last))
                )
        if not options:
            return None
        return self._maker.join([self._maker.pattern(_BLANKS), self._maker.either(options)])

    def _parameter(
        self,
        before: list[Item],
        between: str,
        value: Item,
        after: Callable[[], Expression],
        name: str = "",
    ) -> list[Item]:
        maker, style = self._maker, self._style
        gap = [maker.pattern(_BLANKS), *maker.text(style.gap)] if style.gap else []
        close = maker.text(style.close.replace("{name}", name))
        return [*before, *maker.text(between), *gap, value, *close, Late(after)]

    def _list_allowed(self, seen: int) -> list[int]:
        """Return the parameters that may come after a set, so that the rest can be enough."""
        found = []
        n_seen = seen.bit_count()
        for number in range(seen.bit_length() if self._ordered else 0, len(self._names)):
            bit = 1 << number
            if seen & bit or not self._possible & bit:
                continue
            later = (
                self._possible & ~(2 * bit - 1) if self._ordered else self._possible & ~seen & ~bit
            )
            missing = (self._required & ~seen & ~bit).bit_count()
            if self._high is not None and n_seen + 1 + missing > self._high:
                continue
            if n_seen + 1 + later.bit_count() >= self._low or self._others is not False:
                found.append(number)
            if self._ordered and self._required & bit:
                break
        return found

    def _find_values(self, number: int) -> list[tuple[str, Item]]:
        found = self._values.get(number)
        if found is None:
            name = self._names[number]
            found = self._values_of(self._schemas[number], f"/properties/{_escape(name)}")
            self._values[number] = found
        return found

    def _values_of(
        self, schema: Any, place: str = "/additionalProperties"
    ) -> list[tuple[str, Item]]:
        """Return the ways to write a value: what stands before it, and itself."""
        style = self._style
        if style.is_nested:
            return self._split(schema, place)
        kind = schema.get("type") if isinstance(schema, dict) and is_plain(schema) else None
        if kind == "string" and "enum" not in schema:
            return [(style.string, self._free())]
        if isinstance(kind, str) and kind not in ("string", "integer", "number"):
            return [(self._between(kind), Late(partial(self._json, schema, None)))]
        if kind is not None and kind != "string":
            return [(self._between("number"), Late(partial(self._json, schema, None)))]
        return self._split(schema, place)

    def _split(self, schema: Any, place: str) -> list[tuple[str, Item]]:
        """Return the ways to write a value that may be a string or something else."""
        whole = self._with_definitions(schema)
        if schema is True or schema == {}:
            strings: list[Expression | None] = [self._free()]
            kinds = list(_TYPES)
        else:
            try:
                plan = self._placed(place, lambda: self._maker.plan(whole))
            except UnsatisfiableError:
                return []
            position = plan.positions[plan.root]
            strings = [self._string(plan, n) for n in position.strings]
            kinds = _kinds_of(position)
        found: list[tuple[str, Item]] = []
        ways: list[list[Item]] = [[way] for way in strings if way is not None]
        if ways:
            found.append((self._style.string, self._maker.either(ways)))
        if self._style.writes_types or self._style.is_nested:
            for kind in kinds:
                found.append((self._between(kind), self._value(schema, kind, place)))
        elif kinds:
            found.append((self._style.other, self._json(schema, kinds)))
        return found

    def _value(self, schema: Any, kind: str, place: str) -> Item:
        """Return a value of a type that is no string."""
        if not self._style.is_nested or kind in ("null", "boolean", "number"):
            return self._json(schema, [kind])
        inner = self._resolve(_ANYTHING if schema is True else schema, place)
        if kind == "array":
            return self._array(inner, place)
        table = self.tables.get(id(inner))
        if table is None:
            table = Arguments(
                self._maker,
                inner,
                style=self._style_name,
                excludes=self._excludes,
                pointer=f"{self._pointer}{place}",
                ordered=self._ordered,
                outer=self,
            )
        return Late(table.expression)

    def _array(self, schema: Mapping[str, Any], place: str) -> Item:
        """Return an array, item by item."""
        for keyword in schema:
            if keyword not in _OF_ARRAYS and keyword not in _NOTES | _KNOWN:
                raise self._refuse(place, keyword)
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        items = schema.get("items", _ANYTHING)
        inner = f"{place}/items"
        if not _is_recursive(items):
            self._values_of(items, inner)  # what cannot be written is refused with the request
        return Late(partial(self._items, items, inner, low, high))

    def _items(self, schema: Any, place: str, low: int, high: int | None) -> Expression:
        maker, style = self._maker, self._style
        assert style.item is not None  # noqa: S101  # the style is nested
        before, string, other = style.item
        blanks = maker.pattern(_BLANKS)
        options = []
        for between, value in self._values_of(schema, place):
            is_string = between == style.string
            # The text between a name and a value tells the type, as that of an item does.
            kind = next((k for k in _TYPES if between == self._between(k)), "")
            text = string if is_string and not kind else style.between(kind, other)
            close = style.close.replace("{name}", "item")
            options.append([*maker.text(before + text), value, *maker.text(close)])
        if high == 0 or not options:
            return blanks
        one = maker.join([blanks, maker.either(options)])
        return maker.join([maker.repeat(one, low, high), blanks])

    def _string(self, plan: Plan, number: int) -> Expression | None:
        """Return a kind of strings, ``None`` if none can be written."""
        rule = plan.strings[number]
        if rule.is_any and rule.is_unbounded:
            return self._free()
        automaton = RawText(rule, [word.encode() for word in self._barred])
        if automaton.is_empty:
            return None
        inner = self._maker.piece(automaton)
        if not self._style.line:
            return inner
        line = self._maker.either([[], self._maker.text(self._style.line)])
        return self._maker.join([line, inner, line])

    def _free(self) -> Expression:
        return self._maker.join(self._maker.free(self._barred))

    def _json(self, schema: Any, kinds: list[str] | None) -> Expression:
        """Return a value as JSON, of some types."""
        whole = self._with_definitions(schema)
        if kinds is not None:
            kept: dict[str, Any] = {key: whole[key] for key in _ROOTS if key in whole}
            inner = {key: value for key, value in whole.items() if key not in kept}
            whole = {**kept, "type": kinds, "allOf": [inner]}
        value = self._maker.json(whole)
        if self._style.closes_by_name:
            return value
        blanks = self._maker.pattern(_BLANKS)
        return self._maker.join([blanks, value, blanks])

    def _between(self, kind: str) -> str:
        return self._style.between(kind, self._style.other)

    def _with_definitions(self, schema: Any) -> dict[str, Any]:
        """Return a schema on its own, with what it may refer to."""
        inner = {} if schema is True else {"not": {}} if schema is False else dict(schema)
        for key in _ROOTS:
            if key in self.root and key not in inner:
                inner[key] = self.root[key]
        return inner

    def _resolve(self, top: Any, place: str) -> Mapping[str, Any]:
        """Return what the top of the schema refers to."""
        for _ in range(_MOST_REFERENCES):
            if not isinstance(top, Mapping):
                break
            if "$ref" not in top:
                return top
            others = set(top) - _NOTES - {"$ref", "type"}
            parts = str(top["$ref"]).split("/")
            if others or len(parts) != 3 or parts[0] != "#":
                raise self._refuse(place, "$ref")
            found = self.root.get(parts[1])
            top = found.get(parts[2]) if isinstance(found, Mapping) else None
        raise SchemaError(
            f"{self._pointer}{place}", "", "is no schema of an object", "give an object"
        )

    def _check(self, top: Mapping[str, Any], *, is_nested: bool) -> Mapping[str, Any]:
        """Return the properties of an object whose parameters do not depend on each other."""
        for keyword in top:
            if keyword not in _KNOWN | _NOTES and not (is_nested and keyword in _OF_ARRAYS):
                raise self._refuse("", keyword)
        kinds = top.get("type", "object")
        properties, required = top.get("properties", {}), top.get("required", [])
        if kinds not in ("object", ["object"]) and not is_nested:
            raise self._wrong("type", "is not object")
        if not isinstance(properties, Mapping) or len(properties) > MAX_PARAMETERS:
            raise self._wrong("properties", f"is no object of at most {MAX_PARAMETERS:,} schemas")
        for name, inner in properties.items():
            if not isinstance(inner, Mapping | bool):
                raise self._wrong("properties", f"has no schema for {name!r}")
            if not _is_name(name):
                raise self._wrong("properties", f"has the name {name!r}, which has delimiters")
        if not isinstance(required, list) or not set(map(str, required)) <= set(properties):
            raise self._wrong("required", "names what is not among the properties")
        others = top.get("additionalProperties", True)
        if not isinstance(others, Mapping | bool):
            raise self._wrong("additionalProperties", "is no schema")
        for keyword in ("minProperties", "maxProperties"):
            count = top.get(keyword)
            if count is None:
                continue
            if type(count) is not int or count < 0:
                raise self._wrong(keyword, "is no number")
            if others is not False:
                raise self._wrong(keyword, "counts names that the schema does not give")
        high = top.get("maxProperties", len(properties))
        if high < len(set(required)) or top.get("minProperties", 0) > min(high, len(properties)):
            raise self._wrong("required", "and the bounds allow no object")
        for name, inner in [*properties.items(), ("additionalProperties", others)]:
            self._check_references(inner, name)
        return properties

    def _check_references(self, schema: Any, name: str) -> None:
        """Refuse references that mean something else once a value's schema stands alone."""
        open_ = [schema, *(self.root.get(key) for key in ("$defs", "definitions"))]
        while open_:
            here = open_.pop()
            if isinstance(here, Mapping):
                for keyword in ("$id", "$anchor", "$dynamicRef", "$recursiveRef", "$dynamicAnchor"):
                    if keyword in here:
                        raise self._refuse(f"/properties/{_escape(name)}", keyword)
                target = here.get("$ref")
                if isinstance(target, str) and not target.startswith(
                    ("#/$defs/", "#/definitions/")
                ):
                    raise self._refuse(f"/properties/{_escape(name)}", "$ref")
                open_ += here.values()
            elif isinstance(here, list):
                open_ += here

    def _placed(self, place: str, make: Callable[[], Plan]) -> Plan:
        try:
            return make()
        except UnsatisfiableError:
            raise
        except SchemaError as error:
            pointer = f"{self._pointer}{place}{error.pointer.removeprefix('#')}"
            raise SchemaError(pointer, error.keyword, error.reason, error.remedy) from None

    def _refuse(self, place: str, keyword: str) -> SchemaError:
        return SchemaError(
            f"{self._pointer}{place}",
            keyword,
            f"cannot be written in the style {self._style_name}",
            "say of each property alone what it may be, or use a family with JSON arguments",
        )

    def _wrong(self, keyword: str, reason: str) -> SchemaError:
        return SchemaError(self._pointer, keyword, reason, "correct it")


def _kinds_of(position: Position) -> list[str]:
    found = []
    if position.literals & 1:
        found.append("null")
    if position.literals & 6:
        found.append("boolean")
    for kind, rules in (
        ("number", position.numbers),
        ("array", position.arrays),
        ("object", position.objects),
    ):
        if rules:
            found.append(kind)
    return found


def _is_name(name: Any) -> bool:
    return (
        isinstance(name, str)
        and bool(name)
        and not any(character in '<>"|&=' or character <= " " for character in name)
        and not any(0xD800 <= ord(character) <= 0xDFFF for character in name)
    )


def _is_recursive(schema: Any) -> bool:
    """Return whether a schema may lead back to what it stands in."""
    return schema is True or not schema or "$ref" in schema


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
