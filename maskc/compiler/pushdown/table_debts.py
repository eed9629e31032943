"""The stacks of a parser's table that take a terminal sequence S after a terminal X.

The table itself is run, conflicts resolved as Lark resolved them, on a stack of which only the top
is known. A reduction that pops more than is known waits: so many more states are to be read, then a
nonterminal is pushed on the one that is left, and the run goes on from there. An LALR parser is
deterministic, so there is one such *wait* at a time, and the last state read with its wait is a
node of the debt automaton over states (:mod:`maskc.compiler.pushdown.debt_automaton`). Which states
can lie below one is read off the table's edges, backward.

States are *refined* (:mod:`maskc.compiler.lalr.refine`): a lookahead that is live in a state is
legal on every stack that ends in it, so the last terminal of a sequence is never waited for. Facts
hold for the language that Lark parses, which is why always-legal, undecidable for grammars, has
exact answers here: a table is deterministic. Every stack of the table counts; one that no text
leaves, because of a conflict or the lexer, can make a verdict ``DEPENDS`` where another would be
true.

Sequences are of sets of lookaheads. All but the last hold those of one terminal.

:func:`check_agreement` holds the table against the productions, each time: what is never legal by
the productions must be so by the table, whose language is a part of theirs; what is always legal by
the productions, where no text of theirs is lost, must be always legal by the table. The table's
verdicts of all states at once (:mod:`maskc.compiler.pushdown.decisions`) are upper bounds, and
nearly always enough: three of 5,362 answers for python.lark and llama3 need the table's debt
automaton, which is exact. Of a sequence that is never legal its shortest part that is so is tested:
few differ.

Source: blog, outlook, first item; appendix, 2 and 4.3; Bouajjani, Esparza, Maler 1997;
:mod:`maskc.compiler.lalr` on which facts carry over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from maskc import bits
from maskc.compiler.lalr.refine import RefinedTable
from maskc.compiler.pushdown.debt_automaton import (
    REFUSED,
    TAKEN,
    DebtAutomaton,
    Verdict,
    build_debt_automaton,
    decide,
    find_stack,
)
from maskc.compiler.pushdown.decisions import FAIL, MAY, Decisions
from maskc.compiler.pushdown.production_verdicts import ProductionVerdicts
from maskc.compiler.rows import ParserEvent, Sequences
from maskc.grammar import LalrGrammar
from maskc.grammar.sets import reduce_grammar
from maskc.ids import END, SequenceId, TerminalId
from maskc.lexer.boundaries import LexemeContexts, Lookaheads

LookaheadSequence = tuple[Lookaheads, ...]


class _Start(NamedTuple):
    """Nothing was read yet: one of some states is on top."""

    tops: tuple[int, ...]
    rest: LookaheadSequence


class Wait(NamedTuple):
    """A reduction that has popped all that is known of the stack."""

    above: int  # the state that was read last; what may be read next lies below it
    n_states: int  # how many states are to be read: the nonterminal is pushed on the last of them
    nonterminal: int  # the production's left side
    rest: LookaheadSequence  # what is left of the sequence, its first terminal not shifted yet


Node = _Start | Wait


class TableDebts:
    """The debt automata of a refined table."""

    def __init__(
        self, grammar: LalrGrammar, table: RefinedTable, terminal_of: Mapping[int, int]
    ) -> None:
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


_Claim = tuple[TerminalId, SequenceId]  # a terminal, and the sequence after it


def check_agreement(
    verdicts: ProductionVerdicts,
    decisions: Decisions,
    boundaries: LexemeContexts,
    make_debts: Callable[[], TableDebts],
) -> None:
    """Check that the table says nothing else than the productions, of all that they decided.

    Raises:
        ValueError: they differ, which is a fault of the compiler; the message has a stack.
        LimitError: as :meth:`Decisions.classes_of`.
    """
    never, always = verdicts.list_claims()
    shortest = sorted({(t, _shorten(t, w, verdicts, boundaries)) for t, w in never})
    debts: TableDebts | None = None
    for claims, bit, end, said in (
        (shortest, MAY, TAKEN, "never"),
        (always, FAIL, REFUSED, "always"),
    ):
        for terminal, sequence in _find_open(claims, bit, decisions, boundaries):
            debts = debts or make_debts()
            lookaheads = _list_lookaheads(sequence, verdicts.sequences, boundaries)
            stack = debts.find_stack(debts.list_after(terminal), lookaheads, end)
            if stack is not None:
                asked = " ".join(f"{mask:b}" for mask in lookaheads)
                raise ValueError(
                    f"the compiler contradicts itself: after terminal {terminal} the lookaheads "
                    f"{asked} are {said} legal by the productions, and not by the table, "
                    f"where states {stack} are on top"
                )


def _find_open(
    claims: Iterable[_Claim], bit: int, decisions: Decisions, boundaries: LexemeContexts
) -> list[_Claim]:
    """Return the claims that the table's verdicts of all states do not confirm."""
    claims = list(claims)
    classes = decisions.classes_of(sequence for _, sequence in claims)
    flags = decisions.flags()
    every_context = (1 << boundaries.n_contexts) - 1
    return [
        (terminal, sequence)
        for (terminal, sequence), number in zip(claims, classes.tolist(), strict=True)
        if (
            flags[number][decisions.states_after(ParserEvent(terminal, every_context, 0))] & bit
        ).any()
    ]


def _shorten(
    terminal: TerminalId,
    sequence: SequenceId,
    verdicts: ProductionVerdicts,
    boundaries: LexemeContexts,
) -> SequenceId:
    """Return the shortest beginning of a never-legal sequence that is never legal."""
    sequences, free = verdicts.sequences, verdicts.sequences.open_to(boundaries.everything)
    events, _ = sequences.split(sequence)
    for n in range(1, len(events) + 1):
        head = free
        for event in reversed(events[:n]):
            head = sequences.extend(event, head)
        if verdicts.is_never_legal(terminal, head):
            return head
    return sequence


def _list_lookaheads(
    sequence: SequenceId, sequences: Sequences, boundaries: LexemeContexts
) -> list[Lookaheads]:
    """Return a sequence as a table's debt automata read it: all that it may stand for."""
    events, last = sequences.split(sequence)
    open_lexeme, _ = sequences.open_lexeme(last)
    opened = open_lexeme.direct
    for boundary in open_lexeme.ignored:
        opened |= bits.unite(boundaries.rest[boundary])
    return [*(boundaries.set_of(event.terminal) for event in events), opened]
