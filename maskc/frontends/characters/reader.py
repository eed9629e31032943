"""What do the readers of GBNF and EBNF share?

A place in a text, errors that name its line, the escapes of characters, and the table of rules in
which every name is defined once and asked for only if it is.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from maskc.automata.charset import ANY, MAX_CODE_POINT, CodePoints, intersect_any
from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters.expressions import (
    CharacterGrammar,
    Characters,
    Expression,
    Reference,
    check_size,
    repeat,
    unite,
)

MAX_DEPTH, MAX_REPETITIONS = 100, 2_000
_MOST_COUNTED = 10**9

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
# What xgrammar has beside them, and characters that stand for themselves after a backslash there.
XGRAMMAR_NAMED = _ESCAPED | {"0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
XGRAMMAR_PLAIN = "\\\"[]-/'?^$.*+(){}|"
_HEX_LENGTH = {"x": 2, "u": 4, "U": 8}
# xgrammar writes -1 for a bound that is none.
_COUNTS = re.compile(r"\{\s*(\d*)\s*(?:(,)\s*(\d*|-1)\s*)?\}")


class Reader:
    """A place in a grammar's text, and the rules read so far.

    Attributes:
        name: of the file, for messages.
        text: all of it.
        at: the index of the next character.
        depth: how many brackets are open.
        rules: what was read.
    """

    def __init__(self, name: str, text: str, *, counts_all: bool = False) -> None:
        self.name, self.text = name, text.removeprefix("\ufeff")
        self._counts_all = counts_all
        self.at = self.depth = 0
        self.rules: dict[str, Expression] = {}
        self._defined: dict[str, int] = {}
        self._asked: dict[str, int] = {}

    @property
    def line(self) -> int:
        """The number of the line."""
        return self.text.count("\n", 0, self.at) + 1

    @property
    def place(self) -> str:
        """Where the reader is, as ``file:line``."""
        return f"{self.name}:{self.line}"

    def error(self, reason: str) -> GrammarError:
        """Return an error at this place."""
        return GrammarError(self.place, reason)

    def unclosed(self, begin: int, closing: str) -> GrammarError:
        """Return the error of a bracket or quote that was opened somewhere and is not closed."""
        opening, end = self.text[begin], self.at
        self.at = begin
        where = "" if end == len(self.text) else f" before {self.text[end : end + 12].split()[0]!r}"
        return self.error(f"the {opening} is not closed; write {closing} after it{where}")

    def sees(self, *texts: str) -> bool:
        """Return whether one of the texts comes next."""
        return self.text.startswith(texts, self.at)

    def take(self, text: str) -> bool:
        """Go past a text if it comes next, and return whether it did."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go past a pattern if it comes next, and return what it matched."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def found(self) -> str:
        """Return what comes next, for a message."""
        rest = self.text[self.at : self.at + 12].split("\n")[0].rstrip()
        return repr(rest) if rest else "the end of the line" if self.text[self.at :] else "the end"

    def nested(self, read: Callable[[], Expression]) -> Expression:
        """Return what is read between brackets.

        Raises:
            LimitError: too many are open.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(
                f"open brackets at {self.place}", MAX_DEPTH, "name the inner ones as rules"
            )
        inner = read()
        self.depth -= 1
        return inner

    def ask(self, name: str) -> Reference:
        """Return a reference to a rule, which must be defined by the end."""
        self._asked.setdefault(name, self.line)
        return Reference(name)

    def define(self, name: str, line: int, body: Expression) -> None:
        """Add a rule.

        Raises:
            GrammarError: there is one of that name.
            LimitError: it is too large.
        """
        if name in self._defined:
            raise GrammarError(
                f"{self.name}:{line}",
                f"rule {name} is defined in line {self._defined[name]} already; join them with |",
            )
        self._defined[name] = line
        self.rules[name] = self._check_size(f"{self.name}:{line}", body)

    def finish(self, start: str) -> CharacterGrammar:
        """Return the grammar of all rules.

        Raises:
            GrammarError: a rule, or the start symbol, is not defined.
        """
        for name, line in self._asked.items():
            if name not in self._defined:
                near = difflib.get_close_matches(name, sorted(self._defined), 1)
                hint = f"; is it {near[0]}?" if near else "; define it"
                raise GrammarError(f"{self.name}:{line}", f"there is no rule {name}{hint}")
        if start not in self._defined:
            names = ", ".join(list(self._defined)[:5]) or "none at all"
            raise GrammarError(
                self.name,
                f"the start symbol {start} is not a rule; it has {names}; define it, or name one "
                "with --start RULE",
            )
        return CharacterGrammar(self.name, self.rules, start)

    def escape(self, plain: str, named: Mapping[str, str] = _ESCAPED) -> int:
        r"""Return the code point of an escape, after its backslash: ``\n``, ``\xNN``, ….

        Raises:
            GrammarError: it is none, or no character.
        """
        letter = self.text[self.at : self.at + 1]
        if letter in named:
            self.at += 1
            return ord(named[letter])
        if letter in _HEX_LENGTH:
            digits = self.text[self.at + 1 : self.at + 1 + _HEX_LENGTH[letter]]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{_HEX_LENGTH[letter]}}}", digits):
                raise self.error(
                    f"\\{letter} needs {_HEX_LENGTH[letter]} hexadecimal digits after it"
                )
            code_point = self.check_code_point(int(digits, 16))
            self.at += 1 + len(digits)
            return code_point
        if letter and letter in plain:
            self.at += 1
            return ord(letter)
        known = " ".join(f"\\{c}" for c in f"{''.join(named)}xuU{plain}")
        raise self.error(f"\\{letter} is not an escape; there are {known}")

    def check_code_point(self, code_point: int) -> int:
        """Return a code point that exists.

        Raises:
            GrammarError: it is beyond U+10FFFF.
        """
        if code_point > MAX_CODE_POINT:
            raise self.error(f"U+{code_point:X} is not a character; the last one is U+10FFFF")
        return code_point

    def character(self, code_point: int) -> Characters:
        """Return one character.

        Raises:
            GrammarError: it is half of a surrogate pair, which no text holds.
        """
        if not intersect_any(((code_point, code_point),)):
            raise self.error(
                f"U+{code_point:X} is half of a surrogate pair, which no text holds; "
                "write the character itself, or \\U and its eight digits"
            )
        return Characters(((code_point, code_point),))

    def character_class(self, ranges: list[tuple[int, int]], *, negated: bool) -> Characters:
        """Return a class; surrogates in its ranges are left out, for no text holds one.

        Raises:
            GrammarError: it has no character.
        """
        if not ranges:
            raise self.error("a class without characters matches nothing; write . for any one")
        for low, high in ranges:
            if low > high:
                raise self.error(
                    f"the range U+{low:04X} to U+{high:04X} is empty; exchange its ends"
                )
        found: CodePoints = intersect_any(unite(tuple(ranges)))
        if negated:
            found = _others(found)
        if not found:
            raise self.error("this class matches no character at all; leave it out")
        return Characters(found)

    def counts(self, body: Expression) -> Expression:
        """Return the body as often as the braces that come next say.

        Raises:
            GrammarError: they are not ``{n}``, ``{n,}``, ``{,m}`` or ``{n,m}``.
            LimitError: the counts are too high.
        """
        found = self.match(_COUNTS)
        if not found or not (found[1] or found[3]):
            raise self.error("expected counts as in {3}, {3,}, {,5} or {3,5}")
        low = _read_count(found[1]) if found[1] else 0
        high = None if found[3] == "-1" else _read_count(found[3]) if found[3] else None
        high = high if found[2] else low
        for count in (low, high or 0):
            if count > (_MOST_COUNTED if self._counts_all else MAX_REPETITIONS):
                raise LimitError(
                    f"repetitions at {self.place}", MAX_REPETITIONS, "write * for any number"
                )
        if high is not None and high < low:
            raise self.error(f"{{{low},{high}}} has its counts in the wrong order; exchange them")
        return self._check_size(self.place, repeat(body, low, high))

    def _check_size(self, place: str, expression: Expression) -> Expression:
        return expression if self._counts_all else check_size(place, expression)


def _read_count(digits: str) -> int:
    # Python refuses numbers of thousands of digits; all of these are too high.
    return int(digits) if len(digits) < 10 else _MOST_COUNTED + 1


def _others(ranges: CodePoints) -> CodePoints:
    found, start = [], 0
    for low, high in ranges:
        found.append((start, low - 1))
        start = high + 1
    found.append((start, ANY[-1][1]))
    return intersect_any(tuple((low, high) for low, high in found if low <= high))
