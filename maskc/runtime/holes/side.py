"""Hypotheses of an LALR machine with a side automaton beside each.

A side automaton sees every byte of the open lexeme, its end as a terminal, and the beginning of the
next lexeme. It may refuse any of them, and note what it likes. Restricted terminals, captured
symbols and words that follow the text are such automata.

Example: with TABLE restricted to ``users``, the side automaton follows the bytes after ``FROM`` in
the trie of the words, and lets the lexeme end as a TABLE after ``users`` only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from maskc.ids import DEAD, ENDS, FORKS, NO_LINE, ScannerStateId, TerminalId
from maskc.runtime.lalr import LalrMachine
from maskc.runtime.lalr.hypothesis import Hypothesis, ReadSet, Stack
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses
from maskc.runtime.pool import MaskPool, PooledMask
from maskc.runtime.step_budget import charge_steps, one_mask

Side = TypeVar("Side")  # a state of the side automaton

# Returns the bytes of a text between two indices.
Read = Callable[[int, int], bytes]


class SideHypothesis(Generic[Side]):
    """A hypothesis of the artifact's machine, and the side automaton's state. Never changes."""

    __slots__ = ("hypothesis", "side")

    def __init__(self, hypothesis: Hypothesis, side: Side) -> None:
        self.hypothesis, self.side = hypothesis, side


class Step:
    """The following of some bytes.

    Attributes:
        reads: notes what is read of the hypothesis before them.
        at: the text index of the next byte, where the text is known.
        read: reads the text, the bytes included; raises where it is not known.
    """

    __slots__ = ("at", "read", "reads")

    def __init__(self, reads: ReadSet, at: int = 0, read: Read | None = None) -> None:
        self.reads, self.at = reads, at
        self.read = read or _read_nothing


def _read_nothing(start: int, end: int) -> bytes:
    raise ValueError(f"no text is kept from {start} to {end}")


class SideStepper(Generic[Side]):
    """Moves hypotheses by bytes, as :mod:`maskc.runtime.lalr` moves plain ones.

    Attributes:
        scanner: of the artifact.
        follows_bytes: whether the side automaton's state changes inside of a lexeme.
    """

    follows_bytes = True

    def __init__(self, machine: LalrMachine) -> None:
        self.scanner, self._tables, self._lexemes = machine.scanner, machine.tables, machine.lexemes
        self._newlines, self._counts = machine.newlines, machine.counts_columns

    @abstractmethod
    def go_on(self, side: Side, byte: int, state: ScannerStateId) -> Side | None:
        """Return the side state after a byte that led the open lexeme to a scanner state."""

    @abstractmethod
    def end(
        self, known: SideHypothesis[Side], terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], Side] | None:
        """Return what is left when the open lexeme has become a terminal, or ``IGNORED``.

        The stack, the open blocks, and the side state; ``None`` if it is refused.
        """

    @abstractmethod
    def begin(self, side: Side, byte: int, state: ScannerStateId, step: Step) -> Side | None:
        """Return the side state after the first byte of a lexeme, given that after the last one."""

    def is_live(self, known: SideHypothesis[Side], reads: ReadSet) -> bool:
        """Return whether some text goes on from a hypothesis and ends."""
        return self._lexemes.is_live(known.hypothesis, reads)

    def may_end(self, known: SideHypothesis[Side], reads: ReadSet) -> bool:
        return self._lexemes.may_end(known.hypothesis, reads)

    def step(
        self, hypotheses: Sequence[SideHypothesis[Side]], text: bytes, step: Step
    ) -> list[SideHypothesis[Side]]:
        """Return the live hypotheses after some bytes; none: the bytes are illegal there.

        Raises:
            LimitError: there are too many.
        """
        classes = text.translate(self.scanner.byte_classes)
        here, offset, first = list(hypotheses), 0, step.at
        while offset < len(text) and here:
            if len(here) == 1 and not self.follows_bytes:
                here[0], offset = self._run(here[0], classes, text, offset)
                if offset == len(text):
                    break
            charge_steps(len(here))
            step.at, byte_class, byte = first + offset, classes[offset], text[offset]
            here = [x for known in here for x in self._advance(known, byte_class, byte, step)]
            if len(here) > MANY_HYPOTHESES:
                here = self._keep_live(here, step.reads)
            offset += 1
        return self._keep_live(here, step.reads)

    def _run(
        self, known: SideHypothesis[Side], classes: bytes, text: bytes, offset: int
    ) -> tuple[SideHypothesis[Side], int]:
        """Return a hypothesis after the bytes that only its open lexeme takes, and how far."""
        h, moves, first = known.hypothesis, self.scanner.moves, offset
        state, column, counts = h.state, h.column, self.counts(h.stack)
        while offset < len(classes):
            move = moves(state)[classes[offset]]
            if move <= 0:
                break
            state = move
            if counts:
                column = self.count(column, text[offset], state)
            offset += 1
        if offset == first:
            return known, offset
        return SideHypothesis(Hypothesis(state, h.stack, h.indents, column), known.side), offset

    def _advance(
        self, known: SideHypothesis[Side], byte_class: int, byte: int, step: Step
    ) -> list[SideHypothesis[Side]]:
        """Return what a hypothesis becomes after one byte."""
        h, scanner = known.hypothesis, self.scanner
        move = scanner.moves(h.state)[byte_class]
        after: list[SideHypothesis[Side]] = []
        if move == DEAD:
            return after
        if move != ENDS:
            state = scanner.next(h.state)[byte_class] if move == FORKS else move
            side = self.go_on(known.side, byte, state)
            if side is not None:
                column = self.count(h.column, byte, state) if self.counts(h.stack) else h.column
                moved = Hypothesis(state, h.stack, h.indents, column)
                after.append(SideHypothesis(moved, side))
            if move != FORKS:
                return after
        for terminal, boundary in scanner.ends(h.state):
            ended = self.end(known, terminal, step)
            if ended is None:
                continue
            stack, indents, side = ended
            entered = scanner.entry(boundary, self._tables.context[stack.state])[byte_class]
            begun = None if entered == DEAD else self.begin(side, byte, entered, step)
            if begun is not None:
                column = self.count(NO_LINE, byte, entered) if self.counts(stack) else NO_LINE
                after.append(SideHypothesis(Hypothesis(entered, stack, indents, column), begun))
        return after

    def _keep_live(
        self, here: list[SideHypothesis[Side]], reads: ReadSet
    ) -> list[SideHypothesis[Side]]:
        live = [known for known in here if self.is_live(known, reads)]
        check_hypotheses(len(live))
        return live

    def counts(self, stack: Stack) -> bool:
        """Return whether the columns of a newline count on a stack."""
        return self._newlines is not None and not self._tables.enclosed[stack.state]

    def count(self, column: int, byte: int, state: ScannerStateId) -> int:
        """Return the column after a byte that led the open lexeme to a scanner state."""
        if self._newlines is None or not self._counts[state]:
            return column
        return self._newlines.next_column(column, byte)


class SideMachine(Generic[Side]):
    """A :class:`maskc.runtime.machine.Machine` with a side automaton beside an artifact's.

    Attributes:
        machine: of the artifact.
        stepper: moves hypotheses.
        pool, byte_groups: see the interface.
    """

    remedy = "give fewer or shorter words, or load the artifact with more steps"

    def __init__(
        self,
        machine: LalrMachine,
        stepper: SideStepper[Side],
        text_of: Callable[[int], bytes | None],
        byte_groups: tuple[bytes, ...],
    ) -> None:
        self.machine, self.stepper, self._text_of = machine, stepper, text_of
        self.pool: MaskPool = machine.pool
        self.byte_groups = byte_groups

    @abstractmethod
    def begin(self, h: Hypothesis) -> Side:
        """Return the side state before the first byte."""

    @abstractmethod
    def mask(self, known: SideHypothesis[Side]) -> PooledMask:
        """Return the legal tokens."""

    @abstractmethod
    def side_of(self, known: SideHypothesis[Side]) -> Hashable:
        """Return all that the future depends on beside the hypothesis."""

    def start(self) -> tuple[SideHypothesis[Side], ...]:
        return tuple(SideHypothesis(h, self.begin(h)) for h in self.machine.start())

    def step(
        self, hypotheses: tuple[SideHypothesis[Side], ...], text: bytes
    ) -> tuple[SideHypothesis[Side], ...]:
        with one_mask(self.pool.steps, self.remedy):
            return tuple(self.stepper.step(hypotheses, text, Step(ReadSet(0))))

    def take(
        self, hypotheses: tuple[SideHypothesis[Side], ...], token_id: int
    ) -> tuple[SideHypothesis[Side], ...]:
        text = self._text_of(token_id)
        return self.step(hypotheses, text) if text else ()

    def may_end(self, known: SideHypothesis[Side]) -> bool:
        return self.stepper.may_end(known, ReadSet(0))

    def mask_numbers(self, batch: Iterable[tuple[SideHypothesis[Side], ...]]) -> list[int]:
        return [
            (self.mask(h[0]) if len(h) == 1 else self.pool.unite(map(self.mask, h))).number
            for h in batch
        ]

    def describe(self, known: SideHypothesis[Side]) -> Hashable:
        return (self.machine.describe(known.hypothesis), self.side_of(known))

    def identify(self, known: SideHypothesis[Side]) -> Hashable:
        return (self.machine.identify(known.hypothesis), self.side_of(known))
