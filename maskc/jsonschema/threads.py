r"""What is still to be matched of a pattern with look-aheads and word boundaries?

States are sets of *threads*; a thread is what is still to be matched, as linked lists of syntax
nodes. A look-ahead adds a list of its own that must match, or must not, what follows. ``^``,
``$``, ``\b`` and ``\B`` are decided between the character before and the one after.

Example: after ``a`` of ``^ab|ac`` two threads wait, for ``b`` and for ``c``.
"""

from __future__ import annotations

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

# What is still to be matched: nodes as a linked list. A thread is a set of lists which must all
# match, and of sets of threads that must not.
Rest = tuple[Node, "Rest"] | None
Thread = tuple[frozenset[Rest], frozenset["State"]]
State = frozenset[Thread]
BEFORE, AFTER = -1, -2  # in the place of a character: the start and the end of the text


class Matcher:
    """Moves sets of threads by a character."""

    def ends(self, state: State, before: int) -> bool:
        """Return whether the text may end in a state."""
        return any(
            all(self._can_end(list_, before) for list_ in wanted)
            and not any(self.ends(unwanted_, before) for unwanted_ in unwanted)
            for wanted, unwanted in state
        )

    def _can_end(self, list_: Rest, before: int) -> bool:
        return any(
            not reached
            and all(self._can_end(w, before) for w in more)
            and not any(self.ends(u, before) for u in fewer)
            for reached, more, fewer in self._expand(list_, before, AFTER)
        )

    def advance(self, state: State, before: int, character: int) -> State:
        """Return the threads after a character."""
        found: set[Thread] = set()
        for wanted, unwanted in state:
            options: list[Thread] = [(frozenset(), frozenset())]
            for list_ in wanted:
                moved = self._advance(list_, before, character)
                options = [(w | more, u | fewer) for w, u in options for more, fewer in moved]
                options = list(dict.fromkeys(options))
            blocked = set()
            for threads in unwanted:
                after = self.advance(threads, before, character)
                if after:
                    blocked.add(after)
            for w, u in options:
                every = frozenset(list_ for list_ in w if not _is_anything(list_))
                if any(_always(threads) for threads in u | blocked):
                    continue
                found.add((every, u | blocked))
        if any(not w and not u for w, u in found):
            return frozenset([(frozenset(), frozenset())]) if found else frozenset()
        return frozenset(found)

    def _advance(self, list_: Rest, before: int, character: int) -> list[Thread]:
        """Return threads that stand for what is left of a list after a character."""
        found: list[Thread] = []
        for reached, more, fewer in self._expand(list_, before, character):
            if reached is None:
                continue
            options: list[Thread] = [(frozenset([reached[0]]), frozenset())]
            for w in more:
                moved = self._advance(w, before, character)
                options = [(a | c, b | d) for a, b in options for c, d in moved]
            blocked = set()
            for threads in fewer:
                after = self.advance(threads, before, character)
                if after:
                    blocked.add(after)
            found += [(w, u | frozenset(blocked)) for w, u in options]
        return found

    def _expand(
        self, list_: Rest, before: int, character: int
    ) -> list[tuple[tuple[Rest] | None, tuple[Rest, ...], tuple[State, ...]]]:
        """Return ways to the next character: the list after it, and what look-aheads demand.

        With ``AFTER`` as the character, ``None`` stands for reaching the end.
        """
        found: list[tuple[tuple[Rest] | None, tuple[Rest, ...], tuple[State, ...]]] = []
        open_: list[tuple[Rest, tuple[Rest, ...], tuple[State, ...]]] = [(list_, (), ())]
        seen = set(open_)

        def reach(
            place: tuple[Rest, tuple[Rest, ...], tuple[State, ...]],
        ) -> None:
            if place not in seen:
                seen.add(place)
                open_.append(place)

        while open_:
            here, more, fewer = open_.pop()
            if here is None:
                if character == AFTER:
                    found.append((None, more, fewer))
                continue
            node, rest = here
            match node:
                case Set(characters):
                    if character >= 0 and character in characters:
                        found.append(((rest,), more, fewer))
                case Sequence(parts):
                    after = rest
                    for part in reversed(parts):
                        after = (part, after)
                    reach((after, more, fewer))
                case Choice(parts):
                    for part in parts:
                        reach(((part, rest), more, fewer))
                case Repeat(body, least, most):
                    if least == 0:
                        reach((rest, more, fewer))
                    if most != 0:
                        again = Repeat(body, max(least - 1, 0), None if most is None else most - 1)
                        # A pass that reads nothing leads back here, where it is seen.
                        reach(((body, (again, rest)), more, fewer))
                case Assertion(kind):
                    if _holds(kind, before, character):
                        reach((rest, more, fewer))
                case Look(body, positive):
                    ahead: Rest = (body, (ANYTHING, None))
                    if positive:
                        reach((rest, (*more, ahead), fewer))
                    else:
                        thread: Thread = (frozenset([ahead]), frozenset())
                        reach((rest, more, (*fewer, frozenset([thread]))))
        return found


def _is_anything(list_: Rest) -> bool:
    return list_ is not None and list_[0] == ANYTHING and list_[1] is None


def _always(state: State) -> bool:
    return any(not wanted and not unwanted for wanted, unwanted in state)


def _holds(kind: str, before: int, character: int) -> bool:
    if kind == "^":
        return before == BEFORE
    if kind == "$":
        return character == AFTER
    boundary = (before in WORD) != (character in WORD)
    return boundary == (kind == "b")
