"""THE ORDER of the optimisation steps (docs/lalr.md, 6), and what each of them left.

Each step takes rows and returns rows with the same masks. One order serves both parsers: who is
asked is a :class:`LegalityOracle`, and the order knows no parser. *Jointly legal* is asked of the
productions of a general grammar, and of Lark's own table for LALR, whose productions may promise
too much; that finds more that is never or always legal, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maskc.budget import at
from maskc.compiler import LexicalAnalysis
from maskc.compiler.optimise import (
    Rows,
    States,
    Tops,
    Verdicts,
    collect_rows,
    describe_rows,
    leave_open,
)
from maskc.compiler.optimise.steps import (
    cut_always_legal,
    drop_never_legal,
    merge_closings,
    merge_interchangeable,
)
from maskc.compiler.optimise.undecided import (
    count_rows,
    count_sequences,
    describe_undecided,
    percentiles,
)
from maskc.compiler.pushdown.interchangeable import Classes
from maskc.compiler.pushdown.production_verdicts import AskedProductions, ProductionVerdicts
from maskc.compiler.rows import ParserEvent, RawRows
from maskc.errors import BudgetError, LimitError
from maskc.grammar import Grammar

Rewrite = Callable[[Rows], Rows]
Run = Callable[[str, Callable[[], Any]], Any]  # called with a step's name and its work

DECIDE = "state"  # the step that rewrites no rows, but decides them
STEPS = (
    "raw",
    "open lexemes",
    "interchangeable",
    "never legal",
    "always legal",
    "jointly legal",
    DECIDE,
)


class StateOracle(Protocol):
    """What the states of a parser's table decide about the sequences of rows."""

    def merge_jointly_legal(self, rows: Rows) -> Rows:
        """Return the rows with one sequence for all that are legal on the same stacks."""

    def decide_by_state(self, rows: Rows) -> Verdicts:
        """Return the answers for the rows' sequences, by the state on top."""

    def states_after(self, event: ParserEvent) -> States:
        """Return the states that can be on top when an event has happened."""

    def explain_left_out(self) -> str | None:
        """Return what was not decided because a bound was reached."""


@dataclass(frozen=True, slots=True, eq=False)
class LegalityOracle:
    """Who is asked about rows."""

    asked: AskedProductions  # the productions
    classes: Classes  # terminals that can stand for each other
    tops: Tops  # the parser's states
    undecided: Tops  # what stands for them where nothing is decided by them
    # gives the table's oracle; what the productions decided is held against it
    decide: Callable[[ProductionVerdicts], StateOracle]


@dataclass(frozen=True, slots=True, eq=False)
class OptimisedRows:
    """What the steps left."""

    rows: Rows  # the rows
    after: tuple[tuple[str, Rows], ...]  # the rows after each step, by the step's name, in order
    verdicts: Verdicts  # the answers for their sequences
    tops: Tops  # the states that the answers are for
    without_rows: NDArray[np.int32]  # tokens that lack rows; a general grammar's only
    # header entries streamlining, classes, residue, and left_out: what was not done because a bound
    # was reached
    report: Mapping[str, Any]


def optimise(
    lexed: LexicalAnalysis[Grammar],
    raw_rows: RawRows,
    oracle: LegalityOracle,
    run: Run,
    up_to: str = STEPS[-1],
) -> OptimisedRows:
    """Return the rows that the steps leave.

    Args:
        oracle: who is asked.
        run: called with a step's name and work; returns what the work returns.
        up_to: the last step that is taken. Before ``state`` nothing is decided by the stack's top:
            the masks are the same, and each row is asked about on the stack at hand.

    Raises:
        ValueError: there is no such step, or productions and table contradict each other.
    """
    if up_to not in STEPS:
        raise ValueError(f"there is no optimisation step {up_to!r}")
    names, boundaries = lexed.grammar.bnf.terminals, lexed.boundaries

    def collect() -> Rows:
        at(lambda: describe_rows(raw_rows, lexed.grammar.lexer))
        return collect_rows(lexed, raw_rows)

    raw: Rows = run("raw", collect)
    by_productions = ProductionVerdicts(oracle.asked, boundaries, raw.sequences)
    by_table = oracle.decide(by_productions)
    free = raw.sequences.open_to(boundaries.everything)
    rewrites: dict[str, Rewrite] = {
        "open lexemes": lambda rows: merge_closings(rows, lexed.scanner, boundaries),
        "interchangeable": lambda rows: merge_interchangeable(
            rows, oracle.classes, boundaries, oracle.tops.live
        ),
        "never legal": lambda rows: drop_never_legal(rows, by_productions),
        "always legal": lambda rows: cut_always_legal(rows, by_productions, free),
        "jointly legal": by_table.merge_jointly_legal,
    }
    after, verdicts, left_out = _take_steps(raw, rewrites, by_table, run, up_to)
    rows = after[-1][1]
    counts = [count_sequences(raw, boundaries, lexed.newline)]
    of_rows = {id(left): left for _, left in after[1:]}  # a step may find nothing to rewrite
    counted = {number: count_rows(left) for number, left in of_rows.items()}
    counts += [counted[id(left)] for _, left in after[1:]]
    report: dict[str, Any] = {
        "streamlining": [
            {"step": step, "rows": sum(n), "stored": len(left), "per_state": percentiles(n)}
            for (step, left), n in zip(after, counts, strict=True)
        ],
        "classes": [[names[terminal] for terminal in group] for group in oracle.classes],
        "residue": {},
        "left_out": left_out,
    }
    tops = oracle.undecided
    if verdicts is None:
        verdicts = leave_open(rows, len(tops.live))
    else:
        tops = oracle.tops
        report["left_out"] = by_table.explain_left_out()
        report["residue"] = describe_undecided(
            rows, verdicts, by_table.states_after, boundaries, names
        )
    return OptimisedRows(rows, tuple(after), verdicts, tops, raw_rows.without_rows, report)


def _take_steps(
    raw: Rows, rewrites: Mapping[str, Rewrite], by_table: StateOracle, run: Run, up_to: str
) -> tuple[list[tuple[str, Rows]], Verdicts | None, str | None]:
    """Return the rows after each step, the answers, and why the steps ended early if they did."""
    after = [("raw", raw)]
    for step in STEPS[1 : STEPS.index(up_to) + 1]:
        rows = after[-1][1]
        try:
            if step == DECIDE:
                return after, run(step, partial(by_table.decide_by_state, rows)), None
            after.append((step, run(step, partial(rewrites[step], rows))))
        except BudgetError:  # the whole compilation may take no longer, or no more memory
            raise
        except LimitError as error:
            return after, None, f"the steps from {step} on: {error}"
    return after, None, None
