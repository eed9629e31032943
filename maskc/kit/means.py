"""What a kit lends to those who build constraints of its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maskc.kit.tokens import KitTokens
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.plan.composing import Composer, Keep
from maskc.runtime.schema.plan.plan import Plan


class KitMeans:
    """See :class:`maskc.tags.building.Means`.

    Args:
        tokens: of the kit.
        composer: of the kit.
        keep: returns what was made for a key, or makes it.
        schema: schema and layout → expression.
        plan: schema → plan.
        regex: pattern → expression.
        gbnf: grammar → expression.
    """

    def __init__(
        self,
        tokens: KitTokens,
        composer: Composer,
        keep: Keep,
        *,
        schema: Callable[..., Expression],
        plan: Callable[[Any], Plan],
        regex: Callable[[str], Expression],
        gbnf: Callable[[str], Expression],
    ) -> None:
        self._tokens, self.composer, self.ends = tokens, composer, tokens.ends
        self._keep, self.schema, self.plan = keep, schema, plan
        self.regex, self.gbnf = regex, gbnf

    def token_ids(self) -> frozenset[int]:
        """Return the tokens that write text or have a name, without those that end the output."""
        found: frozenset[int] = self._keep("ids", "", self._find_ids)
        return found

    def _find_ids(self) -> frozenset[int]:
        tokens = self._tokens
        return frozenset({*tokens.index.order.tolist(), *tokens.special_ids.values()}) - self.ends
