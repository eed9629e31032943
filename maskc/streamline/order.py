"""THE ORDER of the streamlining steps, and what each of them left.

Each step takes rows and returns rows with the same masks. The first three know the grammar only;
then :mod:`maskc.pushdown.decisions` answers from Lark's own table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from maskc.errors import BudgetError, LimitError
from maskc.grammar.model import LalrGrammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.columns import Columns
from maskc.lexer.scanner import Scanner
from maskc.parser.items import ItemSets
from maskc.parser.refine import RefinedTable
from maskc.pushdown.agreement import check_agreement
from maskc.pushdown.asked_productions import ask_grammar
from maskc.pushdown.decisions import Decisions
from maskc.pushdown.interchangeable import Classes, find_classes
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.pushdown.table_debts import TableDebts
from maskc.store.model import MaskStore
from maskc.store.sequences import anything
from maskc.streamline.always_legal import cut_always_legal
from maskc.streamline.closings import merge_closings
from maskc.streamline.counting import count_rows, count_sequences, percentiles
from maskc.streamline.interchangeable import merge_interchangeable, safe_for_lookaheads
from maskc.streamline.lalr_state import (
    Verdicts,
    condition_on_states,
    describe_residue,
    leave_open,
)
from maskc.streamline.model import Rows
from maskc.streamline.never_legal import drop_never_legal
from maskc.streamline.pairs import decide_pairs
from maskc.streamline.raw import collect_rows
from maskc.streamline.sequences import decide_sequences

T = TypeVar("T")

STEPS = (
    "raw",
    "closings",
    "never legal",
    "always legal",
    "interchangeable",
    "pairs",
    "sequences",
    "state",
)


@dataclass(frozen=True, slots=True, eq=False)
class Streamlined:
    """What the steps left.

    Attributes:
        rows: the rows.
        after: the rows after each step, by the step's name, in order.
        verdicts: the answers for their words.
        report: header entries ``streamlining``, ``classes``, ``residue``, and ``left_out``: what
            was not done because a bound was reached.
    """

    rows: Rows
    after: tuple[tuple[str, Rows], ...]
    verdicts: Verdicts
    report: dict[str, Any]


def streamline(
    grammar: LalrGrammar,
    scanner: Scanner,
    item_sets: ItemSets,
    boundaries: Boundaries,
    columns: Columns,
    table: RefinedTable,
    store: MaskStore,
    run: Callable[[str, Callable[[], Any]], Any],
    up_to: str = STEPS[-1],
) -> Streamlined:
    """Return the rows of a store, streamlined.

    Args:
        grammar: and all that was made of it.
        scanner: its scanner.
        item_sets: its items.
        boundaries: its boundaries.
        columns: its columns.
        table: its refined table.
        store: what the walk found.
        run: called with a step's name and work; returns what the work returns.
        up_to: the last step that is taken. Before ``state`` nothing is decided by the stack's top:
            the masks are the same, and each row is asked about on the stack at hand.
    """
    classes: Classes = safe_for_lookaheads(find_classes(grammar), boundaries, table)
    newline = grammar.lexer.layout.newline if grammar.lexer.layout else None
    rows: Rows = run("raw", lambda: collect_rows(grammar.lexer, scanner, boundaries, store))
    after = [("raw", rows)]
    steps = [describe_step("raw", rows, count_sequences(rows, boundaries, newline))]
    asked = ask_grammar(grammar, scanner, boundaries)
    by_productions = ProductionVerdicts(asked, boundaries, rows.words)
    free = rows.words.close(rows.words.number_final(anything(boundaries.n_lookaheads)), 0)
    decisions = Decisions(grammar, item_sets, table, boundaries, columns, rows.words, classes)
    rewrites: dict[str, Callable[[Rows], Rows]] = {
        "closings": lambda rows: merge_closings(rows, scanner, boundaries),
        "never legal": lambda rows: drop_never_legal(rows, by_productions),
        "always legal": lambda rows: cut_always_legal(rows, by_productions, free),
        "interchangeable": lambda rows: merge_interchangeable(rows, classes, boundaries, table),
        "pairs": lambda rows: decide_pairs(rows, decisions, boundaries, table),
        "sequences": lambda rows: decide_sequences(rows, decisions, boundaries),
    }
    verdicts: Verdicts | None = None
    report: dict[str, Any] = {
        "streamlining": steps,
        "classes": [[grammar.bnf.terminals[terminal] for terminal in group] for group in classes],
        "residue": {},
        "left_out": None,
    }
    terminal_of: dict[int, int] = {
        look: t for t, looks in boundaries.of_terminal.items() for look in looks
    }
    for step in STEPS[1 : STEPS.index(up_to) + 1]:
        try:
            if step == "pairs":
                check_agreement(
                    by_productions,
                    decisions,
                    boundaries,
                    lambda: TableDebts(grammar, table, terminal_of),
                )
            if step in rewrites:
                rows = run(step, lambda: rewrites[step](rows))  # noqa: B023
                after.append((step, rows))
                steps.append(describe_step(step, rows, count_rows(rows)))
            else:
                verdicts = run(step, lambda: condition_on_states(rows, decisions))  # noqa: B023
        except BudgetError:
            raise
        except LimitError as error:
            report["left_out"] = f"the steps from {step} on: {error}"
            break
    if verdicts is None:
        return Streamlined(rows, tuple(after), leave_open(rows, len(table.live)), report)
    report["residue"] = describe_residue(
        rows, verdicts, decisions.states_behind, boundaries, grammar.bnf.terminals
    )
    return Streamlined(rows, tuple(after), verdicts, report)


def describe_step(step: str, rows: Rows, per_state: list[int]) -> dict[str, Any]:
    """Return what a report says of a step: its name, and the rows that it left."""
    return {
        "step": step,
        "rows": sum(per_state),
        "stored": len(rows),
        "per_state": percentiles(per_state),
    }
