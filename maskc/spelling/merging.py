"""The pairs of tokens that a tokenizer's file says are merged, in which order, and what they make.

- A ``tokenizer.json`` lists its merges.
- In the ranks of tiktoken and tekken, any two tokens are merged that together write a token, and
  the merge has the rank of that token.

Example: the ranks ``a b c bc abc`` give the merges ``b c`` and ``a bc``.

Limits: bytes are merged. Models that merge characters (sentencepiece), or do not merge (Unigram,
WordPiece), are refused by name.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maskc.errors import TokenizerError
from maskc.vocab.files import TokenizerFile
from maskc.vocab.pieces import decode_byte_level, is_in_byte_alphabet

_REMEDY = "use a tokenizer with byte-level byte-pair encoding"
Rules = Mapping[
    tuple[int, int], tuple[int, int]
]  # two tokens → the rank of their merge, its result


class Step(NamedTuple):
    """One merge of a piece of text.

    Attributes:
        rank, left, right, result: of the merge and its tokens.
        start, end: the bytes of the piece that the result covers.
    """

    rank: int
    left: int
    right: int
    result: int
    start: int
    end: int


def merge(rules: Rules, symbols: Sequence[int]) -> tuple[list[int], list[Step]]:
    """Return what byte-pair encoding makes of the tokens of a piece's bytes, and how.

    Of all neighbours that can be merged, those of the lowest rank are, the leftmost first.
    """
    size = len(symbols)
    tokens: list[int | None] = [*symbols]
    ends, before = list(range(1, size + 1)), list(range(-1, size))
    waiting: list[tuple[int, int, int, int, int]] = []
    steps: list[Step] = []

    def propose(start: int, middle: int) -> None:
        left, right = tokens[start], tokens[middle]
        rule = None if left is None or right is None else rules.get((left, right))
        if rule is not None and left is not None and right is not None:
            heapq.heappush(waiting, (rule[0], start, left, right, rule[1]))

    for start in range(size - 1):
        propose(start, start + 1)
    while waiting:
        rank, start, left, right, result = heapq.heappop(waiting)
        middle = ends[start]
        if middle >= size or tokens[start] != left or tokens[middle] != right:
            continue
        end = ends[middle]
        steps.append(Step(rank, left, right, result, start, end))
        tokens[start], tokens[middle], ends[start], before[end] = result, None, end, start
        if end < size:
            propose(start, end)
        if start:
            propose(before[start], start)
    return [token for token in tokens if token is not None], steps


def rules_of_ranks(tokens: Mapping[int, bytes]) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the merges of ranks: any two tokens that together write a token.

    Args:
        tokens: token id → its bytes; ids are in the order of the ranks.
    """
    ids = {text: token for token, text in tokens.items()}
    return {
        (left, right): (token, token)
        for token, text in tokens.items()
        for cut in range(1, len(text))
        if (left := ids.get(text[:cut])) is not None and (right := ids.get(text[cut:])) is not None
    }


def rules_of_json(
    file: TokenizerFile,
) -> tuple[dict[int, bytes], dict[tuple[int, int], tuple[int, int]]]:
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
    rules: dict[tuple[int, int], tuple[int, int]] = {}
    for rank, listed in enumerate(model.get("merges") or []):
        match listed.split(" ") if isinstance(listed, str) else listed:
            case [str(left), str(right)] if {left, right, left + right} <= vocab.keys():
                # Of a pair that comes twice the last rank counts, as in a dictionary.
                if vocab[left] in tokens and vocab[right] in tokens:
                    rules[vocab[left], vocab[right]] = rank, vocab[left + right]
            case _:
                raise file.broken(f"merge {rank} is not of two pieces that make a third")
    return tokens, rules


def refuse(file: TokenizerFile, fact: str) -> TokenizerError:
    """Return the error that says why a tokenizer's own tokens cannot be told exactly."""
    return TokenizerError(file.tokenizer, f"{fact}, so its own tokens are not known", _REMEDY)
