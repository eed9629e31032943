"""Structural tags of a kit, and what it lends to those who build constraints of its parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from maskc.bounded import run_bounded
from maskc.jobs import SchemaJob
from maskc.jsonschema.loosening import compile_loosely
from maskc.kit.compiling import GrammarOrder
from maskc.kit.constraint import Constraint
from maskc.kit.making import Maker
from maskc.limits import Limits
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.schema.plan import JsonLayout, Plan
from maskc.tags.building import LinkBuilder
from maskc.tags.formats import Strings
from maskc.tags.reading import TagReader

_T = TypeVar("_T")
Made = tuple[Expression, tuple[str, ...]]  # of a tag, and notes of what was made larger


def constrain_tag(
    maker: Maker,
    describe: Callable[[], Mapping[str, Any]],
    limits: Limits,
    *,
    kind: str,
    asked: Hashable,
    names_as_text: bool,
    loosens: bool,
) -> Constraint:
    """Return the constraint of a tag, which is kept if it has a name.

    Args:
        names_as_text: whether names of special tokens in it may be written as text.
        loosens: whether schemas that cannot be compiled are made larger.
    """

    def build() -> Made:
        return _build(maker, describe(), limits, names_as_text=names_as_text, loosens=loosens)

    def make() -> Made:
        return run_bounded(build, limits, name=f"<{kind}>")

    made = make() if asked is None else maker.keep(kind, (asked, loosens), make, limits)
    return maker.link(made[0], made[1])


def _build(
    maker: Maker, given: Mapping[str, Any], limits: Limits, *, names_as_text: bool, loosens: bool
) -> Made:
    tokens = maker.tokens
    read = TagReader(tokens.vocab_size, tokens.find).read(given)
    strings = maker.keep(
        "strings",
        str(names_as_text),
        lambda: Strings(tokens.special_ids, tokens.ends, names_as_text=names_as_text),
    )
    builder = LinkBuilder(KitBuilderContext(maker, limits, loosens=loosens), strings)
    return builder.build(read), tuple(builder.notes)


class KitBuilderContext:
    """See :class:`maskc.tags.building.BuilderContext`."""

    def __init__(self, maker: Maker, limits: Limits, *, loosens: bool) -> None:
        self._maker, self._limits, self._loosens = maker, limits, loosens
        self.composer, self.ends = maker.composer, maker.tokens.ends

    def schema(self, schema: Any, **layout: Any) -> Expression:
        job = SchemaJob(schema, {}, JsonLayout(**layout), True)
        return self._maker.boundaries.as_expression(self._maker.schema_piece(job, self._limits))

    def plan(self, schema: Any) -> Plan:
        return self._maker.plan(SchemaJob(schema, {}, JsonLayout(), True), self._limits)

    def compile(
        self, schema: Any, make: Callable[[Any], _T], pointer: str
    ) -> tuple[_T, tuple[str, ...]]:
        if not self._loosens:
            return make(schema), ()
        return compile_loosely(schema, make, pointer=pointer, seconds=self._limits.seconds)

    def regex(self, pattern: str) -> Expression:
        return self._maker.regex(pattern, self._limits).expression

    def gbnf(self, text: str) -> Expression:
        return self._maker.grammar(GrammarOrder("gbnf", text, {}), self._limits).expression

    def token_ids(self) -> frozenset[int]:
        """Return the tokens that write text or have a name, without those that end the output."""
        tokens = self._maker.tokens

        def find() -> frozenset[int]:
            named = tokens.special_ids.values()
            return frozenset({*tokens.index.order.tolist(), *named}) - self.ends

        found: frozenset[int] = self._maker.keep("ids", "", find)
        return found
