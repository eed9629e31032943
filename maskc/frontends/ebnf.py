r"""What does a W3C-style EBNF grammar say, as a Lark grammar?

The notation of the XML specification: ``Name ::= expression``, over as many lines as it takes, with
an optional number ``[12]`` before it; ``"…"`` and ``'…'`` are texts, ``#xN`` is a code point,
``[a-z#xN-#xN]`` and ``[^…]`` are classes; ``? * +`` repeat, ``A - B`` is what A matches and B does
not, ``/* … */`` is a comment, ``[ wfc: … ]`` and ``[ vc: … ]`` are notes. A blank must stand before
the ``-`` of an exception, since names may contain it. Its sides must be regular.

A backslash is itself there. In a file with a rule named ``root``, as xgrammar has them, it begins
an escape: those of GBNF, but ``\x`` has as many digits as there are, and ``\0 \a \b \e \f \v``.
There ``#`` begins a comment and is itself in a class, ``.`` and ``[^]`` are any character, and a
look-ahead ``(=…)`` at the end of a rule changes no text: xgrammar says with it what comes after,
for speed. In both, ``{n}``, ``{n,}``, ``{n,-1}``, ``{,m}`` and ``{n,m}`` repeat.

The start is ``root`` if there is one, else the first rule.

Refused by name: xgrammar's ``TagDispatch(…)``, ``Regex(…)`` and its other macros.

Source: Extensible Markup Language (XML) 1.0, fifth edition, section 6, Notation; xgrammar 0.2.8,
its page on EBNF and what it prints.
"""

from __future__ import annotations

import re

from maskc.automata.charset import ANY, MAX_CODE_POINT
from maskc.frontends.characters.expressions import (
    CharacterGrammar,
    Characters,
    Except,
    Expression,
    choice,
    repeat,
    sequence,
)
from maskc.frontends.characters.reader import XGRAMMAR_NAMED, XGRAMMAR_PLAIN, Reader

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")
_HEAD = re.compile(rf"(?:\[\s*\d+[a-z]?\s*\]\s*)?({_NAME.pattern})\s*::=")
_NOTE = re.compile(r"\[\s*(?:wfc|vc)\s*:[^\]]*\]", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"#[^\n]*")
_CODE_POINT = re.compile(r"#x([0-9a-fA-F]+)")
_WITH_ROOT = re.compile(r"^[ \t]*root\s*::=", re.MULTILINE)
_MACRO = re.compile(r"[A-Z][A-Za-z]*\s*\(")
_MACROS = ("TagDispatch", "Token", "ExcludeToken", "TokenTagDispatch", "Regex")
_HEX = re.compile(r"x([0-9a-fA-F]+)")


def read_ebnf(
    name: str, text: str, *, start: str | None = None, counts_all: bool = False
) -> CharacterGrammar:
    """Return the rules of a W3C-style EBNF grammar.

    Raises:
        GrammarError: it is none; the message names the line.
        LimitError: counts or brackets are beyond a bound.
    """
    return _Ebnf(name, text, counts_all=counts_all).grammar(start)


class _Ebnf(Reader):
    def __init__(self, name: str, text: str, *, counts_all: bool) -> None:
        super().__init__(name, text, counts_all=counts_all)
        self.with_root = _WITH_ROOT.search(self.text) is not None

    def grammar(self, start: str | None) -> CharacterGrammar:
        self._blanks()
        while self.at < len(self.text):
            self._rule()
        first = next(iter(self.rules), "root")
        return self.finish(start or ("root" if self.with_root else first))

    def _rule(self) -> None:
        line = self.line
        head = self.match(_HEAD)
        if not head:
            raise self.error(
                f"expected a rule, as in Name ::= …, and found {self.found()}; write one, or "
                "give a grammar of Lark's the suffix .lark"
            )
        self._blanks()
        body = self._alternatives()
        self._look_ahead()
        self.define(head[1], line, body)

    def _look_ahead(self) -> None:
        """Go past what xgrammar says of the text after a rule: it has no effect on the texts."""
        if self.with_root and self.take("(="):
            self._blanks()
            self.nested(self._sequence)
            if not self.take(")"):
                raise self.error(f"expected ) and found {self.found()}")
            self._blanks()

    def _blanks(self) -> None:
        while (
            self.match(_BLANKS)
            or (not self.with_root and self.match(_NOTE))
            or (self.sees("/*") and self._comment())
            or (self.with_root and self.match(_LINE_COMMENT))
        ):
            pass

    def _comment(self) -> bool:
        if not self.match(_COMMENT):
            raise self.error("this comment has no end; close it with */")
        return True

    def _alternatives(self) -> Expression:
        parts = [self._sequence()]
        while self.take("|"):
            self._blanks()
            parts.append(self._sequence())
        return choice(*parts)

    def _sequence(self) -> Expression:
        parts = []
        while (part := self._repeated()) is not None:
            if self.sees("-"):
                place = self.place
                self.at += 1
                self._blanks()
                other = self._repeated()
                if other is None:
                    raise self.error(f"expected what to leave out after -, found {self.found()}")
                part = Except(part, other, place)
            parts.append(part)
        return sequence(*parts)

    def _repeated(self) -> Expression | None:
        part = self._item()
        if part is None:
            return None
        self._blanks()
        while True:
            if self.sees("{"):
                part = self.counts(part)
            elif self.take("*"):
                part = repeat(part, 0, None)
            elif self.take("+"):
                part = repeat(part, 1, None)
            elif self.take("?"):
                part = repeat(part, 0, 1)
            else:
                return part
            self._blanks()

    def _item(self) -> Expression | None:
        if _HEAD.match(self.text, self.at):  # the next rule, with its number
            return None
        if self.sees('"', "'"):
            return self._text()
        code_point = self._code_point()
        if code_point:
            return self.character(self._check_hex(code_point[1]))
        if self.take("["):
            return self._class()
        if self.with_root and self.take("."):
            return Characters(ANY)
        if self.with_root and not self.depth and self.sees("(="):
            return None
        begin = self.at
        if self.take("("):
            inner = self.nested(self._group)
            if not self.take(")"):
                raise self.unclosed(begin, ")")
            return inner
        macro = _MACRO.match(self.text, self.at)
        if macro and macro[0].rstrip("( ") in _MACROS:
            raise self.error(
                f"{macro[0].rstrip('( ')}(…) is a macro of xgrammar's, and a grammar here is rules "
                "about text; write the text out, or send a structural tag, a schema or a pattern"
            )
        name = self.match(_NAME)
        if name:
            return self.ask(name[0])
        if self.sees("*", "+", "?", "{"):
            raise self.error(f"{self.text[self.at]} has nothing before it to repeat")
        if self.sees("|", ")") and (self.depth or self.sees("|")):
            return None
        if self.at < len(self.text):
            raise self.error(f"expected a part of a rule, and found {self.found()}")
        return None

    def _group(self) -> Expression:
        if self.sees("="):
            raise self.error("a look-ahead (=…) stands at the end of a rule of xgrammar's only")
        self._blanks()
        return self._alternatives()

    def _text(self) -> Expression:
        begin, quote = self.at, self.text[self.at]
        self.at += 1
        parts = []
        while not self.take(quote):
            parts.append(self.character(self._character(quote, begin)))
        return sequence(*parts)

    def _class(self) -> Expression:
        begin, negated = self.at - 1, self.take("^")
        ranges = []
        while not self.sees("]"):
            low = high = self._class_character(begin)
            if self.sees("-") and not self.sees("-]"):
                self.at += 1
                high = self._class_character(begin)
            ranges.append((low, high))
        if self.with_root and negated and not ranges:
            ranges, negated = [(0, MAX_CODE_POINT)], False
        found = self.character_class(ranges, negated=negated)
        self.at += 1
        return found

    def _class_character(self, begin: int) -> int:
        code_point = self._code_point()
        return self._check_hex(code_point[1]) if code_point else self._character("]", begin)

    def _code_point(self) -> re.Match[str] | None:
        return None if self.with_root else self.match(_CODE_POINT)

    def _character(self, closing: str, begin: int) -> int:
        if self.at == len(self.text):
            raise self.unclosed(begin, closing)
        character = self.text[self.at]
        self.at += 1
        if character == "\\" and self.with_root:
            digits = self.match(_HEX)
            if digits:
                return self._check_hex(digits[1])
            return self.escape(XGRAMMAR_PLAIN, XGRAMMAR_NAMED)
        return ord(character)

    def _check_hex(self, digits: str) -> int:
        # Ten digits are beyond any code point, however many zeros are meant.
        return self.check_code_point(int(digits.lstrip("0")[:10] or "0", 16))
