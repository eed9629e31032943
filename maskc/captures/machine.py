"""The machine of an LALR grammar that also knows where symbols stand in the text.

A *reading* is a hypothesis of the artifact's own machine, with the extents of what is on its stack
and the spans that were completed. Masks are the artifact's; bytes are followed here one by one, as
:mod:`maskc.runtime.lalr.stepping` does, since a lexeme's end has to be seen where it is.

A span is *settled* if all readings of the text so far have it: then every text that goes on from
here has it, too.

Example: after ``[1, 2`` of json there is one reading, inside a lexeme that may become longer; the
terminal of ``1`` is settled, and that of ``2`` is when the byte after it has come.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import NamedTuple

from maskc.captures.symbols import Symbols
from maskc.captures.tracing import NOWHERE, Extents, Parse, Span, Spans, Tracer
from maskc.ids import (
    DEAD,
    EMPTY_TEXT,
    FORKS,
    IGNORED,
    NO_LINE,
    ScannerStateId,
    TerminalId,
)
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.lalr.hypothesis import Hypothesis
from maskc.runtime.lalr.machine import LalrMachine
from maskc.runtime.lalr.read_set import ReadSet
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses

# Returns the bytes of a text between two places.
Read = Callable[[int, int], bytes]


class Text:
    """The text so far. Never changes.

    A text and those that go on from it share one buffer, of which each is a beginning. Where two
    go on from the same text, the second one has a copy.

    Attributes:
        length: in bytes.
    """

    __slots__ = ("_buffer", "_lock", "length")

    def __init__(self, data: bytes = b"") -> None:
        self._buffer, self._lock = bytearray(data), Lock()
        self.length: int = len(data)

    def __add__(self, data: bytes) -> Text:
        """Return this text with some bytes after it."""
        after = Text.__new__(Text)
        after.length = self.length + len(data)
        with self._lock:
            if len(self._buffer) == self.length:
                self._buffer += data
                after._buffer, after._lock = self._buffer, self._lock
                return after
        after._buffer, after._lock = self._buffer[: self.length] + data, Lock()
        return after

    def between(self, start: int, end: int) -> bytes:
        """Return the bytes from one place on up to another one, both inside of the text."""
        return bytes(self._buffer[start:end])

    def whole(self) -> bytes:
        """Return its bytes."""
        return self.between(0, self.length)


class Place(NamedTuple):
    """A reading in the middle of some bytes.

    Attributes:
        state: scanner state.
        column: reached in the open lexeme.
        indents: columns of the open blocks.
        start: where the open lexeme begins.
        parse: of the lexemes before it.
    """

    state: ScannerStateId
    column: int
    indents: tuple[int, ...]
    start: int
    parse: Parse


class Reading:
    """One reading of the text so far. Never changes.

    Attributes:
        hypothesis: of the artifact's machine.
        place: where symbols stand.
        text: the text so far.
    """

    __slots__ = ("hypothesis", "place", "text")

    def __init__(self, place: Place, text: Text) -> None:
        self.hypothesis = Hypothesis(place.state, place.parse.stack, place.indents, place.column)
        self.place, self.text = place, text


Readings = tuple[Reading, ...]


class CapturingMachine:
    """A :class:`maskc.runtime.machine.Machine` that captures symbols.

    Args:
        artifact: whose machine is of an LALR grammar.
        machine: that one.
        symbols: what is captured.

    Attributes:
        tracer: follows the parser.
        pool, byte_groups: see the interface.
    """

    def __init__(self, artifact: Artifact, machine: LalrMachine, symbols: Symbols) -> None:
        self._machine, self._text_of = machine, artifact.token_bytes
        self._scanner, self._tables, self._lexemes = (
            machine.scanner,
            machine.tables,
            machine.lexemes,
        )
        self._newlines, self._counts = machine.newlines, machine.counts_columns
        self.tracer = Tracer(machine, symbols)
        self.pool, self.byte_groups = machine.pool, machine.byte_groups

    def start(self) -> Readings:
        """Return the reading before the first byte."""
        extents, text = Extents(NOWHERE, NOWHERE, None), Text()
        places = [
            Place(h.state, h.column, h.indents, 0, Parse(h.stack, extents, None))
            for h in self._machine.start()
        ]
        return tuple(Reading(place, text) for place in places)

    def step(self, readings: Readings, text: bytes) -> Readings:
        """Return the live readings after some bytes; none: the bytes are illegal there."""
        before = readings[0].text
        places = [reading.place for reading in readings]
        classes = text.translate(self._scanner.byte_classes)
        offset = 0
        while offset < len(text) and places:
            if len(places) == 1:
                places[0], offset = self._go_on(places[0], classes, text, offset)
                if offset == len(text):
                    break
            byte_class, byte, at = classes[offset], text[offset], before.length + offset
            places = [x for place in places for x in self._advance(place, byte_class, byte, at)]
            if len(places) > MANY_HYPOTHESES:
                places = self._keep_live(places)
            offset += 1
        if not places:
            return ()
        after = before + text
        return tuple(Reading(place, after) for place in self._keep_live(places))

    def take(self, readings: Readings, token_id: int) -> Readings:
        """Return the live readings after a token; none: it is illegal."""
        text = self._text_of(token_id)
        return self.step(readings, text) if text else ()

    def may_end(self, reading: Reading) -> bool:
        """Return whether the text may end here."""
        return self._machine.may_end(reading.hypothesis)

    def mask(self, reading: Reading) -> PooledMask:
        """Return the legal tokens."""
        return self._machine.mask(reading.hypothesis)

    def mask_numbers(self, batch: Iterable[Readings]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return self._machine.mask_numbers(
            tuple(reading.hypothesis for reading in readings) for readings in batch
        )

    def describe(self, reading: Reading) -> Hashable:
        """Return all that the future depends on; what was captured is not among it."""
        return self._machine.describe(reading.hypothesis)

    def identify(self, reading: Reading) -> Hashable:
        """Return a key of a reading, without what was captured."""
        return self._machine.identify(reading.hypothesis)

    def settled(self, readings: Readings) -> list[Span]:
        """Return the spans that every text that goes on has, in the order of their completion."""
        return _common([self.tracer.settle(r.place.parse).spans for r in readings])

    def finished(self, readings: Readings) -> list[Span]:
        """Return the spans of a text that ends here."""
        return _common([self._finish(r).spans for r in readings if self.may_end(r)])

    def _finish(self, reading: Reading) -> Parse:
        """Return the parse of a text that may end, with the DEDENTs that the end brings."""
        place, parse, indents = reading.place, reading.place.parse, reading.place.indents
        terminal = self._scanner.end_of_text[place.state]
        if terminal != EMPTY_TEXT:
            ended = self.end_lexeme(place, terminal, reading.text.length)
            if ended is not None:
                parse, indents = ended
        layout = self._tables.layout
        for _ in indents[1:]:
            after = self.tracer.shift(parse, layout.dedent, NOWHERE, NOWHERE) if layout else None
            parse = after or parse
        return self.tracer.finish(parse)

    def _keep_live(self, places: list[Place]) -> list[Place]:
        live = [
            place
            for place in places
            if self._lexemes.is_live(
                Hypothesis(place.state, place.parse.stack, place.indents, place.column),
                ReadSet(place.parse.stack.depth),
            )
        ]
        check_hypotheses(len(live))
        return live

    def _go_on(self, place: Place, classes: bytes, text: bytes, offset: int) -> tuple[Place, int]:
        """Return a reading after the bytes that only its open lexeme takes, and how far they go."""
        state, column, indents, start, parse = place
        moves, counts = self._scanner.moves, self._counts
        first = offset
        while offset < len(classes):
            move = moves(state)[classes[offset]]
            if move <= 0:
                break
            state = move
            if counts[state]:
                column = self._next_column(column, text[offset], state, parse)
            offset += 1
        if offset == first:
            return place, offset
        return Place(state, column, indents, start, parse), offset

    def _advance(self, place: Place, byte_class: int, byte: int, at: int) -> list[Place]:
        """Return what one reading becomes after the byte at a place of the text."""
        state, column, indents, start, parse = place
        move = self._scanner.moves(state)[byte_class]
        if move == DEAD:
            return []
        if move > 0:
            column = self._next_column(column, byte, move, parse)
            return [Place(move, column, indents, start, parse)]
        after: list[Place] = []
        if move == FORKS:
            state = self._scanner.next(state)[byte_class]
            column = self._next_column(column, byte, state, parse)
            after.append(Place(state, column, indents, start, parse))
        for terminal, boundary in self._scanner.ends(place.state):
            ended = self.end_lexeme(place, terminal, at)
            if ended is None:
                continue
            parse, indents = ended
            context = self._tables.context[parse.stack.state]
            entered = self._scanner.entry(boundary, context)[byte_class]
            if entered != DEAD:
                column = self._next_column(NO_LINE, byte, entered, parse)
                after.append(Place(entered, column, indents, at, parse))
        return after

    def _next_column(self, column: int, byte: int, state: ScannerStateId, parse: Parse) -> int:
        """Return the column after a byte of a lexeme that is then in a scanner state."""
        # Columns count in newlines that end a line, so not between brackets.
        if not self._counts[state] or self._tables.enclosed[parse.stack.state]:
            return column
        return column if self._newlines is None else self._newlines.next_column(column, byte)

    def end_lexeme(
        self, place: Place, terminal: TerminalId, at: int
    ) -> tuple[Parse, tuple[int, ...]] | None:
        """Return what is left when the open lexeme has ended, ``None`` if the parser refuses it."""
        parse, indents = place.parse, place.indents
        if terminal == IGNORED:
            return parse, indents
        layout, enclosed = self._tables.layout, self._tables.enclosed[parse.stack.state]
        if layout is None or terminal != layout.newline:
            after = self.tracer.shift(parse, terminal, place.start, at)
            return None if after is None else (after, indents)
        reads = ReadSet(parse.stack.depth)
        ended = self._lexemes.end(parse.stack, indents, terminal, place.column, reads)
        if ended is None or enclosed:
            return None if ended is None else (parse, indents)
        _, blocks = ended
        after = self.tracer.shift(parse, terminal, place.start, at)
        change = len(blocks) - len(indents)
        added = layout.indent if change > 0 else layout.dedent
        for _ in range(abs(change)):
            if after is not None:
                after = self.tracer.shift(after, added, NOWHERE, NOWHERE)
        return None if after is None else (after, blocks)


def _common(found: list[Spans]) -> list[Span]:
    """Return the spans that are in all of some linked lists, oldest first."""
    first, *others = [_unlink(spans) for spans in found] or [[]]
    for other in others:
        known = set(other)
        first = [span for span in first if span in known]
    return first


def _unlink(spans: Spans) -> list[Span]:
    found: list[Span] = []
    while spans is not None:
        span, spans = spans
        found.append(span)
    return found[::-1]


def reader_of(before: Text, added: bytes) -> Read:
    """Return what reads a text with some bytes after it."""

    def read(start: int, end: int) -> bytes:
        if end <= before.length:
            return before.between(start, end)
        late = max(start - before.length, 0)
        return before.between(start, before.length) + added[late : end - before.length]

    return read
