"""Free text of so many tokens, or so many characters, at most.

A token counts if it begins in the free text; the one that carries the end of what comes before and
the first characters of the text does not. When no token is left, only what follows may be read.

A text may not break off inside a character, so towards the last token it is asked whether a
character that is begun can be finished.

Example: with at most 2 tokens, after ``a`` and ``b`` only what follows the text is legal.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from maskc.runtime.cache.budget import Budget
from maskc.runtime.link.automata.automaton import START
from maskc.runtime.link.automata.scanning import Scan
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, PlainPiece
from maskc.runtime.link.joining.switching import Switch, SwitchAutomaton
from maskc.runtime.link.text.free_text import Position
from maskc.runtime.schema.tries.summary import Part
from maskc.runtime.schema.tries.trie import Ints, Trie

_MOST_MISSING = 3  # bytes of a character that is begun
_FIRST_CONTINUATION, _FIRST_LEAD = 0x80, 0xC0


class Reading(NamedTuple):
    """What is known of a limited text.

    Attributes:
        state: of the automaton of free text.
        tokens: how many may still begin, ``None``: not limited.
        characters: how many may still begin, ``None``: not limited.
    """

    state: int
    tokens: int | None
    characters: int | None


_Counted = tuple[Position, int]


class CountedText(SwitchAutomaton[_Counted]):
    """Free text of at most so many characters: a state is one of free text, and what is left."""

    def __init__(self, text: SwitchAutomaton[Position], characters: int) -> None:
        self._text = text
        super().__init__((text.name_of(START), characters))

    def find_moves(self, name: _Counted) -> dict[int, _Counted]:
        """Return what each byte leads to; see the base class."""
        position, left = name
        moves = self._text.find_moves(position).items()
        return {
            byte: (after, left - _begins_character(byte))
            for byte, after in moves
            if left or not _begins_character(byte)
        }

    def find_atoms(self, name: _Counted) -> dict[int, _Counted]:  # noqa: ARG002  # there are none
        """Return nothing."""
        return {}

    def is_accepting(self, name: _Counted) -> bool:
        """Return whether the text may end here."""
        return self._text.is_accepting(name[0])

    def label_of(self, name: _Counted) -> int:
        """Return that there is no label."""
        return self._text.label_of(name[0])


class LimitedPiece(PlainPiece):
    """Free text of at most so many tokens or characters, more than 0.

    Args:
        text: free text without triggers, and what is known of it.
        budget: what cached rows are charged to.
        max_tokens: how many tokens may begin in it; ``None``: any number.
        max_characters: how many characters it may have; ``None``: any number.

    Attributes:
        automaton: of free text.
        limits: in tokens and in characters.
    """

    counts_tokens = True
    may_be_empty = True
    first_bytes: frozenset[int] | None = None

    def __init__(
        self,
        text: Switch,
        budget: Budget,
        *,
        max_tokens: int | None,
        max_characters: int | None,
    ) -> None:
        self._text, self._joints = text, text.joints
        self.automaton: SwitchAutomaton[Position] = text.automaton
        self.limits = (max_tokens, max_characters)
        # A token has no more characters than bytes.
        self._longest = len(self._joints.index.tokens.levels)
        self._counted = CountedText(self.automaton, self._longest)
        self._few = Switch(self._counted, self._joints, budget)
        self._breaking: list[tuple[int, bytes]] | None = None

    def start(self, rest: Rest) -> tuple[Link, ...]:
        """Return the one hypothesis before its first byte."""
        return (Link(self, Reading(START, *self.limits), rest),)

    def step(self, inner: Reading, byte: int) -> Sequence[Reading]:
        """Return what is known after one more byte."""
        state, tokens, characters = inner
        after = self.automaton.moves(state).get(byte)
        if after is None:
            return ()
        if characters is not None and _begins_character(byte):
            if not characters:
                return ()
            characters -= 1
        return (Reading(after, tokens, characters),)

    def begin_token(self, inner: Reading) -> Reading | None:
        """Return what is known when one more token begins, ``None`` if there may be no more."""
        state, tokens, characters = inner
        if tokens is None:
            return inner
        return Reading(state, tokens - 1, characters) if tokens else None

    def is_live(self, inner: Reading, rest: Rest) -> bool:
        """Return whether the text may end here, or a character that is begun can be finished."""
        left, tokens = self._missing(inner.state), inner.tokens
        if not left or tokens is None or tokens >= left:
            return True
        return tokens > 0 and any(
            self._finishes(inner, text, rest) for _, text in self._list_breaking()
        )

    def _finishes(self, inner: Reading, text: bytes, rest: Rest) -> bool:
        """Return whether a token's text leads to where the text may end."""
        here = self.begin_token(inner)
        assert here is not None  # noqa: S101  # a token is left
        for place, byte in enumerate(text):
            after = self.step(here, byte)
            if not after:
                return False
            here = after[0]
            if self.has_ended(here) and text[place + 1 :] and rest.reads(text[place + 1 :]):
                return True
        return self.is_live(here, rest)

    def _missing(self, state: int) -> int:
        """Return how many bytes a character that is begun lacks."""
        left = self.automaton.name_of(state)[1]
        return {0: 0, 1: 1, 2: 2, 3: 3, 4: 2, 5: 2, 6: 3, 7: 3}[left]

    def _list_breaking(self) -> list[tuple[int, bytes]]:
        """Return the tokens that end or begin inside a character, with their texts."""
        if self._breaking is None:
            index = self._joints.index
            ids = index.order.tolist()
            self._breaking = [
                (token, text)
                for token, text in zip(ids, index.tokens.texts, strict=True)
                if _begins_inside(text) or _ends_inside(text)
            ]
        return self._breaking

    def has_ended(self, inner: Reading) -> bool:
        """Return whether the text may end here."""
        return self.automaton.accepts(inner.state)

    def describe(self, inner: Reading) -> Hashable:
        """Return what is known."""
        return inner

    def legal(self, inner: Reading, rest: Rest) -> Part:
        """Return the legal tokens; see :class:`maskc.runtime.link.joining.pieces.Piece`."""
        state, tokens, characters = inner
        if tokens == 0:
            return Part()
        if characters is None or characters >= self._longest:
            scan = self._text.scan(state)
        else:
            name = (self.automaton.name_of(state), characters)
            scan = self._few.scan(self._counted.state_of(name))
        part = scan.part
        if tokens is not None and tokens <= _MOST_MISSING:
            part = self._without_dead(part, inner, rest)
        if rest.expression is None or not len(scan.exits):
            return part
        others = rest.walk(self._joints.index.tokens, scan.exits)
        return self._joints.scanner.unite((part, others))

    def _without_dead(self, part: Part, inner: Reading, rest: Rest) -> Part:
        """Return a part without the tokens after which no character can be finished."""
        words = self._joints.scanner.words(part)
        dead = []
        for token, text in self._list_breaking():
            if not (int(words[token >> 5]) >> (token & 31)) & 1:
                continue
            here = self.begin_token(inner)
            for byte in text:
                assert here is not None  # noqa: S101  # the token is legal
                here = self.step(here, byte)[0]
            if here is not None and not self.is_live(here, rest):
                dead.append(token)
        return Part((self._joints.index.clear_bits(words, dead),)) if dead else part

    def seen(self, inner: Reading) -> Reading:
        """Return what no mask tells from what is known: no count in it is larger than matters."""
        state, tokens, characters = inner
        return Reading(
            state,
            None if tokens is None else min(tokens, _MOST_MISSING + 1),
            None if characters is None else min(characters, self._longest),
        )

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        """Return what it reads from some nodes on; see :class:`Piece`."""
        tokens, characters = self.limits
        if characters is None or characters >= self._longest:
            scan = self._text.walk(trie, nodes)
        else:
            start = self._counted.state_of((self.automaton.name_of(START), characters))
            open_ = [(node, start) for node in nodes.tolist()]
            scan = self._joints.scanner.scan(self._counted, trie, open_)
        if tokens is None or tokens > _MOST_MISSING:
            return scan
        dead = []
        for place, text in enumerate(trie.texts):
            if not (_begins_inside(text) or _ends_inside(text)):
                continue
            paths = [path for path in map(trie.path, nodes.tolist()) if text.startswith(path)]
            if paths and not any(self._enters(text[len(path) :], rest) for path in paths):
                dead.append(place)
        scanner = self._joints.scanner
        return Scan(scanner.without(trie, scan.part, dead), scan.exits)

    def _enters(self, text: bytes, rest: Rest) -> bool:
        """Return whether the limited text may begin with this, if a token ends after it."""
        here = Reading(START, *self.limits)
        for byte in text:
            after = self.step(here, byte)
            if not after:
                return False
            here = after[0]
        return self.is_live(here, rest)


def _begins_character(byte: int) -> bool:
    return byte < _FIRST_CONTINUATION or byte >= _FIRST_LEAD


def _begins_inside(text: bytes) -> bool:
    return not _begins_character(text[0])


def _ends_inside(text: bytes) -> bool:
    """Return whether a text ends inside a character, if it is UTF-8 before that.

    >>> _ends_inside("é".encode()), _ends_inside("é".encode()[:1])
    (False, True)
    """
    for n_back, least in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
        if len(text) >= n_back and text[-n_back] >= least:
            return True
        if len(text) < n_back or text[-n_back] < _FIRST_CONTINUATION:
            return False
    return False
