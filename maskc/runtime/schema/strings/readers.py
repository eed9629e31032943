"""What reads the strings that no automaton can: host names in Unicode, and patterns.

An automaton leaves the characters that lead to its sink, or stay there, to a reader of a kind.

Example: of idn-email the automaton reads what stands before ``@``, and a reader the domain.
"""

from __future__ import annotations

from typing import Any, Protocol

from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa
from maskc.runtime.schema.strings.ecma import Patterns
from maskc.runtime.schema.strings.hosts import KINDS as HOSTS
from maskc.runtime.schema.strings.hosts import hosts_of
from maskc.runtime.schema.strings.spelling import Ranges
from maskc.runtime.schema.strings.transitions import DEAD

PATTERN = "pattern"
KINDS = (*HOSTS, PATTERN)
_PATTERNS = Patterns()


class Reader(Protocol):
    """What reads strings, character by character, whatever it keeps of them.

    Attributes:
        start: what is read before the first character.
    """

    start: Any

    def step(self, state: Any, code: int, /) -> Any:
        """Return what is read with one more character, ``None`` if nothing begins so."""

    def may_end(self, state: Any, /) -> bool:
        """Return whether a string may end here."""

    def leads_on(self, state: Any, ranges: Ranges, /, *, is_measured: bool = True) -> bool:
        """Return whether some character of some ranges may come next.

        Args:
            state: what was read.
            ranges: of characters.
            is_measured: whether lengths count.
        """

    def has_many(self, state: Any, /) -> bool:
        """Return whether more strings begin so than any text has."""


def reader_of(kind: str) -> Reader:
    """Return what reads strings of a kind: those of host names, or ``pattern`` (regex)."""
    return _PATTERNS if kind == PATTERN else hosts_of(kind)


def accepts(dfa: CharDfa, text: str) -> bool:
    """Return whether an automaton accepts a text, and its reader what is left to it."""
    if not dfa.reader:
        return dfa.labels[dfa.read(text)] != NO_LABEL
    reader, sink, state = reader_of(dfa.reader), dfa.sink, dfa.start
    read = reader.start
    for character in text:
        state = dfa.step(state, ord(character))
        if state == DEAD:
            return False
        if state == sink:
            read = reader.step(read, ord(character))
            if read is None:
                return False
    return dfa.labels[state] != NO_LABEL and (state != sink or reader.may_end(read))
