"""The machine of an artifact whose holes take words that depend on what was written.

Beside each hypothesis are where symbols stand, the scope in which its open lexeme began, and the
track of that lexeme. Where a lexeme begins that may become a hole's, the scope is that of the
captured symbols that end before it, as Lark's parse of any text that goes on has them.

Most tokens complete no captured symbol before a lexeme of a hole begins in them: then the mask
depends on the words and on no text, and is cached by them. Other masks are composed each time.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from maskc.captures.machine import (
    CapturedText,
    TracingMachine,
    TracingStepper,
    parse_of_nothing,
    reader_of,
)
from maskc.captures.scopes import Completed, Scopes, WordScope
from maskc.captures.tracing import Parse, Spans, Symbols
from maskc.ids import NO_LINE, ScannerStateId, TerminalId
from maskc.runtime.artifact import Artifact
from maskc.runtime.holes import with_side
from maskc.runtime.holes.masks import HoleMasks, Trail
from maskc.runtime.holes.stepping import BEGINNING, OUTSIDE
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import (
    Hypotheses,
    Hypothesis,
    HypothesisCache,
    ReadSet,
    Stack,
)
from maskc.runtime.lalr.stepping import Read, Step
from maskc.runtime.machine import EVERY_BYTE
from maskc.runtime.pool import PooledMask
from maskc.runtime.step_budget import one_mask

_MOST_COMPLETED = 10_000  # spans whose symbols are remembered


class FollowedWords(NamedTuple):
    """What is known of symbols and words beside a hypothesis."""

    # start, parse, text: as :class:`maskc.captures.machine.Traced` has them
    start: int
    parse: Parse
    text: CapturedText
    scope: WordScope  # in which the open lexeme began
    track: int  # of the open lexeme


class FollowingStepper(TracingStepper):
    """Moves hypotheses by bytes, each with the words of its scope."""

    def __init__(self, machine: LalrMachine, symbols: Symbols, scopes: Scopes) -> None:
        super().__init__(machine, symbols, follows_bytes=True)
        self._scopes, self._shift = scopes, machine.effects.shift
        self._tracks = scopes.first.machine.tracks
        self._completed: dict[int, tuple[Spans, Completed]] = {}

    def go_on(self, side: FollowedWords, byte: int, state: ScannerStateId) -> FollowedWords | None:
        moved = side.scope.machine.stepper.go_on(side.track, byte, state)
        if moved is None or moved == side.track:
            return None if moved is None else side
        return side._replace(track=moved)

    def end(
        self, h: Hypothesis, terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], Any] | None:
        if not h.side.scope.machine.tracks.allows(h.side.track, terminal):
            return None
        return super().end(h, terminal, step)

    def begin(
        self, side: FollowedWords, byte: int, state: ScannerStateId, step: Step
    ) -> FollowedWords | None:
        scope = side.scope
        if self._tracks.inside[state]:
            scope = self.scope_before(side.parse, step.read)
        moved = scope.machine.stepper.go_on(BEGINNING, byte, state)
        return None if moved is None else side._replace(scope=scope, track=moved)

    def is_live(self, h: Hypothesis, reads: ReadSet) -> bool:
        return bool(h.side.scope.machine.stepper.is_live(narrowed(h), reads))

    def may_end(self, h: Hypothesis, reads: ReadSet) -> bool:
        return bool(h.side.scope.machine.stepper.may_end(narrowed(h), reads))

    def spans_before(self, parse: Parse, reads: ReadSet) -> tuple[Spans, ...]:
        """Return for each hole the symbols that are complete before a lexeme that becomes it."""
        found = []
        for terminal in self._tracks.terminals:
            taken = self._shift(parse.stack, terminal, reads) is not None
            found.append(self.tracer.reduce_before(parse, terminal).spans if taken else parse.spans)
        return tuple(found)

    def scope_before(self, parse: Parse, read: Read) -> WordScope:
        """Return the scope of a lexeme that begins after a parse; ``read`` reads the text."""
        before = self.spans_before(parse, ReadSet(parse.stack.depth))
        words = [
            self._scopes.answer(self._complete(spans, read))[number]
            for number, spans in enumerate(before)
        ]
        return self._scopes.of(tuple(words))

    def scope_after(self, spans: Spans, text: CapturedText) -> WordScope:
        return self._scopes.of(self._scopes.answer(self._complete(spans, text.between)))

    def _complete(self, spans: Spans, read: Read) -> Completed:
        """Return the names and texts of symbols that are complete."""
        new: list[Spans] = []
        found = self._scopes.nothing
        while spans is not None:
            known = self._completed.get(id(spans))
            if known is not None and known[0] is spans:
                found = known[1]
                break
            new.append(spans)
            spans = spans[1]
        for spans in reversed(new):
            name, start, end = spans[0]
            found = self._scopes.complete(found, name, read(start, end).decode(errors="replace"))
            if len(self._completed) >= _MOST_COMPLETED:
                self._completed = {}
            self._completed[id(spans)] = (spans, found)
        return found


class FollowingMachine(TracingMachine):
    """A machine whose holes follow the text."""

    stepper: FollowingStepper
    remedy = "return fewer or shorter words, or load the artifact with more steps"

    def __init__(
        self, artifact: Artifact, machine: LalrMachine, symbols: Symbols, scopes: Scopes
    ) -> None:
        stepper = FollowingStepper(machine, symbols, scopes)
        super().__init__(machine, stepper, artifact.token_bytes, EVERY_BYTE)
        self._first, self._index = scopes.first, artifact.tokens.index
        self._masks = HypothesisCache(artifact.budget, machine.tables.n_states)

    def begin(self, h: Hypothesis) -> FollowedWords:
        return FollowedWords(0, parse_of_nothing(h), CapturedText(), self._first, BEGINNING)

    def step(self, hypotheses: Hypotheses, text: bytes) -> Hypotheses:
        with one_mask(self.pool.steps, self.remedy):
            return super().step(hypotheses, text)

    def mask(self, h: Hypothesis) -> PooledMask:
        side: FollowedWords = h.side
        later = self.stepper.scope_after(side.parse.spans, side.text)
        key = (h.state, side.scope.number, side.track, later.number, h.stack.state)
        found: PooledMask | None = self._masks.find(key, h)
        if found is None:
            reads = ReadSet(h.stack.depth)
            following = _Following(self, h, later, reads)
            with one_mask(self.pool.steps):
                masks = side.scope.machine.masks
                found = masks.compose(narrowed(h), reads, following.masks_after)
            if following.is_lasting:
                reads.layout |= self.machine.counts_columns[h.state]
                self._masks.keep(key, h, reads, found)
        return found

    def path(self, node: int) -> bytes:
        return self._index.tokens.path(node)

    def side_of(self, h: Hypothesis) -> Hashable:
        """Return the whole text: it says which words there will be."""
        side: FollowedWords = h.side
        return side.text.whole()


class _Following:
    """The scopes that lexemes of tokens begin in, for one mask."""

    def __init__(
        self,
        machine: FollowingMachine,
        h: Hypothesis,
        later: WordScope,
        reads: ReadSet,
    ) -> None:
        self._machine, self._h, self._later, self._reads = machine, h, later, reads
        # whether no symbol is completed in a token before a lexeme of a hole begins
        self.is_lasting = True
        # By the terminals that have ended and their columns: the text says nothing of these.
        self._plain: set[tuple[tuple[TerminalId, int], ...]] = set()
        self._scopes: dict[Trail, WordScope] = {}

    def masks_after(self, trail: Trail) -> HoleMasks:
        """Return the masks of the scope of a lexeme that begins after others of a token."""
        key = tuple((terminal, column) for terminal, _, column in trail)
        if key in self._plain:
            return self._later.machine.masks
        scope = self._scopes.get(trail)
        if scope is None:
            parse, stepper = self._replay(trail), self._machine.stepper
            before = self._h.side.parse.spans
            if all(spans is before for spans in stepper.spans_before(parse, self._reads)):
                self._plain.add(key)
                return self._later.machine.masks
            self.is_lasting = False
            read = reader_of(self._h.side.text, self._machine.path(trail[-1][1]))
            scope = self._scopes[trail] = stepper.scope_before(parse, read)
        return scope.machine.masks

    def _replay(self, trail: Trail) -> Parse:
        """Return the parse after lexemes have ended, with the extents of its symbols."""
        h, length = self._h, self._h.side.text.length
        for terminal, node, column in trail:
            at = length + len(self._machine.path(node))
            open_ = Hypothesis(h.state, h.stack, h.indents, column, h.side)
            ended = self._machine.stepper.end_lexeme(open_, terminal, at)
            if ended is None:
                raise ValueError("the parser refuses a terminal that it has taken")
            parse, indents = ended
            side = h.side._replace(start=at, parse=parse, track=OUTSIDE)
            h = Hypothesis(h.state, parse.stack, indents, NO_LINE, side)
        parse_after: Parse = h.side.parse
        return parse_after


def narrowed(h: Hypothesis) -> Hypothesis:
    """Return a hypothesis as the scope's own machine has it."""
    return with_side(h, h.side.track)
