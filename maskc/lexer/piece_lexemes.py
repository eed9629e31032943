r"""The lexemes of a terminal for Lark's ``dynamic_complete`` lexer: all that a piece can match.

Lark matches a terminal against the text, and then against each shorter piece of what it matched.
Without look-aheads the lexemes that it finds are the ``x`` whose first match is all of ``x``: the
threads of the pattern in order, where a lexeme that went on is no match any more and what stands
after a match is cut. That is a finite automaton without conditions on what follows.

Example: ``/a(bc)*/`` has the lexemes ``a``, ``abc``, …; ``/a|ab/`` has only ``a``.

Refused: look-aheads, anchors, ``\b``, atomic groups and possessive quantifiers, which Lark sees
fail or hold where it cut the text off; and look-behinds that can see in front of their lexeme.

Source: Lark 1.3, ``parsers/xearley.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maskc.budget import at, quote_symbol
from maskc.errors import LimitError, UnsupportedTerminalError
from maskc.grammar.model import LexerSpec
from maskc.ids import DEAD, TerminalId
from maskc.regular.features import name_features
from maskc.regular.lookbehind import LookBehindState, LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.partition import refine
from maskc.regular.threads import FREE, Threads, ThreadStepper
from maskc.wording import Phrase

_MAX_LEXEME_STATES = 20_000  # of one terminal
_MAX_LOOK_BEHIND_STATES = 1_000


@dataclass(frozen=True, slots=True)
class CutLexemes:
    """The lexemes of one terminal; state 0 is dead.

    Attributes:
        next: state → byte class → state.
        accepts: state → whether what was read is a lexeme.
        start: before the first byte.
    """

    next: tuple[tuple[int, ...], ...]
    accepts: tuple[bool, ...]
    start: int


def build_lexemes(
    lexer: LexerSpec, used: frozenset[TerminalId]
) -> tuple[dict[TerminalId, CutLexemes], ThreadStepper]:
    """Return the automaton of each terminal that is used or ignored, in order."""
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
