"""What stands one after the other in a text as one expression; what begins alike is read once.

*Items* are constants, expressions, and expressions that are made later: a call is the constant
``{"name": "f", "arguments": ``, a schema that is compiled when the name has been written, and the
constant ``}``.

Alternatives with constants become one switch over words, so that hundreds of tools are one
hypothesis while a name is written. What two requests have alike is one piece: it is found again by
what it is made of.

*Parameters* come in any order, each once: what may come next depends on which have come. That is a
set of bits in the expression, so that n parameters are n + 1 expressions on the way of one text,
and never all of their orders.

Example: of ``get_time(`` and ``get_date(``, the switch reads ``get_`` once, and turns to the
arguments of the one that was named. Of the parameters ``a`` and ``b``, both required, after ``b``
only ``a`` may come, and then the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from maskc.errors import LimitError
from maskc.runtime.link.automata import ATOM, Words
from maskc.runtime.link.automata.scanning import AutomatonScans, TrieScanner
from maskc.runtime.link.counts import CountedPattern
from maskc.runtime.link.counts.pattern_counter import PatternCounter, find_passes
from maskc.runtime.link.joining import PieceBoundaries
from maskc.runtime.link.joining.counting import CountingPiece
from maskc.runtime.link.joining.expressions import Entry, Expression, Rest
from maskc.runtime.link.joining.machine_pieces import SchemaPiece
from maskc.runtime.link.joining.pieces import (
    AutomatonPiece,
    Markers,
    Piece,
    StopPiece,
    SwitchPiece,
    Target,
    TokenPiece,
    Word,
)
from maskc.runtime.link.text import FreeScans, FreeText, FreeWords
from maskc.runtime.link.text.limited import LimitedPiece
from maskc.runtime.link.text.raw_text import RawBody, RawString, RawText
from maskc.runtime.link.text.without_words import (
    Barring,
    ForbiddingSchemaPiece,
    OtherName,
    OtherNameScans,
)
from maskc.runtime.schema.plan import Plan

_MANY_IDS = 48  # have a mask of their own
_MOST_BYTES = 500_000  # of the words of a free text: 150 MB


@dataclass(frozen=True, slots=True)
class Constant:
    """One of some words of symbols, none empty."""

    words: tuple[Word, ...]


# The last one makes an expression when it is needed.
Item = Expression | Constant | Target
# Kind, key and what makes it → what was made for the key, which is made if it is not there.
Keep = Callable[[str, Hashable, Callable[[], Any]], Any]


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
        if isinstance(item, Constant):
            return self.constant(item)
        return item if isinstance(item, Expression) else item()

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

        def make() -> AutomatonPiece:
            every: AutomatonScans = self.keep(
                "every_name", (), lambda: AutomatonScans(OtherName(()), scanner)
            )
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


# Alternatives of a parameter, each some items, of which the first is a constant.
Alternatives = list[list[Item]]


class Counts(NamedTuple):
    """Which parameters there must be, and may be."""

    n_names: int  # how many have a name that is known; each is a bit
    # required, possible: those that there must be, and may be, as bits
    required: int
    possible: int
    # low, high: how many there must be, and may be; None: any number
    low: int
    high: int | None
    is_ordered: bool  # whether they come in the order of their numbers, others last
    has_others: bool  # whether there may be others; these are not counted


class Parameters:
    """What parameters there are.

    Args:
        counts: which there must be, and may be.
        alternatives: number of a parameter → the ways to write it; ``None``: another one.
        blanks: what may stand before each, and at the end; if it ``separates``, what stands
            between them.
        composer: of the tokenizer.
    """

    def __init__(
        self,
        counts: Counts,
        alternatives: Callable[[int | None], Alternatives],
        blanks: Expression,
        composer: Composer,
        *,
        separates: bool = False,
    ) -> None:
        self.counts, self.alternatives, self.blanks = counts, alternatives, blanks
        self.separates = separates
        self._composer = composer
        self._following: dict[int, Expression | None] = {}

    def expression(self) -> Expression:
        first = self.after(0)
        return first if self.separates else self._composer.join([first, self.blanks])

    def after(self, seen: int) -> Expression:
        key = (Members, self, seen)
        return self._composer.boundaries.intern(key, lambda: Members(self, seen))

    def may_end(self, seen: int) -> bool:
        return not self.counts.required & ~seen and seen.bit_count() >= self.counts.low

    def next(self, seen: int) -> Expression | None:
        """Return a parameter that may come, and all after it; ``None``: there is none."""
        if seen not in self._following:
            self._following[seen] = self._find_next(seen)
        return self._following[seen]

    def one(self, number: int | None, *, is_first: bool = False) -> Expression:
        return self._separate(self._composer.either(self.alternatives(number)), is_first=is_first)

    def _separate(self, one: Expression, *, is_first: bool) -> Expression:
        return one if self.separates and is_first else self._composer.join([self.blanks, one])

    def _find_next(self, seen: int) -> Expression | None:
        options: Alternatives = []
        for number in self._list_allowed(seen):
            after = partial(self.after, seen | 1 << number)
            options += [[*alternative, after] for alternative in self.alternatives(number)]
        counts = self.counts
        if counts.has_others and not (counts.is_ordered and counts.required & ~seen):
            # In order, other names come last; a bit of their own tells that some came.
            last = (1 << counts.n_names) - 1 if counts.is_ordered else seen
            last |= (1 << counts.n_names) * self.separates
            options += [
                [*alternative, partial(self.after, last)] for alternative in self.alternatives(None)
            ]
        if not options:
            return None
        return self._separate(self._composer.either(options), is_first=not seen)

    def _list_allowed(self, seen: int) -> list[int]:
        """Return the parameters that may come after a set, so that the rest can be enough."""
        counts, found = self.counts, []
        n_seen, possible = seen.bit_count(), counts.possible
        for number in range(seen.bit_length() if counts.is_ordered else 0, counts.n_names):
            bit = 1 << number
            if seen & bit or not possible & bit:
                continue
            later = possible & ~(2 * bit - 1) if counts.is_ordered else possible & ~seen & ~bit
            missing = (counts.required & ~seen & ~bit).bit_count()
            if counts.high is not None and n_seen + 1 + missing > counts.high:
                continue
            if n_seen + 1 + later.bit_count() >= counts.low or counts.has_others:
                found.append(number)
            if counts.is_ordered and counts.required & bit:
                break
        return found


class Members(Expression):
    """What may come after some parameters: those that are ``seen``, as bits."""

    def __init__(self, parameters: Parameters, seen: int) -> None:
        super().__init__((), may_be_empty=parameters.may_end(seen))
        self.parameters, self.seen = parameters, seen

    def enter(self, after: Rest, boundaries: PieceBoundaries, /) -> list[Entry]:
        following = self.parameters.next(self.seen)
        return [] if following is None else following.enter(after, boundaries)
