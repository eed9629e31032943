r"""Bytes → terminals as Lark's ``dynamic`` lexer of Earley parsers takes them: its default.

Wherever the parser expects a terminal, Lark matches it by itself against the whole rest of the
text, and takes that one match; an ignored terminal likewise. No terminal competes with another:
a lexeme is what ``re`` matches for its terminal at its place, and what comes after it counts, for
a quantifier that reads on and for a look-ahead.

So each terminal is an open lexeme of its own (:mod:`maskc.lexer.lexeme`, one alternative and no
keywords). Where it may end, its end is a guess with a condition: no path that ``re`` tries earlier
may match any more, and the look-aheads of the chosen path must hold. A scanner state is the open
lexemes of all terminals that may have begun at one place, and the conditions that the lexemes
before it left; what none of them can go on with is dead.

Example: with ``NAME: /[a-z]+/`` and ``IF: "if"``, ``ifx`` is a NAME, or IF and the NAME ``x``;
it is never the NAME ``if`` and then ``x``, since the condition of that end is that no letter
follows. ``if`` may be IF or a NAME: the rules decide.

Source: Lark 1.3, ``parsers/xearley.py``; ``docs/lexing.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from maskc.automata.threads import settle
from maskc.budget import at
from maskc.errors import LimitError
from maskc.grammar.model import Context, LexerSpec
from maskc.ids import DEAD, IGNORED, BoundaryId, TerminalId
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton
from maskc.lexer.one_context import Parts, put_together
from maskc.lexer.scanner import End, Scanner, describe_states
from maskc.wording import Phrase

MAX_PRODUCT_STATES = 1_000_000  # before minimising: a matter of memory

_Opened = tuple[int, ...]  # open lexemes, one for each terminal that can still match, ascending


def build_dynamic_scanner(
    lexer: LexerSpec,
    used: frozenset[TerminalId],
    stands_for: Mapping[TerminalId, TerminalId] = MappingProxyType({}),
) -> Scanner:
    """Return the minimal scanner of ``dynamic``; it has one context.

    Args:
        lexer: what to look for.
        used: terminals that productions hold; of the others, only ignored ones are matched.
        stands_for: terminal → the one that its lexemes end as, where it is another one.

    Raises:
        UnsupportedTerminalError: a terminal is not regular.
        LimitError: more than ``MAX_PRODUCT_STATES`` states.
    """
    builder = _Builder(lexer, used, stands_for)
    builder.explore()
    return put_together(builder.parts())


class _Builder:
    """Explores the pairs (open lexemes, open condition) that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
    ) -> None:
        self.lexer, self.ignored = lexer, lexer.ignored
        self.used, self.stands_for = used, stands_for
        self.lexemes, self.n_terminals = _match_one_by_one(lexer, used | lexer.ignored)
        self.number: dict[tuple[_Opened, int], int] = {}
        self.states: list[tuple[_Opened, int]] = []
        self.next: list[list[int]] = []
        self.ends: list[tuple[End, ...]] = []
        self.boundary_number: dict[tuple[int, int], BoundaryId] = {}
        self.boundaries: list[tuple[int, int]] = []
        self.entries: list[list[int]] = []
        self._starts: dict[int, _Opened] = {}
        self._moves: dict[_Opened, list[_Opened]] = {}

    def explore(self) -> None:
        """Find all states and boundaries; the first boundary is in front of the text."""
        at(self.describe)
        self.boundary(0, self.lexemes.free)
        n_entered = 0
        while len(self.next) < len(self.states) or n_entered < len(self.boundaries):
            if n_entered < len(self.boundaries):
                self.entries.append(self.entry(*self.boundaries[n_entered]))
                n_entered += 1
                continue
            opened, condition = self.states[len(self.next)]
            self.next.append(self.row(opened, condition))
            self.ends.append(tuple(sorted(set(self.list_ends(opened, condition)))))

    def describe(self) -> str:
        """Return which terminals the states are inside of that were found last."""
        opened = (lexeme for opened, _ in self.states[-1000:] for lexeme in opened)
        return describe_states(self.lexer, len(self.states), opened, self.lexemes.terminals_in)

    def entry(self, look_behind: int, condition: int) -> list[int]:
        """Return the states after the first byte of a lexeme, by byte class."""
        opened = self._starts.get(look_behind)
        if opened is None:
            starts = (self.lexemes.start(c, look_behind) for c in range(self.n_terminals))
            opened = self._starts[look_behind] = tuple(s for s in starts if s != NO_STATE)
        return self.row(opened, condition)

    def row(self, opened: _Opened, condition: int) -> list[int]:
        """Return the next states by byte class."""
        conditions = self.lexemes.condition_row(condition)
        return [
            self.state(moved, left)
            for moved, left in zip(self.move(opened), conditions, strict=True)
        ]

    def move(self, opened: _Opened) -> list[_Opened]:
        """Return the open lexemes one byte later, by byte class."""
        found = self._moves.get(opened)
        if found is None:
            known: dict[_Opened, _Opened] = {}
            rows = zip(*map(self.lexemes.row, opened), strict=True)
            found = [known.setdefault(row, tuple(sorted({*row} - {NO_STATE}))) for row in rows] or [
                ()
            ] * self.lexemes.n_classes
            self._moves[opened] = found
        return found

    def state(self, opened: _Opened, condition: int) -> int:
        """Return the number of a state, 0 if it is dead."""
        if not opened or condition == NO_STATE:
            return DEAD
        key = (opened, condition)
        found = self.number.setdefault(key, len(self.states) + 1)
        if found > len(self.states):
            if found > MAX_PRODUCT_STATES:
                raise LimitError("scanner states", MAX_PRODUCT_STATES, Phrase.SIMPLER_TERMINALS)
            self.states.append(key)
        return found

    def list_ends(self, opened: _Opened, condition: int) -> list[End]:
        """Return the ways in which the open lexeme may end."""
        found = []
        for lexeme in opened:
            look_behind = self.lexemes.states[lexeme].look_behind
            for terminal, demands in self.lexemes.ends(lexeme):
                owed = settle([*demands, *self.lexemes.conditions[condition][1]])
                if owed is None:
                    continue
                boundary = self.boundary(look_behind, self.lexemes.condition(look_behind, owed))
                if terminal in self.used:
                    found.append(End(self.stands_for.get(terminal, terminal), boundary))
                if terminal in self.ignored:
                    found.append(End(IGNORED, boundary))
        return found

    def boundary(self, look_behind: int, condition: int) -> BoundaryId:
        """Return the number of a boundary."""
        key = (look_behind, condition)
        found = self.boundary_number.setdefault(key, BoundaryId(len(self.boundaries)))
        if found == len(self.boundaries):
            self.boundaries.append(key)
        return found

    def parts(self) -> Parts:
        """Return what was found."""
        holds = self.lexemes.condition_holds_at_end
        return Parts(
            byte_class=self.lexemes.threads.byte_class,
            next=self.next,
            ends=self.ends,
            entries=self.entries,
            closed=[holds(condition) for _, condition in self.boundaries],
        )


def _match_one_by_one(
    lexer: LexerSpec, wanted: frozenset[TerminalId]
) -> tuple[LexemeAutomaton, int]:
    """Return the open lexemes of the terminals that are wanted: each has a context of its own."""
    matched = [t for t in sorted(wanted) if lexer.patterns[t] is not None]
    patterns = (p if t in wanted else None for t, p in enumerate(lexer.patterns))
    alone = replace(
        lexer,
        patterns=tuple(patterns),
        ignored=frozenset(),  # what is ignored may be used as well
        contexts=tuple(Context((terminal,), ()) for terminal in matched),
        keyword_tail="",
    )
    return LexemeAutomaton(alone), len(matched)
