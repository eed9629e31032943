"""The tokens of a model that llama.cpp has loaded, and what llama.cpp does with them.

llama.cpp keeps a model's vocabulary in the model's file, so that its tokens can be read, byte for
byte, from the loaded model. Text is what normal tokens and byte tokens write; control tokens,
unknown and unused ones are no text. User-defined ones are a tokenizer's added tokens, which
llama.cpp writes as they stand: they are text or atoms as :mod:`maskc.vocab.added` says, so that a
vocabulary is the same here and in the compiler's reading of the model's file.

Example: in a file made from llama3's tokenizer, token 220 is ``b" "``, and the ends are 128001,
128008 and 128009: every token that llama.cpp holds for an end of generation.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from maskc.errors import TokenizerError
from maskc.integrations.errors import IntegrationError, load_engine
from maskc.vocab.added import AddedToken
from maskc.vocab.vocabulary import TokenizerTokens, Vocabulary, build_vocabulary

TESTED = ("0.3.36",)

_FUNCTIONS = (
    *("llama_model_get_vocab", "llama_token_to_piece", "llama_vocab_get_attr"),
    *("llama_vocab_get_text", "llama_vocab_is_eog", "llama_vocab_n_tokens", "llama_vocab_type"),
)
# Longer than any token of any vocabulary that we know.
_MAX_PIECE = 1 << 16
# The kinds of vocabulary whose pieces are exact bytes, and the longest piece that llama-cpp-python
# has room for when it writes a text; a longer one is lost.
_EXACT_KINDS = ("LLAMA_VOCAB_TYPE_SPM", "LLAMA_VOCAB_TYPE_BPE", "LLAMA_VOCAB_TYPE_UGM")
_MAX_WRITTEN = 32


def read_vocabulary(llm: Any, end_ids: Iterable[int]) -> Vocabulary:
    """Return the vocabulary of a loaded model.

    Raises:
        TokenizerError: its vocabulary is of a kind that has no exact bytes, or has no end.
    """
    api = _load_api()
    vocab = api.llama_model_get_vocab(llm.model)
    name = "the model's tokenizer"
    kind = api.llama_vocab_type(vocab)
    if kind not in [getattr(api, known) for known in _EXACT_KINDS]:
        raise TokenizerError(
            name,
            f"llama.cpp's vocabularies of kind {kind} have no exact bytes",
            "use a model with a byte-level, byte-fallback or Unigram tokenizer",
        )
    text = api.LLAMA_TOKEN_ATTR_NORMAL | api.LLAMA_TOKEN_ATTR_BYTE
    defined, control = api.LLAMA_TOKEN_ATTR_USER_DEFINED, api.LLAMA_TOKEN_ATTR_CONTROL
    buffer = ctypes.create_string_buffer(_MAX_PIECE)
    tokens: list[bytes | None] = []
    added: dict[int, AddedToken] = {}
    specials: dict[str, int] = {}
    for token_id in range(api.llama_vocab_n_tokens(vocab)):
        attributes = api.llama_vocab_get_attr(vocab, token_id)
        if attributes & (defined | control):
            specials[api.llama_vocab_get_text(vocab, token_id).decode(errors="replace")] = token_id
        # What llama.cpp holds for a control token writes nothing, whatever else it is.
        if not attributes & (text | defined) or attributes & control:
            tokens.append(None)
            continue
        n_bytes = api.llama_token_to_piece(vocab, token_id, buffer, _MAX_PIECE, 0, False)
        if n_bytes < 0:
            raise TokenizerError(
                name, f"token {token_id} has {-n_bytes} bytes", "use an undamaged model"
            )
        data = ctypes.string_at(buffer, n_bytes)
        if attributes & defined:
            added[token_id] = AddedToken(data.decode(errors="replace"), data)
        tokens.append(None if attributes & defined else data)
    table = TokenizerTokens(tuple(tokens), (), specials, added)
    return build_vocabulary(name, table, eos_ids=tuple(end_ids))


def find_end_ids(llm: Any) -> tuple[int, ...]:
    """Return the ids at which llama.cpp ends a generation, increasing."""
    api = _load_api()
    vocab = api.llama_model_get_vocab(llm.model)
    n_tokens = api.llama_vocab_n_tokens(vocab)
    return tuple(i for i in range(n_tokens) if api.llama_vocab_is_eog(vocab, i))


def find_unwritten(llm: Any, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the ids whose text is lost when llama-cpp-python writes it, increasing.

    Version 0.3.36 has room for 32 bytes, and drops a longer token without a word.
    """
    return tuple(
        token_id
        for token_id, token in enumerate(vocabulary.tokens)
        if token is not None and len(token) > _MAX_WRITTEN and llm.detokenize([token_id]) != token
    )


def _load_api() -> Any:
    """Return llama-cpp-python's module, which has the functions of llama.cpp that we call.

    Raises:
        IntegrationError: it is not installed, or lacks one.
    """
    api = load_engine("llama_cpp", "llama-cpp")
    missing = [name for name in _FUNCTIONS if not hasattr(api, name)]
    if missing:
        raise IntegrationError(
            "llama-cpp-python",
            f"version {api.__version__} has no {missing[0]}",
            f"use a version that maskc was tested with ({', '.join(TESTED)})",
        )
    return api
