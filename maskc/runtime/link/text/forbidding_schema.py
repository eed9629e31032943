r"""A JSON text without some words: those with which a parser would find the end of a call in it.

The schema's machine reads the text, and beside it an automaton looks for the words among the same
bytes, as they are written. JSON can always be written without a word that has a character that
only stands in strings and in no escape, and neither a quote nor a backslash: all of it stands in
one string, and a character of it can be an escape. So a text goes on if the schema's machine does;
only of a character of several bytes, the last one of a word, it has to be asked whether another one
can be made of the bytes that are there.

Masks are those of the schema, without the tokens that make a word whole inside of a string. Other
tokens in which a word becomes whole are read one by one, as the JSON text may end before that.

Example: of ``{"type": "string"}`` without ``</x>``, after ``"</x`` the byte ``>`` is illegal, and
``\u003e`` is not. The word ``}}`` may be needed.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855), beside the schema's machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

from maskc.runtime.cache import ENTRY_BYTES, Cache
from maskc.runtime.link.automata import START, ByteAutomaton
from maskc.runtime.link.automata.scanning import Scan
from maskc.runtime.link.joining.boundaries import PieceBoundaries
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, Piece, SchemaPiece
from maskc.runtime.link.text import FreeScans, Position
from maskc.runtime.schema.machine.nodes import KEY, STATE, STRING, Configuration
from maskc.runtime.schema.tries import Ints, Trie
from maskc.runtime.schema.tries.summary import Part

_FIRST_OF_MANY = 0x80
_QUOTE = 0x22
_NEVER = frozenset(b'"\\')
# What stands outside of strings, and in escapes.
_ELSEWHERE = frozenset(b'0123456789abcdefABCDEF{}[],:+-. \t\r\n"\\/rtunls')


def may_be_forbidden(word: bytes) -> bool:
    r"""Return whether each JSON value can be written without a word, with all escapes.

    >>> [may_be_forbidden(word) for word in (b"</a>", b"<\\", b"}}", b"u00e9")]
    [True, False, False, False]
    """
    return _NEVER.isdisjoint(word) and not _ELSEWHERE.issuperset(word)


class SchemaHypothesis(NamedTuple):
    """What is known of a text; ``at`` is a state of the automaton that looks for the words."""

    schema: Configuration
    at: int


class Unverified(NamedTuple):
    """Tokens that may make a word whole, by text index."""

    inside: list[int]  # those that do so without leaving the string that they begin in
    others: list[int]  # all others
    ids: list[int]  # of those inside


def _measure(_: int, found: Unverified) -> int:
    return 2 * ENTRY_BYTES + 40 * sum(map(len, found))


class Barring:
    """Words that do not stand in JSON; shared by all schemas that lack the same ones.

    Free text without the words looks for them. It is *delicate* if a word ends with a character of
    several bytes.
    """

    def __init__(self, text: FreeScans, words: tuple[bytes, ...]) -> None:
        self._text, self.words, self.index = text, words, text.index
        self.automaton: ByteAutomaton[Position] = text.automaton
        self.is_delicate = any(word[-1] >= _FIRST_OF_MANY for word in words)
        self._unverified_at = Cache(text.scanner.budget, _measure)

    def unverified(self, at: int) -> Unverified:
        found: Unverified | None = self._unverified_at.get(at)
        if found is None:
            found = self._find_unverified(at)
            self._unverified_at.put(at, found)
        return found

    def _find_unverified(self, at: int) -> Unverified:
        index = self.index
        trie, texts = index.tokens, index.texts
        whole = {
            text_index
            for node, _ in self._text.find_whole(at)
            for text_index in range(trie.low[node], trie.high[node])
        }
        inside = [n for n in sorted(whole) if _QUOTE not in texts[n]]
        others = [n for n in sorted(whole) if _QUOTE in texts[n]]
        if self.is_delicate:
            others += [
                n
                for n, text in enumerate(texts)
                if n not in whole and text[-1] >= _FIRST_OF_MANY and self._is_open(at, text)
            ]
        return Unverified(inside, others, index.order[inside].tolist())

    def _is_open(self, at: int, text: bytes) -> bool:
        """Return whether a text ends inside of a character with which a word may end."""
        here: int | None = at
        for byte in text:
            here = self.automaton.moves(here).get(byte) if here is not None else None
        if here is None:
            return False
        node, left, _ = self.automaton.name_of(here)
        return bool(node and left)


class ForbiddingSchemaPiece(Piece):
    """A JSON Schema in whose texts some words do not stand; any character may be an escape."""

    def __init__(self, piece: SchemaPiece, barring: Barring, boundaries: PieceBoundaries) -> None:
        self.piece, self.words, self._barring = piece, barring.words, barring
        self.first_bytes = piece.first_bytes
        self._automaton = barring.automaton
        self._machine, self._boundaries = piece.machine, boundaries

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, SchemaHypothesis(self._machine.start_before(rest.capped), START), rest),)

    def step(self, inner: SchemaHypothesis, byte: int) -> Sequence[SchemaHypothesis]:
        at = self._automaton.moves(inner.at).get(byte)
        after = None if at is None else self._machine.read(inner.schema, byte)
        if at is None or after is None:
            return ()
        found = SchemaHypothesis(after, at)
        return (found,) if not self._barring.is_delicate or self._may_go_on(found) else ()

    def _may_go_on(self, here: SchemaHypothesis) -> bool:
        """Return whether a character that is begun can be finished."""
        node, left, _ = self._automaton.name_of(here.at)
        if not left or not node:
            return True
        return any(self.step(here, byte) for byte in self._automaton.moves(here.at))

    def has_ended(self, inner: SchemaHypothesis) -> bool:
        return self._machine.has_ended(inner.schema)

    def describe(self, inner: SchemaHypothesis) -> Hashable:
        return (self._machine.describe(inner.schema), inner.at)

    def identify(self, inner: SchemaHypothesis) -> Hashable:
        return (self._machine.identify(inner.schema), inner.at)

    def legal(self, inner: SchemaHypothesis, rest: Rest) -> Part:
        part = self._machine.masks.legal(inner.schema)
        unverified = self._barring.unverified(inner.at)
        is_string = inner.schema.nodes[0][STATE][0] in (STRING, KEY)
        index, here = self._boundaries.index, Link(self, inner, rest)
        text_indices = unverified.others if is_string else [*unverified.inside, *unverified.others]
        removed = [
            index.ids[n]
            for n in text_indices
            if _has(part, index.ids[n]) and not self._reads(here, index.texts[n])
        ]
        if is_string:
            removed += unverified.ids
        return Part(part.rows, part.few, removed=(*part.removed, *removed)) if removed else part

    def _reads(self, here: Link, text: bytes) -> bool:
        """Return whether a token's text is legal, that may lead into the rest."""
        after = self._boundaries.step((here,), text)
        return any(link.piece.is_live(link.inner, link.rest) for link in after)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        scan, start = self.piece.walk(trie, nodes, rest), self.start(rest)[0]
        reads = partial(self._reads, start)
        return self._boundaries.scanner.cut(trie, nodes, scan, self._find_holding(trie), reads)

    def _find_holding(self, trie: Trie) -> list[int]:
        unverified = self._barring.unverified(START)
        text_indices = sorted([*unverified.inside, *unverified.others])
        if not text_indices or trie is self._boundaries.index.tokens:
            return text_indices
        # What follows a quote in a token has a word only if the token has it.
        return list(range(len(trie.texts)))


def _has(part: Part, token: int) -> bool:
    return token in part.few or any(row[token >> 5] >> (token & 31) & 1 for row in part.rows)
