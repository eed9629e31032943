"""Encodes texts as the tokenizer itself does, byte for byte.

``encode`` gives the *canonical* tokens: those that the tokenizer's own package gives for the text
in the middle of an output. Their bytes concatenate exactly to the text's UTF-8, always; this is
checked on every call. To that end

- special tokens and atoms are never found in the text: ``</s>`` in it is four characters;
- no space is put in front, and nothing is normalised (NFC, NFKC, lower case, runs of spaces);
- a part of the text that still comes back as other bytes is written by smaller parts, in the
  end a character by its UTF-8 bytes. ``▁`` is such a character wherever ``▁`` also means a space.

Example: for ``bytes``, ``encode("é")`` is ``[0xC3, 0xA9]``.

The ids are those of the vocabulary without overrides. A tokenizer that has no way to write a
character (no byte tokens) is an error for that text, not a wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from maskc.errors import TokenizerError
from maskc.vocab.added import choose_text
from maskc.vocab.canonical import build_tokenize
from maskc.vocab.encodings import open_encoding
from maskc.vocab.files import open_tokenizer_file
from maskc.vocab.loading import load_tokens, read_tokenizer
from maskc.vocab.piece_decoder import LOWER_BAR
from maskc.vocab.registry import find_tokenizer, format_name
from maskc.vocab.vocabulary import build_byte_table

_AT_LOWER_BAR = re.compile(f"({LOWER_BAR})")


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """Text to canonical token ids, exactly.

    Attributes:
        name: what the user asked for; never a full path.
        tokens: bytes of each token, ``None`` for those that write no text.
        tokenize: what the tokenizer's package says; need not be exact.
    """

    name: str
    tokens: tuple[bytes | None, ...] = field(repr=False)
    tokenize: Callable[[str], list[int]]
    _ids: Mapping[bytes, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Of tokens with equal bytes the first wins: in sentencepiece that is the byte piece.
        ids = {token: i for i, token in reversed(list(enumerate(self.tokens))) if token}
        object.__setattr__(self, "_ids", ids)

    def encode(self, text: str) -> list[int]:
        """Return the canonical ids of a text; their bytes concatenate to ``text.encode()``.

        Raises:
            TokenizerError: a character cannot be written in this vocabulary, or is a lone
                surrogate, which has no UTF-8 at all.
        """
        try:
            return self._encode(text, text.encode())
        except UnicodeEncodeError as error:
            raise TokenizerError(
                self.name,
                f"the text holds the lone surrogate U+{ord(text[error.start]):04X}",
                "give text that can be written as UTF-8",
            ) from error

    def _encode(self, text: str, data: bytes) -> list[int]:
        ids = self.tokenize(text)
        if self._writes(ids, data):
            return ids
        if len(text) == 1:
            return self._spell(text, data)
        if LOWER_BAR in text:
            parts = _AT_LOWER_BAR.split(text)
        else:
            middle = len(text) // 2
            parts = [text[:middle], text[middle:]]
        return [token_id for part in parts for token_id in self._encode(part, part.encode())]

    def _writes(self, ids: list[int], data: bytes) -> bool:
        parts = [self.tokens[token_id] for token_id in ids]
        written = [part for part in parts if part is not None]
        return len(written) == len(parts) and b"".join(written) == data

    def _spell(self, character: str, data: bytes) -> list[int]:
        """Return the ids of a character that the tokenizer does not write exactly."""
        if data in self._ids:
            return [self._ids[data]]
        byte_ids = [self._ids[byte] for byte in _split_bytes(data) if byte in self._ids]
        if len(byte_ids) < len(data):
            raise TokenizerError(
                self.name,
                f"no tokens write the character {character!r}",
                "leave it out of the text, or use a tokenizer with byte tokens",
            )
        return byte_ids


def load_encoder(spec: str, *, is_text: Callable[[int], bool] | None = None) -> Encoder:
    """Return the encoder of a tokenizer, given as for :func:`maskc.vocab.load_vocabulary`.

    Args:
        spec: of the tokenizer.
        is_text: whether an added token is text, by its id; default: if it is not written like a
            marker.

    Raises:
        TokenizerError: the tokenizer is unknown or broken, the package that encodes for it is
            not installed, or the file does not hold what encoding needs.
    """
    encoding = open_encoding(spec)
    if encoding is not None:
        name, table = read_tokenizer(encoding)
        return Encoder(name, table.tokens, encoding.encode_ordinary)
    path = find_tokenizer(spec)
    name = format_name(spec)
    if path is None:
        return Encoder(name, build_byte_table().tokens, lambda text: list(text.encode()))
    file = open_tokenizer_file(spec, path)
    table = load_tokens(file)
    chosen = choose_text(name, table.added) if is_text is None else filter(is_text, table.added)
    tokens = [token or None for token in table.tokens]
    for token_id in chosen:
        tokens[token_id] = table.added[token_id].data or None
    return Encoder(name, tuple(tokens), build_tokenize(file, lambda i: tokens[i] is not None))


def _split_bytes(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]
