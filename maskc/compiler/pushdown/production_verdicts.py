"""Verdicts of the productions alone about a terminal sequence S after a terminal X.

The questions are the appendix's (docs/lalr.md, 4), asked of the rows that a walk finds.

Never is exact for the productions, and carries over to any parser that reads a part of their
language. Always and jointly legal ask more than the appendix does, *every* stack that one text
leaves and not one of them. They carry over only where no text of the productions is lost. Three
things lose texts: a conflict that Lark resolved (:mod:`maskc.compiler.lalr`), terminals
that the lexer cannot give one after the other, and indentation, which adds and drops newlines.
:class:`AskedProductions` names what may be lost, and then nothing is always legal here.

What stays open after a sequence is its last position: the *set* of the terminals that the lexeme
may still become, or, after an ignored lexeme, that may follow it.

With indentation a newline turns into NEWLINE and INDENT or DEDENTs, and between brackets into
nothing. So a sequence is read as far as its first newline: if that much is never legal, so is all.

A general grammar's symbols are terminals with some of their lookaheads, and a terminal of a
sequence is the set of its symbols, all of which its parser shifts.

Bounds: ``MAX_LENGTH`` terminals of a sequence, ``MAX_SIGNATURE``, ``MAX_EDGES`` of all automata,
and those of the debt automata; beyond them nothing is said, or only that what is read as the same
elements is legal on the same stacks.

Source: Tran-Thien, appendix, section 2 (Algorithm 1), 4.3 (Algorithm 2) and 6.1; DeRemer, Pennello
1982 for the conflicts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from maskc import bits
from maskc.compiler import LexicalAnalysis, terminals_of
from maskc.compiler.lalr import ItemSets, find_conflicts
from maskc.compiler.pushdown.emptiness import Suffix
from maskc.compiler.pushdown.production_debts import ProductionDebts
from maskc.compiler.rows import ContextSet, Sequences
from maskc.grammar import Context, LalrGrammar
from maskc.grammar.sets import Terminals, reduce_grammar
from maskc.ids import END, SequenceId, TerminalId
from maskc.lexer import contexts_after
from maskc.lexer.boundaries import LexemeContexts, Lookaheads


@dataclass(frozen=True, eq=False)
class AskedProductions:
    """Productions, what their symbols are to the lexer, and what of their language is compiled."""

    debts: ProductionDebts  # the debt automata of their DFT pushdown automaton
    # symbol → its terminal, and those of the terminal's lookaheads that are meant
    symbols: tuple[tuple[int, Lookaheads], ...]
    contexts: tuple[Context, ...]  # what the lexer looks for in each context
    # terminal → the contexts that the parser can name after it
    contexts_after: Mapping[int, ContextSet]
    newline: int | None  # the newline of an indented grammar
    # why texts of the productions may be missing in what is compiled; None: none is
    lost: str | None

    @cached_property
    def symbols_of(self) -> Mapping[int, Terminals]:
        """Terminal → its symbols, as bits."""
        found: dict[int, Terminals] = {}
        for symbol, (terminal, _) in enumerate(self.symbols):
            found[terminal] = found.get(terminal, 0) | 1 << symbol
        return found


def ask_grammar(lexed: LexicalAnalysis[LalrGrammar], item_sets: ItemSets) -> AskedProductions:
    """Return the productions of a grammar that Lark's LALR table parses."""
    grammar, boundaries = lexed.grammar, lexed.boundaries
    debts = ProductionDebts(reduce_grammar(grammar.bnf))
    return AskedProductions(
        debts,
        tuple((t, boundaries.set_of(t)) for t in range(len(grammar.bnf.terminals))),
        grammar.lexer.contexts,
        {
            terminal: bits.from_members(contexts)
            for terminal, contexts in contexts_after(grammar.lexer).items()
        },
        lexed.newline,
        explain_loss(lexed, item_sets, debts),
    )


def explain_loss(
    lexed: LexicalAnalysis[LalrGrammar], item_sets: ItemSets, debts: ProductionDebts
) -> str | None:
    """Return what may lose texts of the productions, ``None`` if nothing does."""
    grammar, boundaries = lexed.grammar, lexed.boundaries
    if grammar.lexer.layout:
        return "indentation adds and drops newlines"
    for terminal in sorted(debts.reduced.used_terminals):
        if len(boundaries.of_terminal.get(terminal, ())) != 1:
            return f"what may follow {grammar.bnf.terminals[terminal]} depends on its lexeme"
    pair = _find_unlexed(lexed, debts)
    if pair is not None:
        return f"the lexer never gives {pair}"
    n = len(find_conflicts(grammar, item_sets))
    return f"Lark resolved {n} conflict{'s' * (n > 1)}" if n else None


def _find_unlexed(lexed: LexicalAnalysis[LalrGrammar], debts: ProductionDebts) -> str | None:
    """Return a terminal that the grammar wants somewhere and the lexer does not give there.

    Every terminal has one lookahead.
    """
    grammar, boundaries, reduced = lexed.grammar, lexed.boundaries, debts.reduced
    names = grammar.bnf.terminals
    used: set[int] = {END, *reduced.used_terminals}
    lookahead = {t: boundaries.of_terminal[t][0] for t in sorted(used)}
    first = boundaries.first(lexed.scanner.start, grammar.lalr.context_of[0])
    wanted: list[tuple[int, int, Lookaheads]] = [(END, 0, first)]
    for row in grammar.lalr.states:
        for terminal, target in row.shifts.items():
            if terminal in reduced.used_terminals:
                allowed = boundaries.follows[lookahead[terminal]][grammar.lalr.context_of[target]]
                wanted.append((terminal, target, allowed))
    for before, state, allowed in wanted:
        row = grammar.lalr.states[state]
        for terminal in sorted({*row.shifts, *row.reduces} & lookahead.keys()):
            if before == END == terminal:
                continue  # an empty text: nothing is asked before a first terminal
            stands = before == END or debts.adjacent[before] >> terminal & 1
            if stands and not allowed >> lookahead[terminal] & 1:
                where = f"after {names[before]}" if before != END else "at the start"
                return f"{names[terminal]} {where}"
    return None


# States of a debt automaton that is compared with others. sql.lark with mistral: 26,207 rows are
# left with 4,000 and 10.4 s, 28,674 with 100 and 1.5 s.
MAX_SIGNATURE = 200

# Edges of all debt automata of a grammar, about two microseconds each. Of ours lua.lark with llama3
# and parser=earley has most, 1.2 million; SymPy's latex.lark has more than 100 million. With four
# million the palindromes of 36 letters take 3 s more, and have 0.7 % less bytes.
MAX_EDGES = 1_500_000

MAX_LENGTH = 64  # terminals of a sequence that are read


class ProductionVerdicts:
    """Answers about terminal sequences after terminals."""

    def __init__(
        self, asked: AskedProductions, boundaries: LexemeContexts, sequences: Sequences
    ) -> None:
        self.asked = asked
        self.sequences = sequences
        self.debts = asked.debts
        self._everything = boundaries.everything
        self._symbols_of = asked.symbols_of
        self._wanting: dict[int, Terminals] = {}  # lookahead → the symbols that have it
        for symbol, (_, lookaheads) in enumerate(asked.symbols):
            for one in bits.iterate(lookaheads):
                self._wanting[one] = self._wanting.get(one, 0) | 1 << symbol
        self._symbols_at: dict[Lookaheads, Terminals] = {}
        self._possible = [bits.unite(row) for row in boundaries.rest]
        self._certain = _find_certain(boundaries, asked.contexts)
        self._after: dict[TerminalId, Lookaheads] = {}
        self._possible_of: dict[SequenceId, Suffix] = {}
        self._certain_of: dict[SequenceId, Suffix | None] = {}
        # What was claimed: hundreds of thousands are asked about, each once.
        self._never: set[tuple[TerminalId, SequenceId]] = set()
        self._always: set[tuple[TerminalId, SequenceId]] = set()

    @property
    def is_spent(self) -> bool:
        """Whether so many automata were made that no more are."""
        return self.debts.n_edges > MAX_EDGES

    def is_never_legal(self, terminal: TerminalId, sequence: SequenceId) -> bool:
        """Return whether no text has a sequence right after a terminal."""
        elements = self._read_possible(sequence)
        found = len(elements) > 0 and self.debts.is_never_legal(
            self.debts.number_set(self._symbols_of.get(terminal, 0)), elements
        )
        if found:
            self._never.add((terminal, sequence))
        return found

    def is_always_legal(self, terminal: TerminalId, sequence: SequenceId) -> bool:
        """Return whether a sequence is proven legal on every stack that a terminal leaves."""
        if self.asked.lost is not None or self.is_spent:
            return False
        elements = self.read_certain(sequence)
        symbols = self._symbols_of.get(terminal, 0)
        found = elements is not None and self.debts.is_always_legal(symbols, elements)
        if found:
            self._always.add((terminal, sequence))
        return found

    def signature(self, terminal: TerminalId, sequence: SequenceId) -> Hashable:
        """Return what is equal for sequences legal on the same stacks, ``None`` if unknown."""
        elements = self.read_certain(sequence)
        if self.asked.lost is not None or elements is None:
            return None
        if self.is_spent:
            return elements  # what is read alike has equal automata, too
        found = [
            self.debts.build(symbol, elements, most=MAX_SIGNATURE)
            for symbol in bits.iterate(self._symbols_of.get(terminal, 0))
        ]
        return elements if None in found else tuple(found)

    def list_after(self, terminal: TerminalId) -> Lookaheads:
        """Return the lookaheads of what stands right after a terminal in some text."""
        found = self._after.get(terminal)
        if found is None:
            symbols = self.debts.number_set(self._symbols_of.get(terminal, 0))
            after = bits.iterate(self.debts.list_after(symbols))
            found = self._after[terminal] = bits.unite(
                self.asked.symbols[symbol][1] for symbol in after
            )
        return found

    def list_claims(
        self,
    ) -> tuple[list[tuple[TerminalId, SequenceId]], list[tuple[TerminalId, SequenceId]]]:
        """Return the (terminal, sequence) that were said to be never, and to be always legal."""
        return sorted(self._never), sorted(self._always)

    def _read_possible(self, sequence: SequenceId) -> Suffix:
        """Return a sequence as the debts read it, up to a newline: all that it may stand for."""
        known, sequences, open_ = self._possible_of, self.sequences, []
        while sequence not in known:
            open_.append(sequence)
            if not sequences.length[sequence]:
                break
            sequence = sequences.rest[sequence]
        for sequence in reversed(open_):
            rest = self.debts.suffix(())
            if sequences.length[sequence]:
                stops = sequences.event[sequence].terminal == self.asked.newline
                rest = known[sequences.rest[sequence]]
            else:
                open_lexeme, _ = sequences.open_lexeme(sequence)
                stops = self.is_free(sequence) or bool(open_lexeme.newlines)
            if not stops and len(rest) >= MAX_LENGTH:
                rest = self.debts.suffix(rest.elements()[: MAX_LENGTH - 1])
            known[sequence] = self.debts.suffix(()) if stops else self._prepend(sequence, rest)
        return known[sequence]

    def read_certain(self, sequence: SequenceId) -> Suffix | None:
        """Return a sequence as the debts read it: only what it stands for in every context.

        ``None`` if some context, a newline or the bound stands in the way.
        """
        known, sequences, open_ = self._certain_of, self.sequences, []
        if sequences.length[sequence] > MAX_LENGTH:
            return None
        while sequence not in known:
            open_.append(sequence)
            if not sequences.length[sequence]:
                break
            sequence = sequences.rest[sequence]
        for sequence in reversed(open_):
            known[sequence] = self._read_certain(sequence)
        return known[sequence]

    def _read_certain(self, sequence: SequenceId) -> Suffix | None:
        """As ``read_certain`` of a sequence whose rest is known."""
        sequences = self.sequences
        if sequences.length[sequence]:
            event, rest = sequences.event[sequence], self._certain_of[sequences.rest[sequence]]
            after = self.asked.contexts_after.get(event.terminal, -1)
            if rest is None or event.terminal == self.asked.newline or after & ~event.contexts:
                return None
            return self._prepend(sequence, rest)
        if self.is_free(sequence):
            return self.debts.suffix(())
        open_lexeme, _ = sequences.open_lexeme(sequence)
        if open_lexeme.newlines:
            return None
        sure = open_lexeme.direct | bits.unite(
            self._certain[boundary] for boundary in open_lexeme.ignored
        )
        return self.debts.suffix((self.debts.number_set(self._find_symbols(sure)),))

    def _prepend(self, sequence: SequenceId, rest: Suffix) -> Suffix:
        return self.debts.prepend(self.debts.number_set(self.first_symbols(sequence)), rest)

    def first_symbols(self, sequence: SequenceId) -> Terminals:
        """Return the symbols of a sequence's first terminal, or what an open lexeme may become."""
        if self.sequences.length[sequence]:
            return self._symbols_of.get(self.sequences.event[sequence].terminal, 0)
        open_lexeme, _ = self.sequences.open_lexeme(sequence)
        possible = bits.unite(self._possible[boundary] for boundary in open_lexeme.ignored)
        return self._find_symbols(open_lexeme.direct | possible)

    def is_free(self, sequence: SequenceId) -> bool:
        """Return whether an open lexeme may become anything."""
        return self.sequences.open_lexeme(sequence)[0].direct == self._everything

    def _find_symbols(self, wanted: Lookaheads) -> Terminals:
        found = self._symbols_at.get(wanted)
        if found is None:
            found = bits.unite(self._wanting.get(one, 0) for one in bits.iterate(wanted))
            self._symbols_at[wanted] = found
        return found


def _find_certain(boundaries: LexemeContexts, contexts: Sequence[Context]) -> list[Lookaheads]:
    """Return, by boundary, the lookaheads that come next in each context that looks for them."""
    terminal_of = terminals_of(boundaries)
    looked_for: list[Lookaheads] = []
    for context in contexts:
        renamed = (terminal for _, terminals in context.keywords for terminal in terminals)
        terminals = {*context.alternatives, *renamed}
        lookaheads = (
            lookahead for lookahead, terminal in terminal_of.items() if terminal in terminals
        )
        looked_for.append(bits.from_members(lookaheads))
    everything = boundaries.everything
    found = []
    for row in boundaries.rest:
        certain = bits.unite(row)
        for number, wanted in enumerate(looked_for):
            # The end of the text is looked for in every context.
            certain &= row[number] | everything & ~(wanted | boundaries.end)
        found.append(certain)
    return found
