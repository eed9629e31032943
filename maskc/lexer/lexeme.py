"""One open lexeme as an automaton, and what its end demands of the bytes after it (docs/lexing.md).

A condition is a set of :mod:`obligations <maskc.regular.threads>`, a finite automaton of its own,
which runs beside the following lexemes until it is settled. Where Lark reads on for a longer match,
fails, and lexes the bytes since the last match again, nothing has to be read again here: both
branches are followed from the position where they part, and the one whose lexeme had ended there
has the condition that the longer match fails.

Example: ``1e`` is DEC_NUMBER, then a NAME that starts with ``e``, under the condition that
FLOAT_NUMBER does not match: ``x`` settles it, ``+`` keeps it open, a digit after that breaks it.

A state of the open lexeme holds the state of the look-behinds, the ordered threads of the
context's alternatives, and the threads of the keywords that the lexeme may turn out to be.

Source: Lark 1.3 ``lexer.py`` (Scanner.match, UnlessCallback), and 1.2 for what may follow a keyword
(:mod:`maskc.frontends.lark.build`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maskc.errors import LimitError
from maskc.grammar import LexerSpec
from maskc.ids import IGNORED, TerminalId
from maskc.lexer.lookbehind_pruning import Behinds, LookbehindPruning
from maskc.regular.lookbehind import LookBehindState, LookBehindStepper
from maskc.regular.nfa import Nfa
from maskc.regular.threads import (
    ACCEPTED,
    FREE,
    Obligation,
    Obligations,
    ThreadList,
    Threads,
    ThreadStepper,
    hold_at_end,
    label_of,
    list_positions,
    settle,
)
from maskc.wording import Phrase

Move = tuple[int, int]  # where a position goes: a position or ``DONE``, and what follows

NO_STATE = -1  # instead of a state: the lexeme cannot go on, or the condition is broken
# A matter of memory: each takes about a kilobyte. The first bounds open lexemes before minimising.
MAX_OPEN_LEXEMES = 1_000_000
MAX_CONDITIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class LexemeState:
    """See the module."""

    look_behind: int  # number of the state of the look-behinds
    threads: Threads  # the alternatives' threads in order
    # `(renamed terminal, position)` of keywords that still match from the start
    keywords: frozenset[tuple[int, int]]


class LexemeAutomaton:
    """States of open lexemes and of open conditions, numbered as they are found.

    Args:
        lexer: what to look for.
        after: terminal or ``IGNORED`` → the contexts in which its follower may be lexed; ``None``
            for all of them after each.
    """

    def __init__(self, lexer: LexerSpec, after: Mapping[int, frozenset[int]] | None = None) -> None:
        self.lexer = lexer
        nfa = Nfa(use_bytes=lexer.use_bytes)
        self._starts: dict[int, int] = {}
        self._owner: list[int] = []
        for terminal, pattern in enumerate(lexer.patterns):
            if pattern is not None:
                self._starts[terminal] = nfa.add_pattern(
                    lexer.terminals[terminal], pattern, lexer.re_flags, terminal
                )
                self._owner += [terminal] * (len(nfa.nodes) - len(self._owner))
        self._keyword_starts = self._add_keywords(nfa)
        self.threads = ThreadStepper(nfa)
        self._stepper = LookBehindStepper(self.threads)
        self._looks_behind = bool(nfa.look_behinds)
        self._look_behind_number: dict[LookBehindState, int] = {}
        self._look_behinds: list[LookBehindState] = []
        self._look_behind_steps: dict[tuple[int, int], int] = {}
        self._look_behind_rows: dict[int, list[int]] = {}
        self._pruning = LookbehindPruning(
            self.threads, lexer, self._starts, self._keyword_starts, after
        )
        self._pruned: dict[tuple[int, Behinds], int] = {}
        self.states: list[LexemeState] = []
        self._state_number: dict[LexemeState, int] = {}
        self._start_states: dict[tuple[int, int], int] = {}
        self._rows: dict[int, list[int]] = {}
        self.conditions: list[tuple[int, Obligations]] = []
        self._condition_number: dict[tuple[int, Obligations], int] = {}
        self._condition_rows: dict[int, list[int]] = {}
        self._moves_of: dict[int, NDArray[np.int32]] = {}
        self.free = self.condition(self._intern_look_behind(self._stepper.start()), FREE)
        self.n_classes = self.threads.n_classes

    def _add_keywords(self, nfa: Nfa) -> dict[int, int]:
        """Return where the patterns of keywords begin: their own, or with what may follow them."""
        lexer = self.lexer
        if not lexer.keyword_tail:
            return self._starts
        starts: dict[int, int] = {}
        renamed = {name for c in lexer.contexts for _, names in c.keywords for name in names}
        for terminal in sorted(renamed):
            tail = "" if terminal in lexer.roles else lexer.keyword_tail
            pattern = f"(?:{lexer.patterns[terminal]}){tail}"
            name = lexer.terminals[terminal]
            starts[terminal] = nfa.add_pattern(name, pattern, lexer.re_flags, terminal)
            self._owner += [terminal] * (len(nfa.nodes) - len(self._owner))
        return starts

    def _intern_look_behind(self, look_behind: LookBehindState) -> int:
        number = self._look_behind_number.setdefault(look_behind, len(self._look_behinds))
        if number == len(self._look_behinds):
            self._look_behinds.append(look_behind)
        return number

    def _step_look_behind(self, number: int, byte_class: int) -> int:
        if not self._looks_behind:
            return number
        key = (number, byte_class)
        found = self._look_behind_steps.get(key)
        if found is None:
            after = self._stepper.step(self._look_behinds[number], byte_class)
            found = self._look_behind_steps[key] = self._intern_look_behind(after)
        return found

    def _list_after(self, number: int) -> list[int]:
        """Return by byte class the state of the look-behinds after a byte."""
        found = self._look_behind_rows.get(number)
        if found is None:
            classes = range(self.n_classes)
            found = [self._step_look_behind(number, byte_class) for byte_class in classes]
            self._look_behind_rows[number] = found
        return found

    def _prune(self, number: int, asked: Behinds) -> int:
        """Return the state of the look-behinds without what nothing asks for."""
        key = (number, asked)
        found = self._pruned.get(key)
        if found is None:
            kept = self._pruning.drop(self._look_behinds[number], asked)
            found = self._pruned[key] = self._intern_look_behind(kept)
        return found

    def start(self, context: int, look_behind: int) -> int:
        """Return the state before the first byte of a lexeme, in a context."""
        key = (context, look_behind)
        found = self._start_states.get(key)
        if found is None:
            found = self._start_states[key] = self._begin(context, look_behind)
        return found

    def _begin(self, context: int, look_behind: int) -> int:
        matched = self._look_behinds[look_behind].matched
        collected = ThreadList()
        for terminal in self.lexer.contexts[context].alternatives:
            for position, obligations in self.threads.enter(self._starts[terminal], matched):
                collected.append(position, obligations)
        keywords: set[tuple[int, int]] = {
            (terminal, position)
            for terminal, names in self.lexer.contexts[context].keywords
            if terminal not in self.lexer.ignored
            for name in names
            for position, _ in self.threads.enter(self._keyword_starts[name], matched)
        }
        return self._intern(look_behind, collected.done(), keywords)

    def start_of_text(self) -> int:
        """Return the state before the first byte of the text."""
        return self.start(self.lexer.first_context, 0)

    def _intern(self, look_behind: int, threads: Threads, keywords: set[tuple[int, int]]) -> int:
        if not threads:
            return NO_STATE
        alive = {self._terminal(position) for position, _ in threads} if keywords else set()
        if self._look_behinds[look_behind].whole is not None:
            asked = self._pruning.list_asked(threads, (position for _, position in keywords))
            look_behind = self._prune(look_behind, asked)
        state = LexemeState(look_behind, threads, frozenset(k for k in keywords if k[0] in alive))
        number = self._state_number.setdefault(state, len(self.states))
        if number == len(self.states):
            if number >= MAX_OPEN_LEXEMES:
                raise LimitError(
                    "states of open lexemes", MAX_OPEN_LEXEMES, Phrase.SIMPLER_TERMINALS
                )
            self.states.append(state)
        return number

    def terminals_in(self, number: int) -> set[int]:
        """Return the terminals that a state is inside of; of many threads, of the first."""
        return {self._terminal(position) for position, _ in self.states[number].threads[:100]}

    def _terminal(self, position: int) -> int:
        if position < 0:
            return label_of(position)
        return self._owner[self.threads.follows(position)]

    def row(self, number: int) -> list[int]:
        """Return the next state by byte class if the lexeme goes on, ``NO_STATE`` if it cannot."""
        found = self._rows.get(number)
        if found is None:
            found = self._rows[number] = self._step_all(self.states[number])
        return found

    def _step_all(self, state: LexemeState) -> list[int]:
        alive: list[tuple[int, Obligations]] = []
        earlier: list[Obligation] = []
        for position, obligations in state.threads:
            if position < 0:
                # A thread after a match that may still count wins only if that match does not.
                earlier.append((False, frozenset([(ACCEPTED, obligations)])))
                continue
            left = settle([*obligations, *earlier]) if earlier else obligations
            if left is not None:
                alive.append((position, left))
        moving = self._list_moving(position for position, _ in alive)
        is_waiting = any(obligations for _, obligations in alive)
        keywords = sorted(keyword for keyword in state.keywords if keyword[1] >= 0)
        keywords_moving = self._list_moving(position for _, position in keywords)
        row = [NO_STATE] * self.threads.n_classes
        known: dict[object, int] = {}
        # Where no thread goes on nothing does, keywords or not.
        for byte_class, here in sorted(moving.items()):
            look_behind = self._step_look_behind(state.look_behind, byte_class)
            named = keywords_moving.get(byte_class, [])
            key = (look_behind, byte_class if is_waiting else 0, tuple(here), tuple(named))
            if key not in known:
                known[key] = self._step(
                    [alive[number] for number, _ in here],
                    [keywords[number] for number, _ in named],
                    byte_class,
                    look_behind,
                )
            row[byte_class] = known[key]
        return row

    def _list_moving(self, positions: Iterable[int]) -> dict[int, list[tuple[int, Move]]]:
        """Return byte class → which of some positions go on with it, in order, and how."""
        found: dict[int, list[tuple[int, Move]]] = {}
        for number, position in enumerate(positions):
            for byte_class, move in self.threads.moves(position).items():
                found.setdefault(byte_class, []).append((number, move))
        return found

    def _step(
        self,
        alive: list[tuple[int, Obligations]],
        named: list[tuple[int, int]],
        byte_class: int,
        look_behind: int,
    ) -> int:
        """Return the state after a byte, from the threads and keywords that go on with it."""
        matched = self._look_behinds[look_behind].matched
        moved_on = self.threads.step_all(alive, byte_class, matched)
        keywords = {
            (terminal, moved)
            for terminal, position in named
            for moved, _ in self.threads.step_thread((position, FREE), byte_class, matched)
        }
        return self._intern(look_behind, moved_on, keywords)

    def ends(self, number: int) -> list[tuple[TerminalId, Obligations]]:
        """Return ``(terminal, what the end demands)`` for each way the lexeme may end here."""
        state = self.states[number]
        found = []
        for index, (position, obligations) in enumerate(state.threads):
            if position < 0:
                before = frozenset(
                    (p if p >= 0 else ACCEPTED, left) for p, left in state.threads[:index]
                )
                demands = settle([*obligations, (False, before)] if before else obligations)
                if demands is not None:
                    found.append((self._renamed(state, label_of(position)), demands))
        return found

    def end_of_text(self, number: int) -> TerminalId | None:
        """Return the terminal the lexeme is if the text ends here, ``None`` if it is none."""
        state = self.states[number]
        for position, obligations in state.threads:
            if position < 0 and hold_at_end(obligations):
                return self._renamed(state, label_of(position))
        return None

    def _renamed(self, state: LexemeState, terminal: int) -> TerminalId:
        if terminal in self.lexer.ignored:
            return IGNORED
        names = self._list_names(state, terminal)
        return TerminalId(min(names, key=lambda name: self.lexer.ranks[name], default=terminal))

    def renamed_to(self, number: int) -> set[int]:
        """Return all terminals to which the lexeme could be renamed if it ends in a state."""
        state = self.states[number]
        return {n for t in self.terminals_in(number) for n in self._list_names(state, t)}

    def _list_names(self, state: LexemeState, terminal: int) -> list[int]:
        return [
            label_of(position)
            for owner, position in state.keywords
            if owner == terminal and position < 0
        ]

    def condition(self, look_behind: int, obligations: Obligations) -> int:
        """Return the number of a condition; the empty one is ``free`` whatever the look-behinds."""
        if obligations and self._look_behinds[look_behind].whole is not None:
            look_behind = self._prune(look_behind, self._pruning.list_asked_by(obligations))
        key = (look_behind if obligations else 0, obligations)
        number = self._condition_number.setdefault(key, len(self.conditions))
        if number == len(self.conditions):
            if number >= MAX_CONDITIONS:
                raise LimitError("conditions of lexemes", MAX_CONDITIONS, Phrase.SIMPLER_TERMINALS)
            self.conditions.append(key)
        return number

    def condition_row(self, number: int) -> list[int]:
        """Return the next condition by byte class, ``NO_STATE`` where it is broken."""
        found = self._condition_rows.get(number)
        if found is None:
            look_behind, obligations = self.conditions[number]
            found = (
                self._step_condition(look_behind, obligations)
                if obligations
                else [number] * self.n_classes
            )
            self._condition_rows[number] = found
        return found

    def _step_condition(self, look_behind: int, obligations: Obligations) -> list[int]:
        """Return the next condition by byte class; what is the same for many is stepped once."""
        moves = np.array(
            [self._number_moves(position) for position in sorted(list_positions(obligations))]
        )
        width = moves.itemsize * len(moves)
        data = moves.T.tobytes()
        columns = [data[at : at + width] for at in range(0, len(data), width)]
        # By what comes after the look-behinds and how the obligations move, and the first class.
        first: dict[tuple[int, bytes], int] = {}
        parts = [
            first.setdefault(key, byte_class)
            for byte_class, key in enumerate(
                zip(self._list_after(look_behind), columns, strict=True)
            )
        ]
        left: dict[object, Obligations | None] = {}
        found: dict[int, int] = {}
        for (after, column), byte_class in first.items():
            matched = self._look_behinds[after].matched
            if (matched, column) not in left:
                left[matched, column] = self.threads.step_obligations(
                    obligations, byte_class, matched
                )
            still = left[matched, column]
            found[byte_class] = NO_STATE if still is None else self.condition(after, still)
        return [found[byte_class] for byte_class in parts]

    def _number_moves(self, position: int) -> NDArray[np.int32]:
        """Return int32[n_classes]: equal for byte classes by which a position moves alike."""
        found = self._moves_of.get(position)
        if found is None:
            number: dict[Move, int] = {}
            found = self._moves_of[position] = np.full(self.n_classes, -1, np.int32)
            for byte_class, move in self.threads.moves(position).items():
                found[byte_class] = number.setdefault(move, len(number))
        return found

    def condition_holds_at_end(self, number: int) -> bool:
        return hold_at_end(self.conditions[number][1])
