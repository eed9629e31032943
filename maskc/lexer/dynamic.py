"""Bytes → terminals as Lark's ``dynamic`` lexer of Earley parsers takes them: its default.

Each terminal is an open lexeme of its own (:mod:`maskc.lexer.lexeme`, one alternative and no
keywords), whose end is a guess with a condition. A scanner state is the open lexemes of all
terminals that may have begun at one position, and the conditions that the lexemes before it left;
what none of them can go on with is dead.

Example: with ``NAME: /[a-z]+/`` and ``IF: "if"``, ``ifx`` is a NAME, or IF and the NAME ``x``;
it is never the NAME ``if`` and then ``x``, since the condition of that end is that no letter
follows. ``if`` may be IF or a NAME: the rules decide.

Source: Lark 1.3, ``parsers/xearley.py``; ``docs/lexing.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from maskc.grammar.model import Context, LexerSpec
from maskc.ids import DEAD, IGNORED, TerminalId
from maskc.lexer.exploration import Exploration
from maskc.lexer.lexeme import NO_STATE, LexemeAutomaton
from maskc.lexer.scanner import End, Scanner
from maskc.regular.threads import settle

_Opened = tuple[int, ...]  # open lexemes, one for each terminal that can still match, ascending


def build_dynamic_scanner(
    lexer: LexerSpec,
    used: frozenset[TerminalId],
    stands_for: Mapping[TerminalId, TerminalId] = MappingProxyType({}),
) -> Scanner:
    """Return the minimal scanner of ``dynamic``; it has one context.

    Of the terminals that productions do not hold (``used``), only ignored ones are matched;
    ``stands_for`` is terminal → the one that its lexemes end as, where it is another one.

    Raises:
        UnsupportedTerminalError: a terminal is not regular.
        LimitError: there are too many states.
    """
    return _Dynamic(lexer, used, stands_for).explore()


# Open lexemes and the open condition; the look-behind and the open condition.
_State = tuple[_Opened, int]
_Boundary = tuple[int, int]


class _Dynamic(Exploration[_State, _Boundary]):
    """Explores the pairs (open lexemes, open condition) that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
    ) -> None:
        self._used, self._stands_for = used, stands_for
        self.lexemes, self._n_terminals = _match_one_by_one(lexer, used | lexer.ignored)
        byte_class, first = self.lexemes.threads.byte_class, (0, self.lexemes.free)
        super().__init__(lexer, byte_class, 1, (first, 0))
        self._starts: dict[int, _Opened] = {}
        self._moves: dict[_Opened, list[_Opened]] = {}
        self.boundary(first)  # which gets number 0

    def entry(self, boundary: _Boundary, context: int) -> list[int]:
        del context
        look_behind, condition = boundary
        opened = self._starts.get(look_behind)
        if opened is None:
            starts = (self.lexemes.start(c, look_behind) for c in range(self._n_terminals))
            opened = self._starts[look_behind] = tuple(s for s in starts if s != NO_STATE)
        return self.row((opened, condition))

    def row(self, state: _State) -> list[int]:
        opened, condition = state
        conditions = self.lexemes.condition_row(condition)
        return [
            self.state((moved, left)) if moved and left != NO_STATE else DEAD
            for moved, left in zip(self._move(opened), conditions, strict=True)
        ]

    def _move(self, opened: _Opened) -> list[_Opened]:
        """Return the open lexemes one byte later, by byte class."""
        found = self._moves.get(opened)
        if found is None:
            known: dict[_Opened, _Opened] = {}
            rows = zip(*map(self.lexemes.row, opened), strict=True)
            found = [known.setdefault(row, tuple(sorted({*row} - {NO_STATE}))) for row in rows] or [
                ()
            ] * self.n_classes
            self._moves[opened] = found
        return found

    def list_ends(self, state: _State) -> Iterator[End]:
        opened, condition = state
        for lexeme in opened:
            look_behind = self.lexemes.states[lexeme].look_behind
            for terminal, demands in self.lexemes.ends(lexeme):
                obligations = settle([*demands, *self.lexemes.conditions[condition][1]])
                if obligations is None:
                    continue
                boundary = self.boundary(
                    (look_behind, self.lexemes.condition(look_behind, obligations))
                )
                if terminal in self._used:
                    yield End(self._stands_for.get(terminal, terminal), boundary)
                if terminal in self.lexer.ignored:
                    yield End(IGNORED, boundary)

    def may_close(self, boundary: _Boundary) -> bool:
        return self.lexemes.condition_holds_at_end(boundary[1])

    def terminals_in(self, state: _State) -> list[int]:
        return [t for lexeme in state[0] for t in self.lexemes.terminals_in(lexeme)]


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
