"""The oracle: Lark's own answer whether a token is legal, found without the compiler.

*Yes* needs a witness: a text that begins with these bytes and that Lark's lexer and parser accept.
*No* needs a refutation: every way to read the bytes, whatever follows, is refused by Lark's table
(:mod:`maskc.verify.readings`). Where neither is found the oracle says so and raises
:class:`Undecided`; nothing is guessed.

Bytes that end inside a character are tried with one character for each kind that the grammar's
patterns can tell apart, so a refutation of these refutes all of them.

A position inside a longer text is resumed at the first lexeme that is not the same whatever
follows. That can be far back: a comment that is opened and not closed is lexed as other things.
"""

from __future__ import annotations

import bisect

from lark import Lark

from maskc.verify.characters import split_cut
from maskc.verify.completions import Completer
from maskc.verify.readings import LexReading, TextReader, Undecided
from maskc.verify.steps import ParserSteps, ParseState, build_steps

__all__ = ["Oracle", "OraclePosition", "Undecided"]

_MOST_GUESSES = 400
_MOST_BLIND = 800


class Oracle:
    """What Lark says of positions in texts of one grammar."""

    def __init__(self, lark: Lark) -> None:
        self.steps = build_steps(lark)
        self.reader = TextReader(self.steps)
        self.completer = Completer(self.reader)
        self._texts: dict[str, _Walk] = {}
        self._endings: list[str] = []
        alphabet = self.reader.characters.representatives
        self._alphabet = sorted(alphabet) if len(alphabet) <= 12 else []

    def forget(self) -> None:
        """Forget which endings worked: answers then depend only on what is asked from now on."""
        self._endings = []
        self.completer.forget()

    def at(self, prefix: bytes, full_text: str | None = None) -> OraclePosition:
        """Return a position after a prefix; ``full_text`` is a longer text that it begins.

        Raises:
            ValueError: the prefix is not UTF-8 (a last character may be cut).
        """
        split = split_cut(prefix, self.steps.encoding)
        if split is None:
            raise ValueError(f"{prefix[-4:]!r} ends no beginning of a UTF-8 text")
        text, cut = split
        if full_text is None:
            return OraclePosition(self, text, cut, self.steps.start, 0)
        if full_text not in self._texts:
            self._texts = {full_text: _Walk(self.steps, full_text)}
        state, start = self._texts[full_text].resume(self.reader, text)
        return OraclePosition(self, text, cut, state, start)

    def find_witness(
        self, text: str, state: ParseState, start: int, readings: list[LexReading]
    ) -> str | None:
        """Return a string after which Lark accepts the text, ``None`` if none is found."""
        for ending in self._endings:
            if self.steps.parses(state, text + ending, start):
                return ending
        n_guesses = 0
        for reading in readings:
            for guess in self.completer.guesses(text, reading):
                n_guesses += 1
                if self.steps.parses(state, text + guess, start):
                    self._endings = [guess, *[e for e in self._endings if e != guess]][:6]
                    return guess
                if n_guesses > _MOST_GUESSES:
                    break
        return self._search_blindly(text, state, start)

    def _search_blindly(self, text: str, state: ParseState, start: int) -> str | None:
        """Try all short strings, for grammars of few characters."""
        level, n_tried = [""], 0
        while level and n_tried < _MOST_BLIND and self._alphabet:
            longer = []
            for tail in level:
                n_tried += 1
                if self.steps.parses(state, text + tail, start):
                    return tail
                if n_tried < _MOST_BLIND and self.reader.readings(state, text + tail, start):
                    longer += [tail + character for character in self._alphabet]
            level = longer
        return None


class OraclePosition:
    """Where a token may come next."""

    def __init__(
        self, oracle: Oracle, text: str, cut: bytes, state: ParseState, start: int
    ) -> None:
        self.oracle, self.text, self.cut = oracle, text, cut
        self.state, self.start = state, start

    def legal(self, token: bytes) -> bool:
        """Return whether some accepted text begins with the prefix and the token."""
        return self.decide(token)[0]

    def decide(self, token: bytes) -> tuple[bool, str | None]:
        """Return whether the token is legal, and if so a text that Lark accepts.

        Raises:
            Undecided: neither a witness nor a refutation was found.
        """
        split = split_cut(self.cut + token, self.oracle.steps.encoding)
        if split is None:
            return False, None
        text, cut = self.text + split[0], split[1]
        undecided = False
        for character in self.oracle.reader.characters.completions(cut) if cut else ("",):
            try:
                witness = self._decide_text(text + character)
            except Undecided:
                undecided = True
                continue
            if witness is not None:
                return True, witness
        if undecided:
            raise Undecided
        return False, None

    def can_end(self) -> bool:
        return not self.cut and self.oracle.steps.parses(self.state, self.text, self.start)

    def _decide_text(self, text: str) -> str | None:
        oracle = self.oracle
        readings = oracle.reader.readings(self.state, text, self.start)
        if not readings:
            return None
        tail = oracle.find_witness(text, self.state, self.start, readings)
        if tail is None:
            raise Undecided
        return text + tail


class _Walk:
    """A text, lexed once: every lexeme's start, with the parser's state before it."""

    def __init__(self, steps: ParserSteps, text: str) -> None:
        pairs = list(steps.walk(steps.start, text))
        self.states, self.starts = [state for state, _ in pairs], [start for _, start in pairs]
        # The first lexemes, settled for the first characters of the text.
        self._n_settled = self._length = 0

    def resume(self, reader: TextReader, text: str) -> tuple[ParseState, int]:
        """Return where to resume for a text that this one begins with.

        Positions are best asked for in order: what is settled stays settled as the text grows.
        """
        if len(text) < self._length:
            self._n_settled = 0
        self._length = len(text)
        last = max(bisect.bisect_left(self.starts, len(text)) - 1, 0)
        canonical, found = reader.canonical(text), self._n_settled
        while found < last and reader.is_settled(self.states[found], canonical, self.starts[found]):
            found += 1
        self._n_settled = found
        return self.states[found], self.starts[found]
