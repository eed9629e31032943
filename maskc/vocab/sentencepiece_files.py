"""The tokens of a sentencepiece model, read without the ``sentencepiece`` package.

The file is a protobuf message with one entry a piece; its Python package tells a normal piece
from a user-defined one nowhere, so the few fields that matter are read here.

A normal piece writes its text with ``▁`` as a space, a byte piece ``<0x0A>`` its byte. Unknown,
control and unused pieces are ``None``. User-defined pieces are what Hugging Face files call added
tokens; they write their text as normal ones do, if they are text.

Example: the piece ``▁the`` has bytes ``b" the"``. At the very start of a text sentencepiece adds a
space before encoding and drops one after decoding; a token's bytes are those in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from maskc.vocab.files import TokenizerFile
from maskc.vocab.huggingface import BYTE_PIECE, LOWER_BAR
from maskc.vocab.vocabulary import AddedToken, TokenizerTokens, order_tokens

# Field numbers of sentencepiece_model.proto.
_PIECES, _TRAINER, _NORMALIZER, _SELF_TEST, _DENORMALIZER = 1, 2, 3, 4, 5
_PIECE_TEXT, _PIECE_TYPE = 1, 3
_TRAINER_EOS_PIECE = 47
_NORMALIZER_ESCAPE = 5
# Wire types of protobuf, and the size in bytes of those that have a fixed one.
_VARINT, _BYTES = 0, 2
_FIXED_SIZES = {1: 8, 5: 4}


class PieceType(IntEnum):
    """What a piece is for, numbered as in these files and those of llama.cpp."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


_TYPES: dict[int | bytes, PieceType] = {kind.value: kind for kind in PieceType}


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a protobuf message: its number, its value, and its own bytes."""

    number: int
    value: int | bytes
    encoded: bytes


# Name of a piece, its type, and what it writes if it is text.
Piece = tuple[str, int, bytes]


def load_sentencepiece(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a sentencepiece model; TokenizerError: the file is broken."""
    pieces: list[Piece] = []
    eos_piece = "</s>"
    for message in _read_fields(file, file.data):
        if message.number == _PIECES:
            text, kind = _read_piece(file, len(pieces), message.value)
            pieces.append((text, kind, text.replace(LOWER_BAR, " ").encode()))
        elif message.number == _TRAINER:
            for setting in _read_fields(file, message.value):
                if setting.number == _TRAINER_EOS_PIECE:
                    eos_piece = _decode_text(file, setting.value)
    controls = {text: n for n, (text, kind, _) in enumerate(pieces) if kind == PieceType.CONTROL}
    return collect_pieces(file, pieces, [controls[eos_piece]] if eos_piece in controls else ())


def collect_pieces(
    file: TokenizerFile, pieces: Iterable[Piece], eos_ids: Iterable[int]
) -> TokenizerTokens:
    """Return the tokens that pieces are, in the order of their ids.

    Raises:
        TokenizerError: a byte piece names no byte, or there are none or too many.
    """
    by_id: dict[int, bytes | None] = {}
    specials: dict[str, int] = {}
    added: dict[int, AddedToken] = {}
    for token, (name, kind, written) in enumerate(pieces):
        by_id[token] = written if kind == PieceType.NORMAL else None
        if kind in (PieceType.CONTROL, PieceType.USER_DEFINED):
            specials[name] = token
        if kind == PieceType.USER_DEFINED:
            added[token] = AddedToken(name, written)
        if kind == PieceType.BYTE:
            byte = BYTE_PIECE.fullmatch(name)
            if byte is None:
                raise file.broken(f"byte piece {name!r} names no byte")
            by_id[token] = bytes([int(byte[1], 16)])
    return TokenizerTokens(
        order_tokens(file.tokenizer, by_id), tuple(sorted(eos_ids)), specials, added
    )


def build_exact_model(file: TokenizerFile, is_text: Callable[[int], bool]) -> bytes:
    """Return the model changed so that it encodes text as it is.

    Nothing is normalised, no space is put in front, none is dropped, and pieces that a user
    defined are found in the text only if they are text.

    Args:
        is_text: whether a piece has bytes, by its id.

    Raises:
        TokenizerError: the file is broken.
    """
    parts: list[bytes] = []
    keeps_spaces, n_pieces = False, 0
    for message in _read_fields(file, file.data):
        if message.number == _PIECES:
            _, kind = _read_piece(file, n_pieces, message.value)
            is_atom = kind is PieceType.USER_DEFINED and not is_text(n_pieces)
            n_pieces += 1
            if is_atom and isinstance(message.value, bytes):
                # The last value of a field wins.
                piece = message.value + bytes([_PIECE_TYPE << 3, PieceType.CONTROL])
                parts.append(_encode_bytes(_PIECES, piece))
            else:
                parts.append(message.encoded)
        elif message.number == _NORMALIZER:
            for setting in _read_fields(file, message.value):
                if setting.number == _NORMALIZER_ESCAPE:
                    keeps_spaces = setting.value == 0
        elif message.number not in (_SELF_TEST, _DENORMALIZER):
            parts.append(message.encoded)
    # name "identity", add_dummy_prefix and remove_extra_whitespaces off.
    settings = b"\x0a\x08identity\x18\x00\x20\x00" + (b"\x28\x00" if keeps_spaces else b"\x28\x01")
    return b"".join((*parts, _encode_bytes(_NORMALIZER, settings)))


def _read_piece(file: TokenizerFile, token_id: int, value: int | bytes) -> tuple[str, PieceType]:
    text: str | None = None
    kind = PieceType.NORMAL
    for part in _read_fields(file, value):
        if part.number == _PIECE_TEXT:
            text = _decode_text(file, part.value)
        elif part.number == _PIECE_TYPE:
            if part.value not in _TYPES:
                raise file.broken(f"piece {token_id} is of no known type")
            kind = _TYPES[part.value]
    if not text:
        raise file.broken(f"piece {token_id} has no text")
    return text, kind


def _decode_text(file: TokenizerFile, value: int | bytes) -> str:
    try:
        if isinstance(value, bytes):
            return value.decode()
    except UnicodeDecodeError as error:
        raise file.broken("a piece is not UTF-8") from error
    raise file.broken("a text field holds a number")


def _read_fields(file: TokenizerFile, message: int | bytes) -> Iterator[_Field]:
    """Yield the fields of a protobuf message."""
    if isinstance(message, int):
        raise file.broken("a message field holds a number")
    at = 0
    while at < len(message):
        start = at
        tag, at = _read_varint(file, message, at)
        value: int | bytes
        wire_type = tag & 7
        if wire_type == _VARINT:
            value, at = _read_varint(file, message, at)
        else:
            if wire_type == _BYTES:
                size, at = _read_varint(file, message, at)
            elif wire_type in _FIXED_SIZES:
                size = _FIXED_SIZES[wire_type]
            else:
                raise file.broken(f"byte {start} begins no field")
            value = message[at : at + size]
            at += size
            if at > len(message):
                raise file.broken("it is cut off")
        yield _Field(tag >> 3, value, message[start:at])


def _read_varint(file: TokenizerFile, message: bytes, at: int) -> tuple[int, int]:
    """Return the number at an offset, seven bits a byte, and the offset after it."""
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise file.broken("it is cut off")
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise file.broken("a number in it has more than ten bytes")


def _encode_bytes(number: int, value: bytes) -> bytes:
    size = len(value)
    encoded = bytearray([number << 3 | _BYTES])
    while size >= 0x80:
        encoded.append(size & 0x7F | 0x80)
        size >>= 7
    encoded.append(size)
    return bytes(encoded) + value
