"""The oracle for grammars that Lark parses with Earley.

As :mod:`maskc.verify.oracle`: *yes* needs a witness that Lark parses, *no* a refutation, and where
neither is found nothing is guessed. Lark's Earley parser cannot be stopped in the middle of a
text, so what may be under way is worked out by :mod:`maskc.verify.rules`, from Lark's rules and
patterns.

With ``dynamic`` a lexeme of any terminal that is expected ends where ``re`` matches it, as far as
that is known (:meth:`maskc.verify.oracle.TextReader.ends_of`). With ``dynamic_complete`` it may
end wherever ``re`` matches it in a piece of the text, and may stay open if ``regex`` finds that
more of the text could still match. With ``basic`` lexemes are what :mod:`maskc.verify.oracle`
says of Lark's lexer. Each time more is taken than Lark takes once it knows how the text goes on,
never less: if nothing may be under way at the end, no text begins like this.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from lark import Lark
from lark.exceptions import LarkError
from lark.lexer import BasicLexer

from maskc.verify.completions import Completer
from maskc.verify.oracle import LexReading, Oracle, OraclePosition, TextReader
from maskc.verify.rules import Column, EndingRules, Item, advance, find_rest
from maskc.verify.steps import ParserSteps, ParseState, show_lark

_MOST_ENDINGS = 6  # that worked and are tried first
_MOST_TAILS = 12  # ways to finish an open lexeme that are tried
_START = ParseState((0,))


def is_general(lark: Lark) -> bool:
    return bool(cast(Any, lark.options).parser == "earley")


def parses_generally(lark: Lark, text: str) -> bool:
    """Return whether Lark's Earley parser reads a text to its end, in one way or in two."""
    try:
        lark.parse(show_lark(lark, text))
    except LarkError:
        return False
    except RuntimeError as error:
        if not is_two_endings(error):
            raise
    return True


def is_two_endings(error: RuntimeError) -> bool:
    """Return whether an error of Lark's says that a text has two parses that end differently."""
    return "multiple start symbol items" in str(error)


class Lexeme(NamedTuple):
    """A lexeme: its terminal, its name for the parser (``None``: ignored), its end (or open)."""

    terminal: str
    name: str | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Chart:
    """What may be under way after each character of a text."""

    text: str
    columns: tuple[Column, ...]  # one more than characters
    lexemes: tuple[tuple[Lexeme, ...], ...]  # those that begin at each character
    n_settled: int  # so many columns from the start are the same whatever follows


EMPTY = Chart("", (), (), 0)


class GeneralSteps(ParserSteps):
    """What is asked of a grammar's terminals; there is no table to step through."""

    def __init__(self, lark: Lark) -> None:
        self._lark = lark
        self.start = _START
        self._read_terminals(lark)
        self.newline = self.indenter = None
        lexer = str(lark.lexer_conf.lexer_type)
        self.is_complete = lexer == "dynamic_complete"
        self.is_dynamic = lexer.startswith("dynamic")
        if not self.is_dynamic:
            self._lexer = cast(Any, lark.parser).lexer

    def take(self, state: ParseState, terminal: str, value: str) -> ParseState:
        """Return the state as it is: which terminals are taken is for the chart to say."""
        del terminal, value
        return state

    def can_finish(self, state: ParseState) -> bool:
        del state
        return True

    def parses(self, state: ParseState, text: str, position: int) -> bool:
        """Return whether Lark parses the whole text; it cannot be resumed."""
        del state, position
        return parses_generally(self._lark, text)


class GeneralReader(TextReader):
    """What may be under way after a text. A reading has the state ``(text index,)``."""

    def __init__(self, steps: GeneralSteps, rules: EndingRules) -> None:
        super().__init__(steps)
        self.rules, self._is_complete = rules, steps.is_complete
        self._base = EMPTY
        self._last = EMPTY

    def chart(self, text: str, *, is_base: bool = False) -> Chart:
        """Return the chart of a text; those of longer texts are made from a base."""
        if self._last.text != text or not self._last.columns:
            base = self._base if text.startswith(self._base.text) else EMPTY
            self._last = self.extend(base, text)
        if is_base:
            self._base = self._last
        return self._last

    def readings(self, state: ParseState, text: str, position: int) -> list[LexReading]:
        """Return what may be under way at the end of the text; empty is a refutation."""
        del state, position
        chart = self.chart(text)
        found = [
            LexReading(ParseState((index,)), index, lexeme.terminal, lexeme.name)
            for index, lexemes in enumerate(chart.lexemes)
            for lexeme in lexemes
            if lexeme.end is None
            and (lexeme.name is None or lexeme.name in chart.columns[index].scans)
        ]
        last = chart.columns[-1]
        if last.ends or last.scans:
            found.append(LexReading(ParseState((len(text),)), len(text)))
        return found

    def extend(self, base: Chart, text: str) -> Chart:
        """Return the chart of a text that begins with that of another one."""
        n_same = min(base.n_settled, len(base.columns))
        columns, lexemes = list(base.columns[:n_same]), list(base.lexemes[:n_same])
        begun = [Item(rule, 0, 0) for rule in self.rules.by_origin.get(self.rules.start, ())]
        kernels: dict[int, list[Item]] = {0: begun}
        for index in range(n_same):
            self._follow(columns[index], lexemes[index], kernels)
        n_settled = n_same
        for index in range(n_same, len(text) + 1):
            column = Column(self.rules, columns, kernels.pop(index, ()))
            found = tuple(self._list_lexemes(column, text, index)) if index < len(text) else ()
            columns.append(column)
            lexemes.append(found)
            if n_settled == index < len(text) and all(x.end is not None for x in found):
                n_settled += 1
            self._follow(column, found, kernels)
        return Chart(text, tuple(columns), tuple(lexemes), n_settled)

    def _follow(
        self, column: Column, lexemes: tuple[Lexeme, ...], kernels: dict[int, list[Item]]
    ) -> None:
        for lexeme in lexemes:
            if lexeme.end is None:
                continue
            reached = kernels.setdefault(lexeme.end, [])
            if lexeme.name is None:
                reached += column.carried()
            else:
                reached += map(advance, column.scans.get(lexeme.name, ()))

    def _list_lexemes(self, column: Column, text: str, index: int) -> Iterator[Lexeme]:
        if not (column.scans or column.ends):
            return
        if not self.steps.is_dynamic:
            yield from self._list_basic(self.steps.lexer_at(_START), text, index)
            return
        for name in sorted(self.steps.ignored):
            for found in self.ends_of(name, text, index)[0]:
                yield Lexeme(name, None, found)
        for name in column.scans:
            if not self._is_complete:
                for found in self.ends_of(name, text, index)[0]:
                    yield Lexeme(name, name, found)
                continue
            probe = self.probes[name]
            if probe.partial.fullmatch(self.canonical(text), index, partial=True):
                yield Lexeme(name, name, None)
            settled = probe.plain.match(text, index)
            if settled is not None:
                pieces = (text[index:end] for end in range(index + 1, settled.end()))
                matches = (probe.plain.match(piece) for piece in pieces)
                ends = {index + match.end() for match in matches if match is not None}
                for end in sorted(ends | {settled.end()}):
                    yield Lexeme(name, name, end)

    def _list_basic(self, lexer: BasicLexer, text: str, index: int) -> Iterator[Lexeme]:
        for terminal, end in self.outcomes(lexer, text, index):
            if end is not None:
                name = self.steps.name_of(lexer, terminal, text[index:end])
                yield Lexeme(terminal, name, end)
            else:
                for reading in self._open(_START, lexer, text, index, terminal):
                    yield Lexeme(terminal, reading.name, None)


class GeneralOracle(Oracle):
    """What Lark says of positions in texts of one grammar."""

    def __init__(self, lark: Lark) -> None:
        self.steps: GeneralSteps = GeneralSteps(lark)
        self.rules = EndingRules(lark)
        self.reader: GeneralReader = GeneralReader(self.steps, self.rules)
        self.completer = Completer(self.reader)
        self._endings: list[str] = []

    def at(self, prefix: bytes, full_text: str | None = None) -> OraclePosition:
        """Return a position after a prefix; positions are best asked for in order."""
        del full_text
        position = super().at(prefix)
        self.reader.chart(position.text, is_base=True)
        return position

    def find_witness(
        self, text: str, state: ParseState, start: int, readings: list[LexReading]
    ) -> str | None:
        chart = self.reader.chart(text)
        for guess in itertools.chain(self._endings, self._guess(chart, readings)):
            whole = text + guess
            if self.reader.extend(chart, whole).columns[-1].ends and self.steps.parses(
                state, whole, start
            ):
                self._endings = [guess, *(e for e in self._endings if e != guess)][:_MOST_ENDINGS]
                return guess
        return None

    def _guess(self, chart: Chart, readings: list[LexReading]) -> Iterator[str]:
        candidates: list[tuple[int, int, LexReading, tuple[str, ...]]] = []
        for reading in readings:
            column = chart.columns[reading.state.stack[0]]
            after = (
                column.carried()
                if reading.name is None
                else map(advance, column.scans[reading.name])
            )
            rest = find_rest(self.rules, chart.columns, after)
            if rest is not None:
                candidates.append((len(rest), len(candidates), reading, rest))
        for _, _, reading, rest in sorted(candidates):
            moves = [(name, sample) for name in rest for sample in self.completer.samples(name)[:1]]
            tails = self.completer.finish_lexeme(chart.text, reading)
            for tail in itertools.islice(tails, _MOST_TAILS):
                yield from (tail + written for written in self.completer.render(tuple(moves)))


def build_oracle(lark: Lark) -> Oracle:
    return GeneralOracle(lark) if is_general(lark) else Oracle(lark)


def parses(lark: Lark, text: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises more than ``LarkError``."""
    if is_general(lark):
        return parses_generally(lark, text)
    try:
        lark.parse(show_lark(lark, text))
    except (LarkError, IndexError, AssertionError):
        return False
    return True
