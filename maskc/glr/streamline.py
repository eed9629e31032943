"""THE ORDER of the streamlining steps for a general grammar, and what each of them left.

As :mod:`maskc.streamline.order`. A general grammar's parser keeps every action, so no conflict
takes texts away, and the functions of the appendix, asked of the productions, decide rows by
themselves; then the states of the parser's table decide more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from maskc.glr.adjacency import LexedCfg
from maskc.glr.lookback import find_going_on
from maskc.glr.lr0 import GeneralTable
from maskc.glr.top_state import StackVerdicts, check_never, condition_on_tops
from maskc.grammar.model import Grammar
from maskc.grammar.reduce import reduce_productions
from maskc.ids import END, ContextId, LalrStateId, RefinedStateId
from maskc.lexer.boundaries import Boundaries
from maskc.lexer.scanner import Scanner
from maskc.parser.refine import RefinedTable
from maskc.pushdown.asked_productions import AskedProductions
from maskc.pushdown.interchangeable import Classes, find_production_classes
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.model import MaskStore
from maskc.store.sequences import anything
from maskc.streamline.always_legal import cut_always_legal
from maskc.streamline.closings import merge_closings
from maskc.streamline.counting import count_rows
from maskc.streamline.interchangeable import merge_interchangeable
from maskc.streamline.jointly_legal import merge_jointly_legal
from maskc.streamline.lalr_state import Verdicts, describe_residue, leave_open
from maskc.streamline.model import Rows
from maskc.streamline.never_legal import drop_never_legal
from maskc.streamline.order import Streamlined, describe_step
from maskc.streamline.raw import collect_rows

GENERAL_STEPS = (
    "raw",
    "closings",
    "never legal",
    "always legal",
    "interchangeable",
    "jointly legal",
    "state",
)


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The states that can be on top of a stack, as far as rows are decided by them.

    Attributes:
        states: with the lookaheads that each can go on with; what they do, the general table says.
        list_states: terminal, or ``IGNORED`` → the states that can be on top after it.
    """

    states: RefinedTable
    list_states: Callable[[int], tuple[int, ...]]


def streamline_general(
    grammar: Grammar,
    scanner: Scanner,
    boundaries: Boundaries,
    lexed: LexedCfg,
    table: GeneralTable,
    store: MaskStore,
    run: Callable[[str, Callable[[], Any]], Any],
    up_to: str,
) -> tuple[Streamlined, Tops]:
    """Return the rows of a store, streamlined, and the states that decide about them.

    These are the general table's; where the last step is not taken, one state stands for all.

    Args:
        grammar: and all that was made of it.
        scanner: its scanner.
        boundaries: its boundaries.
        lexed: the productions of the table.
        table: the general table.
        store: what the walk found.
        run: called with a step's name and work; returns what the work returns.
        up_to: the last step that is taken; the masks are the same after each.

    Raises:
        ValueError: there is no such step.
    """
    if up_to not in GENERAL_STEPS:
        raise ValueError(f"a general grammar has no step {up_to!r}")
    steps = GENERAL_STEPS[1 : GENERAL_STEPS.index(up_to) + 1]
    rows: Rows = run("raw", lambda: collect_rows(grammar.lexer, scanner, boundaries, store))
    report: dict[str, Any] = {
        "streamlining": [describe_step("raw", rows, count_rows(rows))],
        "classes": [],
        "residue": {},
        "left_out": None,
    }
    after = [("raw", rows)]
    if not steps:
        return _leave_open(after, boundaries, report)
    classes = find_symbol_classes(lexed)
    report["classes"] = [
        [grammar.bnf.terminals[terminal] for terminal in group] for group in classes
    ]
    goes_on = find_going_on(lexed.cfg, table)
    states = _list_states(lexed, goes_on)
    verdicts = ProductionVerdicts(ask_lexed(lexed, grammar), boundaries, rows.words)
    free = rows.words.close(rows.words.number_final(anything(boundaries.n_lookaheads)), 0)
    rewrites: dict[str, Callable[[Rows], Rows]] = {
        "closings": lambda rows: merge_closings(rows, scanner, boundaries),
        "never legal": lambda rows: drop_never_legal(rows, verdicts),
        "always legal": lambda rows: cut_always_legal(rows, verdicts, free),
        "interchangeable": lambda rows: merge_interchangeable(rows, classes, boundaries, states),
        "jointly legal": lambda rows: merge_jointly_legal(rows, verdicts),
    }
    for step in steps:
        if step in rewrites:
            rows = run(step, lambda: rewrites[step](rows))  # noqa: B023
            after.append((step, rows))
            report["streamlining"].append(describe_step(step, rows, count_rows(rows)))
    if steps[-1] != GENERAL_STEPS[-1]:
        return _leave_open(after, boundaries, report)
    stacks = StackVerdicts(table, goes_on, verdicts)
    by_top: Verdicts = run("state", lambda: condition_on_tops(rows, stacks))
    check_never(rows, by_top, stacks)
    if stacks.is_spent:
        report["left_out"] = "some rows are left to the parser: their automata are too large"
    report["residue"] = describe_residue(
        rows, by_top, stacks.states_behind, boundaries, grammar.bnf.terminals
    )
    return Streamlined(rows, tuple(after), by_top, report), Tops(states, stacks.list_states)


def ask_lexed(lexed: LexedCfg, grammar: Grammar) -> AskedProductions:
    """Return the productions of a general parser's table: no text of theirs is lost."""
    return AskedProductions(
        reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions),
        lexed.symbols,
        grammar.lexer.contexts,
        {terminal: 1 for terminal, _ in lexed.symbols},
        None,
        None,
    )


def find_symbol_classes(lexed: LexedCfg) -> Classes:
    """Return the classes of two or more terminals that can stand for each other (6.2).

    The productions are over symbols, terminals with lookaheads. Only terminals with a single
    symbol count: where the lexer tells two of them apart, what stands for what depends on it.
    """
    reduced = reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions)
    symbols_of: dict[int, list[int]] = {}
    for symbol, (terminal, _) in enumerate(lexed.symbols):
        symbols_of.setdefault(terminal, []).append(symbol)
    classes = []
    for members in find_production_classes(reduced):
        terminals = [lexed.symbols[symbol][0] for symbol in members]
        single = sorted(t for t in terminals if len(symbols_of[t]) == 1 and t != END)
        if len(single) > 1:
            classes.append(tuple(single))
    return tuple(sorted(classes))


def _list_states(lexed: LexedCfg, goes_on: tuple[int, ...]) -> RefinedTable:
    """Return the general table's states with the lookaheads that they can go on with."""
    live = []
    for symbols in goes_on:
        looks = 0
        for symbol, (_, own) in enumerate(lexed.symbols):
            if symbols >> symbol & 1:
                looks |= own
        live.append(looks)
    return _make_states(tuple(live))


def _leave_open(
    after: list[tuple[str, Rows]], boundaries: Boundaries, report: dict[str, Any]
) -> tuple[Streamlined, Tops]:
    only = _make_states(((1 << boundaries.n_lookaheads) - 1,))
    rows = after[-1][1]
    return Streamlined(rows, tuple(after), leave_open(rows, 1), report), Tops(only, lambda _: (0,))


def _make_states(live: tuple[int, ...]) -> RefinedTable:
    n = len(live)
    nothing: tuple[dict[int, RefinedStateId], ...] = ({},) * n
    lalr, context = (LalrStateId(0),) * n, (ContextId(0),) * n
    return RefinedTable(lalr, context, ((),) * n, live, (False,) * n, nothing, nothing)
