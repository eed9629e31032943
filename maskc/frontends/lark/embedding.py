"""Lark's rules around schemas and special tokens, written out as a structural tag.

Lark reads the text with a string that nobody writes in the place of each part
(:mod:`maskc.frontends.embedded`). A rule that repeats itself at its beginning or at its end becomes
a repetition, since that is what Lark makes of ``*`` and ``+``; another recursion has no such form
and is refused. Texts are cut into terminals in every way, as by Lark's ``dynamic_complete`` lexer:
no word is reserved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maskc.bounded import run_bounded
from maskc.errors import GrammarError
from maskc.frontends.embedded import FIRST, LAST, Format, cut_out
from maskc.frontends.lark.build import REFUSALS, read_grammar
from maskc.frontends.source import GrammarSource

_MOST_FORMATS = 20_000  # that the rules are written out to
_MOST_DEPTH = 50  # of rules


def describe_embedded(source: GrammarSource) -> dict[str, Any]:
    """Return the structural tag of a grammar with schemas or special tokens in its rules.

    Raises:
        GrammarError: Lark refuses the rest, or what it asks for has no form as a tag.
        LimitError: it takes too long.
    """
    return run_bounded(
        lambda: {"type": "structural_tag", "format": _describe(source)}, name=source.name
    )


def _describe(source: GrammarSource) -> Format:
    if not source.lexer_is_default or source.postlex or source.roles or source.holes:
        raise _refuse(source, "takes no lexer, postlex, role or hole; leave them out")
    if source.flags or source.regex or source.use_bytes or source.priority != "normal":
        raise _refuse(source, "takes no other setting than start; leave the others out")
    text, embedded = cut_out(source.name, source.text)
    try:
        terminals, rules, ignored = read_grammar(source, text, {}).compile([source.start], "*")
    except REFUSALS as error:
        raise GrammarError(source.name, f"Lark refuses it: {error}") from None
    if ignored:
        fact = "takes no %ignore; write blanks in the rules where they belong"
        raise _refuse(source, fact)
    patterns = {str(terminal.name): terminal.pattern for terminal in terminals}
    alternatives: dict[str, list[tuple[tuple[str, bool], ...]]] = {}
    for rule in rules:
        side = tuple((str(symbol.name), bool(symbol.is_term)) for symbol in rule.expansion)
        alternatives.setdefault(str(rule.origin.name), []).append(side)
    if source.start not in alternatives:
        raise GrammarError(source.name, f"there is no rule {source.start}; name one with start=")
    written = _Writer(source, embedded, patterns, alternatives).write(source.start)
    found: Format = written.format or {"type": "const_string", "value": ""}
    return found


def _refuse(source: GrammarSource, fact: str) -> GrammarError:
    return GrammarError(source.name, f"a grammar with %json or special tokens {fact}")


class _Part(NamedTuple):
    """What is written out: a format, ``None`` for nothing, and how many formats are in it."""

    format: Any
    size: int = 1


_NOTHING = _Part(None, 0)


class _Writer:
    """Writes rules out as formats."""

    def __init__(
        self,
        source: GrammarSource,
        embedded: Sequence[Format],
        patterns: Mapping[str, Any],
        alternatives: Mapping[str, Sequence[tuple[tuple[str, bool], ...]]],
    ) -> None:
        self._source, self._embedded, self._patterns = source, embedded, patterns
        self._alternatives = alternatives
        self._written: dict[str, _Part] = {}
        self._open: list[str] = []

    def write(self, rule: str) -> _Part:
        """Return a rule; one that is repeated at its beginning or its end is a repetition."""
        if rule in self._written:
            return self._written[rule]
        if rule in self._open:
            raise self._refuse(rule)
        if len(self._open) > _MOST_DEPTH:
            raise _refuse(
                self._source, f"has rules in rules, {_MOST_DEPTH} deep at most; join some"
            )
        self._open.append(rule)
        plain, left, right = list[_Part](), list[_Part](), list[_Part]()
        for side in self._alternatives[rule]:
            is_left, is_right = side[:1] == ((rule, False),), side[-1:] == ((rule, False),)
            if len(side) == 1 and is_left:
                continue
            rest = side[1:] if is_left else side[:-1] if is_right else side
            target = left if is_left else right if is_right else plain
            target.append(self._row([self._symbol(*symbol) for symbol in rest]))
        if left and right:
            raise self._refuse(rule)
        base, again = self._either(plain), self._either(left or right)
        if again.format is not None:
            star = self._make({"type": "star", "content": again.format}, again.size)
            base = self._row([base, star] if left else [star, base])
        self._open.pop()
        self._written[rule] = base
        return base

    def _symbol(self, name: str, is_terminal: bool) -> _Part:  # noqa: FBT001
        if not is_terminal:
            return self.write(name)
        pattern = self._patterns[name]
        part = re.fullmatch(f"{FIRST}(\\d+){LAST}", pattern.value)
        if part is not None:
            return self._make(self._embedded[int(part[1])])
        if FIRST in pattern.value:
            raise GrammarError(
                self._source.name,
                f"terminal {name} has a schema or a special token in it; name that in a rule",
            )
        if pattern.type != "str" or pattern.flags:
            return self._make({"type": "regex", "pattern": pattern.to_regexp()})
        return self._make({"type": "const_string", "value": pattern.value})

    def _row(self, parts: Sequence[_Part]) -> _Part:
        return self._join("sequence", [part for part in parts if part.format is not None])

    def _either(self, parts: Sequence[_Part]) -> _Part:
        some = [part for part in parts if part.format is not None]
        found = self._join("or", some)
        if len(some) == len(parts) or not some:
            return found
        return self._make({"type": "optional", "content": found.format}, found.size)

    def _join(self, kind: str, parts: Sequence[_Part]) -> _Part:
        if len(parts) < 2:
            return next(iter(parts), _NOTHING)
        elements = [part.format for part in parts]
        return self._make({"type": kind, "elements": elements}, sum(part.size for part in parts))

    def _make(self, made: Format, size: int = 0) -> _Part:
        if size >= _MOST_FORMATS:
            fact = f"is written out to more than {_MOST_FORMATS:,} parts; name rules less often"
            raise _refuse(self._source, fact)
        return _Part(made, size + 1)

    def _refuse(self, rule: str) -> GrammarError:
        return _refuse(
            self._source,
            f"has no rule that is part of itself but at its beginning or end, as {rule} is; "
            "write a repetition, or the rule as a grammar of its own",
        )
