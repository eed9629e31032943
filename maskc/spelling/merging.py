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
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import TokenizerFile
from maskc.vocab.piece_decoder import decode_byte_level, is_in_byte_alphabet

NO_TOKEN = -1  # where no token begins
_REMEDY = "use a tokenizer with byte-level byte-pair encoding"
Rules = dict[tuple[int, int], tuple[int, int]]  # two tokens → the rank of their merge, its result


# A merge of a piece: rank, left and right token, result, and the piece's bytes that it covers.
Step = tuple[int, int, int, int, int, int]


def merge(rules: Rules, symbols: Sequence[int]) -> tuple[list[int], list[Step]]:
    """Return what byte-pair encoding makes of the tokens of a piece's bytes, and how.

    Of all neighbours that can be merged, those of the lowest rank are, the leftmost first.
    """
    size, steps = len(symbols), list[Step]()
    tokens = [*symbols, NO_TOKEN]  # each where it begins
    ends, before = [*range(1, size + 1), size], list(range(-1, size))
    waiting: list[tuple[int, int, int, int, int]] = []

    def propose(start: int) -> None:
        pair = tokens[start], tokens[ends[start]]
        if pair in rules:
            rank, result = rules[pair]
            heapq.heappush(waiting, (rank, start, *pair, result))

    for start in range(size):
        propose(start)
    while waiting:
        rank, start, left, right, result = heapq.heappop(waiting)
        middle = ends[start]
        if tokens[start] == left and tokens[middle] == right:
            end = ends[middle]
            steps.append((rank, left, right, result, start, end))
            tokens[start], tokens[middle], ends[start], before[end] = result, NO_TOKEN, end, start
            propose(start)
            propose(before[start])
    return [token for token in tokens if token != NO_TOKEN], steps


def rules_of_ranks(tokens: Mapping[int, bytes]) -> Rules:
    """Return the merges of ranks, which are the ids: any two tokens that write a token."""
    ids = {text: token for token, text in tokens.items()}
    return {
        (left, right): (token, token)
        for token, text in tokens.items()
        for cut in range(1, len(text))
        if (left := ids.get(text[:cut])) is not None and (right := ids.get(text[cut:])) is not None
    }


def rules_of_json(file: TokenizerFile) -> tuple[dict[int, bytes], Rules]:
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
    rules: Rules = {}
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
    return TokenizerError(file.tokenizer, f"{fact}, so its canonical tokens are not known", _REMEDY)
