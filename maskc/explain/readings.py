"""Readings of a text of a grammar, byte by byte, and what each of them dies of.

The artifact's own machine moves, one byte at a time, so that what is said here is what the masks
do. Beside each hypothesis we remember where its open lexeme began.

A reading dies of a byte in one of three ways: no terminal goes on with it; the lexeme had to end
before it, as a terminal that the parser refuses; or the lexeme could go on, but only to terminals
that the parser refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic

from maskc.explain import Cause, Death, Ending, TextJudge, TextReading, TokenGroup, list_texts
from maskc.explain.groups import group_tokens
from maskc.explain.machine_views import GlrView, GrammarNames, H, LalrView, MachineView
from maskc.ids import EMPTY_TEXT, IGNORED
from maskc.runtime.artifact import Artifact
from maskc.runtime.glr import GlrMachine
from maskc.runtime.lalr import LalrMachine


@dataclass(frozen=True, slots=True)
class OpenHypothesis(Generic[H]):
    """A hypothesis, and the bytes of its open lexeme."""

    hypothesis: H
    lexeme: bytes


@lru_cache(maxsize=1)
def open_reader(artifact: Artifact) -> ExplainReader[Any]:
    """Return what reads the texts of an artifact's grammar; it is kept for the next text."""
    names, machine = GrammarNames(artifact), artifact.machine
    if isinstance(machine, LalrMachine):
        return ExplainReader(LalrView(machine, names), names)
    if isinstance(machine, GlrMachine):
        return ExplainReader(GlrView(machine), names)
    raise ValueError(f"{type(machine).__name__} reads no grammar")


class ExplainReader(Generic[H]):
    """Reads texts with an artifact, and says what it sees."""

    def __init__(self, view: MachineView[H], names: GrammarNames) -> None:
        self.view, self.names = view, names
        self._scanner, self._lookaheads = view.scanner, view.lookaheads

    def start(self) -> tuple[OpenHypothesis[H], ...]:
        return tuple(OpenHypothesis(h, b"") for h in self.view.machine.start())

    def read(
        self, readings: tuple[OpenHypothesis[H], ...], text: bytes
    ) -> tuple[tuple[OpenHypothesis[H], ...], Death | None]:
        """Return the readings after a text; where they die, those before that."""
        for offset, byte in enumerate(text):
            after = self._step_all(readings, byte)
            if not after:
                causes = [
                    cause for reading in readings for cause in self._list_causes(reading, byte)
                ]
                return readings, Death(offset, byte, tuple(dict.fromkeys(causes)))
            readings = after
        return readings, None

    def describe(self, reading: OpenHypothesis[H]) -> TextReading:
        h, view, lookaheads = reading.hypothesis, self.view, self._lookaheads
        lexeme = lookaheads.open_lexeme(self._scanner.open_lexeme_of[h.state])
        position = view.position(h)
        ignored = (*lexeme.ignored, *view.ignored_newlines(h, lexeme))
        is_start = self._scanner.end_of_text[h.state] == EMPTY_TEXT
        return TextReading(
            reading.lexeme,
            self.names.terminals(self.become(h)),
            any(
                lookaheads.after(boundary, position.layout_context) & position.taken
                for boundary in ignored
            ),
            () if is_start else tuple(self._list_endings(h)),
            position.items,
        )

    def become(self, h: H) -> set[int]:
        """Return the terminals that the open lexeme may become, as far as the parser takes them."""
        lexeme = self._lookaheads.open_lexeme(self._scanner.open_lexeme_of[h.state])
        found = self._terminals_of(lexeme.direct & self.view.position(h).taken)
        if lexeme.newlines and self.view.blocks(h):
            found.add(self.view.newline)
        return found

    def _step_all(
        self, readings: tuple[OpenHypothesis[H], ...], byte: int
    ) -> tuple[OpenHypothesis[H], ...]:
        """Return the readings after a byte.

        With the longest open lexeme first: where equal hypotheses come of several readings, as in
        a general grammar, one is left, and so are no more than the machine has.
        """
        found = [x for reading in readings for x in self._step(reading, byte)]
        if len(readings) <= 1 or len(found) <= 1:
            return tuple(found)
        kept: dict[object, OpenHypothesis[H]] = {}
        for reading in sorted(found, key=lambda x: -len(x.lexeme)):
            kept.setdefault(self.view.machine.identify(reading.hypothesis), reading)
        return tuple(kept.values())

    def _step(self, reading: OpenHypothesis[H], byte: int) -> list[OpenHypothesis[H]]:
        h, text = reading.hypothesis, bytes([byte])
        goes_on = self._scanner.next(h.state)[self._scanner.byte_classes[byte]]
        found = []
        for x in self.view.machine.step((h,), text):
            is_same = x.state == goes_on and self.view.goes_on(h, x)
            found.append(OpenHypothesis(x, reading.lexeme + text if is_same else text))
        return found

    def _list_endings(self, h: H) -> list[Ending]:
        lookaheads = self._lookaheads
        found: dict[str | None, set[int]] = {}
        for terminal, boundary in self._scanner.ends(h.state):
            ended = self.view.end(h, terminal)
            if ended is None:
                continue
            position = self.view.position(ended)
            following = self._terminals_of(
                lookaheads.after(boundary, position.layout_context) & position.taken
            )
            name = None if terminal == IGNORED else self.names.terminal(terminal)
            found.setdefault(name, set()).update(following)
        return [Ending(name, self.names.terminals(t)) for name, t in found.items() if t]

    def _list_causes(self, reading: OpenHypothesis[H], byte: int) -> list[Cause]:
        scanner, view, h = self._scanner, self.view, reading.hypothesis
        byte_class = scanner.byte_classes[byte]
        causes = []
        goes_on = scanner.next(h.state)[byte_class]
        if goes_on:
            causes.append(self._refuse(reading, None, h, goes_on))
        for terminal, boundary in scanner.ends(h.state):
            name = "something ignored" if terminal == IGNORED else self.names.terminal(terminal)
            ended, position = view.end(h, terminal), view.position(h)
            if ended is None:
                names = self.names.terminals(self._terminals_of(position.taken))
                blocks = view.blocks(h) if terminal == view.newline else ()
                causes.append(Cause(reading.lexeme, None, (name,), names, position.items, blocks))
                continue
            entered = scanner.entry(boundary, view.position(ended).context)[byte_class]
            causes.append(self._refuse(reading, name, ended, entered))
        if not causes:
            causes.append(self._refuse(reading, None, h, 0))
        return causes

    def _refuse(self, reading: OpenHypothesis[H], ended_as: str | None, h: H, state: int) -> Cause:
        """Return the cause of a death in a scanner state; 0: no terminal takes the byte."""
        refused: set[int] = set()
        blocks: tuple[int, ...] = ()
        if state:
            lexeme = self._lookaheads.open_lexeme(self._scanner.open_lexeme_of[state])
            refused = self._terminals_of(lexeme.direct)
            if lexeme.newlines:
                refused.add(self.view.newline)
                blocks = self.view.blocks(h)
        position = self.view.position(h)
        return Cause(
            reading.lexeme,
            ended_as,
            self.names.terminals(refused),
            self.names.terminals(self._terminals_of(position.taken)),
            position.items,
            blocks,
        )

    def _terminals_of(self, lookaheads: int) -> set[int]:
        return {t for t, own in enumerate(self._lookaheads.of_terminal) if own & lookaheads}


class GrammarJudge(TextJudge):
    """Explains texts of an artifact of a grammar."""

    def __init__(self, artifact: Artifact) -> None:
        super().__init__(artifact)
        self._reader = open_reader(artifact)
        self._readings = self._reader.start()

    def read(self, text: bytes) -> Death | None:
        self._readings, death = self._reader.read(self._readings, text)
        good = text if death is None else text[: death.offset]
        if not self.matcher.accept_bytes(good):
            raise ValueError("the readings and the matcher disagree")
        return death

    def describe(self) -> tuple[TextReading, ...]:
        return tuple(map(self._reader.describe, self._readings))

    def group(self, legal: Sequence[int]) -> tuple[TokenGroup, ...]:
        return group_tokens(self._reader, self._readings, list_texts(self.artifact, legal))

    def try_token(self, token: bytes) -> tuple[Death | None, tuple[TextReading, ...]]:
        after, death = self._reader.read(self._readings, token)
        return death, () if death is not None else tuple(map(self._reader.describe, after))
