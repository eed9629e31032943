"""Matchers that capture symbols, and allow the tokenizer's own tokens only.

Two machines take the same tokens: that of the own tokens says which are legal, and that of the
captures where symbols stand. Captures change no text, so what is legal with them is what is legal
without.

Example: ``maskc.canonical(maskc.capture(artifact, "table"), "llama3.spelling").matcher()``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from maskc.captures.machine import CapturingMachine
from maskc.captures.machine import Readings as Captured
from maskc.captures.matcher import Captures, CapturingMatcher
from maskc.runtime.cache.pool import PooledMask
from maskc.runtime.forced_bytes import find_forced_bytes
from maskc.runtime.once import made_once
from maskc.runtime.spelling.canonical import Canonical
from maskc.runtime.spelling.liveness import Liveness
from maskc.runtime.spelling.machine import CanonicalMachine
from maskc.runtime.spelling.machine import Readings as Written
from maskc.runtime.spelling.spelling import Spelling
from maskc.runtime.undo import UndoLog


class Both(NamedTuple):
    """What both machines know of a text.

    Attributes:
        written: in own tokens.
        captured: with symbols.
    """

    written: Written
    captured: Captured


Known = tuple[Both, ...]


class CapturingOwnTokens:
    """A :class:`maskc.runtime.machine.Machine` of own tokens, with captures.

    Args:
        own: the machine of own tokens.
        capturing: that of the captures.

    Attributes:
        pool, byte_groups: see the interface.
        liveness: of the machine of own tokens.
    """

    def __init__(self, own: CanonicalMachine, capturing: CapturingMachine) -> None:
        self._own, self._capturing = own, capturing
        self.pool, self.byte_groups = own.pool, own.byte_groups
        self.liveness: Liveness = own.liveness

    def start(self) -> Known:
        """Return what is known before the first token."""
        return (Both(self._own.start(), self._capturing.start()),)

    def take(self, known: Known, token_id: int) -> Known:
        """Return what is known after a token; nothing if it is illegal."""
        (here,) = known
        written = self._own.take(here.written, token_id)
        return (Both(written, self._capturing.take(here.captured, token_id)),) if written else ()

    def step(self, known: Known, text: bytes) -> Known:
        """Return what is known after the tokens that the tokenizer writes for some bytes."""
        (here,) = known
        written = self._own.step(here.written, text)
        return (Both(written, self._capturing.step(here.captured, text)),) if written else ()

    def may_end(self, here: Both) -> bool:
        """Return whether the text may end here."""
        return any(map(self._own.may_end, here.written))

    def mask(self, here: Both) -> PooledMask:
        """Return the legal tokens."""
        return self.pool.unite(map(self._own.mask, here.written))

    def mask_numbers(self, batch: Iterable[Known]) -> list[int]:
        """Return the number of each sequence's mask, -1 for one without a number."""
        return self._own.mask_numbers([known[0].written for known in batch])

    def describe(self, here: Both) -> Hashable:
        """Return all that the future depends on; more is told apart than has to be."""
        written = frozenset(map(self._own.describe, here.written))
        return (written, tuple(map(self._capturing.describe, here.captured)))

    def identify(self, here: Both) -> Hashable:
        """Return a key of both."""
        written = frozenset(map(self._own.identify, here.written))
        return (written, tuple(map(self._capturing.identify, here.captured)))


class CanonicalCaptures(Canonical):
    """Captures whose texts are written in the tokenizer's own tokens only. Immutable.

    Made by :func:`maskc.canonical`.

    Attributes:
        captures: as given.
    """

    def __init__(self, captures: Captures, spelling: Spelling) -> None:
        super().__init__(captures.artifact, spelling)
        self.captures = captures

    @made_once
    def machine(self) -> CapturingOwnTokens:  # type: ignore[override]
        """The machine that all its matchers share."""
        own = CanonicalMachine(self.language.machine, self._opened, self.ends)
        return CapturingOwnTokens(own, self.captures.machine)

    def matcher(self) -> OwnCapturingMatcher:  # type: ignore[override]
        """Return a matcher at the start of the text."""
        return OwnCapturingMatcher(self, self.machine.start(), UndoLog(), terminated=False)

    def __repr__(self) -> str:
        return f"<maskc.Canonical of {self.captures!r}>"


class OwnCapturingMatcher(CapturingMatcher):
    """A matcher of the tokenizer's own tokens with spans."""

    __slots__ = ()

    def forced_bytes(self) -> bytes:
        """Return what every text of the language goes on with from here; empty: there is a choice.

        The tokenizer's own tokens can force more; that is not looked for.
        """
        if self._terminated:
            return b""
        here: Both = self._hypotheses[0]
        machine = self._own.language.machine
        return find_forced_bytes(machine, here.written[0].hypotheses, self._artifact)

    def fork(self) -> OwnCapturingMatcher:
        """Return an independent matcher in the same state."""
        return OwnCapturingMatcher(
            self._own, self._hypotheses, self._undo.fork(), terminated=self._terminated
        )

    @property
    def _captured(self) -> Captured:
        here: Both = self._hypotheses[0]
        return here.captured

    @property
    def _captures(self) -> Captures:
        return self._own.captures

    @property
    def _own(self) -> CanonicalCaptures:
        if not isinstance(self._artifact, CanonicalCaptures):
            raise TypeError("such a matcher is made by maskc.canonical(…).matcher()")
        return self._artifact
