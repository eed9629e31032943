"""What arguments are in a style of parameters: each in its turn, strings as they are.

The schema's top must be an object that says of each parameter alone what it may be
(:mod:`maskc.tags.objects`). The schemas of values are compiled as everywhere, so whatever JSON
Schema can say of a value holds here as well; of a value that may be a string or something else, the
string is written as it is, and the rest as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from re import escape as escape_pattern
from typing import TYPE_CHECKING, Any, TypeVar

from maskc.errors import BudgetError, LimitError, SchemaError, UnsatisfiableError
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.plan.composing import Alternatives, Constant, Counts, Item, Parameters
from maskc.runtime.schema.plan import Plan
from maskc.runtime.schema.plan.records import Position
from maskc.runtime.step_budget import STEPS
from maskc.tags.objects import (
    HELD,
    KNOWN,
    NOTES,
    OF_ARRAYS,
    ROOTS,
    ParameterContext,
    Where,
    escape,
    list_alternatives,
    read_object,
    resolve,
)
from maskc.tags.styles import STYLES, is_plain, list_forbidden, names_forbidden

if TYPE_CHECKING:
    from maskc.tags.building import LinkBuilder

_Made = TypeVar("_Made")
_ANYTHING: dict[str, Any] = {}
_BLANKS = r"[ \t\r\n]{0,8}"
_LITERALS = {1: "null", 2: "true", 4: "false"}  # of a position, by bit
_BOOLEAN_BITS = (4, 2)  # of a position's literals: false and true
_TYPES = ("null", "boolean", "number", "array", "object")
_OF_STRINGS = frozenset(("enum", "minLength", "maxLength"))


class Arguments:
    """The parameters of one tool; see :class:`maskc.runtime.link.plan.composing.Parameters`.

    ``excludes`` stand in no string, those of JSON included; ``shared`` is what was made for those
    that they are a value of. A SchemaError says that the style cannot write what the schema asks.
    """

    def __init__(
        self,
        maker: LinkBuilder,
        schema: Any,
        *,
        style: str,
        excludes: tuple[str, ...],
        pointer: str,
        ordered: bool,
        shared: ParameterContext | None = None,
    ) -> None:
        self._maker, self._style, self._pointer = maker, STYLES[style], pointer
        self._compose = maker.composer
        self._where = Where(pointer, style)
        self._forbidden = list_forbidden(style, excludes)
        top = _ANYTHING if schema is True else schema
        is_nested = shared is not None
        self._shared = shared or ParameterContext(top if isinstance(top, Mapping) else {}, pointer)
        self._root = self._shared.root
        self._make_inner = partial(
            Arguments,
            maker,
            style=self._style.inner or style,
            excludes=excludes,
            ordered=ordered,
            shared=self._shared,
        )
        top = resolve(top, self._root, self._where)
        self._shared.tables[id(top)] = self
        read = read_object(top, self._root, self._where, is_nested=is_nested)
        self._names, self._schemas, self._others = read.names, read.schemas, read.others
        if self._style.identifiers:
            self._others = False  # a name that is not known may be a keyword
        elif self._style.closes_by_name or (self._style.separator and not self._style.quotes):
            if not read.names and self._others is not False:
                raise self._where.name_none()
            self._others = False  # a name that is not known cannot be closed, or may have marks
        self._values: dict[int, list[tuple[str, Item]]] = {}
        possible = (1 << len(self._names)) - 1  # but for those that fit no value
        for number, inner in enumerate(self._schemas):
            is_left = is_plain(inner) and not self._style.is_nested
            is_left = is_left and not names_forbidden(inner, self._forbidden)
            if not is_left and not self._find_values(number):
                possible &= ~(1 << number)
        if read.required & ~possible:
            raise self._where.wrong("required", "names what fits no value")
        if possible.bit_count() < read.low:
            raise self._where.wrong("minProperties", "counts what fits no value")
        if self._others is not False and (is_nested or not is_plain(self._others)):
            self._is_writable(self._others, "/additionalProperties")
        counts = Counts(
            len(self._names),
            read.required,
            possible,
            read.low,
            read.high,
            is_ordered=ordered,
            has_others=self._others is not False,
        )
        separates = bool(self._style.separator)
        between = self._separator() if separates else maker.context.regex(_BLANKS)
        self._parameters = Parameters(
            counts, self._list_alternatives, between, self._compose, separates=separates
        )

    def expression(self) -> Expression:
        return self._parameters.expression()

    def _list_alternatives(self, number: int | None) -> Alternatives:
        """Return the ways to write a parameter; ``None``: one whose name is not known."""
        maker, before = self._maker, self._style.before
        if number is not None:
            name = self._names[number]
            quotes = self._style.quotes if self._is_quoted else ("",)
            text = self._texts([f"{before}{quote}{name}{quote}" for quote in quotes])
            values = self._find_values(number)
            return [self._parameter(text, between, value, name) for between, value in values]
        other = self._compose.other_name(name.encode() for name in self._names)
        quotes = self._style.quotes if self._is_quoted else ("",)
        around = [(maker.text(f"{before}{quote}"), maker.text(quote)) for quote in quotes]
        written = [[*begin, other, *end] for begin, end in around]
        values = self._values_of(self._others)
        return [self._parameter(items, *value, "") for items in written for value in values]

    def _parameter(self, before: list[Item], between: str, value: Item, name: str) -> list[Item]:
        maker, style = self._maker, self._style
        gap = [maker.context.regex(_BLANKS), *maker.text(style.gap)] if style.gap else []
        close = maker.text(style.closing(between).replace("{name}", name))
        return [*before, *self._texts(style.before_value(between)), *gap, value, *close]

    @property
    def _is_quoted(self) -> bool:
        return bool(self._style.quotes) and not self._style.identifiers

    def _texts(self, texts: list[str]) -> list[Item]:
        options = [self._maker.text(text) for text in texts]
        words = [o[0].words for o in options if len(o) == 1 and isinstance(o[0], Constant)]
        if len(words) < len(options) or len(words) == 1:
            return options[0]  # it has the end of the sequence in it, or there is no other
        return [Constant(tuple(word for each in words for word in each))]

    def _separator(self) -> Expression:
        blank = " ?" if self._style.is_spaced else ""
        return self._maker.context.regex(escape_pattern(self._style.separator) + blank)

    def _find_values(self, number: int) -> list[tuple[str, Item]]:
        found = self._values.get(number)
        if found is None:
            name = self._names[number]
            found = self._values_of(self._schemas[number], f"/properties/{escape(name)}")
            self._values[number] = found
        return found

    def _values_of(
        self, schema: Any, path: str = "/additionalProperties"
    ) -> list[tuple[str, Item]]:
        """Return the ways to write a value: what stands before it, and itself."""
        style = self._style
        if style.is_nested:
            return self._split(schema, path)
        kind = schema.get("type") if isinstance(schema, dict) and is_plain(schema) else None
        if kind == "string" and not schema.keys() & _OF_STRINGS:
            return [(style.string, self._free())]
        if isinstance(kind, str) and kind not in ("string", "integer", "number"):
            booleans = style.booleans if kind == "boolean" else ()
            return [(self._between(kind), partial(self._json, schema, None, booleans))]
        if kind is not None and kind != "string":
            return [(self._between("number"), partial(self._json, schema, None))]
        return self._split(schema, path)

    def _split(self, schema: Any, path: str) -> list[tuple[str, Item]]:
        """Return the ways to write a value that may be a string or something else."""
        literals = 7
        if (schema is True or schema == {}) and not self._style.quotes:
            strings: list[Expression | None] = [self._free()]
            kinds, booleans = list(_TYPES), self._style.booleans
        else:
            plan = self._plan(schema, path)
            if plan is None:
                return []
            position = plan.position(plan.root)
            strings = self._make_at(path, lambda: [self._string(plan, n) for n in position.strings])
            kinds, literals = _kinds_of(position), position.literals
            words = zip(_BOOLEAN_BITS, self._style.booleans, strict=False)
            booleans = tuple(word for bit, word in words if position.literals & bit)
        found: list[tuple[str, Item]] = []
        options: list[list[Item]] = [[each] for each in strings if each is not None]
        if options:
            found.append((self._style.string, self._compose.either(options)))
        if self._style.writes_types or self._style.is_nested:
            for kind in (kind for kind in kinds if kind not in self._style.unwritten):
                value = self._literal(kind, literals) or self._value(schema, kind, path)
                if value is not None:
                    found.append((self._between(kind), value))
        elif kinds:
            found.append((self._style.other, self._json(schema, kinds, booleans)))
        return found

    def _literal(self, kind: str, bits: int) -> Expression | None:
        """Return the words for some literals, ``None`` where values of a type are written so."""
        own = [n for n, of in ((1, "null"), (4, "boolean"), (2, "boolean")) if of == kind]
        names = [_LITERALS[n] for n in own if bits & n]
        words = [word for name in names for word in self._style.literals.get(name, ())]
        return self._compose.words(sorted(word.encode() for word in words)) if words else None

    def _is_writable(self, schema: Any, path: str) -> bool:
        writable = self._shared.writable
        if id(schema) not in writable:
            writable[id(schema)] = True  # meanwhile: it may lead back to itself
            writable[id(schema)] = bool(self._values_of(schema, path))
        return writable[id(schema)]

    def _value(self, schema: Any, kind: str, path: str) -> Item | None:
        if not self._style.is_nested or kind in ("null", "boolean", "number"):
            return self._json(schema, [kind])
        alternatives = list_alternatives(schema, kind, self._root, self._where, path)
        make = self._array if kind == "array" else self._object
        found = [
            value for value in [make(each, path) for each in alternatives] if value is not None
        ]
        if len(found) < 2:
            return found[0] if found else None
        return lambda: self._compose.either([[value] for value in found])

    def _object(self, schema: Mapping[str, Any], path: str) -> Item:
        table = self._shared.tables.get(id(schema))
        if table is None:
            table = self._make_inner(schema, pointer=f"{self._pointer}{path}")
        return table.expression

    def _array(self, schema: Mapping[str, Any], path: str) -> Item | None:
        """Return an array, item by item, ``None`` if it must have some and none can be written."""
        for keyword in schema:
            if keyword not in OF_ARRAYS and keyword not in NOTES | KNOWN:
                raise self._where.refuse(path, keyword)
        low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
        high = None if high is None else int(high)
        items = schema.get("items", _ANYTHING)
        inner = f"{path}/items"
        if self._style.separator and not self._style.quotes:
            self._check_inner(items, inner)
        if not self._is_writable(items, inner) and low:
            return None
        return partial(self._items, items, inner, low, high)

    def _check_inner(self, schema: Any, path: str) -> None:
        """Refuse texts in arrays of arrays: a parser takes a bracket in them for one of its own."""
        outer = self._plan(schema, path)
        if outer is None or not outer.position(outer.root).arrays:
            return
        for each in list_alternatives(schema, "array", self._root, self._where, path):
            inner = self._plan(each.get("items", _ANYTHING), path)
            position = inner and inner.position(inner.root)
            if position and (position.strings or position.objects):
                raise self._where.refuse(path, "items")

    def _plan(self, schema: Any, path: str) -> Plan | None:
        """Return the plan of a value, ``None`` if there is no such value."""
        whole = self._shared.value(schema)
        try:
            return self._make_at(path, lambda: self._maker.context.plan(whole))
        except UnsatisfiableError:
            return None

    def _items(self, schema: Any, path: str, low: int, high: int | None) -> Expression:
        """Return the items of an array; of a schema that leads back to itself, the same ones."""
        key = (id(schema), low, high)
        arrays = self._shared.arrays
        if key not in arrays:
            arrays[key] = self._make_items(schema, path, low, high)
        return arrays[key]

    def _make_items(self, schema: Any, path: str, low: int, high: int | None) -> Expression:
        maker, style, compose = self._maker, self._style, self._compose
        assert style.item is not None  # noqa: S101  # the style is nested
        before, string, other = style.item
        blanks = maker.context.regex(_BLANKS)
        options = []
        for between, value in self._values_of(schema, path):
            is_string = between == style.string
            # The text between a name and a value tells the type, as that of an item does.
            kind = next((k for k in _TYPES if between == self._between(k)), "")
            text = string if is_string and not kind else style.between(kind, other)
            close = style.closing(text).replace("{name}", "item")
            options.append([*maker.text(before + text), value, *maker.text(close)])
        if high == 0 or not options:
            return compose.boundaries.nothing if style.separator else blanks
        if style.separator:
            return self._separate(compose.either(options), low, high)
        one = compose.join([blanks, compose.either(options)])
        return compose.join([compose.boundaries.repetition(one, low, high), blanks])

    def _separate(self, one: Expression, low: int, high: int | None) -> Expression:
        boundaries = self._compose.boundaries
        if high != 1:
            after = self._compose.join([self._separator(), one])
            most = None if high is None else high - 1
            one = boundaries.sequence([one, boundaries.repetition(after, max(low - 1, 0), most)])
        return one if low else boundaries.repetition(one, 0, 1)

    def _string(self, plan: Plan, number: int) -> Expression | None:
        """Return a kind of strings, ``None`` if none can be written."""
        rule = plan.strings[number]
        if rule.is_any and rule.is_unbounded and not self._style.quotes:
            return self._free()
        if rule.body.dfa.reader:
            raise Where("", self._where.style).refuse("", "format")
        forbidden = [word.encode() for word in self._forbidden]
        if self._style.quotes:
            return self._quoted(plan, number, forbidden)
        string = self._compose.raw_string(plan, number, forbidden)
        if string.is_empty:
            return None
        inner = self._compose.raw_text(string)
        if not self._style.line:
            return inner
        line = self._compose.either([[], self._maker.text(self._style.line)])
        return self._compose.join([line, inner, line])

    def _quoted(self, plan: Plan, number: int, forbidden: list[bytes]) -> Expression | None:
        options: list[list[Item]] = []
        for quote in self._style.quotes:
            string = self._compose.raw_string(plan, number, forbidden, quote.encode())
            if not string.is_empty:
                mark = self._maker.text(quote)
                options.append([*mark, self._compose.raw_text(string), *mark])
        return self._compose.either(options) if options else None

    def _free(self) -> Expression:
        return self._compose.join(self._maker.free(self._forbidden))

    def _json(
        self, schema: Any, kinds: list[str] | None, booleans: tuple[str, ...] = ()
    ) -> Expression:
        """Return a value as JSON, of some types, or one of some words."""
        whole = self._shared.value(schema)
        if kinds is not None:
            kept: dict[str, Any] = {key: whole[key] for key in ROOTS if key in whole}
            inner = {key: value for key, value in whole.items() if key not in kept}
            whole = {**kept, "type": kinds, "allOf": [inner]}
        # Where texts are in quotes, all that is JSON are numbers, which have no words in them.
        forbidden = () if self._style.quotes else self._forbidden
        value = self._maker.json(whole, forbidden, self._style.numbers)
        if booleans:
            words = self._compose.words(sorted(word.encode() for word in booleans))
            value = self._compose.boundaries.choice([value, words])
        if self._style.closes_by_name or self._style.separator:
            return value
        blanks = self._maker.context.regex(_BLANKS)
        return self._compose.join([blanks, value, blanks])

    def _between(self, kind: str) -> str:
        return self._style.between(kind, self._style.other)

    def _make_at(self, path: str, make: Callable[[], _Made]) -> _Made:
        """Return what is made of the value at a path, which errors name."""
        pointer = f"{self._pointer}{path}"
        try:
            return make()
        except UnsatisfiableError:
            raise
        except BudgetError as error:
            raise error.at(f"tool parameters at {pointer}") from None
        except LimitError as error:
            if error.what == STEPS:
                raise  # of a mask, for which the value is made: the request was good
            reason = f"takes more than {error.limit:,.15g} {error.what}"
            raise SchemaError(pointer, "", reason, error.remedy) from None
        except SchemaError as error:
            own = error.pointer.removeprefix("#")
            if own.startswith(HELD):
                own, pointer = "/".join(("", *own.split("/")[3:])), self._shared.pointer
            pointer += own.rstrip("/")
            raise SchemaError(pointer, error.keyword, error.reason, error.remedy) from None


def _kinds_of(position: Position) -> list[str]:
    null, boolean = position.literals & 1, position.literals & 6
    rules = (null, boolean, position.numbers, position.arrays, position.objects)
    return [kind for kind, there in zip(_TYPES, rules, strict=True) if there]
