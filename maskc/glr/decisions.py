"""What do the productions alone decide about a sequence S behind a terminal X?

A general grammar keeps every action of its parser, so what is true of its productions is true of
what is compiled: nothing was lost to a resolved conflict. Three passes ask the debt automata of
:mod:`maskc.pushdown.debts`, each under the name of the appendix:

- ``is_never_legal(X, S)``: no text has S right behind X. The row goes.
- ``is_always_legal(X, S)``: S is legal on every stack behind X. Nothing is left to ask.
- ``are_jointly_legal(X, S, T)``: S and T are legal on the same stacks behind X. The shorter one, or
  the one that was met first, stands for both.

Never is exact. Always and jointly legal ask more than the appendix does, *every* stack that one
text leaves and not one of them, so what they say is true of it: of a set of stacks which took X,
any stack shows what holds for all.

What stays open behind a sequence is its last place: the set of the terminals that the lexeme may
still become, in their lookaheads, or, behind an ignored lexeme, that may follow. The productions
are those of the parser's table, so symbols are terminals with lookaheads, and a terminal of a
sequence is the set of its symbols: the parser shifts all of them.

A row whose tokens stay inside their lexeme, or end one that is ignored, has no X; it is left to
the steps before and after.

Example: in ``S -> a S b | ``, behind a, the sequence b a is never legal, a is always legal, and b b
depends on the stack.

Bound: that of the debt automata, and ``MAX_SIGNATURE``; a sequence beyond it stays as it is.

Source: Tran-Thien, appendix, section 2 (Algorithm 1), 4.3 (Algorithm 2) and 6.1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from maskc import bits
from maskc.glr.adjacency import LexedCfg
from maskc.glr.lr0 import GeneralTable
from maskc.grammar.reduce import reduce_productions
from maskc.grammar.sets import Terminals
from maskc.ids import DROPPED
from maskc.lexer.boundaries import Boundaries
from maskc.pushdown.debts import Debts, Verdict
from maskc.store.sequences import Event, Words, anything
from maskc.streamline.model import Rows
from maskc.streamline.rewrite import rewrite

# States of a debt automaton that is compared with others. sql.lark with mistral: 26,207 rows are
# left with 4,000 and 10.4 s, 28,674 with 100 and 1.5 s.
MAX_SIGNATURE = 200


MAX_LENGTH = 64  # terminals of a sequence that is decided


class ProductionVerdicts:
    """Answers about words behind events, from the productions of a general parser's table."""

    def __init__(self, lexed: LexedCfg, boundaries: Boundaries, words: Words) -> None:
        self.words = words
        self.debts = Debts(reduce_productions((), (), lexed.cfg.start, lexed.cfg.productions))
        self._symbols = lexed.symbols
        self._rest = [row[0] for row in boundaries.rest]
        self._everything = (1 << boundaries.n_lookaheads) - 1
        self._of_terminal: dict[int, int] = {}
        for symbol, (terminal, _) in enumerate(lexed.symbols):
            self._of_terminal[terminal] = self._of_terminal.get(terminal, 0) | 1 << symbol
        self._known: dict[tuple[int, int], Verdict] = {}

    def decide(self, terminal: int, word: int) -> Verdict:
        """Return on which of the stacks behind a terminal a word is legal."""
        key = (terminal, word)
        found = self._known.get(key)
        if found is None:
            symbols = self._of_terminal.get(terminal, 0)
            found = self._known[key] = self.debts.decide_after(symbols, self.sequence(word))
        return found

    def signature(self, terminal: int, word: int) -> Hashable:
        """Return what is equal for words legal on the same stacks, ``None`` beyond the bound."""
        symbols, sequence, found = self._of_terminal.get(terminal, 0), self.sequence(word), []
        for symbol in range(symbols.bit_length()):
            if symbols >> symbol & 1:
                found.append(self.debts.signature(symbol, sequence, MAX_SIGNATURE))
        return None if None in found else tuple(found)

    def sequence(self, word: int) -> tuple[int, ...]:
        """Return a word as the debt automata read it: sets of symbols, the last one open."""
        words, found = self.words, []
        while words.length[word]:
            found.append(self.debts.number_set(self.first_symbols(word)))
            word = words.rest[word]
        if not self.is_free(word):
            found.append(self.debts.number_set(self.first_symbols(word)))
        return tuple(found)

    def first_symbols(self, word: int) -> Terminals:
        """Return the symbols of a word's first terminal, or those that a final is open to."""
        if self.words.length[word]:
            return self._of_terminal.get(self.words.event[word].terminal, 0)
        final, _ = self.words.final(word)
        wanted = final.direct
        for boundary in final.ignored:
            wanted |= self._rest[boundary]
        return bits.from_members(
            symbol for symbol, (_, looks) in enumerate(self._symbols) if looks & wanted
        )

    def is_free(self, word: int) -> bool:
        """Return whether a final is open to anything."""
        return self.words.final(word)[0].direct == self._everything

    def states_behind(self, table: GeneralTable) -> dict[int, tuple[int, ...]]:
        """Return terminal → the states that can be on top when it was shifted, ascending."""
        found: dict[int, set[int]] = {}
        for row in table.shifts:
            for symbol, state in row.items():
                found.setdefault(self._symbols[symbol][0], set()).add(state)
        return {terminal: tuple(sorted(states)) for terminal, states in sorted(found.items())}


def drop_never_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows without those that are never legal."""

    def judge(before: Event, word: int) -> int:
        return DROPPED if verdicts.decide(before.terminal, word) is Verdict.NEVER else word

    return rewrite(rows, _behind_terminals(rows, judge))


def accept_always_legal(rows: Rows, verdicts: ProductionVerdicts, boundaries: Boundaries) -> Rows:
    """Return the rows without the ends of sequences that are always legal."""
    words = rows.words
    free = words.close(words.number_final(anything(boundaries.n_lookaheads)), 0)

    def judge(before: Event, word: int) -> int:
        return free if verdicts.decide(before.terminal, word) is Verdict.ALWAYS else word

    return rewrite(rows, _behind_terminals(rows, judge))


def merge_jointly_legal(rows: Rows, verdicts: ProductionVerdicts) -> Rows:
    """Return the rows with one sequence in the place of all that are jointly legal with it."""
    known: dict[tuple[int, Hashable], int] = {}

    def judge(before: Event, word: int) -> int:
        signature = verdicts.signature(before.terminal, word)
        return word if signature is None else known.setdefault((before.terminal, signature), word)

    return rewrite(rows, _behind_terminals(rows, judge))


def _behind_terminals(
    rows: Rows, judge: Callable[[Event, int], int]
) -> Callable[[Sequence[tuple[Event, int]]], list[int]]:
    """Return a rule that judges the words behind terminals, and leaves the others."""
    length = rows.words.length

    def rule(asked: Sequence[tuple[Event, int]]) -> list[int]:
        return [
            judge(before, word) if before.terminal >= 0 and length[word] <= MAX_LENGTH else word
            for before, word in asked
        ]

    return rule
