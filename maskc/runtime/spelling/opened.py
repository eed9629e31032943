"""How a tokenizer writes texts, as masks over a model's padded vocabulary.

Example: llama3's tokenizer has 128,256 tokens; an artifact for a model with 128,512 gets masks of
4,016 words, and padding is in none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from maskc.errors import SpellingError
from maskc.runtime.forced_tokens import TokenTexts
from maskc.runtime.once import made_once
from maskc.runtime.spelling.chunks import DEAD, Chunks
from maskc.runtime.spelling.merges import Ints
from maskc.runtime.spelling.pairs import Words
from maskc.runtime.spelling.spelling import AloneTokens, Spelling

_MOST_ROWS = 2_000  # of each kind; a row of a usual vocabulary takes 16 KB


class Opened:
    """A spelling over a vocabulary. Safe to use from any thread.

    Args:
        spelling: of the tokenizer.
        texts: the tokens of the vocabulary.
        vocab_size: how many there are: those of the tokenizer, perhaps with padding.

    Raises:
        SpellingError: the vocabulary is of another tokenizer.

    Attributes:
        text_of: token id → its bytes, ``None`` for one without any.
        vocab_size: as given.
        n_words: of a mask.
        n_nodes: of the chunks' automaton.
        chunks: the automaton.
        is_whole: bool[vocab_size], the tokens that merging leads to.
        is_beginning: bool[vocab_size], these and those that are all of a chunk.
        alone: the latter.
        outside: int32[n_words], the tokens that write no text: atoms, and those that end it.
    """

    def __init__(self, spelling: Spelling, texts: TokenTexts, vocab_size: int) -> None:
        _check(spelling, texts, vocab_size)
        self._spelling, self.text_of, self.vocab_size = spelling, texts.text_of, vocab_size
        self.n_words = -(-self.vocab_size // 32)
        self.chunks: Chunks = spelling.chunks
        self.n_nodes = len(spelling.chunks.next)
        self.alone: AloneTokens = spelling.alone
        self.is_whole = self._pad(spelling.pairs.shapes.is_whole)
        self.is_beginning = self.is_whole.copy()
        self.is_beginning[list(self.alone.tokens)] = True
        writes = np.array([texts.text_of(token) is not None for token in range(vocab_size)])
        self.outside = self.pack(np.flatnonzero(~writes).astype(np.int32))
        self._followers: dict[int, Words] = {}
        self._predecessors: dict[int, Words] = {}
        self._special: dict[int, NDArray[np.bool_]] = {}

    def _pad(self, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.pad(values, (0, self.vocab_size - len(values)))

    def followers(self, token: int) -> Words:
        """Return int32[n_words], the tokens that may follow a token in a chunk."""
        return self._row(self._followers, token, self._spelling.pairs.followers)

    def predecessors(self, token: int) -> Words:
        """Return int32[n_words], the tokens that a token may follow in a chunk."""
        return self._row(self._predecessors, token, self._spelling.pairs.predecessors)

    def _row(self, known: dict[int, Words], token: int, find: Callable[[int], Words]) -> Words:
        found = known.get(token)
        if found is None:
            words = find(token)
            found = np.pad(words, (0, self.n_words - len(words)))
            if len(known) >= _MOST_ROWS:
                # The oldest half; a dictionary is in the order of its making.
                for key in list(known)[: _MOST_ROWS // 2]:
                    known.pop(key, None)
            known[token] = found
        return found

    def after(self, node: int, ids: Ints) -> Ints:
        """Return the node after each of some tokens; dead for those without bytes."""
        walk = self._spelling.walks.after(node)
        # Padding is never among what a grammar allows.
        found: Ints = walk[ids]
        return found

    def node_after(self, node: int, token: int) -> int:
        """Return the node after one token, dead for one without bytes; no others are followed."""
        chunks, text = self.chunks, self.text_of(token)
        if not text:
            return DEAD
        here = node
        for byte in text:
            here = int(chunks.next[here, chunks.byte_class[byte]])
            if here == DEAD:
                break
        return here

    def are_neighbours(self, left: int, right: int) -> bool:
        """Return whether a token may follow another in a chunk."""
        spelling = self._spelling
        text = (self.text_of(left) or b"") + (self.text_of(right) or b"")
        return spelling.merges.merge(spelling.symbols(text)).tokens == [left, right]

    def tokens_at(self, text: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield the tokens that a text has at a place, each after where it ends."""
        ids, longest = self._by_text
        for end in range(start + 1, min(len(text), start + longest) + 1):
            for token in ids.get(text[start:end], ()):
                yield end, token

    @made_once
    def _by_text(self) -> tuple[dict[bytes, list[int]], int]:
        """The tokens that are written, by their bytes, and the length of the longest."""
        ids: dict[bytes, list[int]] = {}
        for token in np.flatnonzero(self.is_beginning).tolist():
            ids.setdefault(self.text_of(token) or b"", []).append(token)
        return ids, max(map(len, ids), default=0)

    def pack(self, ids: Ints) -> Words:
        """Return int32[n_words], the mask of some tokens."""
        bits = np.zeros(self.n_words * 32, dtype=np.bool_)
        bits[ids] = True
        return np.packbits(bits, bitorder="little").view("<i4")

    def special_from(self, alone: int) -> NDArray[np.bool_] | None:
        """Return bool[vocab_size], tokens that lead to where a chunk must or must not end.

        ``None``: there are none.
        """
        tokens = set(self.alone.children(alone))
        if alone == 0:
            tokens |= self.alone.tokens
        if not tokens:
            return None
        found = self._special.get(alone)
        if found is None:
            found = self._special[alone] = np.zeros(self.vocab_size, dtype=np.bool_)
            found[list(tokens)] = True
        return found

    def rest_of(self, node: int, text: bytes) -> tuple[int, ...] | None:
        """Return the tokens of the rest of a chunk, as the text goes on to its end.

        Args:
            node: where the text stands.
            text: what comes.

        Returns:
            none if the chunk ends here; ``None`` if no text that comes to the node goes on so.
        """
        spelling, chunks = self._spelling, self.chunks
        # Of each node: where the chunk ended, -1 while it goes on.
        nodes = {node: -1, **dict.fromkeys(chunks.marks[node], 0)}
        for at, byte in enumerate(text, start=1):
            byte_class = int(chunks.byte_class[byte])
            following: dict[int, int] = {}
            for here, cut in nodes.items():
                after = int(chunks.next[here, byte_class])
                if after != DEAD:
                    following[after] = cut
                    if at < len(text):
                        for marked in chunks.marks[after]:
                            following[marked] = at if cut < 0 else cut
            nodes = following
        for here, cut in nodes.items():
            if chunks.may_end[here]:
                rest = text if cut < 0 else text[:cut]
                return tuple(spelling.merges.merge(spelling.symbols(rest)).tokens)
        return None


def _check(spelling: Spelling, texts: TokenTexts, vocab_size: int) -> None:
    """Raise an error unless the vocabulary is the tokenizer's, perhaps with padding."""
    ours, theirs = spelling.tokens.text_of, texts.text_of
    # Ids that the tokenizer does not have write nothing for it.
    if vocab_size < spelling.tokens.vocab_size or any(
        ours(token) != theirs(token) for token in range(vocab_size)
    ):
        name = str(spelling.header["tokenizer"]["name"])[:60]
        raise SpellingError(
            f"the language is for another vocabulary than that of the tokenizer {name}",
            "give the spelling of the tokenizer that it was compiled for",
        )
