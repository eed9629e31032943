"""Guesses of what finishes a text, to be confirmed by Lark.

An open lexeme is finished by a breadth-first search over a few characters for each terminal: one
for each literal and each set in its pattern, then others that it reads. The parse is finished by a
best-first search over the actions of the LALR table that prefers stacks which need little. What
worked for a state on top of the stack is tried first the next time, so the search itself is rare.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from maskc.verify.steps import ParseState

if TYPE_CHECKING:
    from maskc.verify.oracle import LexReading, TextReader

# Lexemes as the parser gets them: the terminal, and one way to write it.
Moves = tuple[tuple[str, str], ...]

_MOST_REPRESENTATIVES = 24
_MOST_NODES = 20_000
_MOST_FINISHES = 1500
_REMEMBERED = 12


class Completer:
    """Guesses at completions for one grammar."""

    def __init__(self, reader: TextReader) -> None:
        self.reader, self.steps = reader, reader.steps
        self.representatives = {name: self._find_representatives(name) for name in reader.patterns}
        self.samples = cache(self._find_samples)
        self._worked: dict[int, list[Moves]] = {}
        self._finished: dict[str, list[str]] = {}
        self._failed: set[ParseState] = set()
        blanks = {s for name in sorted(self.steps.ignored) for s in self.samples(name)}
        shortest = sorted(blanks, key=lambda s: (s != " ", len(s), s))
        self.separators = ("", *shortest[:3])

    def forget(self) -> None:
        self._worked.clear()
        self._finished.clear()
        self._failed.clear()

    def guesses(self, text: str, reading: LexReading) -> Iterator[str]:
        for tail in self.finish_lexeme(text, reading):
            for moves in self.complete(reading.state):
                yield from (tail + rest for rest in self.render(moves))
                if reading.state.parens:
                    yield tail + self._render_lines(moves, reading.state.parens)

    def complete(self, state: ParseState) -> Iterator[Moves]:
        """Yield lexemes after which the parser accepts the end, as many ways as are at hand."""
        if self.steps.can_finish(state):
            yield ()
        worked = self._worked.setdefault(state.stack[-1], [])
        n_worked = 0
        for moves in worked.copy():
            if self._accepts(state, moves):
                n_worked += 1
                yield moves
        if n_worked == 0 and state not in self._failed:
            found = self._search(state)
            if found is None:
                self._failed.add(state)
                return
            worked.insert(0, found)
            del worked[_REMEMBERED:]
            yield found

    def _accepts(self, state: ParseState, moves: Moves) -> bool:
        here: ParseState | None = state
        for name, value in moves:
            here = self.steps.take(here, name, value) if here else None
        return here is not None and self.steps.can_finish(here)

    def _search(self, state: ParseState) -> Moves | None:
        """Return moves to an end: stretches, each of which leaves the stack needing less."""
        moves: Moves = ()
        here: ParseState | None = state
        while here is not None:
            stretch, here = self._search_progress(here)
            moves += stretch
            if here is not None and self.steps.can_finish(here):
                return moves
        return None

    def _search_progress(self, state: ParseState) -> tuple[Moves, ParseState | None]:
        """Return the cheapest moves after which the stack needs less, or the text may end."""
        count = itertools.count()
        needed = self.steps.remaining.of(state.stack)
        queue: list[tuple[int, int, ParseState, Moves]] = [(0, next(count), state, ())]
        seen = {state}
        while queue and len(seen) < _MOST_NODES:
            _, _, here, moves = heapq.heappop(queue)
            if moves and (
                self.steps.can_finish(here) or self.steps.remaining.of(here.stack) < needed
            ):
                return moves, here
            for name in self.steps.names_at(here):
                for value in self._values(here, name):
                    after = self.steps.take(here, name, value)
                    if after is None or after in seen:
                        continue
                    seen.add(after)
                    cost = len(moves) + 2 * self.steps.remaining.of(after.stack)
                    heapq.heappush(queue, (cost, next(count), after, (*moves, (name, value))))
        return (), None

    def _values(self, state: ParseState, name: str) -> tuple[str, ...]:
        if name == self.steps.newline:
            columns = () if state.parens else (*state.columns, state.columns[-1] + 1)
            return tuple("\n" + " " * column for column in columns)
        return self.samples(name)[:1] if name in self.steps.terminals else ()

    def render(self, moves: Moves) -> Iterator[str]:
        """Yield ways to write lexemes: with and without something between, with other samples."""
        if not moves:
            yield ""
            return
        for separator in self.separators:
            for turn in range(3):
                if turn and all(len(self.samples(name)) < 2 for name, _ in moves):
                    break
                values = [
                    value
                    if name == self.steps.newline or not turn
                    else self.samples(name)[turn % len(self.samples(name))]
                    for name, value in moves
                ]
                yield "".join(separator + value for value in values)
                if separator:
                    yield separator.join(values)

    def _render_lines(self, moves: Moves, depth: int) -> str:
        """Return lexemes with a newline, which is dropped there, before each between brackets."""
        indenter, parts = self.steps.indenter, list[str]()
        for name, value in moves:
            parts.append("\n" + value if depth else value)
            depth += (name in indenter.OPEN_PAREN_types) - (name in indenter.CLOSE_PAREN_types)
        return "".join(parts)

    def finish_lexeme(self, text: str, reading: LexReading) -> Iterator[str]:
        """Yield strings that may end the open lexeme of a reading."""
        if reading.terminal is None:
            yield ""
            return
        lexeme = text[reading.start :]
        if reading.column >= 0:
            yield from self._finish_newline(lexeme, reading)
            return
        probe = self.reader.probes[reading.name or reading.terminal].partial
        remembered = self._finished.setdefault(reading.name or reading.terminal, [])
        n_found = 0
        for tail in remembered.copy():
            if probe.fullmatch(self.reader.canonical(lexeme + tail)):
                n_found += 1
                yield tail
        for tail in self._search_tails(reading.name or reading.terminal, lexeme):
            if tail not in remembered:
                remembered.insert(0, tail)
                del remembered[_REMEMBERED:]
                yield tail
            n_found += 1
            if n_found > 5:
                return

    def _finish_newline(self, lexeme: str, reading: LexReading) -> Iterator[str]:
        probe = self.reader.probes[str(reading.terminal)].partial
        indent = lexeme.rpartition("\n")[2] if "\n" in lexeme else ""
        width = indent.count(" ") + indent.count("\t") * self.steps.indenter.tab_len
        wanted = [reading.column]
        if reading.column not in reading.state.columns[:-1]:  # deeper: any column will do
            wanted += [column for column in (width, width + 1) if column > reading.column]
        for column in wanted:
            spaces = " " * column
            tails = [" " * (column - width)] if column >= width and "\n" in lexeme else []
            tails += [f"\n{spaces}", f"\r\n{spaces}", f" \n{spaces}", f"#\n{spaces}"]
            yield from (
                tail for tail in tails if probe.fullmatch(self.reader.canonical(lexeme + tail))
            )

    def _search_tails(self, terminal: str, lexeme: str) -> Iterator[str]:
        probe = self.reader.probes[terminal].partial
        characters = self.representatives[terminal]
        tails, n_tried = [""], 0
        while tails:
            longer = []
            for tail in tails:
                n_tried += 1
                match = probe.fullmatch(self.reader.canonical(lexeme + tail), partial=True)
                if match is None:
                    continue
                if not match.partial and lexeme + tail:
                    yield tail
                if n_tried < _MOST_FINISHES:
                    longer += [tail + character for character in characters]
            tails = longer

    def _find_samples(self, terminal: str) -> tuple[str, ...]:
        found = list(itertools.islice(self._search_tails(terminal, ""), 3))
        if terminal in self.steps.terminals and len(found) < 3:
            pattern = self.steps.terminals[terminal].pattern
            if pattern.type == "str" and pattern.value not in found:
                found.insert(0, pattern.value)
        return tuple(found)

    def _find_representatives(self, terminal: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        members = [
            self.reader.characters.members(atom) for atom in self.reader.patterns[terminal].atoms()
        ]
        for group in (*(m[:1] for m in members), *members):
            found.update(dict.fromkeys(group))
        return tuple(list(found)[:_MOST_REPRESENTATIVES])
