"""Grammars over characters that are patterns with counted loops.

A grammar whose rules do not come back to themselves is one expression, and so one pattern. Where it
repeats something often, the pattern is followed with counters (:mod:`maskc.automata.counted`) and
not written out as rules of a parser.

Example: ``root ::= word{1,65536} ";"`` with ``word ::= [a-z]+ " "`` is ``(?:[a-z]+ ){1,65536};``.

Limits: rules that come back to themselves, exceptions ``A - B``, and more than ``MAX_PARTS`` parts
when rules are put in are left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from maskc.automata.counted import (
    MOST_COPIES,
    NOTHING,
    Part,
    PositionBuilder,
    UnfitError,
)
from maskc.errors import GrammarError, LimitError
from maskc.frontends.characters.expressions import (
    CharacterGrammar,
    Characters,
    Choice,
    Expression,
    Reference,
    Repeat,
    Sequence,
)
from maskc.frontends.notations import read_ebnf, read_gbnf
from maskc.runtime.link.counts.positions import CountedPattern

MAX_PARTS = 20_000
_MOST_NESTED = 200

_READERS: Mapping[str, Callable[..., CharacterGrammar]] = {"gbnf": read_gbnf, "ebnf": read_ebnf}
_COUNT = re.compile(r"[{,]\s*[0-9]{2}")


def count_grammar(dialect: str, text: str) -> CountedPattern | None:
    """Return the positions of a grammar, ``None`` if a parser follows it better.

    That is also if it is no grammar: the parser's error says why.
    """
    read = _READERS.get(dialect)
    if read is None or not _COUNT.search(text):
        return None
    try:
        grammar = read("<text>", text, counts_all=True)
    except (GrammarError, LimitError):
        return None
    builder = PositionBuilder()
    try:
        whole = _Writer(grammar.rules, builder).write(Reference(grammar.start), (), 0)
    except UnfitError:
        return None
    return builder.finish(whole)


class _Writer:
    def __init__(self, rules: Mapping[str, Expression], builder: PositionBuilder) -> None:
        self._rules, self._builder = rules, builder
        self._open: set[str] = set()
        self._n_parts = 0
        self._sizes: dict[str, int] = {}

    def write(self, expression: Expression, around: tuple[int, ...], depth: int) -> Part:
        self._n_parts += 1
        if self._n_parts > MAX_PARTS or depth > _MOST_NESTED:
            raise UnfitError
        builder = self._builder
        match expression:
            case Characters(ranges):
                return builder.character(ranges, around)
            case Sequence(parts):
                found = NOTHING
                for part in parts:
                    found = builder.append(found, self.write(part, around, depth + 1), around)
                return found
            case Choice(parts) if parts:
                return builder.choose([self.write(part, around, depth + 1) for part in parts])
            case Repeat(body, low, high):
                return builder.repeat(
                    low,
                    high,
                    self._measure(body, depth),
                    lambda inside: self.write(body, inside, depth + 1),
                    around,
                )
            case Reference(name):
                if name in self._open:
                    raise UnfitError
                self._open.add(name)
                found = self.write(self._rules[name], around, depth + 1)
                self._open.discard(name)
                return found
        raise UnfitError

    def _measure(self, expression: Expression, depth: int) -> int:
        """Return about how many positions a part has, at most one more than are written out."""
        if depth > _MOST_NESTED:
            raise UnfitError
        match expression:
            case Characters():
                return 1
            case Sequence(parts) | Choice(parts):
                size = 0
                for part in parts:
                    size += self._measure(part, depth + 1)
                    if size > MOST_COPIES:
                        break
                return min(size, MOST_COPIES + 1)
            case Repeat(body, low, high):
                body_size = self._measure(body, depth + 1)
                n_copies = max(low if high is None else high, 1)
                written = body_size * n_copies
                return min(written if written <= MOST_COPIES else body_size, MOST_COPIES + 1)
            case Reference(name):
                found = self._sizes.get(name)
                if found is None:
                    self._sizes[name] = MOST_COPIES + 1  # where it comes back to itself
                    found = self._sizes[name] = self._measure(self._rules[name], depth + 1)
                return found
        raise UnfitError
