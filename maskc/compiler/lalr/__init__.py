"""The LALR parser's side of the compiler: what a stack can still take.

Here are the LR(0) items of each state of Lark's table, and the states in which nonterminals begin
alike. Lark hands over numbered states only, so the item sets are built again from the productions
(:mod:`maskc.grammar.lr0`): the kernel of state 0 is ``$root -> . start``.

What a nonterminal derives from a state begins with the state's moves over what its productions
begin with, and goes on in the states after them. If two states have these moves in common, and end
the same empty productions on the same terminals, it derives the same from both, whatever else they
hold; so relations of items are found in one of them. Nonterminals that begin with each other (left
recursion) are taken together.

Source: Aho, Lam, Sethi, Ullman, *Compilers* (2nd ed.), section 4.6.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from maskc import bits
from maskc.budget import quote_symbol
from maskc.errors import GrammarError
from maskc.grammar import LalrGrammar, list_reductions, rule_of
from maskc.grammar import quote_symbol as format_symbol
from maskc.grammar.lr0 import Item, Lr0State, add_roots, build_lr0, find_lookaheads
from maskc.grammar.sets import Terminals, find_components
from maskc.ids import END, LalrStateId, ProductionId


@dataclass(frozen=True, slots=True)
class ItemSets:
    """The items of each LALR state."""

    # right side of each production; the last one is that of ROOT
    right_sides: tuple[tuple[int, ...], ...]
    kernels: tuple[tuple[Item, ...], ...]  # per state, its kernel items in order
    # per state, nonterminal → productions that start there
    closures: tuple[Mapping[int, tuple[ProductionId, ...]], ...]

    def states(self) -> Iterator[LalrStateId]:
        return map(LalrStateId, range(len(self.kernels)))

    def next_symbol(self, item: Item) -> int | None:
        """Return the symbol after the dot, ``None`` at the end."""
        right_side, dot = self.right_sides[item[0]], item[1]
        return right_side[dot] if dot < len(right_side) else None

    def begun(self) -> dict[int, tuple[ProductionId, ...]]:
        """Return nonterminal → its productions, of those that some state begins, ascending."""
        distinct = {id(closure): closure for closure in self.closures}.values()
        return dict(sorted((n, ps) for closure in distinct for n, ps in closure.items()))


def build_item_sets(grammar: LalrGrammar) -> ItemSets:
    """Return the item sets of all states; several states may have the same."""
    rules = add_roots(grammar.bnf.productions, grammar.bnf.start)
    built = build_lr0(rules)
    number = {0: 0}  # state of the table → state of the automaton
    queue = [0]
    for state in queue:  # grows while we walk it
        for symbol, target in built[number[state]].moves.items():
            after = grammar.lalr.target(state, symbol)
            if after not in number:
                number[after] = target
                queue.append(after)
            elif number[after] != target:
                raise ValueError(f"two kernels for state {after}")
    states = [
        built[number[state]] if state in number else Lr0State((), {}, {})
        for state in range(len(grammar.lalr.states))
    ]
    return ItemSets(
        tuple(rules.right_sides),
        tuple(state.kernel for state in states),
        tuple(state.begun for state in states),
    )


Reduced = Mapping[ProductionId, int]  # production → a set of lookaheads


class _Beginning(NamedTuple):
    """What some nonterminals that begin with each other may begin with."""

    members: Sequence[int]  # the nonterminals
    # terminals, nonterminals: first symbols of their productions, nonterminals as numbers
    terminals: tuple[int, ...]
    nonterminals: tuple[int, ...]
    others: tuple[int, ...]  # those of nonterminals that are no members
    empty: tuple[ProductionId, ...]  # productions without symbols


def find_equivalent(
    grammar: LalrGrammar, item_sets: ItemSets, reduced_on: Sequence[Reduced]
) -> list[dict[int, LalrStateId]]:
    """Return, per state, nonterminal → the first state from which it derives the same."""
    beginnings = _list_beginnings(item_sets)
    in_order: dict[int, list[tuple[int, _Beginning]]] = {}  # by the identity of a closure
    known: dict[tuple[int, ...], LalrStateId] = {}
    found: list[dict[int, LalrStateId]] = []
    for state, closure in zip(item_sets.states(), item_sets.closures, strict=True):
        here = in_order.get(id(closure))
        if here is None:
            here = in_order[id(closure)] = [
                (number, beginning)
                for number, beginning in enumerate(beginnings)
                if beginning.members[0] in closure
            ]
        row, reduced = grammar.lalr.states[state], reduced_on[state]
        same: dict[int, LalrStateId] = {}
        for number, beginning in here:
            key = (
                number,
                *[row.shifts[terminal] for terminal in beginning.terminals],
                *[row.gotos[nonterminal] for nonterminal in beginning.nonterminals],
                *[same[other] for other in beginning.others],
                *[reduced.get(production, 0) for production in beginning.empty],
            )
            first = known.setdefault(key, state)
            for member in beginning.members:
                same[member] = first
        found.append(same)
    return found


def _list_beginnings(item_sets: ItemSets) -> list[_Beginning]:
    """Return what nonterminals may begin with, those first with which others begin."""
    productions = item_sets.begun()
    firsts: dict[int, list[int]] = {}
    for nonterminal, own in productions.items():
        right_sides = [item_sets.right_sides[production] for production in own]
        firsts[nonterminal] = list(dict.fromkeys(side[0] for side in right_sides if side))
    edges = {n: [-1 - s for s in symbols if s < 0] for n, symbols in firsts.items()}
    found = []
    for members in find_components(edges):
        symbols = dict.fromkeys(symbol for member in members for symbol in firsts[member])
        nonterminals = tuple([-1 - symbol for symbol in symbols if symbol < 0])
        found.append(
            _Beginning(
                members,
                tuple([symbol for symbol in symbols if symbol >= 0]),
                nonterminals,
                tuple([n for n in nonterminals if n not in members]),
                tuple([p for m in members for p in productions[m] if not item_sets.right_sides[p]]),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Conflict:
    """A reduction that Lark's table does not take."""

    state: int  # the LALR state
    terminal: int  # the lookahead
    dropped: int  # the production that is not reduced
    taken: int | None  # the production that is reduced instead; None for a shift


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
    """Check that no conflict was resolved in the table, for a grammar of Lark's Earley parser.

    With a postlex it is read as LALR, as the columns of a text stand beside one stack. Without a
    conflict both parsers read the same texts. A conflict that Lark resolved can lose some, so the
    grammar is refused, even if that one loses none: of ``start: x "a"`` with ``x: "b" "a" | "b"``
    Earley reads ``ba``, and LALR does not.

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
