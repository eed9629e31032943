r"""Bytes → terminals as Lark's ``dynamic_complete`` lexer of Earley parsers takes them.

Each terminal is matched on its own, wherever the parser expects it, at any length that its pattern
can be brought to match (:mod:`maskc.lexer.piece_lexemes`): one automaton a terminal. A lexeme may
end wherever one of them accepts, as one terminal or another, and may go on as well; all of it is
followed.

An ignored terminal is different: only its match against the whole text is skipped. It may end
where it accepts, under the condition that it does not accept again later: the automaton runs on
beside what follows, until it can accept no more, and may not accept.

A scanner state is the product of the automata of the open lexeme, and the conditions.
Terminals that can no longer match drop out.

Example: with ``A: /a+/`` the text ``aaa`` is A, A A, or A A A; with ``%ignore / +/`` two blanks are
never two ignored lexemes.

Source: Lark 1.3, ``parsers/xearley.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, IGNORED, TerminalId
from maskc.lexer.exploration import Exploration
from maskc.lexer.piece_lexemes import build_lexemes
from maskc.lexer.scanner import End, Scanner

# What a scanner state is made of: (terminal, state of its lexemes), for the open lexeme, and for
# ignored terminals that ended and must not accept again.
_LexerStates = tuple[tuple[TerminalId, int], ...]


def build_dynamic_complete_scanner(
    lexer: LexerSpec,
    used: frozenset[TerminalId],
    stands_for: Mapping[TerminalId, TerminalId] = MappingProxyType({}),
) -> Scanner:
    """Return the minimal scanner of ``dynamic_complete``; it has one context.

    Of the terminals that productions do not hold (``used``), only ignored ones are matched;
    ``stands_for`` is terminal → the one that its lexemes end as, where it is another one.

    Raises:
        UnsupportedTerminalError: a terminal uses what cannot be followed.
        LimitError: there are too many states.
    """
    return _DynamicComplete(lexer, used, stands_for).explore()


_State = tuple[_LexerStates, _LexerStates]


class _DynamicComplete(Exploration[_State, _LexerStates]):
    """Explores the states that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
    ) -> None:
        self._used, self._stands_for = used, stands_for
        self._lexemes, threads = build_lexemes(lexer, used)
        super().__init__(lexer, threads.byte_class, 1, ((), 0))

    def entry(self, boundary: _LexerStates, context: int) -> list[int]:
        del context
        return self.row((tuple((t, own.start) for t, own in self._lexemes.items()), boundary))

    def row(self, state: _State) -> list[int]:
        opened, ended = state
        return [
            self._number(self._step(opened, c), self._step(ended, c)) for c in range(self.n_classes)
        ]

    def _step(self, states: _LexerStates, byte_class: int) -> _LexerStates:
        """Return the states one byte later, without dead ones."""
        moved = {(t, self._lexemes[t].next[state][byte_class]) for t, state in states}
        return tuple(sorted(state for state in moved if state[1] != DEAD))

    def _number(self, opened: _LexerStates, ended: _LexerStates) -> int:
        if not opened or any(self._lexemes[t].accepts[state] for t, state in ended):
            return DEAD
        return self.state((opened, ended))

    def list_ends(self, state: _State) -> Iterator[End]:
        opened, ended = state
        for terminal, here in opened:
            if not self._lexemes[terminal].accepts[here]:
                continue
            if terminal in self._used:
                yield End(self._stands_for.get(terminal, terminal), self.boundary(ended))
            if terminal in self.lexer.ignored:
                # States that cannot accept again are dead.
                goes_on = any(self._lexemes[terminal].next[here])
                more = {*ended, (terminal, here)} if goes_on else ended
                yield End(IGNORED, self.boundary(tuple(sorted(more))))

    def may_close(self, boundary: _LexerStates) -> bool:
        del boundary
        return True  # where the text ends, no automaton accepts again

    def terminals_in(self, state: _State) -> list[TerminalId]:
        return [terminal for terminal, _ in state[0]]
