"""The parser: item sets with Lark's actions, the refined table, and the table that keeps all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from maskc.dump.names import LookaheadNames
from maskc.glr.lr0 import GeneralTable
from maskc.grammar.model import LalrGrammar
from maskc.ids import ROOT, ProductionId
from maskc.lexer.boundaries import Boundaries
from maskc.parser.items import Item, ItemSets
from maskc.parser.refine import RefinedTable


def dump_items(grammar: LalrGrammar, item_sets: ItemSets) -> Iterator[str]:
    """Yield the kernel items of each LALR state and the actions that Lark left it."""
    yield f"{len(grammar.lalr.states)} LALR states"
    for state, (kernel, row) in enumerate(zip(item_sets.kernels, grammar.lalr.states, strict=True)):
        yield f"state {state}, context {grammar.lalr.context_of[state]}"
        for item in kernel:
            yield f"  {_format_item(grammar, item_sets, item)}"
        yield from _targets(row.shifts, grammar.bnf.terminals, "shift")
        yield from _targets(row.gotos, grammar.bnf.nonterminals, "goto")
        by_production: dict[ProductionId, list[str]] = {}
        for terminal, production in sorted(row.reduces.items()):
            by_production.setdefault(production, []).append(grammar.bnf.terminals[terminal])
        for production, terminals in sorted(by_production.items()):
            yield f"  reduce {production} before {' '.join(terminals)}"


def _format_item(grammar: LalrGrammar, item_sets: ItemSets, item: Item) -> str:
    production, dot = item
    lhs = (
        "$root"
        if production == ROOT
        else grammar.bnf.nonterminals[grammar.bnf.productions[production].lhs]
    )
    side = list(map(grammar.bnf.symbol_name, item_sets.right_sides[production]))
    return " ".join([lhs, "->", *side[:dot], ".", *side[dot:]])


def _targets(row: Mapping[int, int], names: Sequence[str], action: str) -> Iterator[str]:
    for symbol, target in sorted(row.items()):
        yield f"  {action} {names[symbol]} -> {target}"


def dump_table(grammar: LalrGrammar, boundaries: Boundaries, table: RefinedTable) -> Iterator[str]:
    """Yield each refined state: its LALR state, what it can go on with, its moves."""
    names = LookaheadNames(grammar, boundaries)
    yield f"{len(table.live)} refined states of {len(grammar.lalr.states)} LALR states"
    for state, lalr_state in enumerate(table.lalr_state):
        enclosed = ", in brackets" if table.enclosed[state] else ""
        yield f"state {state} (LALR {lalr_state}{enclosed})"
        yield f"  can go on with: {names.format(table.live[state])}"
        yield from _targets(table.shifts[state], grammar.bnf.terminals, "shift")
        yield from _targets(table.gotos[state], grammar.bnf.nonterminals, "goto")


def dump_general_table(symbols: Sequence[str], table: GeneralTable) -> Iterator[str]:
    """Yield each LR(0) state of a general grammar, all its actions kept.

    Args:
        symbols: names of the symbols that are shifted.
        table: the automaton.
    """
    yield f"{len(table.shifts)} LR(0) states"
    for state, row in enumerate(table.shifts):
        yield f"state {state}{', where the text may end' if table.accepts[state] else ''}"
        yield from _targets(row, symbols, "shift")
        for nonterminal, target in sorted(table.gotos[state].items()):
            yield f"  goto N{nonterminal} -> {target}"
        for nonterminal, length in table.reduces[state]:
            yield f"  reduce N{nonterminal}, {length} symbols"
