"""Translation of patterns of the module ``regex`` to patterns of ``re``, for ``regex=true``.

Lark loads the grammar with it, so the order of terminals is Lark's. Then each pattern becomes one
of ``re``: classes, and letters of either case, are written out as the characters that ``regex``
itself says they have. All else of the compiler is as for ``re``.

Version 0 of ``regex`` is meant, its default, which is ``re`` with more in it. What is no regular
language, or is about the whole alternation, is refused by name (docs/settings.md).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any, Protocol

import regex
from lark import Lark
from lark.lexer import PatternRE, PatternStr

from maskc.errors import UnsupportedTerminalError
from maskc.regular.charset import CodePoints, class_set, every_character, ranges_of

_PROPERTY = re.compile(r"\\[pP](?:\{\^?[\w\s=:.-]+\}|[A-Za-z])")
_CLASS = re.compile(r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]", re.DOTALL)
_GROUP = re.compile(r"\(\?(?:[:=!>]|<[=!]|P?<[A-Za-z_]\w*>|P=\w+\)|\(\w+\)|#[^)]*\))")
_FLAGS = re.compile(r"\(\?([a-zA-Z01]*)(?:-([a-zA-Z]+))?([:)])")
_FUZZY = re.compile(r"\{[eids\d\s<=+,]*[eids][eids\d\s<=+,]*(?:\}|:.*?\})")
_CALL = re.compile(r"\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)")
_NUMBERED = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|0[0-7]{0,2})"
)
_SHORT = re.compile(r"\\[wWdDsS]")
_KEPT = frozenset("abfnrtvAZ0123456789")
_COUNT = re.compile(r"\{[\d\s,]*\}")
_SKIPPED = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z))+")  # with the flag x
_SCOPED = frozenset("imsx")


class CharacterTest(Hashable, Protocol):
    """Says which characters a pattern of one character has."""

    def __call__(self, item: str, *, folds: bool) -> CodePoints:
        """Return them; with ``folds``, letters match in either case."""


def translate_terminals(lark: Lark) -> None:
    """Give the terminals of a parser that was made with ``regex=True`` patterns of ``re``."""
    for terminal in lark.terminals:
        pattern = terminal.pattern
        if isinstance(pattern, PatternStr):
            _check_letters(str(terminal.name), pattern)
            continue
        written = translate(str(terminal.name), pattern.to_regexp())
        try:
            re.compile(written)
        except (re.error, RecursionError, OverflowError) as error:
            raise UnsupportedTerminalError(
                str(terminal.name),
                f"re cannot read what the module regex reads ({error})",
                "write the pattern without it",
            ) from None
        terminal.pattern = PatternRE(written, (), pattern.raw)


def translate(terminal: str, pattern: str, ask: CharacterTest | None = None) -> str:
    r"""Return a pattern of ``re`` that matches as a pattern of ``regex`` does.

    Args:
        terminal: its name, for messages.
        pattern: as ``regex`` reads it.
        ask: the characters that a class has, and whether in either case; default: what the
            installed ``regex`` says. Other engines have other tables of Unicode.

    >>> translate("A", "(?i:[b-c])d")
    '(?:[\\U00000042-\\U00000043\\U00000062-\\U00000063])d'
    """
    return _Translation(terminal, pattern, ask or _ask).run()


class _Translation:
    """Reads a pattern from the left, one item after another."""

    def __init__(self, terminal: str, pattern: str, ask: CharacterTest) -> None:
        self._terminal, self._pattern, self._at = terminal, pattern, 0
        self._ask = ask
        self._written: list[str] = []
        # Of each open group, the flags that are written out: letters match in either case, and
        # blanks and comments say nothing.
        self._flags: list[frozenset[str]] = [frozenset()]

    def run(self) -> str:
        while self._at < len(self._pattern):
            match self._pattern[self._at]:
                case "\\":
                    self._read_escape()
                case "[":
                    self._read_class()
                case "(":
                    self._open_group()
                case ")":
                    if len(self._flags) > 1:
                        self._flags.pop()
                    self._keep(")")
                case "{" if fuzzy := _FUZZY.match(self._pattern, self._at):
                    raise self._refuse(f"fuzzy matching {fuzzy[0]}")
                case "{" if count := self._skips and _COUNT.match(self._pattern, self._at):
                    self._at += len(count[0])
                    self._written.append("".join(count[0].split()))
                case _ if skipped := self._skips and _SKIPPED.match(self._pattern, self._at):
                    # `regex` does not see them at all, not even between + and ?.
                    self._at += len(skipped[0])
                case character if character in ".^$*+?|{}":
                    self._keep(character)
                case character:
                    self._letter(character, character)
        return "".join(self._written)

    @property
    def _folds(self) -> bool:
        return "i" in self._flags[-1]

    @property
    def _skips(self) -> bool:
        return "x" in self._flags[-1]

    def _read_escape(self) -> None:
        for kind in (_PROPERTY, _SHORT):
            if found := kind.match(self._pattern, self._at):
                self._at += len(found[0])
                self._written.append(_write_class(found[0], self._ask, folds=self._folds))
                return
        if found := _NUMBERED.match(self._pattern, self._at):
            self._letter(found[0], found[0])
            return
        escaped = self._pattern[self._at : self._at + 2]
        named = escaped[1:]
        if named in ("b", "B") and not _is_same(r"\w", self._ask):
            self._at += 2
            self._written.append(_write_boundary(self._ask, is_one=named == "b"))
            return
        if named.isascii() and named.isalpha() and named not in _KEPT:
            raise self._refuse(f"\\{named}")
        if named.isalnum():
            self._keep(escaped)
        else:
            self._letter(escaped, escaped)

    def _read_class(self) -> None:
        found = _CLASS.match(self._pattern, self._at)
        if found is None:
            raise self._refuse("a class that does not end")
        self._at += len(found[0])
        has_more = re.search(r"\\[pPwWdDsS]|\[:", found[0])
        if has_more or self._folds:
            self._written.append(_write_class(found[0], self._ask, folds=self._folds))
        else:
            self._written.append(found[0])

    def _open_group(self) -> None:
        if found := _GROUP.match(self._pattern, self._at):
            text = found[0]
            if not text.endswith(")") or text.startswith("(?("):
                self._flags.append(self._flags[-1])
            self._at += len(text)
            # Only `regex` names a group without P.
            is_named = text.startswith("(?<") and text[3] not in "=!"
            self._written.append(f"(?P{text[2:]}" if is_named else text)
            return
        if found := _CALL.match(self._pattern, self._at):
            raise self._refuse(f"recursion, {found[0]},")
        found = _FLAGS.match(self._pattern, self._at)
        if found and self._pattern.startswith("(?", self._at):
            on, off, end = found[1], found[2] or "", found[3]
            if end == ")" or not {*on, *off} <= _SCOPED:
                raise self._refuse(f"the flags {found[0]}")
            self._flags.append((self._flags[-1] | {*on} - {*"ms"}) - {*off})
            self._at += len(found[0])
            on, off = (re.sub("[ix]", "", letters) for letters in (on, off))
            self._written.append(f"(?{on}{'-' * bool(off)}{off}:")
            return
        following = self._pattern[self._at : self._at + 4]
        if following.startswith(("(?", "(*")):
            raise self._refuse(f"the group {following}…")
        self._flags.append(self._flags[-1])
        self._keep("(")

    def _letter(self, written: str, meant: str) -> None:
        self._at += len(written)
        self._written.append(_write_letter(meant, self._ask) if self._folds else written)

    def _keep(self, text: str) -> None:
        self._at += len(text)
        self._written.append(text)

    def _refuse(self, what: str) -> UnsupportedTerminalError:
        return UnsupportedTerminalError(
            self._terminal,
            f"{what} of the module regex is not regular, or not about this terminal alone",
            "write the pattern without it",
        )


def _check_letters(terminal: str, pattern: Any) -> None:
    """Refuse a string whose letters have other cases for ``re`` than for ``regex``."""
    if "i" not in pattern.flags:
        return
    for character in set(pattern.value):
        item = re.escape(character)
        if class_set(item, re.IGNORECASE) != _ask(item, folds=True):
            raise UnsupportedTerminalError(
                terminal,
                f"{character!r} has other cases for regex than for re",
                "write it as a pattern, with all its cases",
            )


@cache
def _write_letter(meant: str, ask: CharacterTest) -> str:
    found = ask(meant, folds=True)
    return meant if found == class_set(meant, 0) else _write(found)


@cache
def _write_class(item: str, ask: CharacterTest, *, folds: bool) -> str:
    if _SHORT.fullmatch(item) and _is_same(item, ask):
        return item
    return _write(ask(item, folds=folds))


@cache
def _write_boundary(ask: CharacterTest, *, is_one: bool) -> str:
    """Write where a word begins or ends, or where none does, by the tables of ``regex``."""
    word = _write_class(r"\w", ask, folds=False)
    here, other = ("(?!", "(?=") if is_one else ("(?=", "(?!")
    return f"(?:(?<={word}){here}{word})|(?<!{word}){other}{word}))"


def _is_same(item: str, ask: CharacterTest) -> bool:
    return class_set(item, 0) == ask(item, folds=False)


@cache
def _ask(item: str, *, folds: bool) -> CodePoints:
    """Return the characters that a pattern of one character has for ``regex``."""
    flags = regex.IGNORECASE if folds else 0
    return ranges_of(run[0] for run in regex.finditer(f"(?:{item})+", every_character(), flags))


def _write(ranges: Iterable[tuple[int, int]]) -> str:
    parts = [
        f"\\U{first:08x}" if first == last else f"\\U{first:08x}-\\U{last:08x}"
        for first, last in ranges
    ]
    return f"[{''.join(parts)}]" if parts else "(?!)"
