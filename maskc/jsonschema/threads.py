r"""The automaton of a pattern, with look-arounds and word boundaries or without.

A *thread* is a position (:mod:`maskc.jsonschema.glushkov`) and its *obligations*: states of
automata that must accept the rest of the text. A look-ahead owes the automaton of its body and
anything after it, or of all other texts. ``\b`` and ``\B`` know the character before, and owe that
a word's character follows, or that none does.

A look-behind owes nothing: an automaton of anything and its body reads the text beside the threads,
and says after each character whether it holds there.

Example: after ``a`` of ``^(?=.*b)a.*c`` one thread waits for ``c``, and owes a ``b``.

Limits: ``MOST_BEHINDS`` different look-behinds; ``MAX_MOVES`` threads are moved, no more than
``MAX_AT_ONCE`` of a state are made, and ``MAX_PATHS`` paths to the next character are looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

from maskc.budget import poll
from maskc.jsonschema.automata import complement
from maskc.jsonschema.exploring import TooLargeError, explore, merge_starts
from maskc.jsonschema.glushkov import END, PatternPositions, determinise
from maskc.regular import Characters, Expression, Look, Sequence
from maskc.regular.ecma import ANYTHING, WORD
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

# What stands before a text: nothing, a character of a word, another one.
START, WORD_BEFORE, OTHER = "start", "word", "other"
MAX_MOVES = 1_000_000
MAX_PATHS = 50_000  # from one position
MAX_AT_ONCE = 20_000
_FEW = 64  # threads that are compared with each other

_WORD_STARTS = sorted({0} | {edge for low, high in WORD for edge in (low, high + 1)})


class Before(NamedTuple):
    """What stands before a character: its kind, and the look-behinds that hold, as bits."""

    kind: str
    behinds: int


MOST_BEHINDS = 4  # all that may stand before is tried
# Threads, and the states of what look-behinds read.
_State = tuple[frozenset["Thread"], tuple[int, ...]]
# An automaton by number, and its state.
Obligations = frozenset[tuple[int, int]]
Thread = tuple[int, Obligations]
_NOTHING: Obligations = frozenset()


class _Threads:
    def __init__(self, positions: PatternPositions) -> None:
        self._positions = positions
        self.dfas: list[CharDfa] = []
        self._number: dict[bytes, int] = {}
        self._obligations: dict[tuple[int | str, str], Obligations | None] = {}
        self._after: dict[tuple[int, Before], list[Thread]] = {}
        self._moved: dict[tuple[Thread, int, int], list[Thread]] = {}
        looks = [kind for kind in positions.kinds.values() if isinstance(kind, Look)]
        behinds = dict.fromkeys(look.body for look in looks if not look.ahead)
        self._behind_of = {body: n for n, body in enumerate(behinds)}
        if len(behinds) > MOST_BEHINDS:
            raise TooLargeError
        self.behinds = [build_automaton(Sequence((ANYTHING, body))) for body in behinds]
        self._n_moves = 0
        self._dominated = dict(positions.dominated)
        every = (1 << len(positions.follows)) - 2
        for number in positions.list_readers():
            sink = {(0, _NOTHING), (number, _NOTHING)}
            # Also so that all automata of obligations are known.
            every_before = product((WORD_BEFORE, OTHER), range(1 << len(behinds)))
            reached = [set(self.after(number, Before(*each))) for each in every_before]
            if positions.reads_all(number) and all(sink <= after for after in reached):
                self._dominated[number] = every & ~(1 << number)

    def holding(self, states: tuple[int, ...]) -> int:
        """Return the look-behinds that hold, by the states of what they read."""
        labels = [dfa.labels[state] for dfa, state in zip(self.behinds, states, strict=True)]
        return sum(1 << n for n, label in enumerate(labels) if label != NO_LABEL)

    def after(self, position: int, before: Before) -> list[Thread]:
        """Return the threads after a position has read a character."""
        found = self._after.get((position, before))
        if found is None:
            found = self.enter(self._positions.follows[position], before)
            self._after[position, before] = found
        return found

    def enter(self, bits: int, before: Before) -> list[Thread]:
        """Return the threads that stand for positions, loops, assertions and look-aheads."""
        found = dict[Thread, None]()
        open_ = [(bits, False, _NOTHING)]
        seen = set(open_)
        while open_:
            bits, is_behind, obligations = open_.pop()
            while bits:
                number = (bits & -bits).bit_length() - 1
                bits &= bits - 1
                kind = self._positions.kinds.get(number)
                if kind is None:
                    if not number or not is_behind:
                        found[number, obligations] = None
                    continue
                more = self._owe(kind, before)
                if more is None:
                    continue
                entry = (
                    self._positions.follows[number],
                    is_behind or kind == "$",
                    obligations | more,
                )
                if entry not in seen:
                    if len(seen) > MAX_PATHS:
                        raise TooLargeError
                    seen.add(entry)
                    open_.append(entry)
        return list(found)

    def _owe(self, kind: str | Look, at: Before) -> Obligations | None:
        """Return the obligations behind an assertion, ``None`` if it cannot hold."""
        before = at.kind
        if kind in ("", "$"):
            return _NOTHING
        if kind == "^":
            return _NOTHING if before == START else None
        if isinstance(kind, Look) and not kind.ahead:
            holds = bool(at.behinds >> self._behind_of[kind.body] & 1)
            return _NOTHING if holds == kind.positive else None
        key = (kind if isinstance(kind, str) else id(kind), before)
        if key not in self._obligations:
            if isinstance(kind, Look):
                wanted = kind.positive
                dfa = build_automaton(Sequence((kind.body, ANYTHING)), before)
            else:
                wanted = (before == WORD_BEFORE) == (kind == "B")
                dfa = build_automaton(Sequence((Characters(WORD), ANYTHING)))
            self._obligations[key] = self._add(dfa if wanted else complement(dfa))
        return self._obligations[key]

    def _add(self, dfa: CharDfa) -> Obligations | None:
        if dfa.start == DEAD or dfa.is_free(dfa.start):
            return None if dfa.start == DEAD else _NOTHING
        number = self._number.setdefault(dfa.digest, len(self.dfas))
        if number == len(self.dfas):
            self.dfas.append(dfa)
        return frozenset([(number, dfa.start)])

    def advance(self, state: _State, reading: int, character: int) -> _State | None:
        """Return the state after a character that some positions read, ``None`` without threads."""
        found = dict[Thread, None]()
        threads, behind = state
        read = zip(self.behinds, behind, strict=True)
        behind = tuple([dfa.step(at, character) for dfa, at in read])
        holding = self.holding(behind)
        self._n_moves += len(threads)
        for thread in threads:
            if reading >> thread[0] & 1:
                found.update(dict.fromkeys(self._move(thread, character, holding)))
        if max(self._n_moves // MAX_MOVES, len(found) // MAX_AT_ONCE):
            raise TooLargeError
        self._drop_dominated(found)
        return (frozenset(found), behind) if found else None

    def _drop_dominated(self, found: dict[Thread, None]) -> None:
        """Leave out threads of which another one matches whenever they do."""
        obligations_at: dict[int, list[Obligations]] = {}
        for position, obligations in found:
            obligations_at.setdefault(position, []).append(obligations)
        there = sum(1 << position for position in obligations_at)
        for position, obligations in list(found):
            others = there & self._dominated.get(position, 0) | 1 << position
            while others and (position, obligations) in found:
                other = (others & -others).bit_length() - 1
                others &= others - 1
                for more in obligations_at[other][:_FEW]:
                    if obligations <= more and (other, more) != (position, obligations):
                        found.pop((other, more), None)

    def _move(self, thread: Thread, character: int, holding: int) -> list[Thread]:
        key = (thread, character, holding)
        known = self._moved.get(key)
        if known is None:
            left = self._pay(thread[1], character)
            kind = WORD_BEFORE if _is_of_word(character) else OTHER
            after = self.after(thread[0], Before(kind, holding))
            known = [] if left is None else [(target, left | more) for target, more in after]
            self._moved[key] = known
        return known

    def _pay(self, obligations: Obligations, character: int) -> Obligations | None:
        """Return the obligations after a character, ``None`` if one of them cannot be met."""
        left = list[tuple[int, int]]()
        for number, state in obligations:
            dfa = self.dfas[number]
            target = dfa.step(state, character)
            if target == DEAD:
                return None
            if not dfa.is_free(target):
                left.append((number, target))
        return frozenset(left)

    def may_end(self, state: Iterable[Thread]) -> bool:
        return any(
            not position and all(self.dfas[n].labels[s] != NO_LABEL for n, s in obligations)
            for position, obligations in state
        )


def _is_of_word(character: int) -> bool:
    return any(low <= character <= high for low, high in WORD)


def build_automaton(node: Expression, before: str = START) -> CharDfa:
    """Return the minimal automaton of the strings that a pattern matches from start to end.

    Args:
        before: what stands before a string.

    Raises:
        TooLargeError: it has too many states, or takes too many steps.
    """
    poll()
    positions = PatternPositions()
    begun = positions.build(node, END)
    if not positions.looks_around:
        return determinise(positions, begun, at_start=before == START)
    threads = _Threads(positions)
    behind = tuple([dfa.start for dfa in threads.behinds])
    begin = frozenset(threads.enter(begun, Before(before, threads.holding(behind))))
    own_starts, readers = positions.columns()
    dfas = [*threads.dfas, *threads.behinds]
    starts = merge_starts([own_starts, _WORD_STARTS, *(dfa.starts for dfa in dfas)])
    reading = {low: readers[bisect_right(own_starts, low) - 1] for low in starts}
    kinds = [
        (bits, _is_of_word(low), *(dfa.classes[bisect_right(dfa.starts, low) - 1] for dfa in dfas))
        for low, bits in reading.items()
    ]

    def step(state: _State, character: int) -> _State | None:
        return threads.advance(state, reading[character], character)

    def label(state: _State) -> int:
        return 0 if threads.may_end(state[0]) else NO_LABEL

    return explore(starts, (begin, behind), step, label, kinds)
