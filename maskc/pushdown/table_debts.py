"""Which of a parser table's stacks take a terminal sequence S after a terminal X?

The table itself is run, conflicts resolved as Lark resolved them, on a stack of which only the top
is known. A reduction that pops more than is known waits: so many more states are to be read, then a
nonterminal is pushed on the one that is left, and the run goes on from there. An LALR parser is
deterministic, so there is one such *wait* at a time, and the last state read with its wait is a
node of the debt automaton over states (:mod:`maskc.pushdown.debt_automaton`). Which states can lie
below one is read off the table's edges, backward.

States are *refined* (:mod:`maskc.parser.refine`): a lookahead that is live in a state is legal on
every stack that ends in it, so the last terminal of a sequence is never waited for. Facts hold for
the language that Lark parses, which is why always-legal, undecidable for grammars, has exact
answers here: a table is deterministic. Every stack of the table counts; one that no text leaves,
because of a conflict or the lexer, can make a verdict ``DEPENDS`` where another would be true.

Sequences are of sets of lookaheads. All but the last hold those of one terminal.

Example: with ``S -> a S b | c``, the state after b is two refined ones. Above another a, b is
always legal, and bb depends on the stack; at the bottom only the end is.

Source: blog, outlook, first item; appendix, 4.3; Bouajjani, Esparza, Maler 1997.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from maskc import bits
from maskc.grammar.model import LalrGrammar
from maskc.grammar.reduce import reduce_grammar
from maskc.ids import END
from maskc.parser.refine import RefinedTable
from maskc.parser.relation import Lookaheads
from maskc.pushdown.debt_automaton import (
    REFUSED,
    TAKEN,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    decide,
    find_stack,
)

LookaheadSequence = tuple[Lookaheads, ...]


class _Start(NamedTuple):
    """Nothing was read yet: one of some states is on top."""

    tops: tuple[int, ...]
    rest: LookaheadSequence


class Wait(NamedTuple):
    """A reduction that has popped all that is known of the stack.

    Attributes:
        above: the state that was read last; what may be read next lies below it.
        n_states: how many states are to be read: the nonterminal is pushed on the last of them.
        nonterminal: the production's left side.
        rest: what is left of the sequence, its first terminal not shifted yet.
    """

    above: int
    n_states: int
    nonterminal: int
    rest: LookaheadSequence


Node = _Start | Wait


class TableDebts:
    """The debt automata of a refined table."""

    def __init__(
        self, grammar: LalrGrammar, table: RefinedTable, terminal_of: Mapping[int, int]
    ) -> None:
        """Prepare a table."""
        self._grammar = grammar
        self._table = table
        self._terminal_of = terminal_of
        self._end = bits.from_members(
            lookahead for lookahead, terminal in terminal_of.items() if terminal == END
        )
        # A stack that holds a symbol of no text is left by no text.
        used = reduce_grammar(grammar.bnf)
        below: list[set[int]] = [set() for _ in table.live]
        self._after: dict[int, set[int]] = {}
        reached = {0}
        pending = [0]
        while pending:
            state = pending.pop()
            shifts = {t: s for t, s in table.shifts[state].items() if t in used.used_terminals}
            gotos = {n: s for n, s in table.gotos[state].items() if n in used.used_nonterminals}
            for symbol, target in shifts.items():
                self._after.setdefault(symbol, set()).add(target)
            for target in (*shifts.values(), *gotos.values()):
                below[target].add(state)
                if target not in reached:
                    reached.add(target)
                    pending.append(target)
        self._below = [tuple(sorted(states)) for states in below]

    def decide(self, tops: Iterable[int], sequence: Sequence[Lookaheads]) -> Verdict:
        """Return on which stacks with one of some states on top a sequence is legal.

        ``NEVER`` if there are no such states: no text comes to them.
        """
        return decide(self._start(tops, sequence), self._borrow)

    def decide_after(self, terminal: int, sequence: Sequence[int]) -> Verdict:
        """Return on which stacks a sequence of single lookaheads is legal after a terminal.

        ``ALWAYS`` may be used for the language that Lark parses, conflicts or not.
        """
        return self.decide(self.list_after(terminal), [1 << lookahead for lookahead in sequence])

    def compare_after(self, terminal: int, one: Sequence[int], other: Sequence[int]) -> bool | None:
        """Return whether two sequences are legal on the same stacks after a terminal.

        ``None``: more than ``MAX_STATES`` states were needed.
        """
        tops = self.list_after(terminal)
        left = self.build(tops, [1 << lookahead for lookahead in one])
        right = self.build(tops, [1 << lookahead for lookahead in other])
        return None if left is None or right is None else left.minimise() == right.minimise()

    def build(self, tops: Iterable[int], sequence: Sequence[Lookaheads]) -> DebtAutomaton | None:
        """Return the debt automaton, ``None`` if it has more than ``MAX_STATES`` states."""
        return build_debt_automaton(self._start(tops, sequence), self._borrow)

    def find_stack(
        self, tops: Iterable[int], sequence: Sequence[Lookaheads], end: int
    ) -> tuple[int, ...] | None:
        """Return states, the top first, of a stack that leads to ``TAKEN`` or ``REFUSED``."""
        return find_stack(self._start(tops, sequence), self._borrow, end)

    def list_after(self, terminal: int) -> tuple[int, ...]:
        """Return the refined states that can be on top when a terminal was shifted, ascending."""
        return tuple(sorted(self._after.get(terminal, ())))

    def _start(self, tops: Iterable[int], sequence: Sequence[Lookaheads]) -> Node:
        return _Start(tuple(tops), tuple(sequence))

    def _borrow(self, node: Node) -> Iterator[tuple[int, Wait | int]]:
        """Yield the states that may be read next, and what each leaves to be read."""
        if isinstance(node, _Start):
            for top in node.tops:
                yield top, self._run([top], node.rest)
            return
        for base in self._below[node.above]:
            if node.n_states > 1:
                yield base, node._replace(above=base, n_states=node.n_states - 1)
            else:
                pushed = self._table.gotos[base][node.nonterminal]
                yield base, self._run([base, pushed], node.rest)

    def _run(self, known: list[int], rest: LookaheadSequence) -> Wait | int:
        """Return what is left to be read when the parser has run on the top of a stack."""
        table = self._table
        while rest:
            top = known[-1]
            live = table.live[top] & rest[0]
            if not live or len(rest) > 1 and live & self._end:
                return REFUSED  # nothing comes after the end of the text
            if len(rest) == 1:
                return TAKEN
            terminal = self._terminal_of[live.bit_length() - 1]
            row = self._grammar.lalr.states[table.lalr_state[top]]
            if terminal in row.shifts:
                known.append(table.shifts[top][terminal])
                rest = rest[1:]
                continue
            production = self._grammar.bnf.productions[row.reduces[terminal]]
            n_popped = len(production.rhs)
            if n_popped >= len(known):
                return Wait(known[0], n_popped - len(known) + 1, production.lhs, rest)
            del known[len(known) - n_popped :]
            known.append(table.gotos[known[-1]][production.lhs])
        return TAKEN
