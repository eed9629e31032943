"""The reader of rules over characters, as GBNF and EBNF have them in common.

A notation says in a subclass where a rule ends, which blanks and comments stand between parts, and
what it has beside alternatives, texts, classes, groups, names and repetitions. Errors name the
line; every name is defined once, and is asked for only if it is defined.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from maskc.errors import GrammarError, LimitError
from maskc.regular import (
    CharacterGrammar,
    Characters,
    Expression,
    Reference,
    check_size,
    choice,
    repeat,
    sequence,
)
from maskc.regular.charset import ANY, MAX_CODE_POINT, complement, intersect_any, unite

MAX_DEPTH, MAX_REPETITIONS = 100, 2_000
_MOST_COUNTED = 10**9

# What stands for another character after a backslash, and what for itself.
_NAMED = dict(zip("nrt0abefv", "\n\r\t\0\a\b\x1b\f\v", strict=True))
_PLAIN = "\\\"[]-/'?^$.*+(){}|"
_HEX_LENGTH = {"x": 2, "u": 4, "U": 8}
# xgrammar writes -1 for a bound that is none.
_COUNTS = re.compile(r"\{\s*(\d*)\s*(?:(,)\s*(\d*|-1)\s*)?\}")
_MACRO = re.compile(r"(?:TagDispatch|TokenTagDispatch|Token|ExcludeToken|Regex)(?=[ \t]*\()")


class GrammarTextReader:
    """A location in a grammar's text, and the rules read so far.

    With ``counts_all`` repetitions are counted, however many, and never written out.

    Attributes:
        name: of the file, for messages.
        at: the index of the next character.
        depth: how many brackets are open.
        rules: what was read.
        names: pattern of a rule's name.
        quotes: what texts stand between.
        is_extended: whether ``.`` is any character, a backslash begins an escape, and a look-ahead
            may stand at the end of a rule.
        has_empty_class: whether ``[^]`` is any character.
        no_look_ahead: why there is none.
    """

    names: re.Pattern[str]
    quotes: tuple[str, ...] = ('"',)
    is_extended = True
    has_empty_class = False
    no_look_ahead = "a look-ahead (=…) stands at the end of a rule and nowhere else"

    def __init__(self, name: str, text: str, *, counts_all: bool) -> None:
        self.name, self.text = name, text.removeprefix("\ufeff")
        self._counts_all = counts_all
        self.at = self.depth = 0
        self.rules: dict[str, Expression] = {}
        self._defined: dict[str, int] = {}
        self._asked: dict[str, int] = {}

    # What a notation says.

    def rule(self) -> None:
        """Read a rule and what stands up to the next one."""
        raise NotImplementedError

    def blanks(self) -> None:
        """Go past what may stand between two parts of a rule."""
        raise NotImplementedError

    def blank_lines(self) -> None:
        """Go past the same, and past line breaks that do not end a rule here."""
        self.blanks()

    def rest(self) -> None:
        """Raise an error if what stands here, which begins no part, does not end a sequence."""

    def first_rule(self) -> str:
        """Return the start symbol that a notation names where nobody does."""
        return "root"

    # What they have in common.

    def read_rules(self) -> None:
        self.blank_lines()
        while self.at < len(self.text):
            self.rule()

    def alternatives(self) -> Expression:
        parts = [self.sequence()]
        while self.take("|"):
            self.blank_lines()
            parts.append(self.sequence())
        return choice(*parts)

    def sequence(self) -> Expression:
        parts = []
        while (part := self.part()) is not None:
            parts.append(part)
        return sequence(*parts)

    def part(self) -> Expression | None:
        """Return the next part of a sequence with its repetitions; ``None`` at the end."""
        part = self.item()
        while part is not None:
            self.blanks()
            if self.sees("{"):
                part = self._read_counts(part)
            elif self.take("*"):
                part = repeat(part, 0, None)
            elif self.take("+"):
                part = repeat(part, 1, None)
            elif self.take("?"):
                part = repeat(part, 0, 1)
            else:
                break
        return part

    def item(self) -> Expression | None:
        if self.sees(*self.quotes):
            return self._read_text()
        if self.take("["):
            return self._read_class()
        if self.is_extended and self.take("."):
            return Characters(ANY)
        if self.sees("(=") and self.is_extended and not self.depth:
            return None
        begin = self.at
        if self.take("("):
            inner = self._nested(self._read_group)
            if not self.take(")"):
                raise self.unclosed(begin, ")")
            return inner
        macro = self.match(_MACRO)
        if macro:
            raise self.error(
                f"{macro[0]}(…) is a macro of xgrammar's, and a grammar here is rules about text; "
                "write the text out, or send a structural tag, a schema or a pattern"
            )
        name = self.match(self.names)
        if name:
            self._asked.setdefault(name[0], self.line)
            return Reference(name[0])
        if self.sees("*", "+", "?", "{"):
            raise self.error(f"{self.text[self.at]} has nothing before it to repeat")
        self.rest()
        return None

    def look_ahead(self) -> None:
        """Go past what xgrammar says of the text after a rule: it has no effect on the texts."""
        if self.is_extended and self.take("(="):
            self.blank_lines()
            self._nested(self.sequence)
            if not self.take(")"):
                raise self.error(f"expected ) and found {self.found()}")
            self.blanks()

    def define(self, name: str, line: int, body: Expression) -> None:
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

    def character(self, closing: str, begin: int) -> int:
        if self.at == len(self.text):
            raise self.unclosed(begin, closing)
        character = self.text[self.at]
        self.at += 1
        return self.escape() if character == "\\" and self.is_extended else ord(character)

    def class_character(self, begin: int) -> int:
        return self.character("]", begin)

    def escape(self) -> int:
        r"""Return the code point of an escape, after its backslash: ``\n``, ``\xNN``, …."""
        letter = self.text[self.at : self.at + 1]
        if letter in _HEX_LENGTH:
            digits = self.text[self.at + 1 : self.at + 1 + _HEX_LENGTH[letter]]
            if not re.fullmatch(rf"[0-9a-fA-F]{{{_HEX_LENGTH[letter]}}}", digits):
                raise self.error(
                    f"\\{letter} needs {_HEX_LENGTH[letter]} hexadecimal digits after it"
                )
            code_point = self.check_code_point(digits)
            self.at += 1 + len(digits)
            return code_point
        if not letter or letter not in f"{''.join(_NAMED)}{_PLAIN}":
            known = " ".join(f"\\{c}" for c in f"{''.join(_NAMED)}xuU{_PLAIN}")
            raise self.error(f"\\{letter} is not an escape; there are {known}")
        self.at += 1
        return ord(_NAMED.get(letter, letter))

    def check_code_point(self, digits: str) -> int:
        # Ten digits are beyond any code point, however many zeros are meant.
        code_point = int(digits.lstrip("0")[:10] or "0", 16)
        if code_point > MAX_CODE_POINT:
            raise self.error(f"U+{code_point:X} is not a character; the last one is U+10FFFF")
        return code_point

    def one_character(self, code_point: int) -> Characters:
        if not intersect_any(((code_point, code_point),)):
            raise self.error(
                f"U+{code_point:X} is half of a surrogate pair, which no text holds; "
                "write the character itself, or \\U and its eight digits"
            )
        return Characters(((code_point, code_point),))

    def _read_group(self) -> Expression:
        if self.sees("="):
            raise self.error(self.no_look_ahead)
        self.blank_lines()
        return self.alternatives()

    def _read_text(self) -> Expression:
        begin, quote = self.at, self.text[self.at]
        self.at += 1
        parts = []
        while not self.take(quote):
            parts.append(self.one_character(self.character(quote, begin)))
        return sequence(*parts)

    def _read_class(self) -> Characters:
        """Return a class; surrogates in its ranges are left out, for no text holds one."""
        begin, is_negated = self.at - 1, self.take("^")
        ranges = []
        while not self.sees("]"):
            low = high = self.class_character(begin)
            if self.sees("-") and not self.sees("-]"):
                self.at += 1
                high = self.class_character(begin)
            ranges.append((low, high))
        if is_negated and not ranges and self.has_empty_class:
            self.at += 1
            return Characters(ANY)
        if not ranges:
            raise self.error("a class without characters matches nothing; write . for any one")
        for low, high in ranges:
            if low > high:
                raise self.error(
                    f"the range U+{low:04X} to U+{high:04X} is empty; exchange its ends"
                )
        found = unite(ranges)
        if is_negated:
            found = complement(found)
        if not found:
            raise self.error("this class matches no character at all; leave it out")
        self.at += 1
        return Characters(found)

    def _read_counts(self, body: Expression) -> Expression:
        found = self.match(_COUNTS)
        if not found or not (found[1] or found[3]):
            raise self.error("expected counts as in {3}, {3,}, {,5} or {3,5}")
        low = _read_count(found[1]) if found[1] else 0
        high = None if found[3] == "-1" else _read_count(found[3]) if found[3] else None
        high = high if found[2] else low
        for count in (low, high or 0):
            if count > (_MOST_COUNTED if self._counts_all else MAX_REPETITIONS):
                raise LimitError(
                    f"repetitions at {self.location}", MAX_REPETITIONS, "write * for any number"
                )
        if high is not None and high < low:
            raise self.error(f"{{{low},{high}}} has its counts in the wrong order; exchange them")
        return self._check_size(self.location, repeat(body, low, high))

    def _nested(self, read: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(
                f"open brackets at {self.location}", MAX_DEPTH, "name the inner ones as rules"
            )
        inner = read()
        self.depth -= 1
        return inner

    def _check_size(self, location: str, expression: Expression) -> Expression:
        return expression if self._counts_all else check_size(location, expression)

    # The text.

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    @property
    def location(self) -> str:
        return f"{self.name}:{self.line}"

    def error(self, reason: str) -> GrammarError:
        return GrammarError(self.location, reason)

    def unclosed(self, begin: int, closing: str) -> GrammarError:
        """Return the error of a bracket or quote that was opened somewhere and is not closed."""
        opening, end = self.text[begin], self.at
        self.at = begin
        where = "" if end == len(self.text) else f" before {self.text[end : end + 12].split()[0]!r}"
        return self.error(f"the {opening} is not closed; write {closing} after it{where}")

    def sees(self, *texts: str) -> bool:
        return self.text.startswith(texts, self.at)

    def take(self, text: str) -> bool:
        """Go past a text if it comes next, and return whether it did."""
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def found(self) -> str:
        rest = self.text[self.at : self.at + 12].split("\n")[0].rstrip()
        return repr(rest) if rest else "the end of the line" if self.text[self.at :] else "the end"


def _read_count(digits: str) -> int:
    # Python refuses numbers of thousands of digits; all of these are too high.
    return int(digits) if len(digits) < 10 else _MOST_COUNTED + 1
