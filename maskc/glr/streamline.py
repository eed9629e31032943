"""A general grammar's productions and LR(0) states decide about rows.

A general parser keeps every action, so no conflict takes texts away, and the functions of the
appendix, asked of the productions, decide rows by themselves (:mod:`maskc.streamline.order`); then
the states of the parser's table decide more. Both are exact about what is never legal, and have to
agree.

Source: appendix, sections 2, 4.3 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maskc import bits
from maskc.glr.adjacency import LexedCfg
from maskc.glr.lookback import find_going_on
from maskc.glr.lr0 import GeneralTable
from maskc.glr.top_state import (
    StackVerdicts,
    check_never,
    condition_on_tops,
    find_states_after,
    list_asked,
)
from maskc.grammar.model import Grammar
from maskc.grammar.reduce import reduce_productions
from maskc.ids import END, ContextId, TerminalId
from maskc.lexer.boundaries import Boundaries
from maskc.parser.relation import Lookaheads
from maskc.pushdown.asked_productions import AskedProductions
from maskc.pushdown.dft import build_dft
from maskc.pushdown.interchangeable import Classes, find_production_classes
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.store.sequences import Event
from maskc.streamline.jointly_legal import merge_jointly_legal
from maskc.streamline.lalr_state import States, Verdicts
from maskc.streamline.model import Rows
from maskc.streamline.order import Decider
from maskc.streamline.tops import Tops


def make_general_decider(
    grammar: Grammar,
    boundaries: Boundaries,
    lexed: LexedCfg,
    table: GeneralTable,
    merged: Mapping[TerminalId, TerminalId],
) -> Decider:
    """Return who is asked about the rows of a general grammar.

    Where nothing is decided by the states, each may go on with everything. ``merged`` are terminals
    for which others stand already.
    """
    goes_on = find_going_on(lexed.cfg, table)
    after = find_states_after(table, lexed.symbols)
    # Questions are asked after a terminal, or where a text starts.
    every = tuple(sorted({0, *(state for states in after.values() for state in states)}))
    n_states = len(goes_on)
    contexts = (ContextId(0),) * n_states  # a general grammar's lexer has one

    def decide(verdicts: ProductionVerdicts) -> GeneralDecider:
        return GeneralDecider(verdicts, StackVerdicts(table, goes_on, verdicts))

    return Decider(
        ask_lexed(lexed, grammar),
        _widen(find_symbol_classes(lexed), merged),
        Tops(
            _list_live(lexed, goes_on),
            contexts,
            lambda terminal: after.get(terminal, ()) if terminal >= 0 else every,
        ),
        Tops((boundaries.everything,) * n_states, contexts, lambda _: (0,)),
        decide,
    )


@dataclass(frozen=True, slots=True, eq=False)
class GeneralDecider:
    """What the productions and the states of a general table decide.

    Attributes:
        verdicts: the productions' answers.
        stacks: the states' answers.
    """

    verdicts: ProductionVerdicts
    stacks: StackVerdicts

    def merge_jointly_legal(self, rows: Rows) -> Rows:
        """Return the rows with one sequence for all whose debt automata are equal."""
        return merge_jointly_legal(rows, self.verdicts)

    def decide_by_state(self, rows: Rows) -> Verdicts:
        """Return the answers for the rows' sequences, by the LR(0) state on top.

        Raises:
            ValueError: the states contradict the productions.
        """
        asked = list_asked(rows)
        found = condition_on_tops(rows, asked, self.stacks)
        check_never(rows, asked, found, self.stacks)
        return found

    def states_after(self, event: Event) -> States:
        """Return the states that can be on top when an event has happened."""
        return self.stacks.states_after(event)

    def explain_left_out(self) -> str | None:
        """Return that the states were not followed to the end, if so."""
        if self.stacks.is_spent or self.verdicts.is_spent:
            return "some rows are left to the parser: their automata are too large"
        return None


def ask_lexed(lexed: LexedCfg, grammar: Grammar) -> AskedProductions:
    """Return the productions of a general parser's table: no text of theirs is lost."""
    return AskedProductions(
        build_dft(reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions)),
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
        single = sorted(TerminalId(t) for t in terminals if len(symbols_of[t]) == 1 and t != END)
        if len(single) > 1:
            classes.append(tuple(single))
    return tuple(sorted(classes))


def _widen(classes: Classes, merged: Mapping[TerminalId, TerminalId]) -> Classes:
    """Return the classes with the terminals for which one of theirs stands already."""
    first = {terminal: members[0] for members in classes for terminal in members}
    groups = {members[0]: set(members) for members in classes}
    for terminal, one in sorted(merged.items()):
        groups.setdefault(first.get(one, one), {one}).add(terminal)
    return tuple(sorted(tuple(sorted(group)) for group in groups.values()))


def _list_live(lexed: LexedCfg, goes_on: tuple[int, ...]) -> tuple[Lookaheads, ...]:
    """Return the lookaheads that each state of the general table can go on with."""
    return tuple(
        bits.unite(own for symbol, (_, own) in enumerate(lexed.symbols) if symbols >> symbol & 1)
        for symbols in goes_on
    )
