"""The tokens of a Hugging Face ``tokenizer.json``, read without the ``tokenizers`` package.

The unknown piece and special tokens become ``None``. Added tokens that are not special go through
the file's decoder as pieces do: their ``lstrip``, ``rstrip``, ``single_word`` and ``normalized``
are about finding them in a text, not about writing them.

A *piece* is the string under which a token is stored (docs/tokenizers.md). Its bytes are what the
file's own decoder makes of it in the middle of a text: by GPT-2's alphabet, or with ``▁`` as a
space and ``<0x0A>`` as a byte. A piece with a character outside the alphabet is its own UTF-8, as
in ``tokenizers``. A step that looks at several characters once the pieces are joined has no bytes
per token. If ``▁`` is replaced after bytes are read, the three byte pieces of ``▁`` itself are its
bytes here, and a blank in the text.

The ids that end the output come from the file's neighbours: all of ``generation_config.json``
(``eos_token_id``) and ``tokenizer_config.json`` (``eos_token``); failing both,
``special_tokens_map.json``; failing that, ``config.json``; failing these too, an added token with
one of the names in common use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import TokenizerFile, parse_json_object, read_tokenizer_file
from maskc.vocab.vocabulary import AddedToken, TokenizerTokens, order_tokens

_USUAL_EOS = ("</s>", "<|end_of_text|>", "<|endoftext|>", "<eos>")

BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
LOWER_BAR = "\u2581"
_OUTSIDE = 0x10FFFF


def load_huggingface(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a ``tokenizer.json``, without its end-of-sequence ids.

    Raises:
        TokenizerError: the file is broken or of an unsupported kind.
    """
    decode = build_piece_decoder(file)
    pieces, unknown = _read_model(file)
    by_id: dict[int, bytes | None] = {}
    for piece, token_id in pieces:
        if token_id in by_id:
            raise file.broken(f"two pieces have id {token_id}")
        by_id[token_id] = _decode(file, decode, piece, f"piece {token_id}")
    names = _read_added_tokens(file)
    specials = _read_specials(file)
    added: dict[int, AddedToken] = {}
    for text, token_id in names.items():
        data = _decode(file, decode, text, f"added token {token_id}")
        if token_id not in specials and token_id != unknown:
            added[token_id] = AddedToken(text, data)
    by_id.update(dict.fromkeys(names.values()))
    if unknown is not None:
        by_id[unknown] = None
    tokens = order_tokens(file.tokenizer, by_id)
    named = {text: token_id for text, token_id in names.items() if text}
    return TokenizerTokens(tokens, (), named, added, describe_normalizer(file))


def _decode(file: TokenizerFile, decode: Callable[[str], bytes], text: str, what: str) -> bytes:
    try:
        return decode(text)
    except UnicodeEncodeError as error:
        raise file.broken(f"{what} is not Unicode text") from error


def find_eos_ids(file: TokenizerFile) -> tuple[int, ...]:
    """Return the end-of-sequence ids of a ``tokenizer.json``, in increasing order.

    Raises:
        TokenizerError: a neighbouring file is broken or names a token that is not there.
    """
    added = _read_added_tokens(file)
    ids = dict(_read_model(file)[0]) | added
    found = _read_eos_ids(file, "generation_config.json")
    found += _read_eos_token(file, "tokenizer_config.json", ids)
    if not found:
        found = _read_eos_token(file, "special_tokens_map.json", ids)
    if not found:
        found = _read_eos_ids(file, "config.json")
    if not found:
        found = [added[text] for text in _USUAL_EOS if text in added][:1]
    return tuple(sorted(set(found)))


def _read_model(file: TokenizerFile) -> tuple[list[tuple[str, int]], int | None]:
    """Return the (piece, id) pairs of the model, and the id of its unknown piece."""
    model = file.contents.get("model")
    if not isinstance(model, dict):
        raise file.broken("it has no model")
    vocab = model.get("vocab")
    kind = model.get("type", "Unigram" if isinstance(vocab, list) else "BPE")
    if kind == "Unigram" and isinstance(vocab, list):
        if not all(isinstance(row, list) and row and isinstance(row[0], str) for row in vocab):
            raise file.broken("its vocabulary is not a list of pieces with scores")
        unknown = model.get("unk_id")
        if unknown is not None and not (_is_id(unknown) and unknown < len(vocab)):
            raise file.broken("the id of its unknown piece is not the id of a piece")
        return [(row[0], i) for i, row in enumerate(vocab)], unknown
    if kind == "BPE" and isinstance(vocab, dict):
        for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
            if model.get(affix):
                raise _refuse(file, f"has pieces with a {affix}")
        if not all(map(_is_id, vocab.values())):
            raise file.broken("a token id is not a whole number")
        unknown = model.get("unk_token")
        return list(vocab.items()), vocab.get(unknown) if isinstance(unknown, str) else None
    raise _refuse(file, f"has a model of type {kind}")


def _read_added_tokens(file: TokenizerFile) -> dict[str, int]:
    """Return the ids of the added tokens by their text."""
    rows = file.contents.get("added_tokens") or []
    if not isinstance(rows, list):
        raise file.broken("its added tokens are not a list")
    added: dict[str, int] = {}
    for row in rows:
        match row:
            case {"id": int(token_id), "content": str(text)} if _is_id(token_id):
                added[text] = token_id
            case _:
                raise file.broken("an added token lacks its id or its content")
    return added


def _read_specials(file: TokenizerFile) -> frozenset[int]:
    rows: list[dict[str, Any]] = file.contents.get("added_tokens") or []
    return frozenset(row["id"] for row in rows if row.get("special", True) is not False)


def _read_eos_ids(file: TokenizerFile, neighbour: str) -> list[int]:
    """Return ``eos_token_id``, one or a list, of a file that need not be there."""
    ids = _read_neighbour(file, neighbour).get("eos_token_id")
    found = ids if isinstance(ids, list) else [] if ids is None else [ids]
    if not all(map(_is_id, found)):
        raise TokenizerError(
            file.tokenizer,
            f"eos_token_id in {neighbour} is not a token id",
            "correct it, or give eos_ids",
        )
    return list(found)


def _read_eos_token(file: TokenizerFile, neighbour: str, ids: Mapping[str, int]) -> list[int]:
    """Return the id of ``eos_token``, a text or an object with one; the file may be missing."""
    token = _read_neighbour(file, neighbour).get("eos_token")
    text = token.get("content") if isinstance(token, dict) else token
    if text is None:
        return []
    if not isinstance(text, str) or text not in ids:
        raise TokenizerError(
            file.tokenizer,
            f"eos_token {text!r} in {neighbour} is not a token of {file.file_name}",
            "correct it, or give eos_ids",
        )
    return [ids[text]]


def _read_neighbour(file: TokenizerFile, neighbour: str) -> dict[str, Any]:
    path = file.folder / neighbour
    if not path.is_file():
        return {}
    return parse_json_object(file.tokenizer, neighbour, read_tokenizer_file(file.tokenizer, path))


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _refuse(file: TokenizerFile, fact: str) -> TokenizerError:
    return TokenizerError(
        file.tokenizer,
        f"{file.file_name} {fact}, so its tokens have no exact bytes",
        "use a tokenizer with a byte-level, byte-fallback or Unigram model",
    )


_MOST_NAMED = 5


def describe_normalizer(file: TokenizerFile) -> tuple[str, ...]:
    """Return the sentence that names the steps which change texts; none if none does.

    NFKC makes ``ﬁ`` two letters. Masks are exact whatever a normalizer does, but the model has
    never written some texts. Steps that put a blank in front, or write blanks as ``▁``, are not
    named.
    """
    steps = open_sequences(file.contents.get("normalizer"), "normalizers")
    names = [str(step.get("type"))[:20] for step in steps if not _is_about_blanks(step)]
    if not names:
        return ()
    named = ", ".join(dict.fromkeys(names[:_MOST_NAMED])) + ", …" * (len(names) > _MOST_NAMED)
    return (
        f"its normalizer ({named}) changes texts before they are encoded; "
        "masks are of what tokens write, which it leaves alone",
    )


def _is_about_blanks(step: dict[str, Any]) -> bool:
    match step:
        case {"type": "Prepend"}:
            return True
        case {"type": "Replace", "pattern": {"String": " "}, "content": str(new)}:
            return new == LOWER_BAR
    return False


def build_piece_decoder(file: TokenizerFile) -> Callable[[str], bytes]:
    """Return the function from a piece of a ``tokenizer.json`` to its bytes.

    Raises:
        TokenizerError: the decoder gives no exact bytes per piece.
    """
    contents = file.contents
    steps = open_sequences(contents.get("decoder"), "decoders")
    if not steps:
        # Some files leave the decoder out; what splits the text tells what joins it.
        splitters = open_sequences(contents.get("pre_tokenizer"), "pretokenizers")
        steps = [step for step in splitters if step.get("type") in ("ByteLevel", "Metaspace")]
    if not steps:
        raise _refuse(file, "has no decoder")
    if any(step.get("type") == "ByteLevel" for step in steps):
        if len(steps) > 1:
            raise _refuse(file, "has a byte-level decoder with other decoders beside it")
        return decode_byte_level
    model = contents.get("model")
    is_told = bool(open_sequences(contents.get("decoder"), "decoders"))
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


def open_sequences(step: Any, key: str) -> list[dict[str, Any]]:
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
