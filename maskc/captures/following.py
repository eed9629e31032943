"""The machine of an artifact whose holes take words that depend on what was written.

A reading is one of :mod:`maskc.captures.machine`, with the scope in which its open lexeme began and
the track of that lexeme. Where a lexeme begins that may become a hole's, the scope is that of the
captured symbols that end before it, as Lark's parse of any text that goes on has them.

Example: of ``import json; json.lo`` the open lexeme began in the scope of a text with one module,
``json``, and its track is that of ``lo`` among the attributes of json.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from maskc.captures.machine import (
    CapturingMachine,
    Place,
    Read,
    Reading,
    Readings,
    Text,
    reader_of,
)
from maskc.captures.scopes import Completed, Scope, Scopes
from maskc.captures.symbols import Symbols
from maskc.captures.tracing import NOWHERE, Extents, Parse, Spans
from maskc.ids import DEAD, ENDS, FORKS, NO_LINE
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.effort import one_mask, spend
from maskc.runtime.holes.stepping import Reading as Narrowed
from maskc.runtime.holes.tracks import BEGINNING, OUTSIDE
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.machine import EVERY_BYTE, MANY_HYPOTHESES, check_hypotheses

_REMEDY = "return fewer or shorter words, or load the artifact with more steps"
_MOST_COMPLETED = 10_000  # spans whose symbols are remembered


class Spot(NamedTuple):
    """A reading in the middle of some bytes.

    Attributes:
        place: of the capturing machine.
        scope: in which the open lexeme began.
        track: of the open lexeme.
    """

    place: Place
    scope: Scope
    track: int

    def narrowed(self) -> Narrowed:
        """Return the reading as the scope's own machine has it."""
        state, column, indents, _, parse = self.place
        return Narrowed(Hypothesis(state, parse.stack, indents, column), self.track)


class Following(Reading):
    """One reading of the text so far. Never changes.

    Attributes:
        spot: where it stands, in which scope.
        place, hypothesis, text: see the base class.
    """

    __slots__ = ("spot",)

    def __init__(self, spot: Spot, text: Text) -> None:
        super().__init__(spot.place, text)
        self.spot = spot


Followings = tuple[Following, ...]


class FollowingMachine(CapturingMachine):
    """A :class:`maskc.runtime.machine.Machine` whose holes follow the text.

    Args:
        artifact: whose machine is of an LALR grammar.
        machine: that one.
        symbols: what is captured.
        scopes: the words of the holes.
    """

    def __init__(
        self, artifact: Artifact, machine: LalrMachine, symbols: Symbols, scopes: Scopes
    ) -> None:
        from maskc.captures.following_masks import FollowingMasks

        super().__init__(artifact, machine, symbols)
        self.scopes, self._shift = scopes, machine.effects.shift
        self._context = machine.tables.context
        self._inside = scopes.first.machine.tracks.inside
        self._may_leave = scopes.first.machine.stepper.may_leave
        self._holes = scopes.first.machine.tracks.terminals
        self.byte_groups = EVERY_BYTE
        self._completed: dict[int, tuple[Spans, Completed]] = {}
        self._masks = FollowingMasks(self, artifact, machine)

    def start(self) -> Followings:
        """Return the reading before the first byte."""
        extents = Extents(NOWHERE, NOWHERE, None)
        return tuple(
            Following(
                Spot(
                    Place(h.state, h.column, h.indents, 0, Parse(h.stack, extents, None)),
                    self.scopes.first,
                    BEGINNING,
                ),
                Text(),
            )
            for h in self._machine.start()
        )

    def step(self, readings: Readings, text: bytes) -> Followings:
        """Return the live readings after some bytes; none: the bytes are illegal there.

        Raises:
            LimitError: there are too many, or too much is looked at for them.
        """
        with one_mask(self.pool.steps, _REMEDY):
            return self._step(readings, text)

    def _step(self, readings: Readings, text: bytes) -> Followings:
        before = readings[0].text
        read = reader_of(before, text)
        spots = [self.spot_of(reading) for reading in readings]
        classes = text.translate(self._scanner.byte_classes)
        for offset, (byte_class, byte) in enumerate(zip(classes, text, strict=True)):
            at = before.length + offset
            spend(len(spots))
            spots = [
                x for spot in spots for x in self._advance_spot(spot, byte_class, byte, at, read)
            ]
            if len(spots) > MANY_HYPOTHESES:
                spots = self._keep_live_spots(spots)
        after = before + text
        return tuple(Following(spot, after) for spot in self._keep_live_spots(spots))

    def may_end(self, reading: Reading) -> bool:
        """Return whether the text may end here."""
        spot = self.spot_of(reading)
        stepper = spot.scope.machine.stepper
        return stepper.may_end(spot.narrowed(), ReadSet(0))

    def mask(self, reading: Reading) -> PooledMask:
        """Return the legal tokens."""
        return self._masks.of(reading)

    def mask_numbers(self, batch: Iterable[Readings]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return [self.pool.unite(map(self.mask, readings)).number for readings in batch]

    def describe(self, reading: Reading) -> Hashable:
        """Return all that the future depends on: which words there will be, the whole text says."""
        return (self._machine.describe(reading.hypothesis), reading.text.whole())

    def identify(self, reading: Reading) -> Hashable:
        """Return a key of a reading: its text is among it."""
        return (self._machine.identify(reading.hypothesis), reading.text.whole())

    def spans_before(self, parse: Parse, reads: ReadSet) -> tuple[Spans, ...]:
        """Return for each hole the symbols that are complete before a lexeme that becomes it."""
        found = []
        for terminal in self._holes:
            taken = self._shift(parse.stack, terminal, reads) is not None
            found.append(self.tracer.reduce_before(parse, terminal).spans if taken else parse.spans)
        return tuple(found)

    def spot_of(self, reading: Reading) -> Spot:
        """Return where a reading of this machine stands.

        Raises:
            TypeError: it is of another machine.
        """
        if not isinstance(reading, Following):
            raise TypeError("a reading is of the machine that it is given to")
        return reading.spot

    def scope_before(self, parse: Parse, read: Read) -> Scope:
        """Return the scope of a lexeme that begins now.

        Args:
            parse: of the lexemes before it.
            read: of the text, as far as symbols may be complete in it.
        """
        words = []
        before = self.spans_before(parse, ReadSet(parse.stack.depth))
        for number, spans in enumerate(before):
            words.append(self.scopes.answer(self.completed(spans, read))[number])
        return self.scopes.of(tuple(words))

    def completed(self, spans: Spans, read: Read) -> Completed:
        """Return the names and texts of symbols that are complete."""
        new: list[Spans] = []
        found = self.scopes.nothing
        while spans is not None:
            known = self._completed.get(id(spans))
            if known is not None and known[0] is spans:
                found = known[1]
                break
            new.append(spans)
            spans = spans[1]
        for spans in reversed(new):
            name, start, end = spans[0]
            found = self.scopes.complete(found, name, read(start, end).decode(errors="replace"))
            if len(self._completed) >= _MOST_COMPLETED:
                self._completed = {}
            self._completed[id(spans)] = (spans, found)
        return found

    def _keep_live_spots(self, spots: list[Spot]) -> list[Spot]:
        live = [spot for spot in spots if self._is_live(spot)]
        check_hypotheses(len(live))
        return live

    def _is_live(self, spot: Spot) -> bool:
        stepper = spot.scope.machine.stepper
        return stepper.is_live(spot.narrowed(), ReadSet(spot.place.parse.stack.depth))

    def _advance_spot(
        self, spot: Spot, byte_class: int, byte: int, at: int, read: Read
    ) -> list[Spot]:
        """Return what one reading becomes after the byte at a place of the text."""
        place, scope, track = spot
        scanner, tracks = self._scanner, scope.machine.tracks
        move = scanner.moves(place.state)[byte_class]
        if move == DEAD:
            return []
        after: list[Spot] = []
        if move != ENDS:
            state = scanner.next(place.state)[byte_class] if move == FORKS else move
            moved = tracks.step(track, byte, state)
            if moved or self._may_leave[state]:
                column = self._next_column(place.column, byte, state, place.parse)
                going = Place(state, column, place.indents, place.start, place.parse)
                after.append(Spot(going, scope, moved))
            if move != FORKS:
                return after
        for terminal, boundary in scanner.ends(place.state):
            if not tracks.allows(track, terminal):
                continue
            ended = self.end_lexeme(place, terminal, at)
            if ended is None:
                continue
            parse, indents = ended
            entered = scanner.entry(boundary, self._context[parse.stack.state])[byte_class]
            if entered == DEAD:
                continue
            begun, moved = scope, OUTSIDE
            if self._inside[entered]:
                begun = self.scope_before(parse, read)
                moved = begun.machine.tracks.step(BEGINNING, byte, entered)
            if moved or self._may_leave[entered]:
                column = self._next_column(NO_LINE, byte, entered, parse)
                after.append(Spot(Place(entered, column, indents, at, parse), begun, moved))
        return after
