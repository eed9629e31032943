"""The tokens of a tiktoken rank file, a base64 token and its rank on each line, and of tekken.

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
import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maskc.errors import TokenizerError
from maskc.vocab.files import TokenizerFile
from maskc.vocab.vocabulary import MAX_TOKENS, TokenizerTokens, order_tokens

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "o200k_harmony")


def open_encoding(name: str) -> Any:
    """Return an encoding of tiktoken by its name there, ``None`` for other names and for paths.

    tiktoken downloads it once and caches it, in the folder of ``TIKTOKEN_CACHE_DIR`` or the
    system's for temporary files.

    Raises:
        TokenizerError: tiktoken is not installed, or cannot download the encoding.
    """
    if name not in ENCODINGS or os.path.exists(name):
        return None
    try:
        tiktoken = importlib.import_module("tiktoken")
    except ImportError:
        fact = "is an encoding of tiktoken, which is not installed"
        raise TokenizerError(name, fact, "pip install tiktoken") from None
    try:
        return tiktoken.get_encoding(name)
    except ValueError:
        fact = "is not in this version of tiktoken"
        raise TokenizerError(name, fact, "pip install --upgrade tiktoken") from None
    except OSError as error:
        fact = f"could not be downloaded by tiktoken ({str(error).splitlines()[0]:.200})"
        remedy = "allow the network once, or set TIKTOKEN_CACHE_DIR to a folder that has it"
        raise TokenizerError(name, fact, remedy) from None


_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_EDGE = r"[^\r\n\p{L}\p{N}]?"


@dataclass(frozen=True, slots=True)
class RankLayout:
    """What a rank file leaves out."""

    digest: str  # SHA-256 over the tokens in order of rank, see compute_digest
    vocab_size: int  # number of ids, specials included
    eos_ids: tuple[int, ...]  # ids that end the output
    pattern: str  # the regular expression that splits text before merging
    special_ids: Mapping[str, int]  # the special tokens that chat templates write, by name


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


_EOS = "</s>"
# Files up to format v7 leave the special tokens out; in all of them </s> is id 2.
_EOS_ID = 2


@dataclass(frozen=True, slots=True, eq=False)
class Tekken:
    """The parts of a tekken file that matter here."""

    ranks: tuple[bytes, ...]  # the tokens in use, by rank
    n_special: int  # number of ids before rank 0
    special_ids: Mapping[str, int]  # the special tokens by name; </s> ends the output
    pattern: str  # the regular expression that splits text before merging


def load_tekken(file: TokenizerFile) -> TokenizerTokens:
    tekken = parse_tekken(file)
    tokens = (*[None] * tekken.n_special, *tekken.ranks)
    return TokenizerTokens(tokens, (tekken.special_ids[_EOS],), tekken.special_ids)


def parse_tekken(file: TokenizerFile) -> Tekken:
    """Return the parts of a Mistral ``tekken.json``: special ids first, then ranks as in tiktoken.

    With ``n`` special ids and a vocabulary of ``V`` ids, the ids ``n … V - 1`` are the ranks
    ``0 … V - n - 1``; the file lists more, which a model does not use.

    Raises:
        TokenizerError: the file is broken.
    """
    match file.contents:
        case {
            "config": {
                "pattern": str(pattern),
                "default_vocab_size": int(vocab_size),
                "default_num_special_tokens": int(n_special),
            },
            "vocab": list(rows),
        } if 0 < n_special < vocab_size <= min(MAX_TOKENS, n_special + len(rows)):
            pass
        case _:
            raise file.broken("its sizes, its pattern or its tokens are missing or do not agree")
    ranks: list[bytes] = []
    for rank, row in enumerate(rows[: vocab_size - n_special]):
        match row:
            case {"rank": int(number), "token_bytes": str(encoded)} if number == rank:
                ranks.append(_decode(file, rank, encoded))
            case _:
                raise file.broken(f"token {rank} lacks its rank or its bytes")
    if ranks[:256] != [bytes([byte]) for byte in range(256)] or len(set(ranks)) != len(ranks):
        raise file.broken("its tokens do not begin with the 256 bytes, or one occurs twice")
    return Tekken(tuple(ranks), n_special, _find_specials(file, n_special), pattern)


def _decode(file: TokenizerFile, rank: int, encoded: str) -> bytes:
    try:
        return binascii.a2b_base64(encoded, strict_mode=True)
    except ValueError as error:
        raise file.broken(f"the bytes of token {rank} are not base64") from error


def _find_specials(file: TokenizerFile, n_special: int) -> dict[str, int]:
    special = file.contents.get("special_tokens")
    if not isinstance(special, list):
        return {_EOS: min(_EOS_ID, n_special - 1)}
    found = {}
    for row in special:
        match row:
            case {"token_str": str(text), "rank": int(rank)} if 0 <= rank < n_special:
                found[text] = rank
    if _EOS not in found:
        raise file.broken(f"it has no special token {_EOS}")
    return found
