"""Free text of so many tokens, or so many characters, at most.

A token counts if it begins in the free text; the one that carries the end of what comes before and
the first characters of the text does not. When no token is left, only what follows may be read.

A text may not break off inside a character, so towards the last token it is asked whether a
character that is begun can be finished.

Example: with at most 2 tokens, after ``a`` and ``b`` only what follows the text is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maskc.runtime.link.automata import START, ByteAutomaton
from maskc.runtime.link.automata.scanning import NO_EXITS, AutomatonScans, Scan
from maskc.runtime.link.joining.expressions import Rest
from maskc.runtime.link.joining.pieces import Link, Piece, cross
from maskc.runtime.link.text import MISSING, Position
from maskc.runtime.schema.tries import ROOT, Ints, Trie
from maskc.runtime.schema.tries.summary import Part

_MOST_MISSING = 3  # bytes of a character that is begun
_FIRST_CONTINUATION, _FIRST_LEAD = 0x80, 0xC0


class LimitedHypothesis(NamedTuple):
    """A state of free text, and the tokens and characters that may still begin; ``None``: any."""

    state: int
    tokens: int | None
    characters: int | None


_Counted = tuple[Position, int]


class CountedText(ByteAutomaton[_Counted]):
    """Free text of at most so many characters: a state is one of free text, and what is left."""

    has_labels = True  # it has none, and no loops either, as it counts

    def __init__(self, text: ByteAutomaton[Position], characters: int) -> None:
        self._text = text
        super().__init__((text.name_of(START), characters))

    def find_moves(self, name: _Counted) -> dict[int, _Counted]:
        position, left = name
        moves = self._text.find_moves(position).items()
        return {
            byte: (after, left - _begins_character(byte))
            for byte, after in moves
            if left or not _begins_character(byte)
        }

    def is_accepting(self, name: _Counted) -> bool:
        return self._text.is_accepting(name[0])


class LimitedPiece(Piece):
    """Free text of at most so many tokens or characters, more than 0; ``None``: any number."""

    counts_tokens = True
    may_be_empty = True

    def __init__(
        self, text: AutomatonScans, *, max_tokens: int | None, max_characters: int | None
    ) -> None:
        self._text, self._scanner, self._index = text, text.scanner, text.index
        self.automaton: ByteAutomaton[Position] = text.automaton
        self.limits = (max_tokens, max_characters)
        # A token has no more characters than bytes.
        self._longest = len(self._index.tokens.levels)
        self._counted = CountedText(self.automaton, self._longest)
        self._few = AutomatonScans(self._counted, self._scanner)
        self._breaking: list[tuple[int, bytes]] | None = None

    def start(self, rest: Rest) -> tuple[Link, ...]:
        return (Link(self, LimitedHypothesis(START, *self.limits), rest),)

    def step(self, inner: LimitedHypothesis, byte: int) -> Sequence[LimitedHypothesis]:
        state, tokens, characters = inner
        after = self.automaton.moves(state).get(byte)
        if after is None:
            return ()
        if characters is not None and _begins_character(byte):
            if not characters:
                return ()
            characters -= 1
        return (LimitedHypothesis(after, tokens, characters),)

    def begin_token(self, inner: LimitedHypothesis) -> LimitedHypothesis | None:
        state, tokens, characters = inner
        if tokens is None:
            return inner
        return LimitedHypothesis(state, tokens - 1, characters) if tokens else None

    def is_live(self, inner: LimitedHypothesis, rest: Rest) -> bool:
        """Return whether the text may end here, or a character that is begun can be finished."""
        left, tokens = MISSING[self.automaton.name_of(inner.state)[1]], inner.tokens
        if not left or tokens is None or tokens >= left:
            return True
        texts = [text for _, text in self._list_breaking()] if tokens > 0 else []
        return any(self._finishes(inner, text, rest) for text in texts)

    def _finishes(self, inner: LimitedHypothesis, text: bytes, rest: Rest) -> bool:
        """Return whether a token's text leads to where the text may end."""
        here = self.begin_token(inner)
        assert here is not None  # noqa: S101  # a token is left
        for offset, byte in enumerate(text):
            after = self.step(here, byte)
            if not after:
                return False
            here = after[0]
            if self.has_ended(here) and text[offset + 1 :] and rest.reads(text[offset + 1 :]):
                return True
        return self.is_live(here, rest)

    def _list_breaking(self) -> list[tuple[int, bytes]]:
        """Return the tokens that end or begin inside a character, with their texts."""
        if self._breaking is None:
            index = self._index
            self._breaking = [(index.ids[n], index.texts[n]) for n in _list_breaking(index.texts)]
        return self._breaking

    def _read(self, inner: LimitedHypothesis, text: bytes) -> LimitedHypothesis | None:
        for byte in text:
            after = self.step(inner, byte)
            if not after:
                return None
            inner = after[0]
        return inner

    def has_ended(self, inner: LimitedHypothesis) -> bool:
        return self.automaton.accepts(inner.state)

    def legal(self, inner: LimitedHypothesis, rest: Rest) -> Part:
        state, tokens, characters = inner
        if tokens == 0:
            return Part()
        if characters is None or characters >= self._longest:
            scan = self._text.scan(state, rest.first_bytes)
        else:
            name = (self.automaton.name_of(state), characters)
            scan = self._few.scan(self._counted.state_of(name), rest.first_bytes)
        part = scan.part
        if tokens is not None and tokens <= _MOST_MISSING:
            part = self._without_dead(part, inner, rest)
        return cross(scan._replace(part=part), self._text, rest)

    def _without_dead(self, part: Part, inner: LimitedHypothesis, rest: Rest) -> Part:
        """Return a part without the tokens after which no character can be finished."""
        words = self._scanner.words(part)
        dead = []
        begun = self.begin_token(inner)
        assert begun is not None  # noqa: S101  # a token is left
        for token, text in self._list_breaking():
            if (int(words[token >> 5]) >> (token & 31)) & 1:
                here = self._read(begun, text)
                if here is not None and not self.is_live(here, rest):
                    dead.append(token)
        return Part((self._index.clear_bits(words, dead),)) if dead else part

    def seen(self, inner: LimitedHypothesis) -> LimitedHypothesis:
        """Return what no mask tells from what is known: no count in it is larger than matters."""
        state, tokens, characters = inner
        return LimitedHypothesis(
            state,
            None if tokens is None else min(tokens, _MOST_MISSING + 1),
            None if characters is None else min(characters, self._longest),
        )

    def walk(self, trie: Trie, nodes: Ints, rest: Rest) -> Scan:
        tokens, characters = self.limits
        if tokens is not None and trie is self._index.tokens and nodes[0] == ROOT:
            # A token that begins here counts: it is asked of the hypothesis that begins here, too.
            nodes = nodes[1:]
        if not len(nodes):
            return Scan(Part(), NO_EXITS)
        if characters is None or characters >= self._longest:
            scan = self._text.walk(trie, nodes)
        else:
            start = self._counted.state_of((self.automaton.name_of(START), characters))
            scan = self._scanner.scan(self._counted, trie, nodes, start)
        if tokens is None or tokens > _MOST_MISSING:
            return scan
        dead = _list_breaking(trie.texts)
        return self._scanner.cut(trie, nodes, scan, dead, lambda text: self._enters(text, rest))

    def _enters(self, text: bytes, rest: Rest) -> bool:
        here = self._read(LimitedHypothesis(START, *self.limits), text)
        return here is not None and self.is_live(here, rest)


def _begins_character(byte: int) -> bool:
    return byte < _FIRST_CONTINUATION or byte >= _FIRST_LEAD


def _list_breaking(texts: Sequence[bytes]) -> list[int]:
    return [
        text_index
        for text_index, text in enumerate(texts)
        if not _begins_character(text[0]) or _ends_inside(text)
    ]


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
