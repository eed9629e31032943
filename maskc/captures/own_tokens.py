"""Matchers that capture symbols, and allow the tokenizer's own tokens only.

The machine of own tokens stands beside that of the captures, which knows where symbols stand;
masks are those of the artifact without captures, since these change no text.

Example: ``maskc.canonical(maskc.capture(artifact, "table"), "llama3.spelling").matcher()``.
"""

from __future__ import annotations

from maskc.captures.machine import Readings
from maskc.captures.matcher import Captures, CapturingMatcher
from maskc.runtime.machine import Hypotheses
from maskc.runtime.spelling.canonical import Canonical, CanonicalMatcher
from maskc.runtime.spelling.spelling import Spelling
from maskc.runtime.undo import UndoLog


class CanonicalCaptures(Canonical):
    """Captures whose texts are written in the tokenizer's own tokens only. Immutable.

    Made by :func:`maskc.canonical`.

    Attributes:
        captures: as given.
    """

    def __init__(self, captures: Captures, spelling: Spelling) -> None:
        super().__init__(captures.artifact, spelling, captures.machine, _strip)
        self.captures = captures

    def matcher(self) -> OwnCapturingMatcher:
        """Return a matcher at the start of the text."""
        return OwnCapturingMatcher(self, self.machine.start(), UndoLog(), terminated=False)

    def __repr__(self) -> str:
        return f"<maskc.Canonical of {self.captures!r}>"


def _strip(readings: Hypotheses) -> Hypotheses:
    """Return the artifact's hypotheses."""
    return tuple(reading.hypothesis for reading in readings)


class OwnCapturingMatcher(CanonicalMatcher, CapturingMatcher):
    """A matcher of the tokenizer's own tokens with spans."""

    __slots__ = ()
    _artifact: CanonicalCaptures

    @property
    def _captured(self) -> Readings:
        readings: Readings = self._hypotheses[0].inner
        return readings

    @property
    def _captures(self) -> Captures:
        return self._artifact.captures
