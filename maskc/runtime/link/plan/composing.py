"""What stands one after the other in a text as one expression; what begins alike is read once.

*Items* are constants, expressions, and expressions that are made later: a call is the constant
``{"name": "f", "arguments": ``, a schema that is compiled when the name has been written, and the
constant ``}``.

Alternatives with constants become one switch over words, so that hundreds of tools are one
hypothesis while a name is written. What two requests have alike is one piece: it is found again by
what it is made of.

Example: of ``get_time(`` and ``get_date(``, the switch reads ``get_`` once, and turns to the
arguments of the one that was named.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.link.automata import Words
from maskc.runtime.link.automata.scanning import AutomatonScans, TrieScanner
from maskc.runtime.link.counts.pattern_counter import PatternCounter, find_passes
from maskc.runtime.link.counts.positions import CountedPattern
from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Expression
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    CountingPiece,
    Piece,
    SchemaPiece,
    StopPiece,
    TokenPiece,
)
from maskc.runtime.link.joining.switching import ATOM, Markers, SwitchPiece, Target, Word
from maskc.runtime.link.text import FreeScans, FreeText, FreeWords
from maskc.runtime.link.text.forbidding_schema import Barring, ForbiddingSchemaPiece
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.names import OtherName, OtherNameScans
from maskc.runtime.link.text.raw_text import RawBody, RawString, RawText
from maskc.runtime.schema.plan import Plan

_MANY_IDS = 48  # have a mask of their own
_MOST_BYTES = 500_000  # of the words of a free text: 150 MB


@dataclass(frozen=True, slots=True)
class Constant:
    """One of some words of symbols, none empty."""

    words: tuple[Word, ...]


class Late:
    """An expression that is made when it is needed."""

    def __init__(self, make: Callable[[], Expression]) -> None:
        self.make = make


Item = Expression | Constant | Late


class Keep(Protocol):
    """Finds again what was made."""

    def __call__(self, kind: str, key: Hashable, make: Callable[[], Any], /) -> Any:
        """Return what was made for a key, and make it if it is not there."""


class Composer:
    """Makes expressions of items; ``keep`` finds pieces again."""

    def __init__(self, boundaries: PieceBoundaries, keep: Keep) -> None:
        self.boundaries, self.keep = boundaries, keep

    def join(self, items: Iterable[Item]) -> Expression:
        return self.boundaries.sequence([self._expression(item) for item in items])

    def either(self, options: list[list[Item]]) -> Expression:
        """Return one of some lists of items; what they begin with alike is read once."""
        words: dict[Word, list[list[Item]]] = {}
        others: dict[Item, list[list[Item]]] = {}
        parts: list[Expression] = []
        for items in options:
            if not items:
                parts.append(self.boundaries.nothing)
            elif isinstance(items[0], Constant):
                for word in items[0].words:
                    words.setdefault(word, []).append(items[1:])
            else:
                others.setdefault(items[0], []).append(items[1:])
        if words:
            ordered = sorted(words)
            parts.append(self.switch(ordered, [partial(self.either, words[w]) for w in ordered]))
        for first, rests in others.items():
            rest = self.either(rests) if len(rests) > 1 else self.join(rests[0])
            parts.append(self.boundaries.sequence([self._expression(first), rest]))
        return self.boundaries.choice(parts)

    def _expression(self, item: Item) -> Expression:
        if isinstance(item, Late):
            return item.make()
        return self.constant(item) if isinstance(item, Constant) else item

    def constant(self, constant: Constant) -> Expression:
        words = constant.words
        if len(words) == 1 and len(words[0]) == 1 and words[0][0] >= ATOM:
            return self.token(words[0][0] - ATOM)
        if all(symbol < ATOM for word in words for symbol in word):
            return self.words(sorted(map(bytes, words)))
        return self.either([[constant]])

    def words(self, texts: list[bytes]) -> Expression:
        return self.as_expression(
            "words", tuple(texts), lambda: self.boundaries.regular(Words(texts))
        )

    def switch(self, words: Sequence[Word], targets: Sequence[Target]) -> Expression:
        """Return one of some words, sorted and each once, and what each turns to."""
        scans = AutomatonScans(Markers(words), self.boundaries.scanner)
        return self.boundaries.as_expression(
            SwitchPiece(scans, self.boundaries, targets, loops=False)
        )

    def other_name(self, names: Iterable[bytes]) -> Expression:
        scanner = self.boundaries.scanner

        def make_every() -> AutomatonScans:
            return AutomatonScans(OtherName(()), scanner)

        def make() -> AutomatonPiece:
            every: AutomatonScans = self.keep("every_name", (), make_every)
            return AutomatonPiece(OtherNameScans(OtherName(listed), every))

        listed = tuple(sorted(set(names)))
        return self.as_expression("other_name", listed, make)

    def counter(self, pattern: CountedPattern) -> Expression:
        return self.boundaries.as_expression(count_pattern(pattern, self.boundaries.scanner))

    def raw_string(
        self, plan: Plan, number: int, forbidden: Iterable[bytes], quote: bytes = b""
    ) -> RawString:
        """Return a rule of a plan's strings without some words, as it is written.

        With a quote it is what Python writes between two of them.
        """
        words, dfa = tuple(forbidden), plan.strings[number].body.dfa

        def make() -> RawBody:
            return RawBody(dfa, words, quote)

        body: RawBody = self.keep("raw_body", (dfa.digest, words, quote), make)
        return RawString(plan, number, words, body, quote)

    def raw_text(self, string: RawString) -> Expression:
        scanner = self.boundaries.scanner
        longest = len(scanner.index.tokens.levels)
        return self.boundaries.as_expression(
            CountingPiece(lambda: RawText(string, longest), scanner)
        )

    def token(self, token_id: int) -> Expression:
        return self.as_expression("token", token_id, lambda: TokenPiece([token_id]))

    def tokens(self, key: Hashable, find: Callable[[], frozenset[int]]) -> Expression:
        """Return one of some tokens, at least one, which are found once for a key."""

        def make() -> TokenPiece:
            ids = find()
            if len(ids) <= _MANY_IDS:
                return TokenPiece(ids)
            return TokenPiece(
                ids, self.boundaries.index.pack(np.array(sorted(ids), dtype=np.int64))
            )

        return self.as_expression("tokens", key, make)

    def stop(self, token_id: int) -> Expression:
        """Return the end of the sequence, by one of the tokens that end it."""
        return self.as_expression("stop", token_id, lambda: StopPiece(token_id))

    def free_text(self, words: FreeWords, targets: Sequence[Target], *, loops: bool) -> Expression:
        """Return free text up to a trigger, each with what it turns to.

        Where it loops, text is free again after a target.
        """
        scans, boundaries = self._free(words), self.boundaries
        if words.triggers:
            return boundaries.as_expression(SwitchPiece(scans, boundaries, targets, loops=loops))
        return self.as_expression(
            "any_text", words, lambda: SwitchPiece(scans, boundaries, (), loops=False)
        )

    def limited_text(
        self, forbidden: tuple[bytes, ...], max_tokens: int | None, max_characters: int | None
    ) -> Expression:
        make = partial(
            LimitedPiece,
            self._free(FreeWords(forbidden=forbidden)),
            max_tokens=max_tokens,
            max_characters=max_characters,
        )
        return self.as_expression("limited_text", (forbidden, max_tokens, max_characters), make)

    def forbidding_schema(self, piece: SchemaPiece, forbidden: tuple[bytes, ...]) -> Expression:
        """Return a JSON Schema in whose texts some words do not stand, at least one."""

        def make() -> Barring:
            text = self._free(FreeWords(forbidden=forbidden))
            assert isinstance(text, FreeScans)  # noqa: S101  # as it is made
            return Barring(text, forbidden)

        barring: Barring = self.keep("barring", forbidden, make)
        bar = partial(ForbiddingSchemaPiece, piece, barring, self.boundaries)
        return self.as_expression("forbidding_schema", (piece, barring), bar)

    def _free(self, words: FreeWords) -> AutomatonScans:

        def make() -> AutomatonScans:
            check_words(itertools.chain(*words))
            automaton = FreeText(words)
            if not any(words):
                return AutomatonScans(automaton, self.boundaries.scanner)
            return FreeScans(automaton, self._free(FreeWords()))

        found: AutomatonScans = self.keep("free_text", words, make)
        return found

    def as_expression(self, kind: str, key: Hashable, make: Callable[[], Piece]) -> Expression:
        return self.boundaries.as_expression(self.keep(kind, key, make))


def count_pattern(pattern: CountedPattern, scanner: TrieScanner) -> CountingPiece:
    passes = find_passes(pattern, scanner.index)
    return CountingPiece(lambda: PatternCounter(pattern, passes), scanner)


def check_words(words: Iterable[Sequence[int]]) -> None:
    """Refuse words of a free text that are too long, all of them together: a LimitError."""
    if sum(map(len, words)) > _MOST_BYTES:
        what = "bytes of triggers and of texts that are excluded"
        raise LimitError(what, _MOST_BYTES, "give fewer or shorter ones")
