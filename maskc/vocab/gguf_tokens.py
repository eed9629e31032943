"""The tokens of a GGUF file, as llama.cpp takes them when it loads the model (docs/tokenizers.md).

llama.cpp corrects some types by what a token is called: ``<|im_end|>`` is a control token that ends
the output whatever the file says, ``<|channel|>`` is user-defined. The same is done here: the rules
are those of ``llama_vocab::impl::load`` in llama-cpp-python 0.3.36.

At the very start of a text, a sentencepiece vocabulary has a blank that llama.cpp leaves out; a
token's bytes are those in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from maskc.errors import TokenizerError
from maskc.vocab.files import PREFIX, TokenizerFile
from maskc.vocab.huggingface import LOWER_BAR, decode_byte_level, is_in_byte_alphabet
from maskc.vocab.sentencepiece_files import PieceType, collect_pieces
from maskc.vocab.vocabulary import MAX_TOKENS, TokenizerTokens

# The models that are read → the end where the file names none; ``None``: there is none.
_MODELS: Mapping[str, int | None] = {"gpt2": 11, "llama": 2, "t5": 1, "gemma4": None}
_REFUSED = {
    "bert": "a WordPiece model, whose tokens have lost the capitals and blanks of a text",
    "rwkv": "an RWKV model, which is not read",
    "plamo2": "a PLaMo model, which is not read",
}
# Splitters of byte-pair models whose tokens write ``▁`` for a space.
_WITH_BARS = ("gemma4", "granite-embed-multi-311m", "sarvam-moe")

# What a token is called → it ends the output.
_ENDS = frozenset(
    {
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>"),
        *("<|calls|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>"),
        *("[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>"),
        *("<|tool_response>", "<｜end▁of▁sentence｜>", "[e~["),
    }
)
# What fills a gap in code, by the entry that would name its id; the last three end the output.
_FILLERS = {
    "fim_pre": (
        *("<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>"),
        *("▁<PRE>", "<|code_prefix|>", "<|prefix|>"),
    ),
    "fim_suf": (
        *("<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>"),
        *("▁<SUF>", "<|code_suffix|>", "<|suffix|>"),
    ),
    "fim_mid": (
        *("<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>"),
        *("▁<MID>", "<|code_middle|>", "<|middle|>"),
    ),
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}
_ENDING_FILLERS = ("fim_pad", "fim_rep", "fim_sep")
_WRITTEN = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")


def load_gguf(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a GGUF file, with the ids at which llama.cpp ends a generation.

    Raises:
        TokenizerError: the file is broken, holds no tokenizer, or one that has no exact bytes.
    """
    model = _read_text(file, "model")
    if model is None or model in ("none", "no_vocab") or PREFIX + "tokens" not in file.contents:
        raise TokenizerError(
            file.tokenizer,
            f"{file.file_name} holds no tokenizer",
            "give the model's first file, or its tokenizer.json",
        )
    if model not in _MODELS:
        what = _REFUSED.get(model, f"of the unknown kind {model[:40]!r}")
        raise TokenizerError(
            file.tokenizer,
            f"{file.file_name} holds {what}",
            "use a model with a byte-level, byte-fallback or Unigram tokenizer",
        )
    texts, types = _read_tokens(file)
    ids = {text: token for token, text in enumerate(texts)}
    ends = _correct(file, ids, types, default=_MODELS[model])
    decode = _find_decoder(model, _read_text(file, "pre"))
    pieces = (
        (text.decode(errors="replace"), kind, _write(file, token, text, kind, decode))
        for token, (text, kind) in enumerate(zip(texts, types, strict=True))
    )
    return collect_pieces(file, pieces, ends)


def _read_text(file: TokenizerFile, name: str) -> str | None:
    value = file.contents.get(PREFIX + name)
    if value is None:
        return None
    if not isinstance(value, bytes):
        raise file.broken(f"its entry {PREFIX}{name} is not a text")
    return value.decode(errors="replace")


def _read_tokens(file: TokenizerFile) -> tuple[list[bytes], list[int]]:
    """Return what each token is called, and of which type it is."""
    texts, types = (file.contents.get(PREFIX + name) for name in ("tokens", "token_type"))
    if not isinstance(texts, list) or not texts:
        raise file.broken(f"its entry {PREFIX}tokens is not a list of texts")
    if len(texts) > MAX_TOKENS:
        raise file.broken(f"it has {len(texts):,} tokens")
    texts = [text or b"[EMPTY_%d]" % token for token, text in enumerate(texts)]
    if types is None:
        return texts, [PieceType.NORMAL] * len(texts)
    is_list = isinstance(types, np.ndarray) and types.dtype == np.int32
    if not is_list or len(types) < len(texts):
        raise file.broken(f"its entry {PREFIX}token_type has no type for each token")
    return texts, types[: len(texts)].tolist()


def _correct(
    file: TokenizerFile, ids: Mapping[bytes, int], types: list[int], *, default: int | None
) -> set[int]:
    """Correct types by what tokens are called, and return the ids that end the output."""
    ends: set[int] = set()
    for name, texts in _FILLERS.items():
        found = [ids[text.encode()] for text in texts if text.encode() in ids]
        named = _read_id(file, name, len(types))
        if named is None:
            # llama.cpp takes the one that it comes upon first; of several, none ends here.
            for token in found:
                types[token] = PieceType.CONTROL
            named = found[0] if len(found) == 1 else None
        if name in _ENDING_FILLERS and named is not None:
            ends.add(named)
    called = {text: ids[text.encode()] for text in _ENDS if text.encode() in ids}
    for token in called.values():
        types[token] = PieceType.CONTROL
    ends.update(called.values())
    for text in _WRITTEN:
        if text.encode() in ids:
            types[ids[text.encode()]] = PieceType.USER_DEFINED
    eos = _read_id(file, "eos", len(types))
    named_ends = [default if eos is None else eos]
    named_ends += [_read_id(file, name, len(types)) for name in ("eot", "eom")]
    ends.update(end for end in named_ends if end is not None and end < len(types))
    _exempt(called, ends, types)
    return ends


def _exempt(called: Mapping[str, int], ends: set[int], types: list[int]) -> None:
    """Take back two ends where others say that they are none."""
    has_call = bool({"<|call|>", "<|calls|>"} & set(called))
    if has_call and {"<|return|>", "<|flush|>"} & set(called) and "<|end|>" in called:
        ends.discard(called["<|end|>"])
        types[called["<|end|>"]] = PieceType.USER_DEFINED
    if "<|tool_response>" in called and "</s>" in called:
        ends.discard(called["</s>"])
        types[called["</s>"]] = PieceType.NORMAL


def _read_id(file: TokenizerFile, name: str, n_tokens: int) -> int | None:
    """Return a token that the file names; ``None``: it names none, or one that is not there."""
    value = file.contents.get(f"{PREFIX}{name}_token_id")
    if value is None:
        return None
    if type(value) is not int:
        raise file.broken(f"its entry {PREFIX}{name}_token_id is no id")
    return value if 0 <= value < n_tokens else None


def _find_decoder(model: str, pre: str | None) -> Callable[[bytes], bytes]:
    if model == "gpt2" and pre not in _WITH_BARS:
        return _decode_byte_level
    bar = LOWER_BAR.encode()
    return lambda text: text.replace(bar, b" ")


def _decode_byte_level(text: bytes) -> bytes:
    piece = text.decode()
    if is_in_byte_alphabet(piece):
        return decode_byte_level(piece)
    # What llama.cpp says of a character that stands for no byte is what it writes.
    parts = [
        decode_byte_level(character)
        if is_in_byte_alphabet(character)
        else b"[UNK_BYTE_0x" + character.encode().hex().encode() + text + b"]"
        for character in piece
    ]
    return b"".join(parts)


def _write(
    file: TokenizerFile, token: int, text: bytes, kind: int, decode: Callable[[bytes], bytes]
) -> bytes:
    try:
        return decode(text) if kind == PieceType.NORMAL else text
    except UnicodeDecodeError as error:
        raise file.broken(f"token {token} is not UTF-8") from error
