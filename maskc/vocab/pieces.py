"""Which bytes does a piece of a Hugging Face ``tokenizer.json`` write?

A piece is the string under which a token is stored. Its bytes are what the file's own decoder
makes of it in the middle of a text:

- *byte-level*: each character stands for one byte, by GPT-2's alphabet: ``Ġ`` is a space and
  ``Ċ`` a line break. A piece with a character outside the alphabet is its own UTF-8, as in the
  decoder of the ``tokenizers`` package.
- *replacing*: ``▁`` stands for a space, and ``<0x0A>`` for one byte if there is byte fallback.

Steps that act on the ends of the whole text only (a leading space that is dropped) are not a
token's business and are passed over. Decoders that write different bytes for the same piece in
different places (WordPiece, CTC, ``</w>``) have no bytes per token, and are refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import TokenizerFile

BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
LOWER_BAR = "\u2581"
_OUTSIDE = 0x10FFFF


def build_piece_decoder(file: TokenizerFile) -> Callable[[str], bytes]:
    """Return the function from a piece of a ``tokenizer.json`` to its bytes.

    Raises:
        TokenizerError: the decoder gives no exact bytes per piece.
    """
    contents = file.contents
    steps = _open_sequences(contents.get("decoder"), "decoders")
    if not steps:
        # Some files leave the decoder out; what splits the text tells what joins it.
        splitters = _open_sequences(contents.get("pre_tokenizer"), "pretokenizers")
        steps = [step for step in splitters if step.get("type") in ("ByteLevel", "Metaspace")]
    if not steps:
        raise _refuse(file, "has no decoder")
    replacements: list[tuple[str, str]] = []
    is_byte_level = is_byte_fallback = is_fused = False
    for step in steps:
        match step:
            case {"type": "ByteLevel"}:
                is_byte_level = True
            case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)} if old:
                replacements.append((old, new))
            case {"type": "Metaspace"}:
                old = step.get("replacement", LOWER_BAR)
                if not isinstance(old, str) or not old:
                    raise _refuse(file, "has a Metaspace decoder without a replacement")
                replacements.append((old, " "))
            case {"type": "ByteFallback"}:
                is_byte_fallback = True
            case {"type": "Fuse"}:
                is_fused = True
            case {"type": "Strip"} if is_fused:
                pass
            case _:
                raise _refuse(file, f"has a {step.get('type')} decoder")
    if is_byte_level:
        if replacements or is_byte_fallback:
            raise _refuse(file, "has a byte-level decoder with other decoders beside it")
        return decode_byte_level
    model = contents.get("model")
    if isinstance(model, dict) and model.get("byte_fallback") is True:
        is_byte_fallback = True
    return _build_replacing_decoder(tuple(replacements), has_bytes=is_byte_fallback)


def decode_byte_level(piece: str) -> bytes:
    """Return the bytes of a piece written in GPT-2's byte alphabet.

    >>> decode_byte_level("Ġhi")
    b' hi'
    """
    try:
        return piece.translate(_BYTE_OF).encode("latin-1")
    except UnicodeEncodeError:
        return piece.encode()


def _build_replacing_decoder(
    replacements: tuple[tuple[str, str], ...], *, has_bytes: bool
) -> Callable[[str], bytes]:
    def decode(piece: str) -> bytes:
        if has_bytes and (match := BYTE_PIECE.fullmatch(piece)):
            return bytes([int(match[1], 16)])
        for old, new in replacements:
            piece = piece.replace(old, new)
        return piece.encode()

    return decode


def _open_sequences(step: Any, key: str) -> list[dict[str, Any]]:
    """Return the steps of a pipeline in order; a loop, as a file may nest them deeply."""
    steps: list[dict[str, Any]] = []
    pending = [step]
    while pending:
        match pending.pop():
            case {"type": "Sequence"} as sequence if isinstance(sequence.get(key), list):
                pending += reversed(sequence[key])
            case dict() as single:
                steps.append(single)
    return steps


def _refuse(file: TokenizerFile, fact: str) -> TokenizerError:
    return TokenizerError(
        file.tokenizer,
        f"{file.file_name} {fact}, so its tokens have no exact bytes",
        "use a tokenizer with a byte-level, byte-fallback or metaspace decoder",
    )


class _ByteAlphabet(dict[int, int]):
    """Code point to byte; anything else goes to a character that Latin-1 cannot hold."""

    def __missing__(self, code_point: int) -> int:
        return _OUTSIDE


def _build_byte_alphabet() -> _ByteAlphabet:
    """GPT-2 shows printable Latin-1 bytes as themselves, the rest from U+0100 upwards."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = sorted(set(range(256)) - set(shown))
    alphabet = _ByteAlphabet((byte, byte) for byte in shown)
    alphabet.update((0x100 + i, byte) for i, byte in enumerate(hidden))
    return alphabet


_BYTE_OF = _build_byte_alphabet()
