r"""What does a grammar of llama.cpp say, as a Lark grammar?

GBNF: ``name ::= alternatives``, a rule to a line; a line goes on after ``::=`` or ``|`` and
between parentheses. ``"…"`` is a text, ``[…]`` and ``[^…]`` are classes of code points, ``.`` is
any one; ``\n \r \t \xNN \uNNNN \UNNNNNNNN \\ \" \[ \] \-`` are escapes; ``* + ? {n} {n,} {,m}
{n,m}`` repeat what stands before them, and ``#`` begins a comment. The start is ``root``.

Of xgrammar's notation, which it calls EBNF, that is taken which llama.cpp refuses: a rule goes on
until the next ``name ::=``; ``\0 \a \b \e \f \v \/`` and other signs after a backslash; ``{n,-1}``
for a count without a bound; and at the end of a rule a look-ahead ``(=…)``, with which xgrammar
says what comes after, for speed, and which changes no text. Refused by name: ``TagDispatch(…)``,
``Token(…)``, ``Regex(…)``. What both take and read otherwise is llama.cpp's here,
and xgrammar's in :mod:`maskc.frontends.ebnf`.

Taken though llama.cpp refuses it: left recursion, ``{,m}``, ``_`` in names. Refused though
llama.cpp takes it: two rules of one name (there the last one counts), a class without characters
(there the empty text), a count above 2,000 (there, as an upper bound, no bound).
Refused by both or by us alone, because a token is no text: ``<[1000]>``, ``<think>``, ``!<think>``.

Source: llama.cpp, ``grammars/README.md`` and the reader in ``src/llama-grammar.cpp``, read in 2025;
xgrammar 0.2.8, its page on EBNF and what it prints.
"""

from __future__ import annotations

import re

from maskc.automata.charset import ANY
from maskc.frontends.characters.expressions import (
    CharacterGrammar,
    Characters,
    Expression,
    choice,
    repeat,
    sequence,
)
from maskc.frontends.characters.reader import XGRAMMAR_NAMED, XGRAMMAR_PLAIN, Reader

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_LINE_END = re.compile(r"\r\n?|\n|\Z")
_TOKEN = re.compile(r"!?<[^>\s]*>?")
_MACRO = re.compile(r"(?:TagDispatch|TokenTagDispatch|Token|ExcludeToken|Regex)(?=[ \t]*\()")
# What ends a rule though a line does not: the next one, or the end.
# Possessive: a comment is one whole, and no text makes it slow.
_NEXT_RULE = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*+)*+(?:[A-Za-z0-9_-]++[ \t]*+::=|\Z)")


def read_gbnf(
    name: str, text: str, *, start: str | None = None, counts_all: bool = False
) -> CharacterGrammar:
    """Return the rules of a GBNF grammar.

    Raises:
        GrammarError: it is none, or it asks for tokens; the message names the line.
        LimitError: counts or brackets are beyond a bound.
    """
    return _Gbnf(name, text, counts_all=counts_all).grammar(start or "root")


class _Gbnf(Reader):
    def grammar(self, start: str) -> CharacterGrammar:
        self.match(_BLANK_LINES)
        while self.at < len(self.text):
            self._rule()
        return self.finish(start)

    def _rule(self) -> None:
        line = self.line
        name = self.match(_NAME)
        if not name:
            raise self.error(f"expected a rule, as in name ::= …, and found {self.found()}")
        self.match(_BLANKS)
        if not self.take("::="):
            raise self.error(
                f"expected ::= after {name[0]}, and found {self.found()}; write {name[0]} ::= …, "
                "or give a grammar of Lark's the suffix .lark"
            )
        self.match(_BLANK_LINES)
        body = self._alternatives()
        self._look_ahead()
        if self.sees(")"):
            raise self.error("this ) closes nothing")
        if not self.match(_LINE_END):
            raise self.error(f"expected the end of rule {name[0]}, and found {self.found()}")
        self.match(_BLANK_LINES)
        self.define(name[0], line, body)

    def _look_ahead(self) -> None:
        """Go past what xgrammar says of the text after a rule: it has no effect on the texts."""
        if self.take("(="):
            self.match(_BLANK_LINES)
            self.nested(self._sequence)
            if not self.take(")"):
                raise self.error(f"expected ) and found {self.found()}")
            self._blanks()

    def _blanks(self) -> None:
        self.match(_BLANKS)
        if self.depth or not _NEXT_RULE.match(self.text, self.at):
            self.match(_BLANK_LINES)

    def _alternatives(self) -> Expression:
        parts = [self._sequence()]
        while self.take("|"):
            self.match(_BLANK_LINES)
            parts.append(self._sequence())
        return choice(*parts)

    def _sequence(self) -> Expression:
        parts = []
        while (part := self._item()) is not None:
            self._blanks()
            while (repeated := self._repeated(part)) is not None:
                part = repeated
                self._blanks()
            parts.append(part)
        return sequence(*parts)

    def _repeated(self, part: Expression) -> Expression | None:
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return repeat(part, low, high)
        return self.counts(part) if self.sees("{") else None

    def _item(self) -> Expression | None:
        if self.take('"'):
            return self._text()
        if self.take("["):
            return self._class()
        if self.take("."):
            return Characters(ANY)
        if self.sees("(="):
            if self.depth:
                raise self.error("a look-ahead (=…) stands at the end of a rule and nowhere else")
            return None
        begin = self.at
        if self.take("("):
            inner = self.nested(self._group)
            if not self.take(")"):
                raise self.unclosed(begin, ")")
            return inner
        macro = self.match(_MACRO)
        if macro:
            raise self.error(
                f"{macro[0]}(…) is a macro of xgrammar's, and a grammar here is rules about text; "
                "write the text out, or send a structural tag, a schema or a pattern"
            )
        name = self.match(_NAME)
        if name:
            return self.ask(name[0])
        if self.sees("*", "+", "?", "{"):
            raise self.error(f"{self.text[self.at]} has nothing before it to repeat")
        token = self.match(_TOKEN)
        if token:
            raise self.error(
                f"{token[0]} is a token of one vocabulary, and a grammar here is about text; "
                "write the text it stands for, or handle special tokens outside the grammar"
            )
        return None

    def _group(self) -> Expression:
        self.match(_BLANK_LINES)
        return self._alternatives()

    def _text(self) -> Expression:
        begin, parts = self.at - 1, []
        while not self.take('"'):
            parts.append(self.character(self._character('"', begin)))
        return sequence(*parts)

    def _class(self) -> Expression:
        begin, negated = self.at - 1, self.take("^")
        ranges = []
        while not self.sees("]"):
            low = high = self._character("]", begin)
            if self.sees("-") and not self.sees("-]"):
                self.at += 1
                high = self._character("]", begin)
            ranges.append((low, high))
        found = self.character_class(ranges, negated=negated)
        self.at += 1
        return found

    def _character(self, closing: str, begin: int) -> int:
        if self.at == len(self.text):
            raise self.unclosed(begin, closing)
        character = self.text[self.at]
        self.at += 1
        return self.escape(XGRAMMAR_PLAIN, XGRAMMAR_NAMED) if character == "\\" else ord(character)
