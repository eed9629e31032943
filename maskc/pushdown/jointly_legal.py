"""Are S1 and S2 legal after X at the same times?

``are_jointly_legal(X, S1, S2)`` is true iff PXS1 ∈ L_p ⟺ PXS2 ∈ L_p, for every P. That is
undecidable (appendix, Proposition 2); the answer is a reason why it holds, or ``None`` for unknown.
In order:

- ``EQUAL``: exchanging interchangeable terminals makes S1 and S2 the same (6.2);
- ``ALWAYS_SUFFIX``: apart from a common beginning, each only adds what is always-legal after the
  terminal before it (6.1: Y2 is always-legal after Y1, so X…Y1Y2 is jointly legal with X…Y1);
- ``EQUAL_DEBTS``: they are legal on the same stacks after X (the appendix's future work: the
  debt automata have the same language). This holds in particular if both are never-legal.

Example: with ``S ::= aSb | ε``, b and bb are not jointly legal after b; a and b are after a, for
both are always-legal there.

All of this is about the grammar's language; ``are_jointly_legal_by_table`` asks Lark's table
instead.

Bound: that of the debt automata, ``maskc.pushdown.production_debts.MAX_STATES``.

Source: appendix, sections 6.1 and 6.2; blog, "jointly legal" and its outlook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from maskc.ids import TerminalId
from maskc.pushdown.debt_automaton import Verdict
from maskc.pushdown.production_debts import ProductionDebts
from maskc.pushdown.table_debts import TableDebts


class Reason(Enum):
    """Why two sequences are jointly legal."""

    EQUAL = "equal up to interchangeable terminals"
    ALWAYS_SUFFIX = "what they add to their common beginning is always-legal"
    EQUAL_DEBTS = "legal on the same stacks"


def are_jointly_legal(
    debts: ProductionDebts,
    x: int,
    one: Sequence[int],
    other: Sequence[int],
    *,
    representatives: Mapping[TerminalId, TerminalId],
) -> Reason | None:
    """Return why two sequences are jointly legal after ``x``, ``None`` if it is not known.

    Args:
        debts: of the grammar.
        x: the terminal before both.
        one: terminals; ``$END`` may stand last.
        other: likewise.
        representatives: terminal → the one that stands for its interchangeability class.
    """
    return _find_reason(debts.decide, debts.compare, x, one, other, representatives)


def are_jointly_legal_by_table(
    table: TableDebts,
    x: int,
    one: Sequence[int],
    other: Sequence[int],
    *,
    representatives: Mapping[TerminalId, TerminalId],
) -> Reason | None:
    """Return why two sequences are jointly legal in the language that Lark parses.

    Likewise, but only what the table proves counts.

    Args:
        table: of Lark's table, with terminals as lookaheads.
        x: the terminal before both.
        one: terminals; ``$END`` may stand last.
        other: likewise.
        representatives: terminal → the one that stands for its class; the classes must hold for
            the table (:func:`maskc.pushdown.interchangeable.find_classes`).
    """
    return _find_reason(table.decide_after, table.compare_after, x, one, other, representatives)


def _find_reason(
    decide: Callable[[int, tuple[int, ...]], Verdict],
    compare: Callable[[int, tuple[int, ...], tuple[int, ...]], bool | None],
    x: int,
    one: Sequence[int],
    other: Sequence[int],
    representatives: Mapping[TerminalId, TerminalId],
) -> Reason | None:
    left, right = _replace(one, representatives), _replace(other, representatives)
    if left == right:
        return Reason.EQUAL
    before, suffixes = _split(representatives.get(TerminalId(x), x), left, right)
    if all(decide(before, suffix) is Verdict.ALWAYS for suffix in suffixes):
        return Reason.ALWAYS_SUFFIX
    return Reason.EQUAL_DEBTS if compare(x, left, right) else None


def _replace(
    sequence: Sequence[int], representatives: Mapping[TerminalId, TerminalId]
) -> tuple[int, ...]:
    return tuple(representatives.get(TerminalId(terminal), terminal) for terminal in sequence)


def _split(
    x: int, left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the last terminal of ``x`` and the common beginning, and what each adds to it."""
    n_common = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        n_common += 1
    before = left[n_common - 1] if n_common else x
    return before, (left[n_common:], right[n_common:])
