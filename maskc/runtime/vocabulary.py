"""The tokens of a vocabulary, once for all artifacts and kits of a process that have the same.

Artifacts hold their tokens, or leave them to a kit; whatever the files, what a process keeps of
them is one table, which goes when nobody needs it any more. Two tables are the same if their tokens
are, byte for byte: what a header says about them counts for nothing.

Example: a hundred artifacts of choices for llama3 keep 1.4 MB of tokens, not 140.
"""

from __future__ import annotations

import hashlib
import operator
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol
from weakref import WeakSet, ref

import numpy as np
from numpy.typing import NDArray

from maskc.runtime import made_once
from maskc.runtime.forced import TokenTexts
from maskc.runtime.schema.tries import TokenIndex

_MOST_INDEXED = 4  # tables whose tries are kept, as making them takes half a second

FIRST, BYTES = TOKEN_ARRAYS = ("token_first", "token_bytes")


def compute_fingerprint(
    token_first: NDArray[np.int32], token_bytes: NDArray[np.uint8], eos_ids: Sequence[int]
) -> str:
    """Return the fingerprint, in hexadecimal, of an artifact's tokens, whatever its header claims.

    It is the SHA-256 that :class:`maskc.vocab.vocabulary.Vocabulary` has: over the counts, the end
    ids, and each token after its length + 1, where 0 means that it writes no text. Vocabularies
    with equal fingerprints have equal masks for every grammar. It takes about 5 ms for 128,256
    tokens, so it is computed where it is compared and not at load.

    Args:
        token_first: int32[n_tokens + 1], where each token's bytes begin.
        token_bytes: uint8, the bytes of all tokens.
        eos_ids: ids that end the output, increasing.
    """
    n_tokens = len(token_first) - 1
    lengths = np.diff(token_first)
    counts = np.where(lengths > 0, lengths + 1, 0).astype("<u4")
    offsets = token_first[:-1] + np.arange(0, 4 * n_tokens, 4, dtype=np.int64)
    stream = np.empty(4 * n_tokens + len(token_bytes), dtype=np.uint8)
    is_text = np.ones(len(stream), dtype=np.uint8)
    _as_words(is_text)[offsets] = 0
    _as_words(stream)[offsets] = counts
    stream[is_text.view(np.bool_)] = token_bytes
    numbers = np.array([n_tokens, len(eos_ids), *eos_ids], dtype="<u4")
    found = hashlib.sha256(b"maskc vocabulary 1\n" + numbers.tobytes())
    found.update(stream.data)
    return found.hexdigest()


def _as_words(data: NDArray[np.uint8]) -> NDArray[Any]:
    """Return a view with the 32-bit word that begins at each byte."""
    return np.ndarray((max(0, len(data) - 3),), "<u4", data.data, strides=(1,))


class HasIndex(Protocol):
    """Has tries of a table's tokens: :class:`maskc.kit.constraint.KitTokens`."""

    index: TokenIndex


class TokenTable:
    """The bytes of each token. Immutable; made by :func:`share_tokens`.

    Args:
        first: int32[vocab_size + 1], where each token's bytes begin.
        data: uint8, their bytes.

    Attributes:
        first: as given.
        data: as given.
        vocab_size: number of tokens, padding included.
    """

    def __init__(self, first: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        self.first, self.data = first, data
        self.vocab_size = len(first) - 1
        self._text: bytes | None = None  # of all tokens, copied when the first is asked for
        self._offsets: Any = None
        self._fingerprints: dict[tuple[int, ...], str] = {}
        self._lent: ref[HasIndex] | None = None

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays as artifacts and kits have them."""
        return {FIRST: self.first, BYTES: self.data}

    def text_of(self, token_id: int) -> bytes | None:
        """Return a token's bytes, ``None`` for one without any."""
        number = operator.index(token_id)
        if not 0 <= number < self.vocab_size:
            return None
        text = self._text
        if text is None:
            self._offsets = np.ascontiguousarray(self.first, dtype=np.int32).data
            text = self._text = self.data.tobytes()
        return text[self._offsets[number] : self._offsets[number + 1]] or None

    @made_once
    def first_bytes(self) -> NDArray[np.int16]:
        """int16[vocab_size]: each token's first byte, -1 for special tokens and padding."""
        found = np.full(self.vocab_size, -1, dtype=np.int16)
        writes = self.first[1:] > self.first[:-1]
        found[writes] = self.data[self.first[:-1][writes]]
        found.setflags(write=False)
        return found

    @made_once
    def joined_bytes(self) -> bytes:
        """The bytes that no token writes alone, in order; of most vocabularies there are none."""
        alone = self.first[:-1][np.diff(self.first) == 1]
        return bytes(sorted({*range(256)} - {*self.data[alone].tolist()}))

    @made_once
    def token_texts(self) -> TokenTexts:
        """The tokens by their bytes, for forced tokens."""
        return TokenTexts(self.text_of, self.vocab_size)

    @made_once
    def index(self) -> TokenIndex:
        """The tries of the tokens: those of a kit that is open, or made when first asked for."""
        _INDEXED.append(self)
        lender = None if self._lent is None else self._lent()
        return TokenIndex(self.first, self.data) if lender is None else lender.index

    def lend(self, lender: HasIndex) -> None:
        """Name a kit that is open: its tries are used if it still is when they are needed."""
        self._lent = ref(lender)

    def fingerprint(self, eos_ids: Sequence[int]) -> str:
        """Return the fingerprint of the tokens with some end ids; it takes 10 ms once."""
        key = tuple(eos_ids)
        found = self._fingerprints.get(key)
        if found is None:
            found = self._fingerprints[key] = compute_fingerprint(self.first, self.data, key)
        return found

    def holds(self, first: NDArray[np.int32], data: NDArray[np.uint8]) -> bool:
        """Return whether these are the tokens."""
        if first is self.first and data is self.data:
            return True
        # Most tables differ in their lengths already.
        if len(first) != len(self.first) or len(data) != len(self.data):
            return False
        return np.array_equal(first, self.first) and np.array_equal(data, self.data)


_KNOWN: WeakSet[TokenTable] = WeakSet()
_INDEXED: deque[TokenTable] = deque(maxlen=_MOST_INDEXED)
_LOCK = threading.Lock()


def share_tokens(
    first: NDArray[np.int32], data: NDArray[np.uint8], *, is_borrowed: bool = False
) -> TokenTable:
    """Return the table of some tokens: the one that is there, or a new one.

    Args:
        first: int32[vocab_size + 1], where each token's bytes begin; offsets that ascend.
        data: uint8, their bytes.
        is_borrowed: whether a new table copies them, as they lie in memory that should not be
            kept, or in a file that others do not know of.
    """
    with _LOCK:
        for known in _KNOWN:
            if known.holds(first, data):
                return known
        made = TokenTable(first.copy(), data.copy()) if is_borrowed else TokenTable(first, data)
        _KNOWN.add(made)
        return made


def find_tokens(fingerprint: str, eos_ids: Sequence[int]) -> TokenTable | None:
    """Return the table of this process with a fingerprint, ``None`` if there is none."""
    with _LOCK:
        known = list(_KNOWN)
    return next((t for t in known if t.fingerprint(eos_ids) == fingerprint), None)


def index_of(first: NDArray[np.int32], data: NDArray[np.uint8]) -> TokenIndex:
    """Return the tries of an artifact's tokens; artifacts of the same tokens share them."""
    return share_tokens(first, data).index
