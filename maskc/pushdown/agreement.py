"""Does the parser's table agree with what the productions decided?

What is never legal by the productions must be never legal by the table, whose language is a part of
theirs; what is always legal by the productions, where no text of theirs is lost, must be always
legal by the table. The two answers are found in different ways, so this checks both, each time.

The table's verdicts of all states at once (:mod:`maskc.pushdown.decisions`) are upper bounds, and
nearly always enough: three of 5,362 answers for python.lark and llama3 need the table's debt
automaton, which is exact. Of a sequence that is never legal its shortest part that is so is looked
at: few differ.

Example: (B, A) is never legal by ``S -> a S b | c``, so no state after b may take an a.

Source: appendix, section 2; :mod:`maskc.parser.conflicts` on which facts carry over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from maskc import bits
from maskc.ids import SequenceId, TerminalId
from maskc.lexer.boundaries import Boundaries, Lookaheads
from maskc.pushdown.debt_automaton import REFUSED, TAKEN
from maskc.pushdown.decisions import FAIL, MAY, Decisions
from maskc.pushdown.production_verdicts import ProductionVerdicts
from maskc.pushdown.table_debts import TableDebts
from maskc.store.sequences import Event, Sequences

_Claim = tuple[TerminalId, SequenceId]  # a terminal, and the sequence after it


def check_agreement(
    verdicts: ProductionVerdicts,
    decisions: Decisions,
    boundaries: Boundaries,
    make_debts: Callable[[], TableDebts],
) -> None:
    """Check that the table says nothing else than the productions, of all that they decided.

    Args:
        verdicts: what the productions decided.
        decisions: the table's verdicts.
        boundaries: of the grammar.
        make_debts: gives the table's debt automata, if they are needed.

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
    claims: Iterable[_Claim], bit: int, decisions: Decisions, boundaries: Boundaries
) -> list[_Claim]:
    """Return the claims that the table's verdicts of all states do not confirm."""
    claims = list(claims)
    classes = decisions.classes_of(sequence for _, sequence in claims)
    flags = decisions.flags()
    every_context = (1 << boundaries.n_contexts) - 1
    return [
        (terminal, sequence)
        for (terminal, sequence), number in zip(claims, classes.tolist(), strict=True)
        if (flags[number][decisions.states_after(Event(terminal, every_context, 0))] & bit).any()
    ]


def _shorten(
    terminal: TerminalId, sequence: SequenceId, verdicts: ProductionVerdicts, boundaries: Boundaries
) -> SequenceId:
    """Return the shortest beginning of a never-legal sequence that is never legal."""
    sequences, events, rest = verdicts.sequences, [], sequence
    free = sequences.open_to(boundaries.everything)
    while sequences.length[rest]:
        events.append(sequences.event[rest])
        rest = sequences.rest[rest]
        head = free
        for event in reversed(events):
            head = sequences.extend(event, head)
        if verdicts.is_never_legal(terminal, head):
            return head
    return sequence


def _list_lookaheads(
    sequence: SequenceId, sequences: Sequences, boundaries: Boundaries
) -> list[Lookaheads]:
    """Return a sequence as a table's debt automata read it: all that it may stand for."""
    found = []
    while sequences.length[sequence]:
        found.append(boundaries.set_of(sequences.event[sequence].terminal))
        sequence = sequences.rest[sequence]
    open_lexeme, _ = sequences.open_lexeme(sequence)
    opened = open_lexeme.direct
    for boundary in open_lexeme.ignored:
        opened |= bits.unite(boundaries.rest[boundary])
    return [*found, opened]
