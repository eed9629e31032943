"""LALR states refined until each names exactly the lookaheads its stack can take.

A LALR state merges stacks that can take different terminals: below the ``)`` of a call, ``:``
may or may not be legal, and only a chain of reductions tells. We split the state by what the
stack below still wants: for each kernel item, the set of lookaheads with which the item may be
completed so that the rest of the stack can be finished too. The refined state at the top then
answers, in one lookup, which lookaheads are *live*: some text goes on with them and ends.

Finitely many refined states are enough, because the sets are subsets of a finite set, and they
are computed bottom-up, one push at a time: this is the stack read bottom-up by the determinised
saturation automaton. What Lark's conflict resolution cut off, and what the lexer cannot lex
apart, is dead here, so no dead end is ever entered.

Example: with ``S -> a S b | c`` the state after ``a`` splits in two: at the bottom of the stack
(after the last ``b``, only ``$END`` is live) and above another ``a`` (only ``b`` is live).

Source: DESIGN, section 1 ("no dead ends"); Bouajjani, Esparza, Maler 1997, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from maskc.errors import LimitError
from maskc.grammar.model import Grammar
from maskc.parser.completion import Completions, Lookaheads
from maskc.parser.items import Item, ItemSets

MAX_REFINED_STATES = 200_000

Wanted = tuple[Lookaheads, ...]  # per kernel item, what its base can take


@dataclass(frozen=True, slots=True)
class RefinedTable:
    """A deterministic LALR table over refined states. State 0 is the start state.

    Attributes:
        lalr_state: refined state → LALR state.
        live: refined state → lookaheads with which some text can be finished.
        shifts: refined state → {terminal: refined state}.
        gotos: refined state → {nonterminal: refined state}.
    """

    lalr_state: tuple[int, ...]
    live: tuple[Lookaheads, ...]
    shifts: tuple[dict[int, int], ...]
    gotos: tuple[dict[int, int], ...]


def refine_states(
    grammar: Grammar, item_sets: ItemSets, completions: Completions, end: Lookaheads
) -> RefinedTable:
    """Return the refined table.

    Args:
        grammar: with Lark's table.
        item_sets: its items.
        completions: the relations of all items.
        end: the lookaheads that stand for the end of the text.

    Raises:
        LimitError: more than ``MAX_REFINED_STATES`` states.
    """
    refiner = _Refiner(grammar, item_sets, completions)
    start: tuple[int, Wanted] = (0, (end,))
    number = {start: 0}
    order = [start]
    shifts: list[dict[int, int]] = []
    gotos: list[dict[int, int]] = []
    live: list[int] = []
    for state, wanted in order:  # grows while we walk it
        pushed = refiner.push_all(state, wanted)
        live.append(refiner.live(state, wanted))
        row: dict[int, int] = {}
        for symbol, target in sorted(pushed.items()):
            if not refiner.live(*target):
                continue
            if target not in number:
                number[target] = len(order)
                order.append(target)
                if len(order) > MAX_REFINED_STATES:
                    raise LimitError(
                        "refined parser states",
                        MAX_REFINED_STATES,
                        "simplify the grammar's nesting or split it",
                    )
            row[symbol] = number[target]
        shifts.append({s: t for s, t in row.items() if s >= 0})
        gotos.append({-1 - s: t for s, t in row.items() if s < 0})
    return RefinedTable(
        tuple(state for state, _ in order), tuple(live), tuple(shifts), tuple(gotos)
    )


class _Refiner:
    """Pushes symbols on refined states; remembers what does not depend on the stack."""

    def __init__(self, grammar: Grammar, item_sets: ItemSets, completions: Completions) -> None:
        self.grammar = grammar
        self.relations = [
            [completions.items[(state, *item)] for item in kernel]
            for state, kernel in enumerate(item_sets.kernels)
        ]
        self.plans = [
            _plan_pushes(grammar, item_sets, state) for state in range(len(grammar.states))
        ]
        self.live_cache: dict[tuple[int, Wanted], Lookaheads] = {}

    def live(self, state: int, wanted: Wanted) -> Lookaheads:
        key = (state, wanted)
        found = self.live_cache.get(key)
        if found is None:
            found = 0
            for relation, targets in zip(self.relations[state], wanted, strict=True):
                found |= relation.preimage(targets)
            self.live_cache[key] = found
        return found

    def push_all(self, state: int, wanted: Wanted) -> dict[int, tuple[int, Wanted]]:
        """Return symbol → (LALR state, what each of its kernel items wants)."""
        plan = self.plans[state]
        from_closure: dict[int, Lookaheads] = dict.fromkeys(plan.nonterminals, 0)

        def pushed(origins: tuple[_Origin, ...]) -> Wanted:
            return tuple(
                wanted[origin.kernel] if origin.kernel >= 0 else from_closure[origin.lhs]
                for origin in origins
            )

        # Least fixpoint: a left-recursive nonterminal wants what it wants itself.
        pending = set(plan.nonterminals)
        while pending:
            nonterminal = min(pending)
            pending.discard(nonterminal)
            target, origins = plan.symbols[-1 - nonterminal]
            value = self.live(target, pushed(origins))
            if value != from_closure[nonterminal]:
                from_closure[nonterminal] = value
                pending |= plan.readers[nonterminal]
        return {
            symbol: (target, pushed(origins)) for symbol, (target, origins) in plan.symbols.items()
        }


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a pushed kernel item comes from: a kernel item, or the closure of ``lhs``."""

    kernel: int
    lhs: int


@dataclass(frozen=True, slots=True)
class _Plan:
    symbols: dict[int, tuple[int, tuple[_Origin, ...]]]
    nonterminals: tuple[int, ...]
    readers: dict[int, set[int]]


def _plan_pushes(grammar: Grammar, item_sets: ItemSets, state: int) -> _Plan:
    origins: dict[Item, _Origin] = {}
    for position, (production, dot) in enumerate(item_sets.kernels[state]):
        origins[production, dot] = _Origin(position, -1)
    for lhs, productions in item_sets.closures[state].items():
        for production in productions:
            origins[production, 0] = _Origin(-1, lhs)
    moved: dict[int, dict[Item, _Origin]] = {}
    for (production, dot), origin in origins.items():
        symbol = item_sets.next_symbol((production, dot))
        if symbol is not None:
            moved.setdefault(symbol, {})[production, dot + 1] = origin
    row = grammar.states[state]
    symbols = {}
    nonterminals = tuple(item_sets.closures[state])
    readers: dict[int, set[int]] = {n: set() for n in nonterminals}
    for symbol, items in moved.items():
        target = row.shifts[symbol] if symbol >= 0 else row.gotos[-1 - symbol]
        symbols[symbol] = (target, tuple(items[item] for item in item_sets.kernels[target]))
        if symbol < 0:
            for origin in items.values():
                if origin.kernel < 0:
                    readers[origin.lhs].add(-1 - symbol)
    return _Plan(symbols, nonterminals, readers)
