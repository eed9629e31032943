"""Strings that an automaton leaves to a reader (:mod:`maskc.formats`): all of them, or their ends.

The automaton leaves the characters that lead to its sink, or stay there, to the reader. Instead of
the number of characters, what is counted of a string is what both have read.

Example: of ``a@例え`` the automaton of idn-email-exact is in its sink, and its reader has read
``例え``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from maskc.formats import READ, Guarded, reader_of
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.strings import Body, Ranges, decode_body, ranges_after, write_body
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.step_budget import charge_steps

_SURROGATES, _LAST = (0xD800, 0xDFFF), 0x10FFFF
_READER_STEPS: Final = 5  # of one character that a reader reads, which takes some ten microseconds
_MOST_TRIED: Final = 20_000  # characters, for a short end of a string
# The characters of short ends; those that end most are first.
_TRIED: Final = "".join(dict.fromkeys([*")a]>0.1-l@}=:", *map(chr, range(0x20, 0x7F))]))


class Read(NamedTuple):
    """What was read of a string: states of both, and the bytes of a character that is not whole."""

    state: int
    held: Any
    begun: bytes


class CustomStrings:
    """Reads strings by an automaton and the reader that it names, from ``begin`` on.

    Raises:
        FormatError: there is no such reader, or it fails.
    """

    def __init__(self, dfa: CharDfa) -> None:
        self._dfa, self._sink = dfa, dfa.sink
        self._reader: Guarded = reader_of(dfa.reader)
        self.begin = Read(dfa.start, self._reader.start(), b"")

    def step(self, state: int, held: Any, code: int) -> tuple[int, Any] | None:
        """Return what both have read after a character, ``None`` if no string begins so."""
        after = self._dfa.step(state, code)
        if after == DEAD:
            return None
        if after == self._sink:
            charge_steps(_READER_STEPS)
            held = self._reader.step(held, chr(code))
            if held is None:
                return None
        return after, held

    def may_end(self, state: int, held: Any) -> bool:
        """Return whether a string may end here."""
        is_end = self._dfa.labels[state] != NO_LABEL
        return is_end and (state != self._sink or self._reader.may_end(held))

    def is_uniform(self, state: int, held: Any) -> bool:
        """Return whether all characters that are not ASCII are known to lead to one state."""
        return state == self._sink and self._reader.is_uniform(held)

    def leads_into(self, state: int, held: Any, ranges: Ranges) -> bool:
        """Return whether some character of some ranges may come next."""
        targets = self._dfa.targets_of(state, ranges)
        if targets - {self._sink}:
            return True
        if not targets:
            return False
        codes = self._reader.within(held, ranges)
        return any(self.step(state, held, code) is not None for code in codes)

    def accepts(self, text: str) -> bool:
        """Return whether a string is one of them."""
        here: tuple[int, Any] | None = self.begin[:2]
        for character in text:
            here = here and self.step(*here, ord(character))
        return here is not None and self.may_end(*here)


class CustomRule(StringRule):
    """What is asked of such a string. No length is: none that is longer or shorter would fit.

    Raises:
        FormatError: there is no such reader, or it fails.
    """

    def __init__(self, body: Body, *, escapes: str) -> None:
        super().__init__(body, 0, None)
        self._escapes = escapes
        self.strings = CustomStrings(body.dfa)
        self.begin: Any = self.strings.begin

    @property
    def format(self) -> str:
        return self.body.dfa.reader

    def may_end(self, state: int, count: Any) -> bool:
        return self.strings.may_end(state, count.held)

    def move(self, at: int, count: Any, byte: int) -> tuple[int, Any] | None:
        body, strings = self.body, self.strings
        after = body.step(at, byte)
        if not after:
            return None
        begun = count.begun + bytes([byte])
        if body.characters[after] < 0:
            ranges = ranges_after(begun, escapes=self._escapes)
            if not strings.leads_into(count.state, count.held, ranges):
                return None
            return after, Read(count.state, count.held, begun)
        found = strings.step(count.state, count.held, ord(decode_body(begun)))
        return None if found is None else (after, Read(*found, b""))

    def has_many(self, at: int, count: Any) -> bool:
        """Return whether more strings can come than any text has, where that is known.

        It is known of whole strings of the standard's formats.
        """
        return self.format in READ and at == self.body.start and bool(count == self.begin)

    def has(self, text: str) -> bool:
        return self.strings.accepts(text)

    def has_other(self, state: int, count: Any, prefix: str, texts: Sequence[str]) -> bool:
        # What is read can become some string, so it can become another if a character follows with
        # which none of the texts goes on.
        strings = self.strings
        worklist: list[tuple[str, int, Any]] = [(prefix, state, count.held)]
        while worklist:
            text, here, held = worklist.pop()
            first = bisect_left(texts, text)
            if strings.may_end(here, held) and (first == len(texts) or texts[first] != text):
                return True
            following = set[int]()
            for other in texts[first:]:
                if not other.startswith(text):
                    break
                if len(other) > len(text):
                    following.add(ord(other[len(text)]))
            if strings.leads_into(here, held, _all_but(following)):
                return True
            for code in following:
                after = strings.step(here, held, code)
                if after is not None:
                    worklist.append((text + chr(code), *after))
        return False

    def finish(self, at: int, count: Any) -> bytes | None:
        """Return what ends an open string, its quote included: a short end, if one is found."""
        begun = b""
        while count.begun:
            moves = ((byte, self.move(at, count, byte)) for byte in range(256))
            byte, (at, count) = next((b, moved) for b, moved in moves if moved is not None)
            begun += bytes([byte])
        level: dict[tuple[int, Any], str] = {(count.state, count.held): ""}
        n_left = _MOST_TRIED
        while level:
            after: dict[tuple[int, Any], str] = {}
            for (state, held), text in level.items():
                if self.strings.may_end(state, held):
                    return begun + write_body(text, self._escapes) + b'"'
                for character in _TRIED:
                    n_left -= 1
                    made = self.strings.step(state, held, ord(character))
                    if made is not None:
                        after.setdefault(made, text + character)
                if n_left < 0:
                    return None
            level = after
        return None


def _all_but(codes: Iterable[int]) -> Ranges:
    """Return all characters but some, as ranges."""
    found: list[tuple[int, int]] = []
    low = 0
    gaps = ((code, code) for code in codes)
    for first, last in sorted([*gaps, _SURROGATES, (_LAST + 1, _LAST + 1)]):
        if low < first:
            found.append((low, first - 1))
        low = last + 1
    return tuple(found)


def accepts(dfa: CharDfa, text: str) -> bool:
    """Return whether an automaton accepts a text, and its reader what is left to it.

    Raises:
        FormatError: there is no such reader, or it fails.
    """
    if not dfa.reader:
        return dfa.labels[dfa.read(text)] != NO_LABEL
    return CustomStrings(dfa).accepts(text)
