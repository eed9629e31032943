"""Moves hypotheses of an LALR machine by bytes; caches nothing.

Most bytes only move the scanner. Where the open lexeme may end before a byte, the parser is given
the terminal, and the byte begins the next lexeme; where the lexeme may also go on with the byte,
one hypothesis becomes two.

A *side automaton* sees every byte of the open lexeme, its end as a terminal, and the beginning of
the next one. It may refuse any of them, and note what it likes in its state, which each hypothesis
has. Restricted terminals, captured symbols and words that follow the text are such automata, each
a subclass. Without one the state stays ``NO_SIDE``.

Example: with TABLE restricted to ``users``, the side automaton follows the bytes after ``FROM`` in
the trie of the words, and lets the lexeme end as a TABLE after ``users`` only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from maskc.acyclic import mypyc_attr
from maskc.ids import DEAD, ENDS, FORKS, NO_LINE, ScannerStateId, TerminalId
from maskc.runtime.lalr.hypothesis import Hypotheses, Hypothesis, ReadSet, Stack
from maskc.runtime.machine import MANY_HYPOTHESES, check_hypotheses
from maskc.runtime.step_budget import charge_steps

if TYPE_CHECKING:
    from maskc.runtime.lalr import LalrMachine

_AT_ONCE: Final = 64  # steps that are charged at once
# Returns the bytes of a text between two indices.
Read = Callable[[int, int], bytes]


def _read_nothing(start: int, end: int) -> bytes:
    raise ValueError(f"no text is kept from {start} to {end}")


class Step:
    """The following of some bytes."""

    __slots__ = ("at", "read", "reads")

    def __init__(self, reads: ReadSet, at: int = 0, read: Read = _read_nothing) -> None:
        self.reads = reads  # notes what is read of the hypothesis before them
        self.at = at  # the text index of the next byte, where the text is known
        self.read = read  # reads the text, the bytes included; raises where it is not known


@mypyc_attr(allow_interpreted_subclasses=True)
class Stepper:
    """Moves the hypotheses of one artifact.

    Attributes:
        follows_bytes: whether the side automaton's state changes inside of a lexeme.
    """

    def __init__(self, machine: LalrMachine, *, follows_bytes: bool = False) -> None:
        self.scanner, self._tables, self._lexemes = machine.scanner, machine.tables, machine.lexemes
        self._newlines, self._counts = machine.newlines, machine.counts_columns
        self.follows_bytes = follows_bytes

    def go_on(self, side: Any, byte: int, state: ScannerStateId) -> Any:  # noqa: ARG002
        """Return the side state after a byte that led the open lexeme to a scanner state.

        ``None``: it is refused.
        """
        return side

    def end(
        self, h: Hypothesis, terminal: TerminalId, step: Step
    ) -> tuple[Stack, tuple[int, ...], Any] | None:
        """Return what is left when the open lexeme has become a terminal, or ``IGNORED``.

        The stack, the open blocks, and the side state; ``None`` if it is refused.
        """
        ended = self._lexemes.end(h.stack, h.indents, terminal, h.column, step.reads)
        return None if ended is None else (ended[0], ended[1], h.side)

    def begin(self, side: Any, byte: int, state: ScannerStateId, step: Step) -> Any:  # noqa: ARG002
        """Return the side state after the first byte of a lexeme, given that after the last one.

        ``None``: it is refused.
        """
        return side

    def is_live(self, h: Hypothesis, reads: ReadSet) -> bool:
        """Return whether some text goes on from a hypothesis and ends."""
        return self._lexemes.is_live(h, reads)

    def may_end(self, h: Hypothesis, reads: ReadSet) -> bool:
        return self._lexemes.may_end(h, reads)

    def step(self, hypotheses: Sequence[Hypothesis], text: bytes, step: Step) -> Hypotheses:
        """Return the live hypotheses after some bytes; none: the bytes are illegal there.

        Raises:
            LimitError: there are too many.
        """
        classes = text.translate(self.scanner.byte_classes)
        here, offset, first, n_steps = list(hypotheses), 0, step.at, 0
        while offset < len(text) and here:
            if len(here) == 1 and not self.follows_bytes:
                here[0], offset = self._run(here[0], classes, text, offset)
                if offset == len(text):
                    break
            else:
                n_steps += len(here)
            if n_steps > _AT_ONCE:
                charge_steps(n_steps)
                n_steps = 0
            step.at, byte_class, byte = first + offset, classes[offset], text[offset]
            after: list[Hypothesis] = []
            for h in here:
                self._advance(after, h, byte_class, byte, step)
            # In tables that maskc made, no more are live than there are scanner states: two of
            # them in one state would be two readings of each text that finishes both, and Lark
            # reads a text in one way. Tables that somebody else made may say anything.
            here = self._keep_live(after, step.reads) if len(after) > MANY_HYPOTHESES else after
            offset += 1
        if n_steps:
            charge_steps(n_steps)
        return tuple(self._keep_live(here, step.reads))

    def _run(
        self, h: Hypothesis, classes: bytes, text: bytes, offset: int
    ) -> tuple[Hypothesis, int]:
        """Return a hypothesis after the bytes that only its open lexeme takes, and how far."""
        scanner, first = self.scanner, offset
        state, column, counts = h.state, h.column, self.counts(h.stack)
        while offset < len(classes):
            move = scanner.moves(state)[classes[offset]]
            if move <= 0:
                break
            state = move
            if counts:
                column = self.count(column, text[offset], state)
            offset += 1
        if offset == first:
            return h, offset
        return Hypothesis(state, h.stack, h.indents, column, h.side), offset

    def _advance(
        self, after: list[Hypothesis], h: Hypothesis, byte_class: int, byte: int, step: Step
    ) -> None:
        """Add what a hypothesis becomes after one byte."""
        scanner = self.scanner
        move = scanner.moves(h.state)[byte_class]
        if move == DEAD:
            return
        if move != ENDS:
            state = scanner.next(h.state)[byte_class] if move == FORKS else move
            side = self.go_on(h.side, byte, state)
            if side is not None:
                column = self.count(h.column, byte, state) if self.counts(h.stack) else h.column
                after.append(Hypothesis(state, h.stack, h.indents, column, side))
            if move != FORKS:
                return
        for terminal, boundary in scanner.ends(h.state):
            ended = self.end(h, terminal, step)
            if ended is None:
                continue
            stack, indents, side = ended
            entered = scanner.entry(boundary, self._tables.context[stack.state])[byte_class]
            begun = None if entered == DEAD else self.begin(side, byte, entered, step)
            if begun is not None:
                # Columns count in newlines that end a line, so not between brackets.
                column = self.count(NO_LINE, byte, entered) if self.counts(stack) else NO_LINE
                after.append(Hypothesis(entered, stack, indents, column, begun))

    def _keep_live(self, here: list[Hypothesis], reads: ReadSet) -> list[Hypothesis]:
        live = [h for h in here if self.is_live(h, reads)]
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
