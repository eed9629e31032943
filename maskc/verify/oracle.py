r"""The oracle: Lark's own answer whether a token is legal, found without the compiler.

*Yes* needs a witness: a text that begins with these bytes and that Lark's lexer and parser accept.
*No* needs a refutation: every way to read the bytes, whatever follows, is refused by Lark's table.
Where neither is found the oracle says so and raises :class:`Undecided`; nothing is guessed.

The end of the text is not known yet, so the last lexemes are not settled. For each terminal, in
Lark's order, ``regex`` is asked for the first path that either matches or runs into the end of
the text. If it matched first, nothing that follows can change that; if it ran into the end, the
lexeme may still be *open*, or that path may die and the next one count. What remains after all
paths is a superset of what Lark can do with any continuation: if the LALR table refuses each of
these *readings*, no continuation parses. Terminals that look ahead (assertions, ``\b``, ``$``) may
also end, here, wherever they could with these conditions left out: more than Lark does, never less.

Example: after ``x isinst`` the open lexeme is a NAME, whatever follows, because the path of
``\w*`` that runs into the end has a match of its own there. So ``is`` is never split off.

Bytes that end inside a character are tried with one character for each kind that the grammar's
patterns can tell apart, so a refutation of these refutes all of them.

A position inside a longer text is resumed at the first lexeme that is not the same whatever
follows. That can be far back: a comment that is opened and not closed is lexed as other things.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import regex
from lark import Lark
from lark.lexer import BasicLexer

from maskc.verify.characters import CharacterClasses, split_cut
from maskc.verify.completions import Completer
from maskc.verify.patterns import ParsedTerminal
from maskc.verify.steps import ParserSteps, ParseState, build_steps

_MOST_GUESSES = 400
_MOST_BLIND = 800


class Undecided(Exception):  # noqa: N818 - an outcome, not a fault
    """Neither a witness nor a refutation was found."""


@dataclass(frozen=True, slots=True)
class LexReading:
    """One way in which the text may be lexed, not refused so far."""

    state: ParseState  # after the last lexeme, the open one included
    start: int  # of the open lexeme; the end of the text if none is open
    terminal: str | None = None  # of the open lexeme as the lexer names it, if one is open
    name: str | None = None  # the terminal that the parser got for it, None if it is ignored
    column: int = -1  # in which it ends, if it is a newline; -1 if that does not matter


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """One terminal, as the patterns that tell what can become of it.

    All but ``plain`` are for canonical text; ``partial`` and ``first`` are of ``regex``.
    """

    plain: re.Pattern[str]  # as Lark has it
    partial: Any  # whether a lexeme can go on
    first: Any  # group t__ is set if it matches before it runs into the end
    relaxed: re.Pattern[str] | None  # without conditions on what follows; None: it has none


class TextReader:
    """The readings of texts of one grammar."""

    def __init__(self, steps: ParserSteps) -> None:
        self.steps = steps
        self.patterns = {
            name: ParsedTerminal(name, pattern, steps.flags)
            for name, pattern in steps.patterns.items()
        }
        atoms = (atom for p in self.patterns.values() for atom in p.atoms())
        self.characters = CharacterClasses(atoms, steps.encoding)
        self.probes = {
            name: build_probe(pattern, self.characters) for name, pattern in self.patterns.items()
        }
        self._written = {name: p.write(self.characters) for name, p in self.patterns.items()}
        self._runs_out = cache(self._find_runs_out)
        self._canonical = ("", "")

    def canonical(self, text: str) -> str:
        """Return the text with each character replaced by one that no terminal tells from it."""
        known, found = self._canonical
        if not text.startswith(known):
            known = text[: max(0, len(text) - 64)]
            found = self.characters.canonical(known)
            self._canonical = (known, found)
        return found + self.characters.canonical(text[len(known) :])

    def readings(self, state: ParseState, text: str, position: int) -> list[LexReading]:
        """Return all readings that the parser does not refuse; empty is a refutation."""
        found: dict[LexReading, None] = {}
        pending, seen = [(state, position)], {(state, position)}
        while pending:
            here, start = pending.pop()
            if start == len(text):
                found[LexReading(here, start)] = None
                continue
            lexer = self.steps.lexer_at(here)
            for terminal, end in self.outcomes(lexer, text, start):
                if end is None:
                    found.update(dict.fromkeys(self._open(here, lexer, text, start, terminal)))
                    continue
                value = text[start:end]
                name = self.steps.name_of(lexer, terminal, value)
                after = here if name is None else self.steps.take(here, name, value)
                if after is not None and (after, end) not in seen:
                    seen.add((after, end))
                    pending.append((after, end))
        return [reading for reading in found if self.steps.can_go_on(reading.state)]

    def outcomes(
        self, lexer: BasicLexer, text: str, start: int
    ) -> Iterator[tuple[str, int | None]]:
        """Yield the terminals that may match at a position, and where each ends; ``None``: open."""
        for definition in lexer.scanner.terminals:
            name = str(definition.name)
            ends, is_matched = self.ends_of(name, text, start)
            for end in ends:
                yield name, end
            if is_matched:
                return

    def ends_of(self, name: str, text: str, start: int) -> tuple[list[int | None], bool]:
        """Return where a terminal may end, ``None``: open; and whether it matches in any case."""
        probe = self.probes[name]
        match = probe.first.match(self.canonical(text), start, partial=True)
        is_open = match is not None and match.end("t__") < 0
        if is_open and probe.relaxed is not None:
            canonical = self.canonical(text)
            indices = range(start + 1, len(text) + 1)
            fullmatch = probe.relaxed.fullmatch
            return [None, *(end for end in indices if fullmatch(canonical, start, end))], False
        settled = probe.plain.match(text, start)
        if not is_open and (settled and settled.end()) != (match and match.end("t__")):
            raise Undecided
        ends = [] if settled is None else [settled.end()]
        return [None, *ends] if is_open else [*ends], settled is not None

    def is_settled(self, state: ParseState, canonical: str, start: int) -> bool:
        """Return whether the lexeme at a position is the same whatever follows the text.

        An atomic group that must then fail matches partially iff one of its paths runs into the
        end of the text before a path completes.
        """
        return self._runs_out(self.steps.lexer_at(state))(canonical, start, partial=True) is None

    def _find_runs_out(self, lexer: BasicLexer) -> Callable[..., Any]:
        written = "|".join(f"(?:{self._written[t.name]})" for t in lexer.scanner.terminals)
        found: Callable[..., Any] = regex.compile(f"(?>{written})(?!)").match
        return found

    def _open(
        self, state: ParseState, lexer: BasicLexer, text: str, start: int, terminal: str
    ) -> Iterator[LexReading]:
        if terminal in lexer.ignore_types:
            yield LexReading(state, start, terminal)
            return
        names = [terminal]
        if terminal in lexer.callback:
            lexeme, unless = self.canonical(text[start:]), cast(Any, lexer.callback[terminal])
            keywords = [str(keyword.name) for keyword in unless.scanner.terminals]
            names += [
                name
                for name in keywords
                if self.probes[name].partial.fullmatch(lexeme, partial=True)
            ]
        for name in names:
            if name == self.steps.newline and state.parens == 0:
                for column in (*state.columns, state.columns[-1] + 1):
                    after = self.steps.take_newline(state, column)
                    if after is not None:
                        yield LexReading(after, start, terminal, name, column)
                continue
            opened = self.steps.take(state, name, text[start:])
            if opened is not None:
                yield LexReading(opened, start, terminal, name)


def build_probe(pattern: ParsedTerminal, characters: CharacterClasses) -> Probe:
    written, relaxed = pattern.write(characters), pattern.write(characters, is_relaxed=True)
    never = regex.escape(characters.absent)
    return Probe(
        plain=pattern.regex,
        partial=regex.compile(written),
        first=regex.compile(f"(?P<t__>{written})(?s:.)*{never}"),
        relaxed=None if relaxed == written else re.compile(relaxed),
    )


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
        """Return a position after a prefix; ``full_text`` is a longer text that it begins."""
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
        """Return whether the token is legal, and if so a text that Lark accepts."""
        split = split_cut(self.cut + token, self.oracle.steps.encoding)
        if split is None:
            return False, None
        text, cut, reader = self.text + split[0], split[1], self.oracle.reader
        undecided = False
        for character in reader.characters.completions(cut) if cut else ("",):
            whole, tail = text + character, None
            try:
                readings = reader.readings(self.state, whole, self.start)
            except Undecided:
                undecided = True
                continue
            if readings:
                tail = self.oracle.find_witness(whole, self.state, self.start, readings)
                undecided |= tail is None
            if tail is not None:
                return True, whole + tail
        if undecided:
            raise Undecided
        return False, None

    def can_end(self) -> bool:
        return not self.cut and self.oracle.steps.parses(self.state, self.text, self.start)


class _Walk:
    """A text, lexed once: every lexeme's start, with the parser's state before it."""

    def __init__(self, steps: ParserSteps, text: str) -> None:
        pairs = list(steps.walk(steps.start, text))
        self.states, self.starts = [state for state, _ in pairs], [start for _, start in pairs]
        # The first lexemes, settled for the first characters of the text.
        self._n_settled = self._length = 0

    def resume(self, reader: TextReader, text: str) -> tuple[ParseState, int]:
        """Return where to resume for a beginning of this text; best asked for in order."""
        if len(text) < self._length:
            self._n_settled = 0
        self._length = len(text)
        last = max(bisect.bisect_left(self.starts, len(text)) - 1, 0)
        canonical, found = reader.canonical(text), self._n_settled
        while found < last and reader.is_settled(self.states[found], canonical, self.starts[found]):
            found += 1
        self._n_settled = found
        return self.states[found], self.starts[found]
