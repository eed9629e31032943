r"""The ways in which Lark could lex a text that goes on, and that its parser does not refuse.

The end of the text is not known yet, so the last lexemes are not settled. For each terminal, in
Lark's order, ``regex`` is asked for the first path that either matches or runs into the end of
the text. If it matched first, nothing that follows can change that; if it ran into the end, the
lexeme may still be *open*, or that path may die and the next one count. What remains after all
paths is a superset of what Lark can do with any continuation: if the LALR table refuses each of
these *readings*, no continuation parses.

Example: after ``x isinst`` the open lexeme is a NAME, whatever follows, because the path of
``\w*`` that runs into the end has a match of its own there. So ``is`` is never split off.

Terminals that look ahead (assertions, ``\b``, ``$``) may also end, here, wherever they could with
these conditions left out: more than Lark does, never less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex
from lark.lexer import BasicLexer

from maskc.verify.characters import CharacterClasses
from maskc.verify.patterns import ParsedTerminal
from maskc.verify.steps import ParserSteps, ParseState


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
        self._keywords = cache(self._find_keywords)

    def canonical(self, text: str) -> str:
        """Return the text with each character replaced by one that no terminal tells from it."""
        known, found = self._canonical
        if not text.startswith(known):
            known = text[: max(0, len(text) - 64)]
            found = self.characters.canonical(known)
            self._canonical = (known, found)
        return found + self.characters.canonical(text[len(known) :])

    def readings(self, state: ParseState, text: str, position: int) -> list[LexReading]:
        """Return all readings that the parser does not refuse; empty is a refutation.

        Raises:
            Undecided: ``regex`` and ``re`` disagree on a lexeme.
        """
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
            lexeme = self.canonical(text[start:])
            names += [
                name
                for name in self._keywords(lexer, terminal)
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

    def _find_keywords(self, lexer: BasicLexer, terminal: str) -> tuple[str, ...]:
        unless: Any = lexer.callback[terminal]
        return tuple(str(t.name) for t in unless.scanner.terminals)


def build_probe(pattern: ParsedTerminal, characters: CharacterClasses) -> Probe:
    written, relaxed = pattern.write(characters), pattern.write(characters, is_relaxed=True)
    never = regex.escape(characters.absent)
    return Probe(
        plain=pattern.regex,
        partial=regex.compile(written),
        first=regex.compile(f"(?P<t__>{written})(?s:.)*{never}"),
        relaxed=None if relaxed == written else re.compile(relaxed),
    )
