"""The tokens of a tokenizer that is in memory: an object of the package that loaded it.

Each is read as its file would be: what transformers and tokenizers hold is a ``tokenizer.json``,
what sentencepiece holds is its model, tiktoken gives the bytes of each token, and mistral-common
names the file that it has read.

Example: ``maskc.compile_grammar("json", tokenizer=AutoTokenizer.from_pretrained(…))``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import FileFormat, TokenizerFile
from maskc.vocab.huggingface import load_huggingface
from maskc.vocab.sentencepiece_files import load_sentencepiece
from maskc.vocab.vocabulary import TokenTable, place_tokens

# Nothing beside it may be read: an object has no folder.
_NOWHERE = Path("/nonexistent")


def find_file_of(tokenizer: Any) -> Path | None:
    """Return the file that a tokenizer of mistral-common was read from; ``None`` for others."""
    if type(tokenizer).__module__.partition(".")[0] != "mistral_common":
        return None
    instruct = getattr(tokenizer, "instruct_tokenizer", tokenizer)
    path = getattr(getattr(instruct, "tokenizer", instruct), "file_path", None)
    return None if path is None else Path(path)


def read_tokenizer(tokenizer: Any) -> tuple[str, TokenTable]:
    """Return the name and the tokens of a tokenizer object.

    Args:
        tokenizer: of transformers, tokenizers, tiktoken or sentencepiece.

    Raises:
        TokenizerError: it is none of these, or its tokens have no exact bytes.
    """
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):
        name = Path(str(getattr(tokenizer, "name_or_path", ""))).name or "the model's tokenizer"
        return name, _read_huggingface(name, tokenizer, backend.to_str())
    if hasattr(tokenizer, "serialized_model_proto"):
        name, data = "the sentencepiece model", tokenizer.serialized_model_proto()
        file = TokenizerFile(name, name, _NOWHERE, FileFormat.SENTENCEPIECE, data, {})
        return name, load_sentencepiece(file)
    if hasattr(tokenizer, "decode_single_token_bytes"):
        return str(tokenizer.name), _read_tiktoken(tokenizer)
    raise TokenizerError(
        "the tokenizer",
        f"a {type(tokenizer).__name__} does not give its tokens' bytes",
        "give a fast tokenizer of transformers, one of tokenizers, tiktoken, sentencepiece or "
        "mistral-common, or name the tokenizer's file",
    )


def _read_huggingface(name: str, tokenizer: Any, data: str) -> TokenTable:
    file = TokenizerFile(
        name,
        "tokenizer.json",
        _NOWHERE,
        FileFormat.HUGGINGFACE,
        data.encode(),
        json.loads(data),
    )
    ends = getattr(tokenizer, "eos_token_id", None)
    listed = ends if isinstance(ends, Iterable) else () if ends is None else (ends,)
    return replace(load_huggingface(file), eos_ids=tuple(listed))


def _read_tiktoken(encoding: Any) -> TokenTable:
    specials = {text: encoding.encode_single_token(text) for text in encoding.special_tokens_set}
    by_id: dict[int, bytes | None] = dict.fromkeys(specials.values())
    for token in range(encoding.n_vocab):
        if token in by_id:
            continue
        try:
            by_id[token] = encoding.decode_single_token_bytes(token)
        except KeyError:  # ids that nothing has
            by_id[token] = None
    end = specials.get("<|endoftext|>")
    ends = () if end is None else (end,)
    return TokenTable(place_tokens(encoding.name, by_id), ends, specials)
