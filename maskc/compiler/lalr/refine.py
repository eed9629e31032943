"""LALR states refined until each names exactly the lookaheads its stack can take (docs/lalr.md, 3).

For each kernel item we keep the set of lookaheads with which the item may be completed so that the
rest of the stack can be finished too. Finitely many refined states are enough, because the sets are
subsets of a finite set, and they are computed bottom-up, one push at a time: this is the stack read
bottom-up by the determinised saturation automaton.

Source: Bouajjani, Esparza, Maler 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple, Protocol

from maskc import bits
from maskc.compiler.lalr import ItemSets, build_item_sets
from maskc.compiler.lalr.balance import NO_BRACKETS, BracketDepths
from maskc.compiler.lalr.completion import Node, Relation, build_completions
from maskc.errors import LimitError
from maskc.grammar import Bnf, IndenterLayout, LalrGrammar
from maskc.grammar.lr0 import Item
from maskc.grammar.sets import find_components
from maskc.ids import (
    END,
    IGNORED,
    ContextId,
    LalrStateId,
    LookaheadId,
    ProductionId,
    RefinedStateId,
)
from maskc.lexer.boundaries import Lookaheads
from maskc.wording import Phrase

MAX_REFINED_STATES = 200_000
_DEAD = RefinedStateId(-1)  # a stack from which no text is finished

# Above the lookaheads: how many brackets are open at the base of an item.
_DEPTH = 4096

Wanted = tuple[Lookaheads, ...]  # per kernel item, what its base can take
_Key = tuple[LalrStateId, Wanted]  # what a refined state is
_Pick = Callable[[list[Lookaheads]], Wanted]  # takes some values out of a list


@dataclass(frozen=True, slots=True)
class RefinedTable:
    """A deterministic LALR table over refined states. State 0 is the start state."""

    lalr_state: tuple[LalrStateId, ...]  # refined state → LALR state
    context_of: tuple[ContextId, ...]  # refined state → context of the lexer
    live: tuple[Lookaheads, ...]  # refined state → lookaheads with which some text can be finished
    # refined state → whether brackets are open between which newlines do not count
    enclosed: tuple[bool, ...]
    shifts: tuple[Mapping[int, RefinedStateId], ...]  # refined state → {terminal: refined state}
    gotos: tuple[Mapping[int, RefinedStateId], ...]  # refined state → {nonterminal: refined state}


def list_states_after(
    table: RefinedTable, layout: IndenterLayout | None
) -> Callable[[int], Iterable[RefinedStateId]]:
    """Return what lists the states that can be on top after a terminal, or an ignored one."""
    shifted: dict[int, set[RefinedStateId]] = {}
    for row in table.shifts:
        for terminal, state in row.items():
            shifted.setdefault(terminal, set()).add(state)
    every = tuple(map(RefinedStateId, range(len(table.live))))

    def list_states(terminal: int) -> Iterable[RefinedStateId]:
        if terminal == IGNORED:
            return every
        taken = {terminal}
        states: set[RefinedStateId] = set()
        if layout is not None and terminal == layout.newline:
            # Dedents and an indent follow a newline; between brackets nothing happens at all.
            taken |= {layout.indent, layout.dedent}
            states.update(state for state in every if table.enclosed[state])
        return sorted(states.union(*(shifted.get(t, ()) for t in taken)))

    return list_states


class Lexer(Protocol):
    """What the lexer allows: lookaheads, and which may follow which."""

    @property
    def of_terminal(self) -> Mapping[int, tuple[LookaheadId, ...]]:
        """Terminal → its lookaheads."""

    @property
    def end(self) -> Lookaheads:
        """The lookaheads that stand for the end of the text."""

    def follow(self, lookahead: LookaheadId, context: ContextId, *, enclosed: bool) -> Lookaheads:
        """Return the lookaheads that may come after one, outside of brackets or between them."""


def build_refined_table(
    grammar: LalrGrammar, item_sets: ItemSets, lexer: Lexer, brackets: BracketDepths = NO_BRACKETS
) -> RefinedTable:
    """Return the refined table of a grammar, for what its lexer allows.

    Raises:
        LimitError: more than ``MAX_REFINED_STATES`` states.
    """
    completions = build_completions(
        grammar,
        item_sets,
        lexer.of_terminal,
        lambda lookahead, state, enclosed: lexer.follow(
            lookahead, grammar.lalr.context_of[state], enclosed=enclosed
        ),
        brackets,
    )
    return refine_states(grammar, item_sets, completions, lexer.end, brackets)


def build_table_without_lexer(grammar: LalrGrammar) -> RefinedTable:
    """Return the refined table where any terminal may follow any: lookaheads are terminals."""
    return build_refined_table(grammar, build_item_sets(grammar), _AnyAfterAny(grammar.bnf))


class _AnyAfterAny:
    def __init__(self, bnf: Bnf) -> None:
        self.of_terminal = {t: (LookaheadId(t),) for t in range(len(bnf.terminals))}
        self.end: Lookaheads = 1 << END
        self._every = (1 << len(bnf.terminals)) - 1

    def follow(self, lookahead: LookaheadId, context: ContextId, *, enclosed: bool) -> Lookaheads:
        del lookahead, context, enclosed
        return self._every


def refine_states(
    grammar: LalrGrammar,
    item_sets: ItemSets,
    completions: Mapping[Node, Relation],
    end: Lookaheads,
    brackets: BracketDepths = NO_BRACKETS,
) -> RefinedTable:
    """Return the refined table; LimitError: more than ``MAX_REFINED_STATES`` states."""
    refiner = _Refiner(grammar, item_sets, completions, brackets, end)
    order = refiner.order
    shifts: list[Mapping[int, RefinedStateId]] = []
    gotos: list[Mapping[int, RefinedStateId]] = []
    for key in order:  # grows while we walk it
        shifted: dict[int, RefinedStateId] = {}
        goto_row: dict[int, RefinedStateId] = {}
        for symbol, target in refiner.push_all(*key):
            pushed = refiner.number(target)
            if pushed == _DEAD:
                continue
            if symbol >= 0:
                shifted[symbol] = pushed
            else:
                goto_row[-1 - symbol] = pushed
        shifts.append(MappingProxyType(shifted))
        gotos.append(MappingProxyType(goto_row))
    return RefinedTable(
        lalr_state=tuple(state for state, _ in order),
        context_of=tuple(grammar.lalr.context_of[state] for state, _ in order),
        live=tuple(refiner.live(*key) for key in order),
        enclosed=tuple(refiner.depth(*key) > 0 for key in order),
        shifts=tuple(shifts),
        gotos=tuple(gotos),
    )


class _Refiner:
    """Numbers refined states and pushes symbols on them."""

    def __init__(
        self,
        grammar: LalrGrammar,
        item_sets: ItemSets,
        completions: Mapping[Node, Relation],
        brackets: BracketDepths,
        end: Lookaheads,
    ) -> None:
        # what each of them is; the first is the start state
        self.order: list[_Key] = [(LalrStateId(0), (end,))]
        self._number = {self.order[0]: RefinedStateId(0)}
        self.brackets, self.kernels = brackets, item_sets.kernels
        # By how many brackets are open at the base.
        self.relations = [
            [
                [completions[(state, *item, base)] for item in kernel]
                for state, kernel in zip(item_sets.states(), item_sets.kernels, strict=True)
            ]
            for base in range(brackets.most + 1)
        ]
        readers = _list_readers(item_sets)
        begun: dict[int, _Begun] = {}  # by the identity of a closure, which states share
        for closure in item_sets.closures:
            if id(closure) not in begun:
                begun[id(closure)] = _list_begun(closure, readers, item_sets.right_sides)
        self.pushes = [
            _list_pushes(grammar, item_sets, state, begun[id(item_sets.closures[state])])
            for state in item_sets.states()
        ]
        self.live_cache: list[dict[Wanted, Lookaheads]] = [{} for _ in self.pushes]

    def number(self, key: _Key) -> RefinedStateId:
        """Return the number of a refined state, ``_DEAD`` if no text is finished from it."""
        found = self._number.get(key)
        if found is None:
            found = RefinedStateId(len(self.order)) if self.live(*key) else _DEAD
            self._number[key] = found
            if found != _DEAD:
                self.order.append(key)
                if len(self.order) > MAX_REFINED_STATES:
                    raise LimitError(
                        "refined parser states", MAX_REFINED_STATES, Phrase.SIMPLER_NESTING
                    )
        return found

    def live(self, state: LalrStateId, wanted: Wanted) -> Lookaheads:
        """Return the lookaheads with which some text can be finished."""
        known = self.live_cache[state]
        found = known.get(wanted)
        if found is None:
            found = 0
            for number, targets in enumerate(wanted):
                relation = self.relations[targets >> _DEPTH][state][number]
                found |= relation.preimage(targets)
            known[wanted] = found
        return found

    def depth(self, state: LalrStateId, wanted: Wanted) -> int:
        """Return how many brackets the stack has open.

        A kernel item keeps the number at its base. All items of a stack agree, but where a number
        stands for all greater ones.
        """
        if not self.brackets.most:
            return 0
        bases = zip(self.kernels[state], wanted, strict=True)
        return max(self.brackets.at(item, targets >> _DEPTH) for item, targets in bases)

    def push_all(self, state: LalrStateId, wanted: Wanted) -> list[tuple[int, _Key]]:
        """Return each symbol with the LALR state and what each of its kernel items wants.

        Symbols ascend.
        """
        pushes, cache = self.pushes[state], self.live_cache
        depth = self.depth(state, wanted)
        here = depth << _DEPTH
        n_closure = len(pushes.closure)
        values = [*[here] * n_closure, *wanted]
        # Least fixpoint: a left-recursive nonterminal wants what it wants itself.
        pending = (1 << n_closure) - 1
        while pending:
            low = pending & -pending
            pending ^= low
            index = low.bit_length() - 1
            target, pick, readers = pushes.closure[index]
            picked = pick(values)
            value = cache[target].get(picked)
            value = (self.live(target, picked) if value is None else value) | here
            if value != values[index]:
                values[index] = value
                pending |= readers
        dropped = self.brackets.lines if depth else ()
        return [
            (symbol, (target, pick(values)))
            for symbol, target, pick in pushes.symbols
            if symbol not in dropped
        ]


class _Pushes(NamedTuple):
    """The pushes on a state. Values are what the closure wants, then what kernel items want."""

    # each with the state that it leads to, and what picks the values of its kernel
    symbols: tuple[tuple[int, LalrStateId, _Pick], ...]
    # the same for each nonterminal of the closure, with bits for those that start with it
    closure: tuple[tuple[LalrStateId, _Pick, int], ...]


def _list_readers(item_sets: ItemSets) -> dict[int, set[int]]:
    """Return nonterminal → those that its productions start with: they read what it wants.

    Nonterminals that are read come before those that read them, where these do not recurse.
    """
    right_sides = item_sets.right_sides
    readers = {
        lhs: {-1 - right_sides[p][0] for p in some if right_sides[p] and right_sides[p][0] < 0}
        for lhs, some in item_sets.begun().items()
    }
    components = find_components({lhs: sorted(found) for lhs, found in readers.items()})
    return {lhs: readers[lhs] for component in reversed(components) for lhs in component}


class _Begun(NamedTuple):
    """What a closure adds to the states that have it; what its nonterminals want comes first."""

    # each with bits for those that start with it, by index
    nonterminals: tuple[tuple[int, int], ...]
    moved: Mapping[int, Mapping[Item, int]]  # symbol → kernel item after it → index of its base


def _list_begun(
    closure: Mapping[int, Sequence[ProductionId]],
    readers: Mapping[int, set[int]],
    right_sides: Sequence[tuple[int, ...]],
) -> _Begun:
    index_of = {lhs: index for index, lhs in enumerate(n for n in readers if n in closure)}
    moved: dict[int, dict[Item, int]] = {}
    for lhs, index in index_of.items():
        for production in closure[lhs]:
            if right_sides[production]:
                moved.setdefault(right_sides[production][0], {})[production, 1] = index
    wanting = ((n, bits.from_members(index_of[one] for one in readers[n])) for n in index_of)
    return _Begun(tuple(wanting), moved)


def _list_pushes(grammar: LalrGrammar, item_sets: ItemSets, state: int, begun: _Begun) -> _Pushes:
    right_sides, kernels = item_sets.right_sides, item_sets.kernels
    moved = dict(begun.moved)
    for position, (production, dot) in enumerate(kernels[state], len(begun.nonterminals)):
        right_side = right_sides[production]
        if dot < len(right_side):
            here = {**moved.get(right_side[dot], {}), (production, dot + 1): position}
            moved[right_side[dot]] = here
    symbols: dict[int, tuple[int, LalrStateId, _Pick]] = {}
    for symbol in sorted(moved):
        target, items = grammar.lalr.target(state, symbol), moved[symbol]
        pick = _pick(tuple([items[item] for item in kernels[target]]))
        symbols[symbol] = symbol, target, pick
    closure = [(*symbols[-1 - n][1:], wanting) for n, wanting in begun.nonterminals]
    return _Pushes(tuple(symbols.values()), tuple(closure))


def _pick(indices: tuple[int, ...]) -> _Pick:
    """Return what takes some values out of a list, as a tuple."""
    if len(indices) == 1:
        (only,) = indices
        return lambda values: (values[only],)
    return itemgetter(*indices)
