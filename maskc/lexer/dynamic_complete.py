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

from maskc.budget import at
from maskc.errors import LimitError
from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, IGNORED, BoundaryId, TerminalId
from maskc.lexer.one_context import Parts, put_together
from maskc.lexer.pieces import Lexemes, build_lexemes
from maskc.lexer.scanner import End, Scanner, describe_states
from maskc.wording import Phrase

MAX_PRODUCT_STATES = 1_000_000  # before minimising: a matter of memory

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
    lexemes, threads = build_lexemes(lexer, used)
    builder = _Builder(lexer, used, stands_for, lexemes, threads.n_classes)
    builder.explore()
    return put_together(
        Parts(
            byte_class=threads.byte_class,
            next=builder.next,
            ends=builder.ends,
            entries=builder.entries,
            # Where the text ends, no automaton accepts again.
            closed=[True] * len(builder.conditions),
        )
    )


class _Builder:
    """Explores the states that can occur."""

    def __init__(
        self,
        lexer: LexerSpec,
        used: frozenset[TerminalId],
        stands_for: Mapping[TerminalId, TerminalId],
        lexemes: dict[TerminalId, Lexemes],
        n_classes: int,
    ) -> None:
        self.lexemes, self.n_classes = lexemes, n_classes
        self.lexer, self.ignored = lexer, lexer.ignored
        self.used, self.stands_for = used, stands_for
        self.number: dict[tuple[_Places, _Places], int] = {}
        self.states: list[tuple[_Places, _Places]] = []
        self.next: list[list[int]] = []
        self.ends: list[tuple[End, ...]] = []
        self.condition_number: dict[_Places, BoundaryId] = {}
        self.conditions: list[_Places] = []
        self.entries: list[list[int]] = []

    def explore(self) -> None:
        at(self.describe)
        self.condition(())
        n_entered = 0
        while len(self.next) < len(self.states) or n_entered < len(self.conditions):
            if n_entered < len(self.conditions):
                self.entries.append(self.entry(self.conditions[n_entered]))
                n_entered += 1
                continue
            opened, owed = self.states[len(self.next)]
            self.next.append(self.row(opened, owed))
            self.ends.append(tuple(sorted(set(self.list_ends(opened, owed)))))

    def describe(self) -> str:
        """Return which terminals the states are inside of that were found last."""
        inside = (terminal for opened, _ in self.states[-1000:] for terminal, _ in opened)
        return describe_states(self.lexer, len(self.states), inside, lambda terminal: (terminal,))

    def entry(self, owed: _Places) -> list[int]:
        """Return the states after the first byte of a lexeme, by byte class."""
        return self.row(tuple((t, own.start) for t, own in self.lexemes.items()), owed)

    def row(self, opened: _Places, owed: _Places) -> list[int]:
        """Return the next states by byte class."""
        return [self.state(self.step(opened, c), self.step(owed, c)) for c in range(self.n_classes)]

    def step(self, places: _Places, byte_class: int) -> _Places:
        """Return the places one byte later; those that are dead are gone."""
        moved = {(t, self.lexemes[t].next[state][byte_class]) for t, state in places}
        return tuple(sorted(place for place in moved if place[1] != DEAD))

    def state(self, opened: _Places, owed: _Places) -> int:
        """Return the number of a state, 0 if it is dead."""
        if not opened or any(self.lexemes[t].accepts[state] for t, state in owed):
            return DEAD
        key = (opened, owed)
        if key not in self.number:
            self.states.append(key)
            self.number[key] = len(self.states)
            if len(self.states) > MAX_PRODUCT_STATES:
                raise LimitError("scanner states", MAX_PRODUCT_STATES, Phrase.SIMPLER_TERMINALS)
        return self.number[key]

    def list_ends(self, opened: _Places, owed: _Places) -> list[End]:
        """Return the ways in which the open lexeme may end."""
        found = []
        for terminal, state in opened:
            if not self.lexemes[terminal].accepts[state]:
                continue
            if terminal in self.used:
                found.append(End(self.stands_for.get(terminal, terminal), self.condition(owed)))
            if terminal in self.ignored:
                more = {*owed, (terminal, state)} if self.goes_on(terminal, state) else owed
                found.append(End(IGNORED, self.condition(tuple(sorted(more)))))
        return found

    def goes_on(self, terminal: TerminalId, state: int) -> bool:
        """Return whether a terminal can accept again; states that cannot are dead."""
        return any(self.lexemes[terminal].next[state])

    def condition(self, owed: _Places) -> BoundaryId:
        """Return the number of a boundary."""
        if owed not in self.condition_number:
            self.condition_number[owed] = BoundaryId(len(self.conditions))
            self.conditions.append(owed)
        return self.condition_number[owed]
