"""The debt automaton: which stacks take a terminal sequence S after a terminal X (docs/lalr.md, 4).

It reads the stack downward, one *borrowed* symbol for each edge, and ends as soon as the rest does
not matter: S is read, whatever lies below (``TAKEN``), or it cannot be read any more (``REFUSED``).
This is the appendix's debt NFA, made deterministic: S is *never* legal iff no way leads to
``TAKEN``, *always* if none leads to ``REFUSED``, *jointly* legal with T if their smallest automata
are equal.

Productions borrow configurations to return to (:mod:`maskc.compiler.pushdown.production_debts`),
the table borrows its states (:mod:`maskc.compiler.pushdown.table_debts`). Both give an automaton as
a start and a function from a node to its edges.

Every way through it has to be a part of a stack that some text leaves. Cycles do no harm: each edge
takes a symbol off a stack, and stacks are finite, so each way ends in ``TAKEN`` or ``REFUSED``.

Source: appendix, section 4.3 (debt NFA) and its future work; Moore 1956 for the smallest one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
from typing import Any, Final, TypeVar

from maskc.grammar.sets import find_reachable

TAKEN: Final = -1
REFUSED: Final = -2

MAX_STATES = 4_000  # of an automaton

Node = TypeVar("Node", bound=Hashable)
Symbol = TypeVar("Symbol", bound=Hashable)
# A node that is no end → the stack symbols that can be read there, in a fixed order, and the node
# or the end that each leads to. No node equals ``TAKEN`` or ``REFUSED``.
Borrow = Callable[[Node], Iterable[tuple[Symbol, Node | int]]]


class Verdict(Enum):
    """On which stacks a sequence is legal.

    ``UNKNOWN``: a bound was reached before the answer.
    """

    NEVER = "never"
    ALWAYS = "always"
    DEPENDS = "depends"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DebtAutomaton:
    """A deterministic automaton over the symbols of a stack, read from the top."""

    # state → (stack symbol, state), where a state may be TAKEN or REFUSED. A symbol that has no
    # edge lies nowhere there
    edges: tuple[tuple[tuple[Hashable, int], ...], ...]
    start: int  # the first state; TAKEN or REFUSED if nothing has to be read

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def verdict(self) -> Verdict:
        """Never legal if it is empty, always if it is universal."""
        ends = {self.start, *(target for row in self.edges for _, target in row)}
        if TAKEN not in ends:
            return Verdict.NEVER
        return Verdict.DEPENDS if REFUSED in ends else Verdict.ALWAYS

    def minimise(self) -> DebtAutomaton:
        """Return the smallest automaton for the same stacks, states in the order of a search.

        Two sequences are legal on the same stacks iff their smallest automata are equal.
        """
        can_take = self._find_sources(TAKEN)
        can_refuse = self._find_sources(REFUSED)
        # A state from which all ways end alike is that end; the others are split below.
        block = [
            (0 if s in can_refuse else TAKEN) if s in can_take else REFUSED
            for s in range(len(self.edges))
        ]

        def block_of(state: int) -> int:
            return block[state] if state >= 0 else state

        # What a state reads does not change, so it has a number; what it leads to is looked up.
        shapes: dict[Hashable, int] = {}
        reads = [
            shapes.setdefault(tuple(symbol for symbol, _ in row), len(shapes)) for row in self.edges
        ]
        # One more than a state leads to: of a single index, `itemgetter` returns no tuple.
        leads = [itemgetter(TAKEN, *(target for _, target in row)) for row in self.edges]
        n_blocks = 0
        while True:  # invariant: states in different blocks are told apart by some stack
            blocks = [*block, REFUSED, TAKEN]  # where -2 and -1 look it up
            numbers: dict[Hashable, int] = {}
            block = [
                number
                if number < 0
                else numbers.setdefault((number, read, lead(blocks)), len(numbers))
                for number, read, lead in zip(block, reads, leads, strict=True)
            ]
            if len(numbers) == n_blocks:
                break
            n_blocks = len(numbers)
        start = block_of(self.start)
        if start < 0:
            return DebtAutomaton((), start)
        member = {number: state for state, number in enumerate(block)}
        index_of = {start: 0}
        edges = []
        for number in (order := [start]):  # grows while we walk it
            row = []
            for symbol, target in self.edges[member[number]]:
                below = block_of(target)
                if below >= 0 and below not in index_of:
                    index_of[below] = len(order)
                    order.append(below)
                row.append((symbol, index_of[below] if below >= 0 else below))
            edges.append(tuple(row))
        return DebtAutomaton(tuple(edges), 0)

    def format(self, name: Callable[[Hashable], str] = str) -> str:
        """Return one edge a line; ``name`` writes a stack symbol."""
        ends = {TAKEN: "taken", REFUSED: "refused"}
        lines = [f"start {ends.get(self.start, self.start)}"]
        lines += [
            f"{state} --{name(symbol)}--> {ends.get(target, target)}"
            for state, row in enumerate(self.edges)
            for symbol, target in row
        ]
        return "\n".join(lines)

    def _find_sources(self, end: int) -> set[int]:
        """Return the states from which some way leads to an end."""
        sources: dict[int, list[int]] = {}
        for state, row in enumerate(self.edges):
            for _, target in row:
                sources.setdefault(target, []).append(state)
        return find_reachable([end], lambda state: sources.get(state, ()))


def build_debt_automaton(
    start: Node, borrow: Borrow[Node, Symbol], *, most: int = MAX_STATES
) -> DebtAutomaton | None:
    """Return the automaton of a start node, ``None`` if it has more than ``most`` states."""
    number: dict[Node | int, int] = {start: 0, TAKEN: TAKEN, REFUSED: REFUSED}
    order: list[Any] = [start]
    edges = []
    for node in order:  # grows while we walk it
        row = []
        for symbol, below in borrow(node):
            if below not in number:
                if len(order) >= most:
                    return None
                number[below] = len(order)
                order.append(below)
            row.append((symbol, number[below]))
        edges.append(tuple(row))
    return DebtAutomaton(tuple(edges), 0)


def check_debt_automaton(automaton: DebtAutomaton) -> None:
    """Check that each state is reached, leads somewhere, and reads a symbol one way only.

    Raises:
        ValueError: it is broken, which is a fault of the compiler.
    """
    n_states = len(automaton.edges)
    reached = {automaton.start}
    for state, row in enumerate(automaton.edges):
        symbols = [symbol for symbol, _ in row]
        if not row or len(symbols) != len(set(symbols)):
            raise ValueError(f"state {state} of a debt automaton must read each symbol once: {row}")
        reached |= {target for _, target in row}
    if not set(range(n_states)) <= reached or max(reached) >= n_states or min(reached) < REFUSED:
        raise ValueError(f"a debt automaton of {n_states} states leads to {sorted(reached)}")


def decide(start: Node, borrow: Borrow[Node, Symbol], *, most: int = MAX_STATES) -> Verdict:
    """Return the verdict of a start node's automaton, made only as far as the answer needs."""
    taken = refused = False
    seen: set[Node | int] = {start}
    pending: list[Any] = [start]
    while pending:
        for _, below in borrow(pending.pop()):
            if below == TAKEN:
                taken = True
            elif below == REFUSED:
                refused = True
            elif below not in seen:
                seen.add(below)
                pending.append(below)
        if taken and refused:
            return Verdict.DEPENDS
        if len(seen) > most:
            return Verdict.UNKNOWN
    return Verdict.ALWAYS if taken else Verdict.NEVER


def find_stack(start: Node, borrow: Borrow[Node, Symbol], end: int) -> tuple[Symbol, ...] | None:
    """Return the top of a shortest stack that leads to an end, ``None`` if none does."""
    above: dict[Any, tuple[Any, Symbol] | None] = {start: None}
    for node in (pending := [*above]):  # grows while we walk it
        for symbol, below in borrow(node):
            if below in (TAKEN, REFUSED):
                if below != end:
                    continue
                stack, here = [symbol], above[node]
                while here is not None:
                    stack.append(here[1])
                    here = above[here[0]]
                return tuple(reversed(stack))
            if below not in above:
                above[below] = (node, symbol)
                pending.append(below)
    return None
