r"""What is still to be matched of a pattern with look-aheads and word boundaries?

States are sets of *threads*; a thread is what is still to be matched, as linked lists of syntax
nodes, which are known by number. A look-ahead adds a list of its own that must match, or must not,
what follows. ``^``, ``$``, ``\b`` and ``\B`` are decided between the character before and the one
after.

Example: after ``a`` of ``^ab|ac`` two threads wait, for ``b`` and for ``c``.

Limits: ``MAX_MOVES`` threads are moved, of one no more than ``MAX_AT_ONCE`` are made, and
``MAX_PLACES`` ways to the next character are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequence_

from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.syntax import (
    ANYTHING,
    WORD,
    Assertion,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
)

MAX_MOVES = 400_000
MAX_PLACES = 50_000  # from one list
MAX_AT_ONCE = 20_000  # threads that look-aheads make of one
# What is still to be matched: nodes as a linked list, by number; 0 has none. A thread is a set of
# lists which must all match, and of sets of threads that must not.
Rest = int
Thread = tuple[frozenset[Rest], frozenset["State"]]
State = frozenset[Thread]
_FEW = 64  # threads that are compared with each other
BEFORE, AFTER = -1, -2  # in the place of a character: the start and the end of the text


# A list, and the look-aheads on the way to it: what must match what follows, and what must not.
_Place = tuple[Rest, frozenset[Rest], frozenset[Rest]]
_Way = tuple[Rest | None, frozenset[Rest], frozenset[Rest]]


class Matcher:
    """Moves sets of threads by a character."""

    def __init__(self) -> None:
        self._cells: list[tuple[Node, Rest]] = [(ANYTHING, 0)]
        self._number: dict[tuple[int, Rest], Rest] = {}
        self._same: dict[Node, Node] = {}
        self._again: dict[int, Node] = {}
        self._moved: dict[tuple[Rest, int, int], list[Thread]] = {}
        self._n_moves = 0
        self._anything = self.list_of([ANYTHING])

    def list_of(self, nodes: Sequence_[Node], rest: Rest = 0) -> Rest:
        """Return the list of some nodes, before what another one has."""
        for node in reversed(nodes):
            # Hashing a node takes as long as it is large, so that is done once.
            key = (id(node), rest)
            found = self._number.get(key)
            if found is None:
                same = self._same.setdefault(node, node)
                found = self._number.get((id(same), rest))
                if found is None:
                    found = len(self._cells)
                    self._cells.append((same, rest))
                    self._number[id(same), rest] = found
            rest = found
        return rest

    def ends(self, state: State, before: int) -> bool:
        """Return whether the text may end in a state."""
        return any(
            all(self._can_end(list_, before) for list_ in wanted)
            and not any(self.ends(unwanted_, before) for unwanted_ in unwanted)
            for wanted, unwanted in state
        )

    def _can_end(self, list_: Rest, before: int) -> bool:
        return any(
            reached is None
            and all(self._can_end(w, before) for w in more)
            and not any(self._can_end(u, before) for u in fewer)
            for reached, more, fewer in self._expand(list_, before, AFTER)
        )

    def advance(self, state: State, before: int, character: int) -> State:
        """Return the threads after a character."""
        found: set[Thread] = set()
        self._n_moves += len(state)
        if self._n_moves > MAX_MOVES:
            raise TooLargeError
        for wanted, unwanted in state:
            options: list[Thread] = [(frozenset(), frozenset())]
            for list_ in wanted:
                moved = self._advance(list_, before, character)
                options = _combine(options, moved)
            blocked = set()
            for threads in unwanted:
                after = self.advance(threads, before, character)
                if after:
                    blocked.add(after)
            for w, u in options:
                every = w - {self._anything}
                if any(_always(threads) for threads in u | blocked):
                    continue
                found.add((every, u | blocked))
        return _weakest(found)

    def _advance(self, list_: Rest, before: int, character: int) -> list[Thread]:
        key = (list_, before, character)
        known = self._moved.get(key)
        if known is None:
            known = self._moved[key] = self._find_moved(list_, before, character)
        return known

    def _find_moved(self, list_: Rest, before: int, character: int) -> list[Thread]:
        found: list[Thread] = []
        for reached, more, fewer in self._expand(list_, before, character):
            if reached is None:
                continue
            options: list[Thread] = [(frozenset([reached]), frozenset())]
            for w in sorted(more):
                moved = self._advance(w, before, character)
                options = _combine(options, moved)
            blocked = set()
            for list_ in sorted(fewer):
                unwanted: State = frozenset([(frozenset([list_]), frozenset())])
                after = self.advance(unwanted, before, character)
                if after:
                    blocked.add(after)
            found += [(w, u | frozenset(blocked)) for w, u in options]
        return found

    def _expand(self, list_: Rest, before: int, character: int) -> list[_Way]:
        """Return ways to the next character: the list after it, and what look-aheads demand.

        With ``AFTER`` as the character, ``None`` stands for reaching the end.
        """
        found: list[_Way] = []
        open_: list[_Place] = [(list_, frozenset(), frozenset())]
        seen = set(open_)

        def reach(place: _Place) -> None:
            if place not in seen:
                if len(seen) > MAX_PLACES:
                    raise TooLargeError
                seen.add(place)
                open_.append(place)

        while open_:
            here, more, fewer = open_.pop()
            if not here:
                if character == AFTER:
                    found.append((None, more, fewer))
                continue
            node, rest = self._cells[here]
            match node:
                case Set(characters):
                    if character >= 0 and character in characters:
                        found.append((rest, more, fewer))
                case Sequence(parts):
                    reach((self.list_of(parts, rest), more, fewer))
                case Choice(parts):
                    for part in parts:
                        reach((self.list_of((part,), rest), more, fewer))
                case Repeat(body, least, most):
                    if least == 0:
                        reach((rest, more, fewer))
                    if most != 0:
                        # A pass that reads nothing leads back here, where it is seen: the
                        # look-aheads in it are the same ones as of the pass before.
                        again = self._repeat(node, body, least, most)
                        reach((self.list_of((body, again), rest), more, fewer))
                case Assertion(kind):
                    if _holds(kind, before, character):
                        reach((rest, more, fewer))
                case Look(body, positive):
                    ahead = self.list_of((body, ANYTHING))
                    if positive:
                        reach((rest, more | {ahead}, fewer))
                    else:
                        reach((rest, more, fewer | {ahead}))
        return found

    def _repeat(self, node: Node, body: Node, least: int, most: int | None) -> Node:
        found = self._again.get(id(node))
        if found is None:
            again = Repeat(body, max(least - 1, 0), None if most is None else most - 1)
            found = self._again[id(node)] = self._same.setdefault(again, again)
        return found


def _combine(options: list[Thread], moved: list[Thread]) -> list[Thread]:
    if len(options) * len(moved) > MAX_AT_ONCE:
        raise TooLargeError
    return list(dict.fromkeys((a | c, b | d) for a, b in options for c, d in moved))


def _weakest(threads: set[Thread]) -> State:
    """Return threads without those that ask for more than another one does."""
    if any(not w and not u for w, u in threads):
        return frozenset([(frozenset(), frozenset())])
    if not 1 < len(threads) <= _FEW:
        return frozenset(threads)
    return frozenset(
        (w, u)
        for w, u in threads
        if not any(a <= w and b <= u and (a, b) != (w, u) for a, b in threads)
    )


def _always(state: State) -> bool:
    return any(not wanted and not unwanted for wanted, unwanted in state)


def _holds(kind: str, before: int, character: int) -> bool:
    if kind == "^":
        return before == BEFORE
    if kind == "$":
        return character == AFTER
    boundary = (before in WORD) != (character in WORD)
    return boundary == (kind == "b")
