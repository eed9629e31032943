"""A kit as a file: the tokens, and what is worked out of them once.

The file is a container as artifacts are, with a header of its own. What it holds is checked when it
is loaded, as far as masks depend on it never raising, never looping and never reading outside; that
they are the right masks is what its checksum and its sender stand for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskc
from maskc.arguments import as_flag, as_path, describe
from maskc.artifact.container import encode, load_container
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, WrongTypeError
from maskc.files import write_atomically
from maskc.kit import rows
from maskc.kit.compiling import Compiler
from maskc.kit.constraint import KitTokens
from maskc.kit.kit import Kit
from maskc.kit.rows import find_quote_fault, find_token_fault, find_trie_fault
from maskc.runtime.artifact import DEFAULT_CACHE_BYTES
from maskc.runtime.loading import KIND
from maskc.runtime.schema.tries import IndexTables, TokenIndex, TrieNodes
from maskc.runtime.step_budget import USUAL_STEPS
from maskc.runtime.vocabulary import BYTES, FIRST, TOKEN_ARRAYS, share_tokens
from maskc.vocab.vocabulary import MAX_TOKENS, Vocabulary

_NODES = TrieNodes._fields
_TABLES = ("order", "quote_nodes", "quote_places", "quote_rests", "rest_first", "rest_bytes")
_BYTES = {"token_bytes", "trie_byte", "rest_bytes"}
_NAMES = rows.NAMES | {*TOKEN_ARRAYS, *_TABLES, *(f"trie_{name}" for name in _NODES)}
_MAKE_AGAIN = "make the kit again with `maskc kit`"


def make_kit(
    vocabulary: Vocabulary,
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    compiler: Compiler | None = None,
    steps: int = USUAL_STEPS,
) -> Kit:
    """Return the kit of a vocabulary, made now; its arguments are those of :class:`Kit`."""
    given: Any = vocabulary
    if not isinstance(given, Vocabulary):
        fact = f"a vocabulary is one of maskc.vocab.load_vocabulary(…), not {describe(given)}"
        raise WrongTypeError(fact)
    texts = [token or b"" for token in vocabulary.tokens]
    table = share_tokens(
        np.cumsum([0, *map(len, texts)]).astype(np.int32),
        np.frombuffer(b"".join(texts), dtype=np.uint8),
    )
    specials = dict(vocabulary.special_ids)
    tokens = KitTokens(
        table, table.index, vocabulary.eos_ids, name=vocabulary.name, special_ids=specials
    )
    return Kit(tokens, cache_bytes=cache_bytes, compiler=compiler, steps=steps)


def save_kit(kit: Kit, path: str | os.PathLike[str]) -> int:
    """Write a kit: to a temporary file beside ``path``, then renamed; return its size in bytes.

    Raises:
        OutputError: the folder cannot be written to.
    """
    data = encode_kit(kit)
    write_atomically(os.fspath(path), data)
    return len(data)


def encode_kit(kit: Kit) -> bytes:
    tokens, tables = kit.tokens, kit.tokens.index.tables
    header = {
        "format": FORMAT,
        "kind": KIND,
        "maskc": maskc.__version__,
        "tokenizer": {
            "name": tokens.name,
            "fingerprint": tokens.fingerprint,
            "vocab_size": tokens.vocab_size,
            "eos_ids": list(tokens.eos_ids),
            "special_ids": dict(tokens.special_ids),
        },
    }
    arrays: dict[str, NDArray[Any]] = {
        **tokens.table.arrays,
        **rows.make_rows(tokens.index),
        **{name: getattr(tables, name) for name in _TABLES},
        **{f"trie_{name}": getattr(tables.nodes, name) for name in _NODES},
    }
    return encode(header, arrays)


def load_kit(
    path: str | os.PathLike[str],
    *,
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    mapped: bool = True,
    compiler: Compiler | None = None,
    steps: int = USUAL_STEPS,
) -> Kit:
    """Return a kit from a file, checked.

    Raises:
        ArtifactError: it is not a kit, damaged, or of another format version.
    """
    name, mapped = as_path("a kit", path), as_flag("mapped", mapped)
    header, arrays = load_container(name, mapped=mapped)
    if header.get("kind") != KIND:
        remedy = "give the path of a kit; an artifact is loaded with maskc.load"
        raise ArtifactError(name, "is an artifact, not a kit", remedy)
    fault = _find_fault(header, arrays)
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", _MAKE_AGAIN)
    nodes = TrieNodes(*(arrays[f"trie_{part}"] for part in _NODES))
    tables = IndexTables(nodes=nodes, **{part: arrays[part] for part in _TABLES})
    index = TokenIndex(arrays[FIRST], arrays[BYTES], tables)
    if index.suffixes.texts != sorted(set(index.suffixes.texts)):
        raise ArtifactError(name, "is damaged: its suffixes are not in order", _MAKE_AGAIN)
    fault = find_quote_fault(index, np.diff(arrays[FIRST])[index.order])
    fault = fault or rows.find_fault(arrays, index)
    if fault:
        raise ArtifactError(name, f"is damaged: {fault}", _MAKE_AGAIN)
    table = share_tokens(arrays[FIRST], arrays[BYTES])
    rows.lend_rows(index, arrays)
    tokenizer = header["tokenizer"]
    tokens = KitTokens(
        table,
        index,
        tokenizer["eos_ids"],
        name=tokenizer["name"],
        special_ids=tokenizer.get("special_ids", {}),
    )
    table.lend(tokens)
    return Kit(tokens, cache_bytes=cache_bytes, compiler=compiler, steps=steps)


def _find_fault(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """Return what is wrong with a kit, ``None`` if nothing is."""
    if set(arrays) != _NAMES:
        return f"array {sorted(_NAMES ^ set(arrays))[0]} is missing or unknown"
    for name, array in arrays.items():
        dtypes = ("uint8",) if name in _BYTES else rows.dtypes_of(name)
        if array.dtype.name not in dtypes or array.ndim != 1:
            return f"array {name} is {array.dtype.name}, {array.ndim}-dimensional"
    first, n_bytes = arrays["token_first"], len(arrays["token_bytes"])
    if not rows.are_offsets(first, n_bytes) or not 2 <= len(first) <= MAX_TOKENS + 1:
        return "array token_first is not a list of offsets"
    if not rows.are_offsets(arrays["rest_first"], len(arrays["rest_bytes"])):
        return "array rest_first is not a list of offsets"
    tokenizer = header.get("tokenizer")
    if not isinstance(tokenizer, dict) or not isinstance(tokenizer.get("name"), str):
        return "the header lacks its tokenizer"
    ends, n_ids = tokenizer.get("eos_ids"), len(first) - 1
    if not isinstance(ends, list) or not ends or any(type(end) is not int for end in ends):
        return "the header lacks its end ids"
    if ends != sorted(set(ends)) or not 0 <= ends[0] <= ends[-1] < n_ids:
        return "the header's end ids are outside of the vocabulary"
    if (np.diff(first)[ends] > 0).any():
        return "the header's end ids are tokens that write text"
    if not _are_specials(tokenizer.get("special_ids", {}), first):
        return "the header's special tokens are none of the vocabulary's"
    return _find_table_fault(arrays, n_ids)


def _find_table_fault(arrays: Mapping[str, NDArray[Any]], n_ids: int) -> str | None:
    """Return what is wrong with the tables, whose offsets are right."""
    first, order = arrays[FIRST], arrays["order"]
    writes = first[1:] > first[:-1]
    n_texts = int(np.count_nonzero(writes))
    if len(order) != n_texts or n_texts and not 0 <= int(order.min()) <= int(order.max()) < n_ids:
        return "array order does not hold each token that writes text once"
    is_there = np.zeros(n_ids, dtype=np.bool_)
    is_there[order] = True
    if not np.array_equal(is_there, writes):
        return "array order does not hold each token that writes text once"
    nodes = TrieNodes(*(arrays[f"trie_{name}"] for name in _NODES))
    fault = find_trie_fault(nodes, n_texts, "tokens")
    fault = fault or find_token_fault(nodes, first, arrays[BYTES], order)
    if fault:
        return fault
    rests, n_suffixes = arrays["quote_rests"], len(arrays["rest_first"]) - 1
    if len(rests) != len(arrays["quote_nodes"]) or not rows.are_within(rests, n_suffixes):
        return "a quote leads to a rest that is not there"
    return None


def _are_specials(named: Any, first: NDArray[Any]) -> bool:
    return isinstance(named, dict) and all(
        text
        and type(token) is int
        and 0 <= token < len(first) - 1
        and int(first[token]) == int(first[token + 1])
        for text, token in named.items()
    )
