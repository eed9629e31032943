"""What does a text need at least, with an LALR grammar: tokens, bytes, and which bytes?

No fewer tokens than its terminals need: where no token has the end of one and the beginning of the
next, a token ends. And one token suffices only if it has all the bytes that must come. So a search
for fewer tokens need not be made where there are none. A search for a short text goes where the
fewest bytes are left.

Example: in Python with llama3 the text after ``class A`` needs three tokens at least: one more for
``:`` and what follows it, and the end of sequence.
"""

from __future__ import annotations

from maskc.ids import IGNORED, NO_LINE, OpenLexemeId, ScannerStateId, TerminalId
from maskc.runtime.cache.budget import Cache
from maskc.runtime.ending.grammar.joins import Joins, list_terminals
from maskc.runtime.ending.grammar.least import NEVER, JoinCosts, LeastWeights, Lengths, Sets
from maskc.runtime.ending.grammar.letters import (
    EVERY,
    LexemeLetters,
    TokenLetters,
)
from maskc.runtime.ending.grammar.pieces import Pieces
from maskc.runtime.ending.grammar.productions import Productions
from maskc.runtime.ending.tokens.paths import TokenPaths
from maskc.runtime.lalr.hypothesis import Hypotheses, Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.lalr.stack import Stack, serial_of

# A way in which an open lexeme may end: the terminal that it becomes, the class of it, ``_DROPPED``
# if it is ignored, and of what comes after it the tokens, by the class of what was before, the
# bytes, and the letters that must be there.
_Way = tuple[TerminalId, int, list[int], int, int]
_DROPPED = -2
_MOST_TERMINALS = 500


class Bounds:
    """Bounds of what finishes the texts of one machine, from below.

    Args:
        machine: of the grammar.
        paths: the tokens in its letters.

    Attributes:
        machine, paths: as given.
        token_letters: which bytes tokens have.
    """

    def __init__(self, machine: LalrMachine, paths: TokenPaths) -> None:
        self.machine, self.paths = machine, paths
        self._joins = joins = Joins(machine, paths.by_text)
        self._pieces = pieces = Pieces(machine, paths)
        self._letters, self.token_letters = LexemeLetters(machine, pieces), TokenLetters(paths)
        productions = Productions(machine.tables, machine.scanner.arrays)
        table = (machine.tables, machine.lookaheads, productions)
        terminals = range(len(joins.class_of))
        # Each takes a few milliseconds; where they are too many, no lexeme needs anything of some.
        n_asked = min(len(terminals), _MOST_TERMINALS)
        inside = [pieces.begun_inside(t) if t < n_asked else 0 for t in terminals]
        costs = JoinCosts(joins.ends)
        whole = [costs.terminal(joins.class_of[t], inside[t]) for t in terminals]
        self._tokens = LeastWeights(*table, costs, whole, machine.budget)
        lengths = [pieces.shortest(t) if t < n_asked else 1 for t in terminals]
        self._bytes = LeastWeights(*table, Lengths(), lengths, machine.budget)
        letters = [self._letters.whole(t) if t < n_asked else 0 for t in terminals]
        # Of a machine with indentation: a newline that counts has a line feed.
        self._newline, self._line_feed = machine.lexemes.newline, 1 << paths.letters[0x0A]
        if machine.newlines is not None:
            letters[self._newline] |= self._line_feed
        self._must = LeastWeights(*table, Sets(EVERY), letters, machine.budget)
        # Terminals that an open lexeme may become.
        self._becomes: dict[OpenLexemeId, list[TerminalId]] = {}
        self._ways = Cache(machine.budget)

    def tokens(self, hypotheses: Hypotheses) -> int:
        """Return a number of tokens, the end of sequence included, that fewer do not suffice.

        The text may not end where it is.
        """
        return min(map(self._count_tokens, hypotheses))

    def begun_after(self, h: Hypothesis) -> int:
        """Return how many tokens begin at least after one that ends its lexeme or goes on."""
        least = NEVER
        for _, kind, costs, _, _ in self._list_ways(h):
            least = min(least, min(costs) if kind == _DROPPED else costs[kind])
        return least

    def bytes(self, hypotheses: Hypotheses) -> int:
        """Return a number of bytes that fewer do not suffice to finish the text."""
        return min(map(self._count_bytes, hypotheses))

    def must_follow(self, h: Hypothesis) -> int:
        """Return the letters that every text has that finishes one, after its open lexeme.

        What ends a line has a line feed, and if it has none yet, that is among them.
        """
        found = EVERY
        for terminal, kind, _, _, letters in self._list_ways(h):
            needs_line = terminal == self._newline and kind != _DROPPED and h.column == NO_LINE
            found &= letters | (self._line_feed if needs_line else 0)
        return found

    def must_come(self, state: ScannerStateId) -> int:
        """Return the letters that an open lexeme must have, whatever it becomes."""
        terminals = self._list_terminals(self.machine.scanner.open_lexeme_of[state])
        found = EVERY if terminals else 0
        for terminal in terminals:
            found &= self._letters.open(terminal, state)
        return found

    def _count_tokens(self, h: Hypothesis) -> int:
        least = NEVER
        for terminal, kind, costs, _, _ in self._list_ways(h):
            n_tokens = self._pieces.to_end(h.state, terminal)
            if not n_tokens:
                # The lexeme ends here, and the next token begins with what follows.
                least = min(least, costs[-1])
            else:
                after = min(costs) if kind == _DROPPED else costs[kind]
                least = min(least, n_tokens + after)
        if least < 2:
            must = self.must_come(h.state) | self.must_follow(h)
            least = 1 if self.token_letters.fits_one(must) else 2
        # The end of sequence is another one.
        return 1 + least

    def _count_bytes(self, h: Hypothesis) -> int:
        least = NEVER
        for terminal, _, _, n_bytes, _ in self._list_ways(h):
            least = min(least, n_bytes + max(0, int(self._pieces.distance(terminal)[h.state])))
        return least

    def _list_ways(self, h: Hypothesis) -> list[_Way]:
        """Return the ways in which the open lexeme may end."""
        number, stack = self.machine.scanner.open_lexeme_of[h.state], h.stack
        key = (serial_of(stack), number)
        known: list[_Way] | None = self._ways.get(key)
        if known is None:
            known = []
            is_enclosed = bool(self.machine.tables.enclosed[stack.state])
            for terminal in self._list_terminals(number):
                after: Stack | None = stack
                # Between brackets a newline is ignored.
                kind = _DROPPED
                if terminal != IGNORED and not (is_enclosed and terminal == self._newline):
                    after = self.machine.effects.shift(stack, terminal, ReadSet(0))
                    kind = self._joins.class_of[terminal]
                if after is not None:
                    costs = self._tokens.finish(after)[:, 0].tolist()
                    n_bytes, letters = self._bytes.finish(after), self._must.finish(after)
                    known.append((terminal, kind, costs, n_bytes, letters))
            self._ways.put(key, known)
        return known

    def _list_terminals(self, number: OpenLexemeId) -> list[TerminalId]:
        known = self._becomes.get(number)
        if known is None:
            known = self._becomes[number] = list_terminals(self.machine, number)
        return known
