r"""Bytes → terminals as Lark's ``dynamic_complete`` lexer of Earley parsers takes them.

Each terminal is matched on its own, wherever the parser expects it, at any length that its pattern
can be brought to match (:func:`build_lexemes`): one automaton a terminal. A lexeme may end wherever
one of them accepts, as one terminal or another, and may go on as well; all of it is followed.

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
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from maskc.budget import at, quote_symbol
from maskc.errors import LimitError, UnsupportedTerminalError
from maskc.grammar import LexerSpec
from maskc.ids import DEAD, IGNORED, TerminalId
from maskc.lexer import End, Scanner
from maskc.lexer.exploration import Exploration
from maskc.regular.lookbehind import LookBehindState, LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.partition import refine
from maskc.regular.python import name_features
from maskc.regular.threads import FREE, Threads, ThreadStepper
from maskc.wording import Phrase

_MAX_LEXEME_STATES = 20_000  # of one terminal
_MAX_LOOK_BEHIND_STATES = 1_000


@dataclass(frozen=True, slots=True)
class CutLexemes:
    """The lexemes of one terminal; state 0 is dead."""

    next: tuple[tuple[int, ...], ...]  # state → byte class → state
    accepts: tuple[bool, ...]  # state → whether what was read is a lexeme
    start: int  # before the first byte


def build_lexemes(
    lexer: LexerSpec, used: frozenset[TerminalId]
) -> tuple[dict[TerminalId, CutLexemes], ThreadStepper]:
    r"""Return the automaton of each terminal that is used or ignored, in order.

    Lark matches a terminal against the text, and then against each shorter piece of what it
    matched. Without look-aheads the lexemes that it finds are the ``x`` whose first match is all of
    ``x``: the threads of the pattern in order, where a lexeme that went on is no match any more and
    what stands after a match is cut. That is an automaton without conditions on what follows.

    Example: ``/a(bc)*/`` has the lexemes ``a``, ``abc``, …; ``/a|ab/`` has only ``a``.

    Refused: look-aheads, anchors, ``\b``, atomic groups and possessive quantifiers, which Lark sees
    fail or hold where it cut the text off; and look-behinds that see in front of their lexeme.
    """
    nfa = Nfa(use_bytes=lexer.use_bytes)
    wanted = used | lexer.ignored
    starts = {
        TerminalId(terminal): nfa.add_pattern(
            lexer.terminals[terminal], pattern, lexer.re_flags, terminal
        )
        for terminal, pattern in enumerate(lexer.patterns)
        if pattern is not None and terminal in wanted
    }
    threads = ThreadStepper(nfa)
    stepper = LookBehindStepper(threads)
    reachable = _list_look_behinds(stepper, threads)
    found = {}
    for terminal, start in starts.items():
        name = lexer.terminals[terminal]
        features = name_features(str(lexer.patterns[terminal]), lexer.re_flags)
        found[terminal] = _build(name, features, start, threads, stepper, reachable)
    return found, threads


def _list_look_behinds(stepper: LookBehindStepper, threads: ThreadStepper) -> list[LookBehindState]:
    found = [stepper.start()]
    known = set(found)
    for look_behind in found:  # grows while we walk it
        for byte_class in range(threads.n_classes):
            after = stepper.step(look_behind, byte_class)
            if after not in known:
                known.add(after)
                found.append(after)
                if len(found) > _MAX_LOOK_BEHIND_STATES:
                    raise LimitError(
                        "states of the look-behinds", _MAX_LOOK_BEHIND_STATES, "use lexer=dynamic"
                    )
    return [look_behind for look_behind in found if look_behind.whole is None]


def _build(
    name: str,
    features: str,
    start: int,
    threads: ThreadStepper,
    stepper: LookBehindStepper,
    reachable: list[LookBehindState],
) -> CutLexemes:
    """Return the automaton of the lexemes of one terminal.

    A state is the look-behinds' state with threads in order. Those after an accepting one are cut
    already, and it is taken out when the lexeme goes on, because a longer match must come before it
    in order.
    """
    at(lambda: f"pass scanner, {quote_symbol('terminal', name)}")
    number: dict[tuple[LookBehindState, Threads], int] = {}
    states: list[tuple[LookBehindState, Threads]] = []

    def intern(look_behind: LookBehindState, alive: Threads) -> int:
        if any(obligations != FREE for _, obligations in alive):
            raise UnsupportedTerminalError(
                name,
                f"under lexer=dynamic_complete the result of {features or 'its pattern'} depends "
                "on where Lark cuts the text",
                "write the terminal without it, or use lexer=dynamic",
            )
        if not alive:
            return DEAD
        key = (look_behind, alive)
        if key not in number:
            states.append(key)
            number[key] = len(states)
            if len(states) > _MAX_LEXEME_STATES:
                raise LimitError(Phrase.ONE_TERMINAL, _MAX_LEXEME_STATES, Phrase.SIMPLER_TERMINAL)
        return number[key]

    starts = [intern(h, threads.enter(start, h.matched)) for h in reachable]
    rows: list[list[int]] = [[DEAD] * threads.n_classes]
    for look_behind, alive in states:  # grows while we walk it
        row = []
        for byte_class in range(threads.n_classes):
            after = stepper.step(look_behind, byte_class)
            row.append(intern(after, threads.step_all(alive, byte_class, after.matched)))
        rows.append(row)
    accepts = [False, *(alive[-1][0] < 0 for _, alive in states)]
    return _minimise(name, features, rows, accepts, starts)


def _minimise(
    name: str, features: str, rows: list[list[int]], accepts: list[bool], starts: list[int]
) -> CutLexemes:
    """Return the smallest automaton.

    Raises:
        UnsupportedTerminalError: it matters what stands in front of the lexeme.
    """
    class_of = refine(accepts, np.array(rows, dtype=np.int32)).tolist()
    if len({class_of[state] for state in starts}) > 1:
        raise UnsupportedTerminalError(
            name,
            f"{features or 'its pattern'} looks at the text before the lexeme, and under "
            "lexer=dynamic_complete that depends on where Lark cuts the text",
            "write the terminal without it, or use lexer=dynamic",
        )
    # The dead state comes first, and is numbered first; what accepts nothing fell together with it.
    representative: dict[int, int] = {}
    for state, group in enumerate(class_of):
        representative.setdefault(group, state)
    return CutLexemes(
        next=tuple(tuple(class_of[t] for t in rows[s]) for s in representative.values()),
        accepts=tuple(accepts[s] for s in representative.values()),
        start=class_of[starts[0]],
    )


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
