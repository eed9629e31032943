r"""Bytes → terminals as Lark's ``dynamic_complete`` lexer of Earley parsers takes them.

Each terminal is matched on its own, wherever the parser expects it, at any length that its pattern
can be brought to match (:mod:`maskc.lexer.pieces`): one automaton a terminal. A lexeme may end
wherever one of them accepts, as one terminal or another, and may go on as well; all of it is
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

from collections.abc import Mapping
from types import MappingProxyType

from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, IGNORED, TerminalId
from maskc.lexer.exploration import Exploration
from maskc.lexer.pieces import build_lexemes
from maskc.lexer.scanner import End, Scanner

# What a scanner state is made of: (terminal, state of its lexemes), for the open lexeme, and for
# ignored terminals that ended and must not accept again.
_Places = tuple[tuple[TerminalId, int], ...]


def build_dynamic_complete_scanner(
    lexer: LexerSpec,
    used: frozenset[TerminalId],
    stands_for: Mapping[TerminalId, TerminalId] = MappingProxyType({}),
) -> Scanner:
    """Return the minimal scanner of ``dynamic_complete``; it has one context.

    Args:
        lexer: what to look for.
        used: terminals that productions hold; of the others, only ignored ones are matched.
        stands_for: terminal → the one that its lexemes end as, where it is another one.

    Raises:
        UnsupportedTerminalError: a terminal uses what cannot be followed.
        LimitError: more than ``MAX_PRODUCT_STATES`` states.
    """
    return _DynamicComplete(lexer, used, stands_for).explore()


_State = tuple[_Places, _Places]


class _DynamicComplete(Exploration[_State, _Places]):
    """Explores the states that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
    ) -> None:
        self.lexemes, threads = build_lexemes(lexer, used)
        self.n_classes = threads.n_classes
        super().__init__(lexer, used, stands_for, threads.byte_class, ())

    def entry(self, boundary: _Places) -> list[int]:
        """Return the states after the first byte of a lexeme; see the base class."""
        return self.row((tuple((t, own.start) for t, own in self.lexemes.items()), boundary))

    def row(self, state: _State) -> list[int]:
        """Return the states after one more byte; see the base class."""
        opened, owed = state
        return [
            self._number(self._step(opened, c), self._step(owed, c)) for c in range(self.n_classes)
        ]

    def _step(self, places: _Places, byte_class: int) -> _Places:
        """Return the places one byte later; those that are dead are gone."""
        moved = {(t, self.lexemes[t].next[state][byte_class]) for t, state in places}
        return tuple(sorted(place for place in moved if place[1] != DEAD))

    def _number(self, opened: _Places, owed: _Places) -> int:
        if not opened or any(self.lexemes[t].accepts[state] for t, state in owed):
            return DEAD
        return self.state((opened, owed))

    def list_ends(self, state: _State) -> list[End]:
        """Return the ways in which the open lexeme may end; see the base class."""
        (opened, owed), found = state, list[End]()
        for terminal, here in opened:
            if not self.lexemes[terminal].accepts[here]:
                continue
            if terminal in self.used:
                found.append(End(self.stands_for.get(terminal, terminal), self.boundary(owed)))
            if terminal in self.lexer.ignored:
                # States that cannot accept again are dead.
                goes_on = any(self.lexemes[terminal].next[here])
                more = {*owed, (terminal, here)} if goes_on else owed
                found.append(End(IGNORED, self.boundary(tuple(sorted(more)))))
        return found

    def may_close(self, boundary: _Places) -> bool:  # noqa: ARG002  # no automaton accepts again
        """Return True: where the text ends, no automaton accepts again."""
        return True

    def terminals_in(self, state: _State) -> list[TerminalId]:
        """Return the terminals that a state is inside of; see the base class."""
        return [terminal for terminal, _ in state[0]]
