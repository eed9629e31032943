r"""The notations other than Lark's: GBNF of llama.cpp, EBNF of the W3C, and a regular expression.

docs/dialects.md has where GBNF and EBNF differ from what llama.cpp and xgrammar make of them; what
these read otherwise is llama.cpp's. Notes of XML 1.0, ``[ wfc: … ]`` and ``[ vc: … ]``, and
comments are passed over.

A regular expression is a grammar of one terminal, read by LALR, whose texts are those that
``re.fullmatch`` takes: ``(?:PATTERN)\Z`` where ``re`` knows that the pattern reads a character, and
otherwise ``(?=(?:PATTERN)\Z)[\s\S]+``, since Lark takes no terminal that might be empty. If the
pattern matches the empty text, the terminal is optional.

Source: llama.cpp, ``grammars/README.md`` and the reader in ``src/llama-grammar.cpp``, read in 2025;
Extensible Markup Language (XML) 1.0, fifth edition, section 6, Notation; xgrammar 0.2.8, its page
on EBNF and what it prints.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from maskc.bounded import QUIET
from maskc.errors import GrammarError, LimitError, UnsupportedTerminalError
from maskc.frontends.backreferences import write_without_backreferences
from maskc.frontends.characters.reader import GrammarTextReader
from maskc.frontends.translation import Side, Translation
from maskc.regular import CharacterGrammar, Except, Expression, Reference, least_width
from maskc.regular.charset import PropertyError, write_properties
from maskc.regular.counted import count_expression
from maskc.regular.matching import match_length
from maskc.regular.python import check_conditionals, read_python, refers_back
from maskc.runtime.link.counts import CountedPattern

_BLANKS = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_TOKEN = re.compile(r"!?<[^>\s]*>?")
# What ends a rule though a line does not: the next one, or the end.
# Possessive: a comment is one whole, and no text makes it slow.
_NEXT_RULE = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*+)*+(?:[A-Za-z0-9_-]++[ \t]*+::=|\Z)")

_W3C_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")
_HEAD = re.compile(rf"(?:\[\s*\d+[a-z]?\s*\]\s*)?({_W3C_NAME.pattern})\s*::=")
_NOTE = re.compile(r"\[\s*(?:wfc|vc)\s*:[^\]]*\]", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"#[^\n]*")
_CODE_POINT = re.compile(r"#x([0-9a-fA-F]+)")
_WITH_ROOT = re.compile(r"^[ \t]*root\s*::=", re.MULTILINE)
_HEX = re.compile(r"x([0-9a-fA-F]+)")

NAME = "<regex>"

_FLAGS = {re.ASCII: "a", re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
_GLOBAL_FLAGS = re.compile(r"\(\?[aimsux]+\)(?:\s*\(\?[aimsux]+\))*")


def read_rules(
    dialect: str, name: str, text: str, start: str | None = None, *, counts_all: bool = False
) -> CharacterGrammar:
    """Return the rules of a grammar in GBNF or in W3C-style EBNF.

    Raises:
        GrammarError: it is none, or it asks for tokens; the message names the line.
        LimitError: counts or brackets are beyond a bound.
    """
    reader = _READERS[dialect](name, text, counts_all=counts_all)
    reader.read_rules()
    return reader.finish(start or reader.first_rule())


_COUNT = re.compile(r"[{,]\s*[0-9]{2}")


def count_grammar(dialect: str, text: str) -> CountedPattern | None:
    """Return the positions of a grammar, ``None`` if a parser follows it better.

    That is also if it is no grammar: the parser's error says why. A grammar whose rules do not come
    back to themselves is one expression: ``root ::= word{1,65536} ";"`` with ``word ::= [a-z]+``
    is ``(?:[a-z]+){1,65536};``. Exceptions ``A - B`` are left to the parser.
    """
    if dialect not in _READERS or not _COUNT.search(text):
        return None
    try:
        grammar = read_rules(dialect, "<text>", text, counts_all=True)
    except (GrammarError, LimitError):
        return None
    return count_expression(Reference(grammar.start), grammar.rules)


class _Gbnf(GrammarTextReader):
    names = re.compile(r"[A-Za-z0-9_-]+")

    def rule(self) -> None:
        line = self.line
        name = self.match(self.names)
        if not name:
            raise self.error(f"expected a rule, as in name ::= …, and found {self.found()}")
        self.match(_BLANKS)
        if not self.take("::="):
            raise self.error(
                f"expected ::= after {name[0]}, and found {self.found()}; write {name[0]} ::= …, "
                "or give a grammar of Lark's the suffix .lark"
            )
        self.blank_lines()
        body = self.alternatives()
        self.look_ahead()
        if self.sees(")"):
            raise self.error("this ) closes nothing")
        if not self.match(_LINE_END):
            raise self.error(f"expected the end of rule {name[0]}, and found {self.found()}")
        self.blank_lines()
        self.define(name[0], line, body)

    def blanks(self) -> None:
        self.match(_BLANKS)
        if self.depth or not _NEXT_RULE.match(self.text, self.at):
            self.blank_lines()

    def blank_lines(self) -> None:
        self.match(_BLANK_LINES)

    def rest(self) -> None:
        token = self.match(_TOKEN)
        if token:
            raise self.error(
                f"{token[0]} is a token of one vocabulary, and a grammar here is about text; "
                "write the text it stands for, or handle special tokens outside the grammar"
            )


class _Ebnf(GrammarTextReader):
    names = _W3C_NAME
    quotes = ('"', "'")
    no_look_ahead = "a look-ahead (=…) stands at the end of a rule of xgrammar's only"

    def __init__(self, name: str, text: str, *, counts_all: bool) -> None:
        super().__init__(name, text, counts_all=counts_all)
        self.is_extended = self.has_empty_class = _WITH_ROOT.search(self.text) is not None

    def first_rule(self) -> str:
        return "root" if self.is_extended else next(iter(self.rules), "root")

    def rule(self) -> None:
        line = self.line
        head = self.match(_HEAD)
        if not head:
            raise self.error(
                f"expected a rule, as in Name ::= …, and found {self.found()}; write one, or "
                "give a grammar of Lark's the suffix .lark"
            )
        self.blanks()
        body = self.alternatives()
        self.look_ahead()
        self.define(head[1], line, body)

    def blanks(self) -> None:
        while (
            self.match(_SPACE)
            or self.match(_LINE_COMMENT if self.is_extended else _NOTE)
            or self._comment()
        ):
            pass

    def _comment(self) -> bool:
        found = self.sees("/*")
        if found and not self.match(_COMMENT):
            raise self.error("this comment has no end; close it with */")
        return found

    def part(self) -> Expression | None:
        part = super().part()
        if part is None or not self.sees("-"):
            return part
        location = self.location
        self.at += 1
        self.blanks()
        other = super().part()
        if other is None:
            raise self.error(f"expected what to leave out after -, found {self.found()}")
        return Except(part, other, location)

    def item(self) -> Expression | None:
        if _HEAD.match(self.text, self.at):  # the next rule, with its number
            return None
        code_point = self._code_point()
        return super().item() if code_point is None else self.one_character(code_point)

    def rest(self) -> None:
        ends = self.sees("|") or (self.sees(")") and self.depth)
        if self.at < len(self.text) and not ends:
            raise self.error(f"expected a part of a rule, and found {self.found()}")

    def class_character(self, begin: int) -> int:
        code_point = self._code_point()
        return super().class_character(begin) if code_point is None else code_point

    def escape(self) -> int:
        digits = self.match(_HEX)
        return self.check_code_point(digits[1]) if digits else super().escape()

    def _code_point(self) -> int | None:
        found = None if self.is_extended else self.match(_CODE_POINT)
        return self.check_code_point(found[1]) if found else None


_READERS: Mapping[str, type[GrammarTextReader]] = {"gbnf": _Gbnf, "ebnf": _Ebnf}


def read_pattern(pattern: str) -> str:
    """Return a pattern that matches the same texts, and nothing but to their end.

    Raises:
        GrammarError: ``re`` refuses the pattern, or it has a back-reference to many texts.
    """
    return _read(pattern)[0]


def translate_regex(pattern: str) -> Translation:
    """Return a grammar of the texts that ``re.fullmatch`` takes."""
    whole, least, groups = _read(pattern)
    sides: list[Side] = [()] if match_length(whole, "") == 0 else []
    if not least:
        whole = rf"(?={whole})[\s\S]+"
    terminal = "PATTERN"
    while terminal in groups:
        terminal += "_"
    check_conditionals(terminal, whole, 0)
    return Translation(
        parser="lalr",
        lexer="contextual",
        start="start",
        rules={"start": (*sides, (terminal,))},
        terminals={terminal: whole},
        rule_of={},
    )


def _read(pattern: str) -> tuple[str, int, Collection[str]]:
    """Return the pattern to the end of the text, its least width, and the names of its groups."""
    try:
        pattern = write_properties(pattern)
        with QUIET:
            compiled = re.compile(pattern)
            if refers_back(pattern):
                pattern = write_without_backreferences("PATTERN", pattern)
                compiled = re.compile(pattern)
            tree = read_python(pattern)
    except RecursionError:
        raise GrammarError(
            NAME, "re refuses the pattern: too many groups inside each other; open fewer of them"
        ) from None
    except (re.error, OverflowError) as error:
        raise GrammarError(NAME, f"re refuses the pattern: {error}") from None
    except PropertyError as error:
        raise GrammarError(NAME, f"the pattern {error}") from None
    except UnsupportedTerminalError as error:
        raise GrammarError(
            NAME, f"{error.construct}; write the texts that it may repeat in its place"
        ) from None
    if any(0xD800 <= ord(character) <= 0xDFFF for character in pattern):
        raise GrammarError(NAME, "the pattern is not UTF-8; write it in UTF-8")
    flags = "".join(sorted(letter for flag, letter in _FLAGS.items() if compiled.flags & flag))
    leading = _GLOBAL_FLAGS.match(pattern)
    inner = pattern[leading.end() :] if leading else pattern
    # In a verbose pattern the last line may be a comment.
    ending = "\n)" if "x" in flags else ")"
    whole = rf"(?{flags}:{inner}{ending}\Z"
    return whole, least_width(tree), compiled.groupindex
