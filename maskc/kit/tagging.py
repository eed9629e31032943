"""Structural tags of a kit, and what it lends to those who build constraints of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.jobs import SchemaJob
from maskc.kit.compiling import GrammarOrder
from maskc.kit.making import Maker
from maskc.limits import Limits
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.schema.plan.plan import Layout, Plan
from maskc.tags.building import Builder
from maskc.tags.reading import Reader
from maskc.tags.strings import Strings


def build_tag(
    maker: Maker, given: Mapping[str, Any], limits: Limits, *, spelled: bool
) -> Expression:
    """Return the expression of a tag; names of special tokens in it may be spelled as text."""
    tokens = maker.tokens
    read = Reader(tokens.vocab_size, tokens.find).read(given)
    strings = maker.keep(
        "strings",
        str(spelled),
        lambda: Strings(tokens.special_ids, tokens.ends, spelled=spelled),
    )
    return Builder(BuilderContext(maker, limits), strings).build(read)


class BuilderContext:
    """See :class:`maskc.tags.building.Means`."""

    def __init__(self, maker: Maker, limits: Limits) -> None:
        self._maker, self._limits = maker, limits
        self.composer, self.ends = maker.composer, maker.tokens.ends

    def schema(self, schema: Any, **layout: Any) -> Expression:
        job = SchemaJob(schema, {}, Layout(**layout), True)
        return self._maker.schema(job, self._limits).expression

    def plan(self, schema: Any) -> Plan:
        return self._maker.plan(SchemaJob(schema, {}, Layout(), True), self._limits)

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
