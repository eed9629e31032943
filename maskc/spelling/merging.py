"""Which pairs of tokens does a tokenizer's file say are merged, and in which order?

- A ``tokenizer.json`` lists its merges.
- In the ranks of tiktoken and tekken any two tokens are merged if together they write a token, and
  its rank is the merge's.

Example: from the ranks ``a b c bc abc`` come the merges ``b c`` and ``a bc``.

Limits: bytes are merged. Models that merge characters (sentencepiece), or do not merge (Unigram,
WordPiece), are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from maskc.errors import TokenizerError
from maskc.runtime.spelling.merges import NO_TOKEN, Merges
from maskc.runtime.spelling.pairs import Shapes
from maskc.vocab.files import TokenizerFile
from maskc.vocab.pieces import decode_byte_level, is_in_byte_alphabet

_REMEDY = "use a tokenizer with byte-level byte-pair encoding"


class Rule(NamedTuple):
    """One merge of a file."""

    left: int
    right: int
    rank: int
    result: int


def merges_of_ranks(tokens: Mapping[int, bytes]) -> list[Rule]:
    """Return the merges of ranks: any two tokens that together write a token.

    Args:
        tokens: token id → its bytes; ids are in the order of the ranks.
    """
    ids = {text: token for token, text in tokens.items()}
    return [
        Rule(left, right, token, token)
        for token, text in tokens.items()
        for cut in range(1, len(text))
        if (left := ids.get(text[:cut])) is not None and (right := ids.get(text[cut:])) is not None
    ]


def merges_of_json(file: TokenizerFile) -> tuple[dict[int, bytes], list[Rule]]:
    """Return the tokens and the merges of a ``tokenizer.json``.

    Raises:
        TokenizerError: it is of another kind, or broken.
    """
    model: Any = file.contents.get("model")
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        kind = str(model.get("type"))[:20] if isinstance(model, dict) else "none"
        raise refuse(file, f"its model is of type {kind}, which does not merge")
    if model.get("byte_fallback") or model.get("unk_token") is not None:
        raise refuse(file, "its model begins with characters and not with bytes")
    vocab = model["vocab"]
    # Texts are written in GPT-2's alphabet before they are merged: other pieces never come up.
    tokens = {
        token: decode_byte_level(piece)
        for piece, token in vocab.items()
        if is_in_byte_alphabet(piece)
    }
    rules: list[Rule] = []
    known: dict[tuple[int, int], int] = {}
    for rank, merge in enumerate(model.get("merges") or []):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        match pair:
            case [str(left), str(right)] if {left, right, left + right} <= vocab.keys():
                # Of a pair that comes twice the last rank counts, as in a dictionary.
                known[vocab[left], vocab[right]] = rank
            case _:
                raise file.broken(f"merge {rank} is not of two pieces that make a third")
    by_id = {token: piece for piece, token in vocab.items()}
    for (one, other), rank in known.items():
        if one not in tokens or other not in tokens:
            continue
        rules.append(Rule(one, other, rank, vocab[by_id[one] + by_id[other]]))
    return tokens, rules


def build_merges(rules: Iterable[Rule], vocab_size: int) -> Merges:
    """Return merges as tables."""
    table = np.array(sorted(rules), dtype=np.int32).reshape(-1, 4)
    counts = np.bincount(table[:, 0], minlength=vocab_size)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    right, rank, result = (np.ascontiguousarray(table[:, column]) for column in (1, 2, 3))
    return Merges(first, right, rank, result)


def find_shapes(
    merges: Merges, symbols_of: Mapping[int, list[int]], vocab_size: int
) -> tuple[Shapes, dict[int, list[int]]]:
    """Return how each token is merged, and what the others' bytes are merged to instead.

    Args:
        merges: the pairs.
        symbols_of: token → the tokens of its bytes.
        vocab_size: how many ids there are.
    """
    left, right, rank = (np.full(vocab_size, NO_TOKEN, dtype=np.int32) for _ in range(3))
    is_whole = np.zeros(vocab_size, dtype=np.bool_)
    uneven: dict[int, list[int]] = {}
    others: dict[int, list[int]] = {}
    for token, symbols in symbols_of.items():
        found, steps = merges.merge(symbols)
        if found != [token]:
            others[token] = found
            continue
        is_whole[token] = True
        if steps:
            rank[token], left[token], right[token], _ = steps[-1]
        ranks = [step[0] for step in steps]
        if ranks != sorted(ranks):
            uneven[token] = symbols
    return Shapes(left, right, rank, is_whole, uneven), others


def refuse(file: TokenizerFile, fact: str) -> TokenizerError:
    """Return the error that says why a tokenizer's own tokens cannot be told exactly."""
    return TokenizerError(file.tokenizer, f"{fact}, so its own tokens are not known", _REMEDY)
