r"""A JSON text without some words: those with which a parser would find the end of a call in it.

The schema's machine reads the text, and beside it an automaton looks for the words among the same
bytes, as they are written. Whatever was begun of a word that may be barred is left by an escape
(:mod:`maskc.runtime.link.text.barring`), so a text goes on if the schema's machine does; only of a
character of several bytes, the last one of a word, it has to be asked whether another one can be
made of the bytes that are there.

Masks are those of the schema, without the tokens that make a word whole inside of a string. Other
tokens in which a word becomes whole are read one by one, as the JSON text may end before that.

Example: of ``{"type": "string"}`` without ``</x>``, after ``"</x`` the byte ``>`` is illegal, and
``\u003e`` is not.

Source: Aho and Corasick 1975 (doi:10.1145/360825.360855), beside the schema's machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from maskc.runtime.cache.budget import ENTRY_BYTES, Budget, Cache
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.scanning import Scan
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, PlainPiece, SchemaPiece
from maskc.runtime.link.joining.switching import SwitchAutomaton
from maskc.runtime.link.text.free_scans import FreeSwitch
from maskc.runtime.link.text.free_text import Position
from maskc.runtime.schema.machine.nodes import KEY, STATE, STRING, Configuration
from maskc.runtime.schema.tries.summary import Part, bits_of
from maskc.runtime.schema.tries.trie import Ints, Trie

_FIRST_OF_MANY = 0x80
_QUOTE = 0x22


class Reading(NamedTuple):
    """What is known of a text.

    Attributes:
        schema: of the schema's machine.
        at: state of the automaton that looks for the words.
    """

    schema: Configuration
    at: int


class Doubtful(NamedTuple):
    """Tokens that may make a word whole, by place.

    Attributes:
        inside: those that do so without leaving the string that they begin in.
        others: all others.
        ids: of those inside.
    """

    inside: list[int]
    others: list[int]
    ids: list[int]


class Barring:
    """Words that do not stand in JSON; shared by all schemas that lack the same ones.

    Args:
        text: free text without the words, and what is known of it.
        words: each of which may be barred.
        budget: what cached results are charged to.

    Attributes:
        automaton: looks for the words.
        joints: of the tokenizer.
        words: as given.
        is_delicate: whether a word ends with a character of several bytes.
    """

    def __init__(self, text: FreeSwitch, words: tuple[bytes, ...], budget: Budget) -> None:
        self._text, self.words, self.joints = text, words, text.joints
        self.automaton: SwitchAutomaton[Position] = text.automaton
        self.is_delicate = any(word[-1] >= _FIRST_OF_MANY for word in words)
        self._doubtful, self._budget = Cache(budget), budget

    def doubtful(self, at: int) -> Doubtful:
        """Return the tokens that may make a word whole, from a state on."""
        found: Doubtful | None = self._doubtful.get(at)
        if found is None:
            found = self._find_doubtful(at)
            self._doubtful.put(at, found)
            self._budget.charge(ENTRY_BYTES + 20 * (len(found.inside) + len(found.others)))
        return found

    def _find_doubtful(self, at: int) -> Doubtful:
        index = self.joints.index
        trie, texts = index.tokens, index.texts
        places = {
            place
            for node, _ in self._text.find_whole(at)
            for place in range(trie.low[node], trie.high[node])
        }
        inside = [place for place in sorted(places) if _QUOTE not in texts[place]]
        others = [place for place in sorted(places) if _QUOTE in texts[place]]
        if self.is_delicate:
            others += [
                place
                for place, text in enumerate(texts)
                if place not in places and text[-1] >= _FIRST_OF_MANY and self._is_open(at, text)
            ]
        return Doubtful(inside, others, index.order[inside].tolist())

    def _is_open(self, at: int, text: bytes) -> bool:
        """Return whether a text ends inside of a character with which a word may end."""
        here: int | None = at
        for byte in text:
            here = self.automaton.moves(here).get(byte) if here is not None else None
        if here is None:
            return False
        node, left, _ = self.automaton.name_of(here)
        return bool(node and left)


class BarredSchemaPiece(PlainPiece):
    """A JSON Schema in whose texts some words do not stand.

    Args:
        piece: of the schema, in which any character may be written as an escape.
        barring: the words.

    Attributes:
        piece: as given.
        words: that do not stand in a text.
    """

    may_be_empty = False

    def __init__(self, piece: SchemaPiece, barring: Barring) -> None:
        self.piece, self.words, self._barring = piece, barring.words, barring
        self.first_bytes = piece.first_bytes
        self._automaton = barring.automaton
        self._machine, self._joints = piece.machine, barring.joints

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before its first byte."""
        return (Link(self, Reading(self._machine.start_before(rest.capped), START), rest),)

    def step(self, inner: Reading, byte: int) -> Sequence[Reading]:
        """Return what is known after one more byte."""
        at = self._automaton.moves(inner.at).get(byte)
        after = None if at is None else self._machine.read(inner.schema, byte)
        if at is None or after is None:
            return ()
        found = Reading(after, at)
        return (found,) if not self._barring.is_delicate or self._may_go_on(found) else ()

    def _may_go_on(self, here: Reading) -> bool:
        """Return whether a character that is begun can be finished."""
        node, left, _ = self._automaton.name_of(here.at)
        if not left or not node:
            return True
        return any(self.step(here, byte) for byte in self._automaton.moves(here.at))

    def has_ended(self, inner: Reading) -> bool:
        """Return whether the value is whole."""
        return self._machine.has_ended(inner.schema)

    def describe(self, inner: Reading) -> Hashable:
        """Return all that the future depends on."""
        return (self._machine.describe(inner.schema), inner.at)

    def identify(self, inner: Reading) -> Hashable:
        """Return a key, with the configuration's."""
        return (self._machine.identify(inner.schema), inner.at)

    def legal(self, inner: Reading, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`maskc.runtime.link.joining.pieces.Piece`."""
        part = self._machine.masks.legal(inner.schema)
        doubtful = self._barring.doubtful(inner.at)
        is_string = inner.schema.nodes[0][STATE][0] in (STRING, KEY)
        index, here = self._joints.index, Link(self, inner, rest)
        places = doubtful.others if is_string else [*doubtful.inside, *doubtful.others]
        gone = [
            index.ids[place]
            for place in places
            if _has(part, index.ids[place]) and not self._reads(here, index.texts[place])
        ]
        if is_string:
            gone += doubtful.ids
        return Part(part.rows, part.few, gone=(*part.gone, *gone)) if gone else part

    def _reads(self, here: Link, text: bytes) -> bool:
        """Return whether a token's text is legal, that may lead into the rest."""
        after = self._joints.step((here,), text)
        return any(link.piece.is_live(link.inner, link.rest) for link in after)

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it and its rest read from some nodes on; see :class:`Piece`."""
        scan = self.piece.walk(trie, nodes, rest)
        doubtful = self._find_holding(trie)
        if not doubtful:
            return scan
        start = self.start(rest)[0]
        texts, paths = trie.texts, [trie.path(node) for node in nodes.tolist()]
        gone = []
        for place in doubtful:
            text = texts[place]
            lefts = {text[len(path) :] for path in paths if text.startswith(path)} - {b""}
            if lefts and not any(self._reads(start, left) for left in lefts):
                gone.append(place)
        return Scan(self._without(trie, scan.part, gone), scan.exits) if gone else scan

    def _find_holding(self, trie: Trie) -> list[int]:
        """Return the places of the texts of a trie in which a word may be whole."""
        doubtful = self._barring.doubtful(START)
        places = sorted([*doubtful.inside, *doubtful.others])
        if not places or trie is self._joints.index.tokens:
            return places
        # What follows a quote in a token has a word only if the token has it.
        return list(range(len(trie.texts)))

    def _without(self, trie: Trie, part: Part, places: list[int]) -> Part:
        """Return a part without some texts of a trie, by place."""
        if trie is self._joints.index.rests:
            gone = ~bits_of(places)
            return Part(bits=part.bits & gone, unsure=part.unsure & gone)
        return self._joints.scanner.without(trie, part, places)


def _has(part: Part, token: int) -> bool:
    """Return whether a token is in a part, by id."""
    return token in part.few or any(row[token >> 5] >> (token & 31) & 1 for row in part.rows)
