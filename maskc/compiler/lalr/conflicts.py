"""Decides whether Lark's LALR table reads all texts of the productions.

A grammar that its author gives to Lark's Earley parser together with a postlex is read here as
LALR, with the same lexer: the columns of a text stand beside one stack of the parser. Where the
table has no conflict, both parsers read the same texts, which are those of the productions. A
conflict that Lark resolved can lose some, so the grammar is refused then, even if that one loses
none.

Example: ``start: x "a"`` with ``x: "b" "a" | "b"``: Earley reads ``ba``, and LALR does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc import bits
from maskc.budget import quote_symbol
from maskc.compiler.lalr.items import ItemSets, build_item_sets
from maskc.errors import GrammarError
from maskc.grammar.lr0 import Lr0State, add_roots, find_lookaheads
from maskc.grammar.model import LalrGrammar, list_reductions
from maskc.grammar.rule_names import quote_symbol as format_symbol
from maskc.grammar.rule_names import rule_of
from maskc.grammar.sets import Terminals
from maskc.ids import END, ProductionId


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reduction that Lark's table does not take.

    Attributes:
        state: the LALR state.
        terminal: the lookahead.
        dropped: the production that is not reduced.
        taken: the production that is reduced instead; ``None`` for a shift.
    """

    state: int
    terminal: int
    dropped: int
    taken: int | None


def find_conflicts(grammar: LalrGrammar, item_sets: ItemSets | None = None) -> tuple[Conflict, ...]:
    """Return all conflicts, by state and terminal; item sets are built if they are not given."""
    found = []
    reduced = _list_reduced(grammar)
    lookaheads = compute_lookaheads(grammar, item_sets or build_item_sets(grammar))
    for state, (row, ended) in enumerate(zip(grammar.lalr.states, lookaheads, strict=True)):
        for production, terminals in ended.items():
            for terminal in bits.iterate(terminals & ~reduced[state].get(production, 0)):
                taken = row.reduces.get(terminal)
                found.append(Conflict(state, terminal, production, taken))
    return tuple(sorted(found, key=lambda c: (c.state, c.terminal, c.dropped)))


def _list_reduced(grammar: LalrGrammar) -> list[dict[int, Terminals]]:
    """Return, per state, production → the terminals on which the table reduces it, as a bit set."""
    known: dict[tuple[int, ...], Terminals] = {}
    found: list[dict[int, Terminals]] = []
    for row in grammar.lalr.states:
        reductions = list_reductions(row.reduces)
        for _, terminals in reductions:
            if terminals not in known:
                known[terminals] = bits.from_members(terminals)
        found.append({production: known[terminals] for production, terminals in reductions})
    return found


def compute_lookaheads(
    grammar: LalrGrammar, item_sets: ItemSets
) -> list[dict[ProductionId, Terminals]]:
    """Return, per state, production → the LALR(1) lookaheads of its reduction, as a bit set."""
    states = [
        Lr0State(
            kernel,
            begun,
            {t: target for t, target in row.shifts.items() if t != END}
            | {-1 - n: target for n, target in row.gotos.items()},
        )
        for kernel, begun, row in zip(
            item_sets.kernels, item_sets.closures, grammar.lalr.states, strict=True
        )
    ]
    return find_lookaheads(add_roots(grammar.bnf.productions, grammar.bnf.start), states)


def check_reads_all(grammar: LalrGrammar, name: str) -> None:
    """Check that no conflict was resolved in the table.

    Raises:
        GrammarError: one was; the rule is named that is not completed, and before which terminal.
    """
    conflicts = find_conflicts(grammar)
    if not conflicts:
        return
    bnf, first = grammar.bnf, conflicts[0]
    production = bnf.productions[first.dropped]
    quoted = quote_symbol("rule", rule_of(bnf.nonterminals[production.lhs]))
    side = " ".join(format_symbol(bnf, symbol) for symbol in production.rhs) or "nothing"
    at_end = first.terminal == END
    before = "at the end of the text" if at_end else f"before {format_symbol(bnf, first.terminal)}"
    more = len({(c.state, c.dropped) for c in conflicts}) - 1
    others = f" (and {more} more such conflict{'s' * (more > 1)})" if more else ""
    raise GrammarError(
        name,
        f"{before}, {quoted} may have ended as `{side}` or go on, and Earley tries both{others}; "
        "with a postlex the next terminal must decide: rewrite the rule, or give --parser lalr "
        "--lexer basic, which goes on, and may read fewer texts than Earley",
    )
