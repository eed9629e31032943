"""Lark's LALR table, conflicts already resolved by Lark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar, overload

from maskc.ids import ContextId, LalrStateId, ProductionId

T = TypeVar("T")


class Reduction(Mapping[int, ProductionId]):
    """One production that a state reduces on terminals which many states have in common.

    Attributes:
        production: its id.
        terminals: as keys, ascending.
    """

    __slots__ = ("production", "terminals")

    def __init__(self, production: ProductionId, terminals: Mapping[int, None]) -> None:
        self.production, self.terminals = production, terminals

    def __getitem__(self, terminal: int) -> ProductionId:
        if terminal in self.terminals:
            return self.production
        raise KeyError(terminal)

    def __contains__(self, terminal: object) -> bool:
        return terminal in self.terminals

    @overload
    def get(self, terminal: int, /) -> ProductionId | None: ...

    @overload
    def get(self, terminal: int, default: T, /) -> ProductionId | T: ...

    def get(self, terminal: int, default: T | None = None, /) -> ProductionId | T | None:
        """Return the production, or what is given; a mapping's own asks and catches."""
        return self.production if terminal in self.terminals else default

    def __iter__(self) -> Iterator[int]:
        return iter(self.terminals)

    def __len__(self) -> int:
        return len(self.terminals)


def list_reductions(
    reduces: Mapping[int, ProductionId],
) -> list[tuple[ProductionId, tuple[int, ...]]]:
    """Return (production, its terminals) for what a state reduces, in order of first terminals."""
    if isinstance(reduces, Reduction):
        return [(reduces.production, tuple(reduces.terminals))] if reduces.terminals else []
    found: dict[ProductionId, list[int]] = {}
    for terminal, production in reduces.items():
        found.setdefault(production, []).append(terminal)
    return [(production, tuple(terminals)) for production, terminals in found.items()]


@dataclass(frozen=True, slots=True)
class LalrState:
    """One row of the table.

    Attributes:
        shifts: terminal id → state.
        reduces: terminal id → production id.
        gotos: nonterminal id → state.
    """

    shifts: Mapping[int, LalrStateId]
    reduces: Mapping[int, ProductionId]
    gotos: Mapping[int, LalrStateId]

    def __post_init__(self) -> None:
        """Keep the mappings from being written; a :class:`Reduction` is shared, and cannot be."""
        object.__setattr__(self, "shifts", MappingProxyType(dict(self.shifts)))
        object.__setattr__(self, "gotos", MappingProxyType(dict(self.gotos)))
        if not isinstance(self.reduces, Reduction):
            object.__setattr__(self, "reduces", MappingProxyType(dict(self.reduces)))


@dataclass(frozen=True, slots=True)
class LalrTable:
    """The table, and what the lexer looks for in each of its states.

    Attributes:
        states: its rows; state 0 is the start state.
        end_state: the state that the start symbol's goto leads to, where the text may end.
        context_of: state → context.
    """

    states: tuple[LalrState, ...]
    end_state: LalrStateId
    context_of: tuple[ContextId, ...]

    def target(self, state: int, symbol: int) -> LalrStateId:
        """Return the state that a state shifts or goes to on a symbol of a right side."""
        row = self.states[state]
        return row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
