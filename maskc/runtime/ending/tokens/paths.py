"""Where does each token lead from one place? The tokens' trie, walked level by level.

A machine does not tell all bytes apart: JSON's digits but 0 do the same everywhere. So tokens are
written in the *letters* that it tells apart, one for each of its groups of bytes, and tokens that
are written alike share their way. What a letter does in a place is looked up in one table, a level
of the trie at a time; only what the table lacks is asked of the machine.

Example: of llama3's 128,000 tokens 19,000 are left that JSON's machine tells apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from maskc.runtime.schema.tries.trie import Trie

Ints = NDArray[np.int32]
_FILLERS = b"abcdefghijklmnopqrstuvwxyz .-0"


class TokenPaths:
    """The tokens of a vocabulary in the letters of a machine.

    Args:
        text_of: token id → its bytes, ``None`` for one without any.
        vocab_size: number of tokens.
        groups: every byte, in groups that the machine does not tell apart.
        left_out: ids of tokens whose bytes are never written: those that end the text.

    Attributes:
        letters: bytes[256], the letter of each byte; letter ``i`` is of group ``i``.
        trie: of the tokens in letters, each way once.
        by_text: a token's bytes → its smallest id.
        longest: bytes of the longest token.
        filler: a character of which one token writes the most.
    """

    def __init__(
        self,
        text_of: Callable[[int], bytes | None],
        vocab_size: int,
        groups: Sequence[bytes],
        left_out: frozenset[int],
    ) -> None:
        letters = bytearray(256)
        for letter, group in enumerate(groups):
            for byte in group:
                letters[byte] = letter
        self.letters = bytes(letters)
        self.by_text: dict[bytes, int] = {}
        ways: dict[bytes, list[int]] = {}
        for token_id in range(vocab_size):
            text = None if token_id in left_out else text_of(token_id)
            if text:
                self.by_text.setdefault(text, token_id)
                ways.setdefault(text.translate(self.letters), []).append(token_id)
        runs = (text for text in self.by_text if text[:1] in _FILLERS and not text.strip(text[:1]))
        self.filler = max(sorted(runs), key=len, default=_FILLERS[:1])[:1].decode()
        texts = sorted(ways)
        self.trie = Trie(texts)
        self.longest = max(map(len, texts), default=0)
        sizes = [len(ways[text]) for text in texts]
        self._first = np.cumsum([0, *sizes], dtype=np.int32)
        self._ids = np.array([i for text in texts for i in ways[text]], dtype=np.int32)

    def ids_of(self, places: Ints) -> tuple[Ints, Ints]:
        """Return the token ids of some texts of the trie, and how many each has.

        Args:
            places: int32[n] of texts, in ascending order.
        """
        first = self._first[places]
        counts = self._first[places + 1] - first
        return self._ids[_runs(first, counts)], counts

    @property
    def n_texts(self) -> int:
        """How many texts the trie has."""
        return len(self._first) - 1

    def text_numbers(self, vocab_size: int) -> Ints:
        """Return int32[vocab_size], the place of each token's text; -1 for one without any."""
        found = np.full(vocab_size, -1, dtype=np.int32)
        found[self._ids] = np.repeat(np.arange(self.n_texts, dtype=np.int32), np.diff(self._first))
        return found

    def children(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return all children of some nodes, and how many each node has."""
        first = self.trie.first_array[nodes]
        counts = self.trie.first_array[nodes + 1] - first
        return _runs(first, counts), counts

    def fewest(self, text: bytes) -> list[int]:
        """Return as few tokens as write a text; none if there are no such tokens.

        >>> paths = TokenPaths([b"a", b"ab", b"b"].__getitem__, 3, [b"a", b"b"], frozenset())
        >>> paths.fewest(b"aab")
        [0, 1]
        """
        n_bytes = len(text)
        # Of each end of the text: how many tokens write it, and how long the first of them is.
        best = [n_bytes + 1] * n_bytes + [0]
        step = [0] * n_bytes
        find = self.by_text.get
        for start in range(n_bytes - 1, -1, -1):
            for stop in range(start + 1, min(n_bytes, start + self.longest) + 1):
                if best[stop] + 1 < best[start] and find(text[start:stop]) is not None:
                    best[start], step[start] = best[stop] + 1, stop - start
        if n_bytes and best[0] > n_bytes:
            return []
        found: list[int] = []
        at = 0
        while at < n_bytes:
            found.append(self.by_text[text[at : at + step[at]]])
            at += step[at]
        return found


def _runs(first: Ints, counts: Ints) -> Ints:
    """Return the numbers from each first one on, as many as are counted.

    >>> _runs(np.array([5, 9], dtype=np.int32), np.array([2, 1], dtype=np.int32))
    array([5, 6, 9], dtype=int32)
    """
    ends = np.cumsum(counts, dtype=np.int32)
    total = int(ends[-1]) if len(ends) else 0
    found: Ints = np.arange(total, dtype=np.int32) + np.repeat(first - (ends - counts), counts)
    return found
