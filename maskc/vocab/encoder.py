"""Encodes texts as the tokenizer itself does, byte for byte.

``encode`` gives the *canonical* tokens: those that the tokenizer's own package gives for the text
in the middle of an output. Their bytes concatenate exactly to the text's UTF-8, always; this is
checked on every call. To that end

- special tokens and atoms are never found in the text: ``</s>`` in it is four characters;
- no space is put in front, and nothing is normalised (NFC, NFKC, lower case, runs of spaces);
- a part of the text that still comes back as other bytes is written by smaller parts, in the
  end a character by its UTF-8 bytes. ``▁`` is such a character wherever ``▁`` also means a space.

The ids are those of the vocabulary without overrides. A tokenizer that has no way to write a
character (no byte tokens) is an error for that text, not a wrong answer.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from maskc.arguments import as_path
from maskc.errors import TokenizerError
from maskc.vocab.files import UNDAMAGED, FileFormat, TokenizerFile, open_tokenizer_file
from maskc.vocab.huggingface import LOWER_BAR, open_sequences
from maskc.vocab.loading import load_tokens, read_tokenizer
from maskc.vocab.registry import find_tokenizer, format_install, format_name
from maskc.vocab.sentencepiece_files import build_exact_model
from maskc.vocab.tiktoken_files import find_layout, open_encoding, parse_ranks, parse_tekken
from maskc.vocab.vocabulary import build_byte_table, choose_text

# As Meta's encoder does: tiktoken's regular expressions fail on much longer texts and runs.
_ENCODING = "encoding text"  # what needs a package
_MAX_CHARACTERS = 400_000
_MAX_RUN = 25_000
_LONG_RUN = re.compile(rf"\s{{{_MAX_RUN + 1},}}|\S{{{_MAX_RUN + 1},}}")


def build_tokenize(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    """Return the function from a text to the ids of its canonical tokens.

    It is made with the package that belongs to the file's format, imported only when text is
    encoded, and set up for plain text in the middle of an output.

    Args:
        is_text: whether a token has bytes, by its id; asked of added tokens.

    Raises:
        TokenizerError: the package is missing, it refuses the file, or the file does not say how
            text is split.
    """
    match file.format:
        case FileFormat.HUGGINGFACE:
            return _build_huggingface(file, is_text)
        case FileFormat.GGUF:
            return _build_llama_cpp(file)
        case FileFormat.SENTENCEPIECE:
            return _build_sentencepiece(file, is_text)
        case FileFormat.TEKKEN:
            tekken = parse_tekken(file)
            ranks = {token: rank for rank, token in enumerate(tekken.ranks)}
            return _build_tiktoken(file, ranks, tekken.pattern, first_id=tekken.n_special)
        case FileFormat.TIKTOKEN:
            ranks = parse_ranks(file)
            layout = find_layout(ranks)
            if layout is None:
                raise TokenizerError(
                    file.tokenizer,
                    f"{file.file_name} does not say how its model splits text",
                    "give the model's tokenizer.json instead",
                )
            return _build_tiktoken(file, ranks, layout.pattern, first_id=0)


def _build_tiktoken(
    file: TokenizerFile, ranks: Mapping[bytes, int], pattern: str, *, first_id: int
) -> Callable[[str], list[int]]:
    tiktoken = import_package(file, "tiktoken", _ENCODING)
    try:
        encoding = tiktoken.Encoding(
            file.file_name, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={}
        )
    except ValueError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = []
        for part in _split_long_text(text):
            ids += encoding.encode_ordinary(part)
        return [token_id + first_id for token_id in ids] if first_id else ids

    return tokenize


def _split_long_text(text: str) -> Iterator[str]:
    """Yield the text in parts of bounded length with runs of bounded length."""
    for first in range(0, len(text), _MAX_CHARACTERS):
        part = text[first : first + _MAX_CHARACTERS]
        start = 0
        for run in _LONG_RUN.finditer(part):
            for cut in range(run.start() + _MAX_RUN, run.end(), _MAX_RUN):
                yield part[start:cut]
                start = cut
        yield part[start:]


def _build_sentencepiece(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    sentencepiece = import_package(file, "sentencepiece", _ENCODING)
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(build_exact_model(file, is_text))
    except RuntimeError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = processor.encode(text)
        return ids

    return tokenize


def _build_llama_cpp(file: TokenizerFile) -> Callable[[str], list[int]]:
    llama_cpp = import_package(file, "llama_cpp", _ENCODING, "pip install 'maskc[llama-cpp]'")
    try:
        model = llama_cpp.Llama(
            str(file.folder / file.file_name),
            vocab_only=True,
            verbose=False,
            kv_overrides={"tokenizer.ggml.add_space_prefix": False},
        )
    except ValueError as error:
        raise _refused(file, error) from error

    def tokenize(text: str) -> list[int]:
        ids: list[int] = model.tokenize(text.encode(), add_bos=False, special=False)
        return ids

    return tokenize


def _build_huggingface(
    file: TokenizerFile, is_text: Callable[[int], bool]
) -> Callable[[str], list[int]]:
    tokenizers = import_package(file, "tokenizers", _ENCODING)
    rows = file.contents.get("added_tokens") or []
    found = [row for row in rows if row.get("special", True) is False and is_text(row["id"])]
    try:
        contents = json.dumps(
            {
                **file.contents,
                "model": file.contents["model"] | {"dropout": None},
                "added_tokens": found,
                "post_processor": None,
                "truncation": None,
                "padding": None,
                "normalizer": _keep_replacing_spaces(file.contents.get("normalizer")),
                "pre_tokenizer": _drop_added_space(file.contents.get("pre_tokenizer")),
            }
        )
    except RecursionError as error:
        raise _refused(file, error) from error
    with _BareExceptions(file):
        tokenizer = tokenizers.Tokenizer.from_str(contents)
    # Without those before them, added tokens get other ids than the file says.
    known = {tokenizer.token_to_id(row["content"]): row["id"] for row in found}

    def tokenize(text: str) -> list[int]:
        with _BareExceptions(file):
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return [known.get(token_id, token_id) for token_id in ids] if known else ids

    return tokenize


def _keep_replacing_spaces(normalizer: Any) -> dict[str, Any]:
    kept: list[Any] = []
    for step in open_sequences(normalizer, "normalizers"):
        match step:
            case {"type": "Replace", "pattern": {"String": " "}, "content": str()}:
                kept.append(step)
    return {"type": "Sequence", "normalizers": kept}


def _drop_added_space(pre_tokenizer: Any) -> Any:
    added = {"Metaspace": {"prepend_scheme": "never"}, "ByteLevel": {}}
    steps = [
        {**step, **added[step["type"]], "add_prefix_space": False}
        if step.get("type") in added
        else step
        for step in open_sequences(pre_tokenizer, "pretokenizers")
    ]
    return {"type": "Sequence", "pretokenizers": steps} if steps else pre_tokenizer


class _BareExceptions:
    """Turns the errors of ``tokenizers``, which are bare ``Exception`` objects, into ours.

    No except clause can name them without catching every other error too.
    """

    def __init__(self, file: TokenizerFile) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is Exception and error is not None:
            raise _refused(self._file, error) from error


def import_package(file: TokenizerFile, package: str, user: str, remedy: str = "") -> Any:
    """Return a package that ``user`` needs, what is done with the tokenizer of a file."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise TokenizerError(
            file.tokenizer,
            f"{user} needs the package {package}, which is not installed",
            remedy or format_install(file.tokenizer),
        ) from error


def _refused(file: TokenizerFile, error: BaseException) -> TokenizerError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return TokenizerError(
        file.tokenizer, f"{file.file_name} cannot be used to encode ({lines[0]})", UNDAMAGED
    )


_AT_LOWER_BAR = re.compile(f"({LOWER_BAR})")


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """Text to canonical token ids, exactly."""

    name: str  # what the user asked for; never a full path
    # bytes of each token, None for those that write no text
    tokens: tuple[bytes | None, ...] = field(repr=False)
    tokenize: Callable[[str], list[int]]  # what the tokenizer's package says; need not be exact
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
        if data in self._ids:
            return [self._ids[data]]
        byte_ids = [self._ids[bytes([b])] for b in data if bytes([b]) in self._ids]
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
        is_text: whether an added token is text, by its id; default: if it is not written like a
            marker.

    Raises:
        TokenizerError: the tokenizer is unknown or broken, the package that encodes for it is
            not installed, or the file does not hold what encoding needs.
    """
    spec = as_path("a tokenizer", spec)
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
