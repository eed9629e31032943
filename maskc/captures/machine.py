"""The machine of an LALR grammar that also knows where symbols stand in the text.

Beside each hypothesis of the artifact's own machine are the extents of what is on its stack and the
spans that were completed. Masks are the artifact's; bytes are followed one by one, since a lexeme's
end has to be seen where it is.

A span is *settled* if all readings of the text so far have it: then every text that goes on from
here has it, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Any, NamedTuple

from maskc.captures.tracing import NOWHERE, Extents, Parse, Span, Spans, Symbols, Tracer
from maskc.ids import EMPTY_TEXT, IGNORED, TerminalId
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes import SideMachine, with_side
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Hypotheses, Hypothesis, ReadSet, Stack
from maskc.runtime.lalr.stepping import Read, Step, Stepper
from maskc.runtime.pool import PooledMask


class CapturedText:
    """The text so far. Never changes.

    A text and those that go on from it share one buffer, of which each is a beginning. Where two
    go on from the same text, the second one has a copy.
    """

    __slots__ = ("_buffer", "_lock", "length")

    def __init__(self, data: bytes = b"") -> None:
        self._buffer, self._lock = bytearray(data), Lock()
        self.length: int = len(data)  # in bytes

    def __add__(self, data: bytes) -> CapturedText:
        after = CapturedText.__new__(CapturedText)
        after.length = self.length + len(data)
        with self._lock:
            if len(self._buffer) == self.length:
                self._buffer += data
                after._buffer, after._lock = self._buffer, self._lock
                return after
        after._buffer, after._lock = self._buffer[: self.length] + data, Lock()
        return after

    def between(self, start: int, end: int) -> bytes:
        """Return the bytes from one index to another, both inside of the text."""
        return bytes(self._buffer[start:end])

    def whole(self) -> bytes:
        return self.between(0, self.length)


class Traced(NamedTuple):
    """The side state of a hypothesis whose symbols are followed."""

    start: int  # the text index at which the open lexeme begins
    parse: Parse  # of the lexemes before it; its stack is the hypothesis's
    text: CapturedText  # before the bytes that are followed just now


class TracingStepper(Stepper):
    """Moves hypotheses by bytes, and follows the parser reduction by reduction."""

    def __init__(self, machine: LalrMachine, symbols: Symbols, *, follows_bytes: bool) -> None:
        super().__init__(machine, follows_bytes=follows_bytes)
        self.tracer = Tracer(machine, symbols)

    def end(
        self, h: Hypothesis, terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], Any] | None:
        ended = self.end_lexeme(h, terminal, step.at)
        if ended is None:
            return None
        parse, indents = ended
        return parse.stack, indents, h.side._replace(start=step.at, parse=parse)

    def end_lexeme(
        self, h: Hypothesis, terminal: TerminalId, at: int
    ) -> tuple[Parse, tuple[int, ...]] | None:
        """Return the parse and the open blocks when the open lexeme has ended at a text index.

        ``None`` if the parser refuses it.
        """
        parse, start, indents = h.side.parse, h.side.start, h.indents
        if terminal == IGNORED:
            return parse, indents
        layout, enclosed = self._tables.layout, self._tables.enclosed[parse.stack.state]
        if layout is None or terminal != layout.newline:
            after = self.tracer.shift(parse, terminal, start, at)
            return None if after is None else (after, indents)
        reads = ReadSet(parse.stack.depth)
        ended = self._lexemes.end(parse.stack, indents, terminal, h.column, reads)
        if ended is None or enclosed:
            return None if ended is None else (parse, indents)
        _, blocks = ended
        after = self.tracer.shift(parse, terminal, start, at)
        change = len(blocks) - len(indents)
        added = layout.indent if change > 0 else layout.dedent
        for _ in range(abs(change)):
            if after is not None:
                after = self.tracer.shift(after, added, NOWHERE, NOWHERE)
        return None if after is None else (after, blocks)

    def finish(self, h: Hypothesis) -> Parse:
        """Return the parse of a text that may end, with the DEDENTs that the end brings."""
        parse, indents = h.side.parse, h.indents
        terminal = self.scanner.end_of_text[h.state]
        if terminal != EMPTY_TEXT:
            ended = self.end_lexeme(h, terminal, h.side.text.length)
            if ended is not None:
                parse, indents = ended
        layout = self._tables.layout
        for _ in indents[1:]:
            after = self.tracer.shift(parse, layout.dedent, NOWHERE, NOWHERE) if layout else None
            parse = after or parse
        return self.tracer.finish(parse)


class TracingMachine(SideMachine):
    """A :class:`maskc.runtime.machine.Machine` that knows where symbols stand."""

    stepper: TracingStepper

    def step(self, hypotheses: Hypotheses, text: bytes) -> Hypotheses:
        before: CapturedText = hypotheses[0].side.text
        step = Step(ReadSet(0), before.length, reader_of(before, text))
        found = self.stepper.step(hypotheses, text, step)
        after = before + text if found else before
        return tuple(with_side(h, h.side._replace(text=after)) for h in found)

    def settled(self, hypotheses: Hypotheses) -> list[Span]:
        """Return the spans that every text that goes on has, in the order of their completion."""
        settle = self.stepper.tracer.settle
        return _common([settle(h.side.parse).spans for h in hypotheses])

    def finished(self, hypotheses: Hypotheses) -> list[Span]:
        """Return the spans of a text that ends here."""
        ending = (h for h in hypotheses if self.may_end(h))
        return _common([self.stepper.finish(h).spans for h in ending])


class CapturingMachine(TracingMachine):
    """A machine that captures symbols; all else is the artifact's."""

    def __init__(self, artifact: Artifact, machine: LalrMachine, symbols: Symbols) -> None:
        stepper = TracingStepper(machine, symbols, follows_bytes=False)
        super().__init__(machine, stepper, artifact.token_bytes, machine.byte_groups)

    def mask_numbers(self, batch: Iterable[Hypotheses]) -> list[int]:
        return self.machine.mask_numbers(batch)

    def describe(self, h: Hypothesis) -> Hashable:
        """Return the artifact's own description: texts go on alike."""
        return self.machine.describe(h)

    def begin(self, h: Hypothesis) -> Traced:
        return Traced(0, parse_of_nothing(h), CapturedText())

    def mask(self, h: Hypothesis) -> PooledMask:
        return self.machine.mask(h)

    def side_of(self, h: Hypothesis) -> Hashable:  # noqa: ARG002
        """Return nothing: what was captured decides nothing."""
        return None


def parse_of_nothing(h: Hypothesis) -> Parse:
    return Parse(h.stack, Extents(NOWHERE, NOWHERE, None), None)


def _common(found: list[Spans]) -> list[Span]:
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


def reader_of(before: CapturedText, added: bytes) -> Read:
    def read(start: int, end: int) -> bytes:
        if end <= before.length:
            return before.between(start, end)
        late = max(start - before.length, 0)
        return before.between(start, before.length) + added[late : end - before.length]

    return read
