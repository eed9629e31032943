"""What a kit lends to those who build constraints of its parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from maskc.kit.tokens import KitTokens
from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.expressions import Expression
from maskc.runtime.link.joints import Joints
from maskc.runtime.schema.plan import Plan


class _Keep(Protocol):
    def __call__(self, kind: str, key: Hashable, make: Callable[[], Any], /) -> Any: ...


class KitMeans:
    """See :class:`maskc.tags.building.Means`.

    Args:
        tokens: of the kit.
        joints: of the kit.
        budget: of the kit.
        keep: returns what was made for a key, or makes it.
        schema: schema and layout → expression.
        plan: schema → plan.
        regex: pattern → expression.
        gbnf: grammar → expression.
    """

    def __init__(
        self,
        tokens: KitTokens,
        joints: Joints,
        budget: Budget,
        *,
        keep: _Keep,
        schema: Callable[..., Expression],
        plan: Callable[[Any], Plan],
        regex: Callable[[str], Expression],
        gbnf: Callable[[str], Expression],
    ) -> None:
        self._tokens, self.joints, self.budget = tokens, joints, budget
        self.index, self.ends = tokens.index, tokens.ends
        self._keep, self.schema, self.plan = keep, schema, plan
        self.regex, self.gbnf = regex, gbnf

    def keep(self, kind: str, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what was made for a key, and make it if it is not there."""
        return self._keep(kind, key, make)

    def token_ids(self) -> frozenset[int]:
        """Return the tokens that write text or have a name, without those that end the output."""
        found: frozenset[int] = self._keep("ids", "", self._find_ids)
        return found

    def _find_ids(self) -> frozenset[int]:
        tokens = self._tokens
        return frozenset({*tokens.index.order.tolist(), *tokens.special_ids.values()}) - self.ends
