"""Decides whether Lark's LALR table reads all texts of the productions.

A grammar that its author gives to Lark's Earley parser together with a postlex is read here as
LALR, with the same lexer: the columns of a text stand beside one stack of the parser. Where the
table has no conflict, both parsers read the same texts, which are those of the productions. A
conflict that Lark resolved can lose some, so the grammar is refused then, even if that one loses
none.

Example: ``start: x "a"`` with ``x: "b" "a" | "b"``: Earley reads ``ba``, and LALR does not.

Source: DeRemer, Pennello 1982 (doi:10.1145/69622.357187).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from maskc import bits
from maskc.budget import quote_symbol
from maskc.compiler.lalr.items import ItemSets, build_item_sets
from maskc.errors import GrammarError
from maskc.grammar.model import LalrGrammar, list_reductions
from maskc.grammar.rule_names import quote_symbol as format_symbol
from maskc.grammar.rule_names import rule_of
from maskc.grammar.sets import Terminals, compute_nullable
from maskc.ids import END, ROOT


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
    for (state, production), terminals in sorted(
        compute_lookaheads(grammar, item_sets or build_item_sets(grammar)).items()
    ):
        row = grammar.lalr.states[state]
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
) -> dict[tuple[int, int], Terminals]:
    """Return (state, production) → the LALR(1) lookaheads of the reduction, as a bit set."""
    nullable = compute_nullable(grammar.bnf.productions)
    transitions = [
        (state, nonterminal)
        for state, closure in enumerate(item_sets.closures)
        for nonterminal in closure
    ]
    start = -1 - item_sets.right_sides[ROOT][0]
    reads: dict[tuple[int, int], list[tuple[int, int]]] = {}
    values: dict[tuple[int, int], Terminals] = {}
    for state, nonterminal in transitions:
        target = grammar.lalr.states[state].gotos[nonterminal]
        row = grammar.lalr.states[target]
        values[state, nonterminal] = bits.from_members(t for t in row.shifts if t != END)
        reads[state, nonterminal] = [(target, n) for n in row.gotos if n in nullable]
    values[0, start] |= 1 << END
    values = _propagate(values, reads)
    includes, lookbacks = _relate(grammar, item_sets, transitions, nullable)
    values = _propagate(values, includes)
    return {
        reduction: bits.unite(values[transition] for transition in found)
        for reduction, found in lookbacks.items()
    }


def _relate(
    grammar: LalrGrammar,
    item_sets: ItemSets,
    transitions: Sequence[tuple[int, int]],
    nullable: frozenset[int],
) -> tuple[
    dict[tuple[int, int], list[tuple[int, int]]], dict[tuple[int, int], list[tuple[int, int]]]
]:
    """Return the relations that DeRemer and Pennello call includes and lookback."""
    includes: dict[tuple[int, int], list[tuple[int, int]]] = {t: [] for t in transitions}
    lookbacks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for state, nonterminal in transitions:
        for production in item_sets.closures[state][nonterminal]:
            rhs = item_sets.right_sides[production]
            n_needed = len(rhs)
            while n_needed and rhs[n_needed - 1] < 0 and -1 - rhs[n_needed - 1] in nullable:
                n_needed -= 1
            here = state
            for position, symbol in enumerate(rhs, 1):
                row = grammar.lalr.states[here]
                if symbol >= 0:
                    here = row.shifts[symbol]
                    continue
                if position >= n_needed:
                    includes[here, -1 - symbol].append((state, nonterminal))
                here = row.gotos[-1 - symbol]
            lookbacks.setdefault((here, production), []).append((state, nonterminal))
    return includes, lookbacks


def _propagate(
    values: Mapping[tuple[int, int], Terminals],
    sources: Mapping[tuple[int, int], Sequence[tuple[int, int]]],
) -> dict[tuple[int, int], Terminals]:
    """Return the least sets that hold the given ones and those of their sources."""
    found = dict(values)
    readers: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for node, others in sources.items():
        for other in others:
            readers.setdefault(other, []).append(node)
    pending = list(found)
    queued = set(pending)
    while pending:
        node = pending.pop()
        queued.discard(node)
        for reader in readers.get(node, ()):
            if found[node] & ~found[reader]:
                found[reader] |= found[node]
                if reader not in queued:
                    queued.add(reader)
                    pending.append(reader)
    return found


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
