"""The bytes that a piece of a Hugging Face ``tokenizer.json`` writes (docs/tokenizers.md).

A *piece* is the string under which a token is stored. Its bytes are what the file's own decoder
makes of it in the middle of a text: by GPT-2's alphabet, or with ``▁`` as a space and ``<0x0A>`` as
a byte. A piece with a character outside the alphabet is its own UTF-8, as in ``tokenizers``. A step
that looks at several characters once the pieces are joined has no bytes per token.

One text is not followed: if ``▁`` is replaced after bytes are read, the three byte pieces of ``▁``
itself are its bytes here, and a blank in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
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
    if any(step.get("type") == "ByteLevel" for step in steps):
        if len(steps) > 1:
            raise _refuse(file, "has a byte-level decoder with other decoders beside it")
        return decode_byte_level
    model = contents.get("model")
    is_told = bool(_open_sequences(contents.get("decoder"), "decoders"))
    if not is_told and isinstance(model, dict) and model.get("byte_fallback") is True:
        steps.append({"type": "ByteFallback"})
    return _follow(file, steps)


def decode_byte_level(piece: str) -> bytes:
    """Return the bytes of a piece written in GPT-2's byte alphabet.

    >>> decode_byte_level("Ġhi")
    b' hi'
    """
    try:
        return piece.translate(_BYTE_OF).encode("latin-1")
    except UnicodeEncodeError:
        return piece.encode()


def is_in_byte_alphabet(text: str) -> bool:
    """Whether each character of a text stands for a byte in GPT-2's alphabet."""
    return all(ord(character) in _BYTE_OF for character in text)


def _follow(file: TokenizerFile, steps: list[dict[str, Any]]) -> Callable[[str], bytes]:
    """Return what the steps of a decoder make of a piece in the middle of a text."""
    before: list[Callable[[str], str]] = []
    after: list[Callable[[str], str]] = []
    changes, has_bytes, is_fused = before, False, False
    for step in steps:
        match step:
            case {"type": "Replace", "pattern": {"String": str(old)}, "content": str(new)} if old:
                if is_fused and len(old) > 1:
                    raise _refuse(file, f"replaces {old!r} once the pieces are joined")
                changes.append(partial(_replace, old, new))
            case {"type": "Metaspace"}:
                old = step.get("replacement", LOWER_BAR)
                if not isinstance(old, str) or not old:
                    raise _refuse(file, "has a Metaspace decoder without a replacement")
                changes.append(partial(_replace, old, " "))
            case {"type": "ByteFallback"} if not is_fused:
                has_bytes, changes = True, after
            case {"type": "Fuse"}:
                is_fused = True
            case {"type": "Strip"} if is_fused:
                pass
            # The package fails where a piece is all marks and some are stripped from its end.
            case {"type": "Strip", "content": str(mark), "start": int(most), "stop": 0} if (
                len(mark) == 1 and not has_bytes
            ):
                changes.append(partial(_strip, mark, most))
            case _:
                raise _refuse(file, f"has a {step.get('type')} decoder")

    def decode(piece: str) -> bytes:
        for change in before:
            piece = change(piece)
        byte = BYTE_PIECE.fullmatch(piece) if has_bytes else None
        if byte and int(byte[1], 16) >= 0x80:
            return bytes([int(byte[1], 16)])
        piece = chr(int(byte[1], 16)) if byte else piece
        for change in after:
            piece = change(piece)
        return piece.encode()

    return decode


def _replace(old: str, new: str, piece: str) -> str:
    return piece.replace(old, new)


def _strip(mark: str, most: int, piece: str) -> str:
    n_marks = len(piece) - len(piece.lstrip(mark))
    return piece[min(n_marks, max(most, 0)) :]


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
