"""The machine of a general grammar: bytes move pairs of a scanner state and a set of stacks.

As :mod:`maskc.runtime.lalr.machine`, with a set of stacks in the place of a stack, and without
indentation. There may be as many hypotheses as a text has readings, but those with the same
scanner state are one hypothesis with the stacks of all of them, so there are never more than
scanner states.

Example: with ``A: /a+/`` and ``start: A+``, behind ``aaa`` there is one hypothesis, inside an A,
over the stacks for no A, one and two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from maskc.artifact.model import Contents
from maskc.ids import DEAD, EMPTY_TEXT, IGNORED
from maskc.runtime.cache.budget import Budget, Cache
from maskc.runtime.glr.gss import StackSet, StackSets
from maskc.runtime.glr.tables import GlrTables
from maskc.runtime.lalr.tables import FORKS, Tables

_CONTEXT = _STATE = 0  # the only ones


class GlrHypothesis:
    """Readings of the text so far that end in one scanner state.

    Attributes:
        state: scanner state.
        stacks: the parser's stacks.
    """

    __slots__ = ("stacks", "state")

    def __init__(self, state: int, stacks: StackSet) -> None:
        self.state = state
        self.stacks = stacks


GlrHypotheses = tuple[GlrHypothesis, ...]

_Places = dict[int, StackSet]  # scanner state → stacks


class GlrMachine:
    """Moves hypotheses. Shared by all matchers of an artifact, in whatever threads they run.

    Args:
        contents: the artifact.
        text_of: token id → its bytes, ``None`` if it writes no text.
        budget: where results are remembered.
    """

    def __init__(
        self, contents: Contents, text_of: Callable[[int], bytes | None], budget: Budget
    ) -> None:
        self.tables = Tables(contents)
        self.budget = budget
        self.parser = GlrTables(contents.arrays)
        self.sets = StackSets(self.parser, budget)
        self.closed: list[int] = contents.arrays["general_closed"].tolist()
        self._text_of = text_of
        # (scanner state, stacks, token) → hypotheses
        self._moves = Cache(budget)

    def start(self) -> GlrHypotheses:
        """Return the hypotheses before the first byte."""
        return (GlrHypothesis(self.tables.scanner_start, self.sets.start),)

    def step(self, hypotheses: GlrHypotheses, classes: bytes, text: bytes) -> GlrHypotheses:
        """Return the live hypotheses behind some bytes; empty if the text is illegal.

        Args:
            hypotheses: before the bytes.
            classes: the byte class of each byte.
            text: the bytes, which the classes say all about.
        """
        del text
        here = {h.state: h.stacks for h in hypotheses}
        return _sorted(self._keep_live(self._run(here, classes)))

    def take(self, hypotheses: GlrHypotheses, token_id: int) -> GlrHypotheses:
        """Return the live hypotheses behind a token; empty if it is illegal."""
        if len(hypotheses) == 1:
            return self._take(hypotheses[0], token_id)
        after: _Places = {}
        for h in hypotheses:
            for x in self._take(h, token_id):
                self._add(after, x.state, x.stacks)
        return _sorted(after)

    def _take(self, h: GlrHypothesis, token_id: int) -> GlrHypotheses:
        """Return what a token makes of one hypothesis; where it comes up again it is the same."""
        key = (h.state, h.stacks, token_id)
        found: GlrHypotheses | None = self._moves.get(key)
        if found is None:
            text = self._text_of(token_id)
            classes = text.translate(self.tables.classes) if text else b""
            moved = self._run({h.state: h.stacks}, classes) if classes else {}
            found = _sorted(self._keep_live(moved))
            self._moves.put(key, found)
        return found

    def is_complete(self, h: GlrHypothesis) -> bool:
        """Return whether the text may end here."""
        tables, sets = self.tables, self.sets
        if tables.end_of_text[h.state] == EMPTY_TEXT:
            return bool(sets.live(h.stacks) & tables.end_bit)
        for terminal, boundary in tables.ends(h.state):
            if self.closed[boundary]:
                ended = self.end(h.stacks, terminal)
                if ended is not None and sets.live(ended) & tables.end_bit:
                    return True
        return False

    def end(self, stacks: StackSet, terminal: int) -> StackSet | None:
        """Return the stacks when the open lexeme has become a terminal, or ``IGNORED``."""
        return stacks if terminal == IGNORED else self.sets.shift(stacks, terminal)

    def leads_on(self, final: int, stacks: StackSet) -> bool:
        """Return whether some text goes on from an open lexeme with this final, and ends."""
        direct, ignored, _, _ = self.tables.final(final)
        live = self.sets.live(stacks)
        return bool(direct & live) or any(
            self.tables.rest(boundary, _STATE) & live for boundary in ignored
        )

    def describe(self, h: GlrHypothesis) -> Hashable:
        """Return all that the future of a hypothesis depends on."""
        return (h.state, h.stacks)

    def _run(self, here: _Places, classes: bytes) -> _Places:
        """Return what the hypotheses become behind the bytes, live or not."""
        tables = self.tables
        for byte_class in classes:
            after: _Places = {}
            forked = False
            for state, stacks in here.items():
                move = tables.moves(state)[byte_class]
                if move > 0:
                    self._add(after, move, stacks)
                elif move != DEAD:
                    forked = True
                    if move == FORKS:
                        self._add(after, tables.next(state)[byte_class], stacks)
                    self._end(after, state, stacks, byte_class)
            # What is dead would fork on and on.
            here = self._keep_live(after) if forked else after
        return here

    def _end(self, after: _Places, state: int, stacks: StackSet, byte_class: int) -> None:
        """Add what follows if the open lexeme ends and the byte begins the next one."""
        for terminal, boundary in self.tables.ends(state):
            entered = self.tables.entry(boundary, _CONTEXT)[byte_class]
            if entered != DEAD:
                ended = self.end(stacks, terminal)
                if ended is not None:
                    self._add(after, entered, ended)

    def _add(self, places: _Places, state: int, stacks: StackSet) -> None:
        known = places.get(state)
        places[state] = stacks if known is None else self.sets.unite(known, stacks)

    def _keep_live(self, places: _Places) -> _Places:
        final_of = self.tables.final_of
        return {
            state: stacks
            for state, stacks in places.items()
            if self.leads_on(final_of[state], stacks)
        }


def _sorted(places: _Places) -> GlrHypotheses:
    return tuple(GlrHypothesis(state, places[state]) for state in sorted(places))
