"""An LR(0) automaton that keeps every action, for a grammar of any kind.

A state is a set of items; on a symbol it goes to the state with the dot moved over it. Where a
grammar is not LR, a state shifts and reduces, or reduces by several productions: all of it is done,
on a set of stacks that share structure (:mod:`maskc.runtime.glr.gss`).

No lookahead is needed: a stack that the automaton can read is a viable prefix, and in a reduced
grammar without empty productions each viable prefix is one of some text. What can come next is
what can be shifted once all reductions are done.

Example: ``S -> a S a | a`` has a state with ``S -> a . S a``, ``S -> a .`` and the closure of S: it
reduces and it shifts.

Source: Knuth 1965; Tomita 1985; Nozohoor-Farshi 1991 on what empty productions would need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from maskc.errors import LimitError
from maskc.glr.cfg import Cfg
from maskc.ids import ROOT, GeneralStateId
from maskc.wording import Phrase

MAX_GENERAL_STATES = 100_000

Item = tuple[int, int]  # production, position of the dot


class Reduce(NamedTuple):
    """A production that ends: so many states go, and one comes for the nonterminal."""

    nonterminal: int
    length: int


@dataclass(frozen=True, slots=True)
class GeneralTable:
    """The automaton. State 0 is the start state.

    Attributes:
        shifts: state → symbol without productions → state.
        gotos: state → nonterminal → state.
        reduces: state → what it reduces by, ascending.
        accepts: state → whether the text may end with it on top of the bottom.
    """

    shifts: tuple[Mapping[int, GeneralStateId], ...]
    gotos: tuple[Mapping[int, GeneralStateId], ...]
    reduces: tuple[tuple[Reduce, ...], ...]
    accepts: tuple[bool, ...]


def build_general_table(cfg: Cfg) -> GeneralTable:
    """Return the automaton of a grammar without empty productions.

    Raises:
        LimitError: more than ``MAX_GENERAL_STATES`` states.
    """
    sides = [*(p.rhs for p in cfg.productions), (-1 - cfg.start,)]
    by_lhs: dict[int, list[int]] = {}
    for number, production in enumerate(cfg.productions):
        by_lhs.setdefault(production.lhs, []).append(number)
    start: tuple[Item, ...] = ((ROOT, 0),)
    number_of = {start: GeneralStateId(0)}
    kernels = [start]
    shifts: list[Mapping[int, GeneralStateId]] = []
    gotos: list[Mapping[int, GeneralStateId]] = []
    for kernel in kernels:  # grows while we walk it
        moved: dict[int, list[Item]] = {}
        for item in _close(kernel, sides, by_lhs):
            side, dot = sides[item[0]], item[1]
            if dot < len(side):
                moved.setdefault(side[dot], []).append((item[0], dot + 1))
        row: dict[int, GeneralStateId] = {}
        for symbol, items in sorted(moved.items()):
            target = tuple(sorted(items))
            if target not in number_of:
                number_of[target] = GeneralStateId(len(kernels))
                kernels.append(target)
                if len(kernels) > MAX_GENERAL_STATES:
                    raise LimitError("parser states", MAX_GENERAL_STATES, Phrase.SIMPLER_RULES)
            row[symbol] = number_of[target]
        shifts.append(MappingProxyType({s: t for s, t in row.items() if s >= 0}))
        gotos.append(MappingProxyType({-1 - s: t for s, t in row.items() if s < 0}))
    ends = [
        sorted({p for p, dot in kernel if p != ROOT and dot == len(sides[p])}) for kernel in kernels
    ]
    return GeneralTable(
        shifts=tuple(shifts),
        gotos=tuple(gotos),
        reduces=tuple(
            tuple(sorted({Reduce(cfg.productions[p].lhs, len(sides[p])) for p in row}))
            for row in ends
        ),
        accepts=tuple(
            (ROOT, 1) in kernel or cfg.has_empty and number == 0
            for number, kernel in enumerate(kernels)
        ),
    )


def _close(
    kernel: tuple[Item, ...], sides: list[tuple[int, ...]], by_lhs: dict[int, list[int]]
) -> list[Item]:
    items = list(kernel)
    opened: set[int] = set()
    for production, dot in items:  # grows while we walk it
        symbol = sides[production][dot] if dot < len(sides[production]) else 0
        if symbol < 0 and symbol not in opened:
            opened.add(symbol)
            items += [(p, 0) for p in by_lhs.get(-1 - symbol, ())]
    return items
