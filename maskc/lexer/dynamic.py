r"""Bytes → terminals as Lark's ``dynamic_complete`` lexer of Earley parsers takes them.

Each terminal is matched on its own, wherever the parser expects it, and any length counts that its
pattern can be brought to match: Lark matches it against the text and then against each shorter
piece of what it matched. Without look-aheads these are the lexemes ``x`` whose first match is all
of ``x``: a regular language, one automaton a terminal. A lexeme may end wherever one of them
accepts, as one terminal or another, and may go on as well; all of it is followed.

An ignored terminal is different: only its match against the whole text is skipped. It may end
where it accepts, under the condition that it does not accept again later: the automaton runs on
beside what follows, until it can accept no more, and may not accept.

A scanner state is the product of the automata of the open lexeme, and the conditions.
Terminals that can no longer match drop out.

Example: with ``A: /a+/`` the text ``aaa`` is A, A A, or A A A; with ``%ignore / +/`` two blanks are
never two ignored lexemes.

Refused: look-aheads, anchors, ``\b``, atomic groups and possessive quantifiers, which Lark sees
fail or hold where it cut the text off; and look-behinds that can see in front of their lexeme.

Source: Lark 1.3, ``parsers/xearley.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maskc.automata.history import History, HistoryStepper
from maskc.automata.nfa import Nfa
from maskc.automata.threads import FREE, ThreadList, Threads, ThreadStepper
from maskc.errors import LimitError, UnsupportedTerminalError
from maskc.grammar.model import Grammar
from maskc.lexer.lexeme import IGNORED
from maskc.lexer.scanner import EMPTY_TEXT, Scanner, drop_useless, minimise

MAX_STATES = 60_000
_MAX_LEXEME_STATES = 20_000  # of one terminal
_MAX_HISTORIES = 1_000

_DEAD = 0


@dataclass(frozen=True, slots=True)
class _Lexemes:
    """The lexemes of one terminal; state 0 is dead.

    Attributes:
        next: state → byte class → state.
        accepts: state → whether what was read is a lexeme.
        start: before the first byte.
    """

    next: tuple[tuple[int, ...], ...]
    accepts: tuple[bool, ...]
    start: int


# What a scanner state is made of: (terminal, state of its lexemes), for the open lexeme, and for
# ignored terminals that ended and must not accept again.
_Places = tuple[tuple[int, int], ...]


def build_dynamic_scanner(grammar: Grammar) -> Scanner:
    """Return the minimal scanner of ``dynamic_complete``; it has one context.

    Raises:
        UnsupportedTerminalError: a terminal uses what cannot be followed.
        LimitError: more than ``MAX_STATES`` states.
    """
    lexemes, threads = _build_lexemes(grammar)
    builder = _Builder(grammar, lexemes, threads.n_classes)
    builder.explore()
    n_states, n_classes = len(builder.states), threads.n_classes
    # Number 0 is the dead state; the start is the last one, in front of the first byte.
    following = np.zeros((n_states + 2, n_classes), dtype=np.int32)
    following[1:-1] = np.array(builder.next, dtype=np.int32).reshape(n_states, n_classes)
    following[-1] = builder.entry(())
    entries = np.zeros((len(builder.conditions) + 1, n_classes), dtype=np.int32)
    entries[1:] = np.array(builder.entries, dtype=np.int32).reshape(-1, n_classes)
    raw = Scanner(
        byte_class=threads.byte_class,
        next=following,
        ends=((), *builder.ends, ()),
        end_of_text=(None, *(min(e)[0] if e else None for e in builder.ends), EMPTY_TEXT),
        enter=np.arange(1, len(entries), dtype=np.int32).reshape(-1, 1),
        entries=entries,
        # Where the text ends, no automaton accepts again.
        closed=(True,) * len(builder.conditions),
        start=n_states + 1,
    )
    return minimise(drop_useless(raw))


class _Builder:
    """Explores the states that can occur."""

    def __init__(self, grammar: Grammar, lexemes: dict[int, _Lexemes], n_classes: int) -> None:
        self.lexemes, self.n_classes = lexemes, n_classes
        self.used = _list_used(grammar)
        self.ignored = grammar.ignored
        self.number: dict[tuple[_Places, _Places], int] = {}
        self.states: list[tuple[_Places, _Places]] = []
        self.next: list[list[int]] = []
        self.ends: list[tuple[tuple[int, int], ...]] = []
        self.condition_number: dict[_Places, int] = {}
        self.conditions: list[_Places] = []
        self.entries: list[list[int]] = []

    def explore(self) -> None:
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

    def entry(self, owed: _Places) -> list[int]:
        """Return the states behind the first byte of a lexeme, by byte class."""
        return self.row(tuple((t, own.start) for t, own in self.lexemes.items()), owed)

    def row(self, opened: _Places, owed: _Places) -> list[int]:
        """Return the next states by byte class."""
        return [self.state(self.step(opened, c), self.step(owed, c)) for c in range(self.n_classes)]

    def step(self, places: _Places, byte_class: int) -> _Places:
        """Return the places one byte later; those that are dead are gone."""
        moved = {(t, self.lexemes[t].next[state][byte_class]) for t, state in places}
        return tuple(sorted(place for place in moved if place[1] != _DEAD))

    def state(self, opened: _Places, owed: _Places) -> int:
        """Return the number of a state, 0 if it is dead."""
        if not opened or any(self.lexemes[t].accepts[state] for t, state in owed):
            return _DEAD
        key = (opened, owed)
        if key not in self.number:
            self.states.append(key)
            self.number[key] = len(self.states)
            if len(self.states) > MAX_STATES:
                raise LimitError("scanner states", MAX_STATES, "simplify the terminals")
        return self.number[key]

    def list_ends(self, opened: _Places, owed: _Places) -> list[tuple[int, int]]:
        """Return the (terminal, boundary) that the open lexeme may end with."""
        found = []
        for terminal, state in opened:
            if not self.lexemes[terminal].accepts[state]:
                continue
            if terminal in self.used:
                found.append((terminal, self.condition(owed)))
            if terminal in self.ignored:
                more = {*owed, (terminal, state)} if self.goes_on(terminal, state) else owed
                found.append((IGNORED, self.condition(tuple(sorted(more)))))
        return found

    def goes_on(self, terminal: int, state: int) -> bool:
        """Return whether a terminal can accept again; states that cannot are dead."""
        return any(self.lexemes[terminal].next[state])

    def condition(self, owed: _Places) -> int:
        """Return the number of a boundary."""
        if owed not in self.condition_number:
            self.condition_number[owed] = len(self.conditions)
            self.conditions.append(owed)
        return self.condition_number[owed]


def _list_used(grammar: Grammar) -> frozenset[int]:
    return frozenset(s for p in grammar.productions for s in p.rhs if s >= 0)


def _build_lexemes(grammar: Grammar) -> tuple[dict[int, _Lexemes], ThreadStepper]:
    """Return the automaton of each terminal that can be matched, in order."""
    nfa = Nfa()
    wanted = _list_used(grammar) | grammar.ignored
    starts = {
        terminal: nfa.add_pattern(grammar.terminals[terminal], pattern, grammar.re_flags, terminal)
        for terminal, pattern in enumerate(grammar.patterns)
        if pattern is not None and terminal in wanted
    }
    threads = ThreadStepper(nfa)
    histories = HistoryStepper(threads)
    reachable = _list_histories(histories, threads)
    found = {}
    for terminal, start in starts.items():
        name = grammar.terminals[terminal]
        found[terminal] = _build(name, start, threads, histories, reachable)
    return found, threads


def _list_histories(histories: HistoryStepper, threads: ThreadStepper) -> list[History]:
    found = [histories.start()]
    known = set(found)
    for history in found:  # grows while we walk it
        for byte_class in range(threads.n_classes):
            after = histories.step(history, byte_class)
            if after not in known:
                known.add(after)
                found.append(after)
                if len(found) > _MAX_HISTORIES:
                    raise LimitError(
                        "states of the look-behinds", _MAX_HISTORIES, "use lexer=basic"
                    )
    return [history for history in found if history.whole is None]


def _build(
    name: str,
    start: int,
    threads: ThreadStepper,
    histories: HistoryStepper,
    reachable: list[History],
) -> _Lexemes:
    """Return the automaton of the lexemes of one terminal.

    A state is a history with threads in order; those behind an accepting one are cut already, and
    it is taken out when the lexeme goes on, because a longer match must come before it in order.
    """
    number: dict[tuple[History, Threads], int] = {}
    states: list[tuple[History, Threads]] = []

    def intern(history: History, alive: Threads) -> int:
        if any(owed != FREE for _, owed in alive):
            raise UnsupportedTerminalError(
                name,
                "a look-ahead, an anchor, \\b, an atomic group or a possessive quantifier depends "
                "under lexer=dynamic_complete on where Lark cut the text off",
                "write it without, or use lexer=basic",
            )
        if not alive:
            return _DEAD
        key = (history, alive)
        if key not in number:
            states.append(key)
            number[key] = len(states)
            if len(states) > _MAX_LEXEME_STATES:
                raise LimitError(
                    f"states of terminal {name}", _MAX_LEXEME_STATES, "simplify its pattern"
                )
        return number[key]

    starts = [intern(h, threads.enter(start, h.matched)) for h in reachable]
    rows: list[list[int]] = [[_DEAD] * threads.n_classes]
    for history, alive in states:  # grows while we walk it
        row = []
        for byte_class in range(threads.n_classes):
            after = histories.step(history, byte_class)
            collected = ThreadList()
            for thread in alive:
                if thread[0] >= 0:
                    for position, owed in threads.step_thread(thread, byte_class, after.matched):
                        collected.append(position, owed)
            row.append(intern(after, collected.done()))
        rows.append(row)
    accepts = [False, *(alive[-1][0] < 0 for _, alive in states)]
    return _minimise(name, rows, accepts, starts)


def _minimise(name: str, rows: list[list[int]], accepts: list[bool], starts: list[int]) -> _Lexemes:
    """Return the smallest automaton; Moore's refinement (1956).

    Raises:
        UnsupportedTerminalError: it matters what stands in front of the lexeme.
    """
    class_of = [int(accept) for accept in accepts]
    n_before = 0
    while True:
        number: dict[tuple[int, ...], int] = {}
        class_of = [
            number.setdefault((class_of[state], *(class_of[t] for t in row)), len(number))
            for state, row in enumerate(rows)
        ]
        if len(number) == n_before:
            break
        n_before = len(number)
    if len({class_of[state] for state in starts}) > 1:
        raise UnsupportedTerminalError(
            name,
            "a look-behind or an anchor sees what stands in front of the lexeme, which under "
            "lexer=dynamic_complete depends on where Lark cut the text off",
            "write it without, or use lexer=basic",
        )
    # The dead state comes first, and is numbered first; what accepts nothing fell together with it.
    representative: dict[int, int] = {}
    for state, group in enumerate(class_of):
        representative.setdefault(group, state)
    return _Lexemes(
        next=tuple(tuple(class_of[t] for t in rows[s]) for s in representative.values()),
        accepts=tuple(accepts[s] for s in representative.values()),
        start=class_of[starts[0]],
    )
