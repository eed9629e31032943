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
from typing import Generic, TypeVar

from maskc.captures.tracing import NOWHERE, Extents, Parse, Span, Spans, Symbols, Tracer
from maskc.ids import EMPTY_TEXT, IGNORED, ScannerStateId, TerminalId
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes.side import Read, SideHypothesis, SideMachine, SideStepper, Step
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, Stack
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


class Traced:
    """What is known of symbols beside a hypothesis. Never changes.

    Attributes:
        start: the text index at which the open lexeme begins.
        parse: of the lexemes before it; its stack is the hypothesis's.
    """

    __slots__ = ("parse", "start")

    def __init__(self, start: int, parse: Parse) -> None:
        self.start, self.parse = start, parse


T = TypeVar("T", bound=Traced)


class Captured(SideHypothesis[T]):
    """One reading of the text so far. Never changes."""

    __slots__ = ("text",)

    def __init__(self, hypothesis: Hypothesis, side: T, text: CapturedText) -> None:
        super().__init__(hypothesis, side)
        self.text = text


class TracingStepper(SideStepper[T]):
    """Moves hypotheses by bytes, and follows the parser reduction by reduction."""

    def __init__(self, machine: LalrMachine, symbols: Symbols) -> None:
        super().__init__(machine)
        self.tracer = Tracer(machine, symbols)

    def end_lexeme(
        self, h: Hypothesis, side: Traced, terminal: TerminalId, at: int
    ) -> tuple[Parse, tuple[int, ...]] | None:
        """Return the parse and the open blocks when the open lexeme has ended at a text index.

        ``None`` if the parser refuses it.
        """
        parse, indents = side.parse, h.indents
        if terminal == IGNORED:
            return parse, indents
        layout, enclosed = self._tables.layout, self._tables.enclosed[parse.stack.state]
        if layout is None or terminal != layout.newline:
            after = self.tracer.shift(parse, terminal, side.start, at)
            return None if after is None else (after, indents)
        reads = ReadSet(parse.stack.depth)
        ended = self._lexemes.end(parse.stack, indents, terminal, h.column, reads)
        if ended is None or enclosed:
            return None if ended is None else (parse, indents)
        _, blocks = ended
        after = self.tracer.shift(parse, terminal, side.start, at)
        change = len(blocks) - len(indents)
        added = layout.indent if change > 0 else layout.dedent
        for _ in range(abs(change)):
            if after is not None:
                after = self.tracer.shift(after, added, NOWHERE, NOWHERE)
        return None if after is None else (after, blocks)

    def finish(self, known: Captured[T]) -> Parse:
        """Return the parse of a text that may end, with the DEDENTs that the end brings."""
        h, parse, indents = known.hypothesis, known.side.parse, known.hypothesis.indents
        terminal = self.scanner.end_of_text[h.state]
        if terminal != EMPTY_TEXT:
            ended = self.end_lexeme(h, known.side, terminal, known.text.length)
            if ended is not None:
                parse, indents = ended
        layout = self._tables.layout
        for _ in indents[1:]:
            after = self.tracer.shift(parse, layout.dedent, NOWHERE, NOWHERE) if layout else None
            parse = after or parse
        return self.tracer.finish(parse)


class CapturingStepper(TracingStepper[Traced]):
    """Moves hypotheses whose text is only looked at."""

    follows_bytes = False

    def go_on(self, side: Traced, byte: int, state: ScannerStateId) -> Traced:  # noqa: ARG002
        return side

    def end(
        self, known: SideHypothesis[Traced], terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], Traced] | None:
        ended = self.end_lexeme(known.hypothesis, known.side, terminal, step.at)
        if ended is None:
            return None
        parse, indents = ended
        return parse.stack, indents, Traced(step.at, parse)

    def begin(self, side: Traced, byte: int, state: ScannerStateId, step: Step) -> Traced:  # noqa: ARG002
        return side


class TracingMachine(SideMachine[T], Generic[T]):
    """A :class:`maskc.runtime.machine.Machine` that knows where symbols stand."""

    stepper: TracingStepper[T]

    def start(self) -> tuple[Captured[T], ...]:
        text = CapturedText()
        return tuple(Captured(h, self.begin(h), text) for h in self.machine.start())

    def step(
        self, hypotheses: tuple[SideHypothesis[T], ...], text: bytes
    ) -> tuple[Captured[T], ...]:
        before = text_of(hypotheses[0])
        step = Step(ReadSet(0), before.length, reader_of(before, text))
        found = self.stepper.step(hypotheses, text, step)
        after = before + text if found else before
        return tuple(Captured(known.hypothesis, known.side, after) for known in found)

    def settled(self, hypotheses: tuple[Captured[T], ...]) -> list[Span]:
        """Return the spans that every text that goes on has, in the order of their completion."""
        settle = self.stepper.tracer.settle
        return _common([settle(known.side.parse).spans for known in hypotheses])

    def finished(self, hypotheses: tuple[Captured[T], ...]) -> list[Span]:
        """Return the spans of a text that ends here."""
        ending = (known for known in hypotheses if self.may_end(known))
        return _common([self.stepper.finish(known).spans for known in ending])


class CapturingMachine(TracingMachine[Traced]):
    """A machine that captures symbols; all else is the artifact's."""

    def __init__(self, artifact: Artifact, machine: LalrMachine, symbols: Symbols) -> None:
        stepper = CapturingStepper(machine, symbols)
        super().__init__(machine, stepper, artifact.token_bytes, machine.byte_groups)

    def begin(self, h: Hypothesis) -> Traced:
        return Traced(0, parse_of_nothing(h))

    def mask(self, known: SideHypothesis[Traced]) -> PooledMask:
        return self.machine.mask(known.hypothesis)

    def mask_numbers(self, batch: Iterable[tuple[SideHypothesis[Traced], ...]]) -> list[int]:
        return self.machine.mask_numbers(tuple(x.hypothesis for x in known) for known in batch)

    def side_of(self, known: SideHypothesis[Traced]) -> Hashable:  # noqa: ARG002
        """Return nothing: what was captured decides nothing."""
        return None

    def describe(self, known: SideHypothesis[Traced]) -> Hashable:
        """Return the artifact's own description: texts go on alike."""
        return self.machine.describe(known.hypothesis)


def parse_of_nothing(h: Hypothesis) -> Parse:
    return Parse(h.stack, Extents(NOWHERE, NOWHERE, None), None)


def text_of(known: SideHypothesis[T]) -> CapturedText:
    """Return the text so far; TypeError: the hypothesis is of another machine."""
    if not isinstance(known, Captured):
        raise TypeError("a hypothesis is of the machine that it is given to")
    text: CapturedText = known.text
    return text


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
