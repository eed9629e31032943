"""THE ORDER of the streamlining steps, and what each of them left.

Each step takes rows and returns rows with the same masks. One order serves both parsers:

- ``raw``, ``closings``: what the walk found, by the terminal before it;
- ``interchangeable``: terminals that stand for each other become one, and are asked about once;
- ``never legal``, ``always legal``: asked of the productions (Bar-Hillel emptiness, debt automata);
- ``jointly legal``: sequences that are legal on the same stacks become one. A general grammar asks
  its productions. For an LALR grammar, whose productions may promise too much, Lark's own table is
  asked, which finds more that is never or always legal, too;
- ``state``: rows are decided by the parser's state on top of the stack.

Who is asked is a :class:`LegalityOracle`; the order knows no parser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from maskc.compiler.optimise.rows import Rows, collect_rows
from maskc.compiler.optimise.state import States, Tops, Verdicts, leave_open
from maskc.compiler.optimise.steps import (
    cut_always_legal,
    drop_never_legal,
    merge_closings,
    merge_interchangeable,
)
from maskc.compiler.optimise.undecided import (
    count_rows,
    count_sequences,
    describe_residue,
    percentiles,
)
from maskc.compiler.pushdown.interchangeable import Classes
from maskc.compiler.pushdown.production_verdicts import AskedProductions, ProductionVerdicts
from maskc.compiler.rows.sequences import Event, RawRows
from maskc.errors import BudgetError, LimitError
from maskc.grammar.model import Grammar
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner

T = TypeVar("T")
Rewrite = Callable[[Rows], Rows]
Run = Callable[[str, Callable[[], Any]], Any]  # called with a step's name and its work

DECIDE = "state"  # the step that rewrites no rows, but decides them
STEPS = (
    "raw",
    "closings",
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

    def states_after(self, event: Event) -> States:
        """Return the states that can be on top when an event has happened."""

    def explain_left_out(self) -> str | None:
        """Return what was not decided because a bound was reached."""


@dataclass(frozen=True, slots=True, eq=False)
class LegalityOracle:
    """Who is asked about rows.

    Attributes:
        asked: the productions.
        classes: terminals that can stand for each other.
        tops: the parser's states.
        undecided: what stands for them where nothing is decided by them.
        decide: gives the table's decider; what the productions decided is held against it.
    """

    asked: AskedProductions
    classes: Classes
    tops: Tops
    undecided: Tops
    decide: Callable[[ProductionVerdicts], StateOracle]


@dataclass(frozen=True, slots=True, eq=False)
class OptimisedRows:
    """What the steps left.

    Attributes:
        rows: the rows.
        after: the rows after each step, by the step's name, in order.
        verdicts: the answers for their sequences.
        tops: the states that the answers are for.
        report: header entries ``streamlining``, ``classes``, ``residue``, and ``left_out``: what
            was not done because a bound was reached.
    """

    rows: Rows
    after: tuple[tuple[str, Rows], ...]
    verdicts: Verdicts
    tops: Tops
    report: Mapping[str, Any]


def streamline(
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    store: RawRows,
    decider: LegalityOracle,
    run: Run,
    up_to: str = STEPS[-1],
) -> OptimisedRows:
    """Return the rows of a store, streamlined.

    Args:
        grammar: and all that was made of it.
        scanner: its scanner.
        boundaries: its boundaries.
        store: what the walk found.
        decider: who is asked.
        run: called with a step's name and work; returns what the work returns.
        up_to: the last step that is taken. Before ``state`` nothing is decided by the stack's top:
            the masks are the same, and each row is asked about on the stack at hand.

    Raises:
        ValueError: there is no such step, or productions and table contradict each other.
    """
    if up_to not in STEPS:
        raise ValueError(f"there is no streamlining step {up_to!r}")
    taken = STEPS[: STEPS.index(up_to) + 1]
    names = grammar.bnf.terminals
    raw: Rows = run("raw", lambda: collect_rows(grammar.lexer, scanner, boundaries, store))
    per_state = [count_sequences(raw, boundaries, decider.asked.newline)]
    by_productions = ProductionVerdicts(decider.asked, boundaries, raw.sequences)
    by_table = decider.decide(by_productions)
    rewrites = _list_rewrites(raw, scanner, boundaries, decider, by_productions, by_table)
    after, left_out = _take_steps(raw, {s: rewrites[s] for s in taken if s in rewrites}, run)
    rows = after[-1][1]
    verdicts: Verdicts | None = None
    if DECIDE in taken and left_out is None:
        verdicts, left_out = _attempt(DECIDE, lambda: by_table.decide_by_state(rows), run)
    per_state += [count_rows(left) for _, left in after[1:]]
    report: dict[str, Any] = {
        "streamlining": [
            _describe_step(step, left, n) for (step, left), n in zip(after, per_state, strict=True)
        ],
        "classes": [[names[terminal] for terminal in group] for group in decider.classes],
        "residue": {},
        "left_out": left_out,
    }
    if verdicts is None:
        undecided = leave_open(rows, len(decider.undecided.live))
        return OptimisedRows(rows, tuple(after), undecided, decider.undecided, report)
    report["left_out"] = by_table.explain_left_out()
    report["residue"] = describe_residue(rows, verdicts, by_table.states_after, boundaries, names)
    return OptimisedRows(rows, tuple(after), verdicts, decider.tops, report)


def _list_rewrites(
    raw: Rows,
    scanner: Scanner,
    boundaries: Boundaries,
    decider: LegalityOracle,
    by_productions: ProductionVerdicts,
    by_table: StateOracle,
) -> dict[str, Rewrite]:
    """Return what each step between ``raw`` and ``state`` does to the rows."""
    free = raw.sequences.open_to(boundaries.everything)
    return {
        "closings": lambda rows: merge_closings(rows, scanner, boundaries),
        "interchangeable": lambda rows: merge_interchangeable(
            rows, decider.classes, boundaries, decider.tops.live
        ),
        "never legal": lambda rows: drop_never_legal(rows, by_productions),
        "always legal": lambda rows: cut_always_legal(rows, by_productions, free),
        "jointly legal": by_table.merge_jointly_legal,
    }


def _take_steps(
    raw: Rows, rewrites: Mapping[str, Rewrite], run: Run
) -> tuple[list[tuple[str, Rows]], str | None]:
    """Return the rows after each step, and what was left out because a bound was reached."""
    after = [("raw", raw)]
    for step, rewrite in rewrites.items():
        rows, left_out = _attempt(step, partial(rewrite, after[-1][1]), run)
        if rows is None:
            return after, left_out
        after.append((step, rows))
    return after, None


def _attempt(step: str, work: Callable[[], T], run: Run) -> tuple[T | None, str | None]:
    """Return what a step gives; if it reaches a bound of its own, nothing, and a sentence on it.

    Raises:
        BudgetError: the whole compilation may take no longer, or no more memory.
    """
    try:
        return run(step, work), None
    except BudgetError:
        raise
    except LimitError as error:
        return None, f"the steps from {step} on: {error}"


def _describe_step(step: str, rows: Rows, per_state: list[int]) -> dict[str, Any]:
    """Return what a report says of a step: its name, and the rows that it left."""
    return {
        "step": step,
        "rows": sum(per_state),
        "stored": len(rows),
        "per_state": percentiles(per_state),
    }
