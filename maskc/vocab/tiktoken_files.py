"""The tokens of a tiktoken rank file: a base64 token and its rank on each line.

The file holds the ordinary tokens only. How many special ids follow them, which of those end the
output, and how text is split before merging are facts about the model that the file does not
hold; they are known here for three files, told by their contents and not by their names.

Example: the line ``IQ== 0`` gives token ``!`` id 0. Llama 3's file ends at rank 127999, and 256
special ids follow; 128009 is ``<|eot_id|>``.

A rank file of another model still has exact bytes; its end-of-sequence ids must then be given.
"""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from maskc.vocab.files import TokenizerFile
from maskc.vocab.vocabulary import TokenizerTokens, order_tokens

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_EDGE = r"[^\r\n\p{L}\p{N}]?"


@dataclass(frozen=True, slots=True)
class RankLayout:
    """What a rank file leaves out.

    Attributes:
        digest: SHA-256 over the tokens in order of rank, see :func:`compute_digest`.
        vocab_size: number of ids, specials included.
        eos_ids: ids that end the output.
        pattern: the regular expression that splits text before merging.
        special_ids: the special tokens that chat templates write, by name.
    """

    digest: str
    vocab_size: int
    eos_ids: tuple[int, ...]
    pattern: str
    special_ids: Mapping[str, int]


LAYOUTS = (
    # Llama 3: 256 special ids; <|end_of_text|>, <|eom_id|>, <|eot_id|>.
    RankLayout(
        "74f4bbfef3f0e8b08439dcbc1568957749b376af05d5beda4f84da6659a381a1",
        128_256,
        (128_001, 128_008, 128_009),
        rf"{_CONTRACTIONS}|{_EDGE}\p{{L}}+|\p{{N}}{{1,3}}|{_REST}",
        {
            "<|begin_of_text|>": 128_000,
            "<|end_of_text|>": 128_001,
            "<|start_header_id|>": 128_006,
            "<|end_header_id|>": 128_007,
            "<|eom_id|>": 128_008,
            "<|eot_id|>": 128_009,
            "<|python_tag|>": 128_010,
        },
    ),
    # Llama 4: 2048 special ids; <|end_of_text|>, <|eom|>, <|eot|>.
    RankLayout(
        "44e5d7ac10cf512784540090c4a7272ec208867eddfd2236cb60b2d661fb0f9a",
        202_048,
        (200_001, 200_007, 200_008),
        rf"{_EDGE}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_EDGE}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
        rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        {
            "<|begin_of_text|>": 200_000,
            "<|end_of_text|>": 200_001,
            "<|header_start|>": 200_005,
            "<|header_end|>": 200_006,
            "<|eom|>": 200_007,
            "<|eot|>": 200_008,
        },
    ),
    # Qwen: 208 special ids; <|endoftext|>, <|im_end|>.
    RankLayout(
        "bf97c67da2c66d5e214a9f9f37095ff16e05945b6d6237c9785e3bd491e1550c",
        151_851,
        (151_643, 151_645),
        rf"{_CONTRACTIONS}|{_EDGE}\p{{L}}+|\p{{N}}|{_REST}",
        {"<|endoftext|>": 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645},
    ),
)


def load_tiktoken(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a rank file, special ids included if its model is known.

    Raises:
        TokenizerError: a line is broken, or two lines share a token or a rank.
    """
    ranks = parse_ranks(file)
    by_id: dict[int, bytes | None] = {rank: token for token, rank in ranks.items()}
    layout = find_layout(ranks)
    if layout is None:
        return TokenizerTokens(order_tokens(file.tokenizer, by_id), ())
    by_id[layout.vocab_size - 1] = None
    tokens = order_tokens(file.tokenizer, by_id)
    return TokenizerTokens(tokens, layout.eos_ids, layout.special_ids)


def parse_ranks(file: TokenizerFile) -> dict[bytes, int]:
    """Return the rank of each token of a rank file.

    Raises:
        TokenizerError: a line is broken, or two lines share a token or a rank.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(file.data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            encoded, rank = line.split()
            token = binascii.a2b_base64(encoded, strict_mode=True)
            value = int(rank)
        except ValueError as error:
            raise file.broken(f"line {number} is not a base64 token and its rank") from error
        if not token or token in ranks:
            raise file.broken(f"line {number} has an empty or repeated token")
        ranks[token] = value
    if len(set(ranks.values())) != len(ranks):
        raise file.broken("two tokens have the same rank")
    return ranks


def find_layout(ranks: Mapping[bytes, int]) -> RankLayout | None:
    """Return the layout of the model that these ranks belong to, if it is known."""
    digest = compute_digest(ranks)
    return next((layout for layout in LAYOUTS if layout.digest == digest), None)


def compute_digest(ranks: Mapping[bytes, int]) -> str:
    """Return the SHA-256, in hexadecimal, over rank, length and bytes of the tokens by rank."""
    parts = [
        b"%d %d %b" % (rank, len(token), token)
        for rank, token in sorted((rank, token) for token, rank in ranks.items())
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest()
