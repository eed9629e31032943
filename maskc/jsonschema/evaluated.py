"""Which properties and items has a schema evaluated, where it holds in one way or another?

``unevaluatedProperties`` and ``unevaluatedItems`` depend on which subschemas hold. A *scenario*
says which do, as a formula, and what they have then evaluated.

Example: ``anyOf`` of two schemas with properties has three: both hold, or one and not the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What has been evaluated.

    Attributes:
        names: keys.
        dfas: automata of keys, by number.
        all_names: every key.
        n_items: so many of the first items.
        all_items: every item.
        fits: and items of which one of these holds.
    """

    names: frozenset[str] = frozenset()
    dfas: frozenset[int] = frozenset()
    all_names: bool = False
    n_items: int = 0
    all_items: bool = False
    fits: tuple[Formula, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been evaluated."""
        return self == Evaluated()

    def __or__(self, other: Evaluated) -> Evaluated:
        return Evaluated(
            self.names | other.names,
            self.dfas | other.dfas,
            self.all_names or other.all_names,
            max(self.n_items, other.n_items),
            self.all_items or other.all_items,
            tuple(dict.fromkeys((*self.fits, *other.fits))),
        )

    def with_all_names(self) -> Evaluated:
        """Return the same with every key."""
        return replace(self, all_names=True)

    def with_all_items(self) -> Evaluated:
        """Return the same with every item."""
        return replace(self, all_items=True)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way in which a schema holds.

    Attributes:
        formula: what is then asked.
        evaluated: what is then evaluated.
    """

    formula: Formula
    evaluated: Evaluated


def join(space: Space, left: list[Scenario], right: list[Scenario]) -> list[Scenario]:
    """Return the ways in which two schemas hold at once."""
    found: dict[Evaluated, list[Formula]] = {}
    for one in left:
        for other in right:
            formula = space.both([one.formula, other.formula])
            if formula is not space.false:
                found.setdefault(one.evaluated | other.evaluated, []).append(formula)
    return [Scenario(space.either(formulas), evaluated) for evaluated, formulas in found.items()]
