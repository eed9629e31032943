"""The tokens of a Mistral ``tekken.json``: special ids first, then ranks as in tiktoken.

The file lists more tokens than a model uses: with ``n`` special ids and a vocabulary of ``V``
ids, the ids ``n … V - 1`` are the ranks ``0 … V - n - 1``, and the ranks after them are left out.

Example: with 1000 special ids, the token of rank 65 (``A``) has id 1065; id 2 is ``</s>``.
"""

from __future__ import annotations

import binascii
from dataclasses import dataclass

from maskc.vocab.files import TokenizerFile
from maskc.vocab.vocabulary import MAX_TOKENS, TokenizerTokens

_EOS = "</s>"
# Files up to format v7 leave the special tokens out; in all of them </s> is id 2.
_EOS_ID = 2


@dataclass(frozen=True, slots=True, eq=False)
class Tekken:
    """The parts of a tekken file that matter here.

    Attributes:
        ranks: the tokens in use, by rank.
        n_special: number of ids before rank 0.
        eos_id: the id that ends the output.
        pattern: the regular expression that splits text before merging.
    """

    ranks: tuple[bytes, ...]
    n_special: int
    eos_id: int
    pattern: str


def load_tekken(file: TokenizerFile) -> TokenizerTokens:
    """Return the tokens of a tekken file.

    Raises:
        TokenizerError: the file is broken.
    """
    tekken = parse_tekken(file)
    tokens = (*[None] * tekken.n_special, *tekken.ranks)
    return TokenizerTokens(tokens, (tekken.eos_id,), _find_specials(file, tekken.n_special))


def parse_tekken(file: TokenizerFile) -> Tekken:
    """Return the parts of a tekken file.

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
    return Tekken(tuple(ranks), n_special, _find_eos_id(file, n_special), pattern)


def _decode(file: TokenizerFile, rank: int, encoded: str) -> bytes:
    try:
        return binascii.a2b_base64(encoded, strict_mode=True)
    except ValueError as error:
        raise file.broken(f"the bytes of token {rank} are not base64") from error


def _find_specials(file: TokenizerFile, n_special: int) -> dict[str, int]:
    """Return the special tokens that the file names."""
    found = {}
    for row in file.contents.get("special_tokens") or []:
        match row:
            case {"token_str": str(text), "rank": int(rank)} if 0 <= rank < n_special:
                found[text] = rank
    return found


def _find_eos_id(file: TokenizerFile, n_special: int) -> int:
    special = file.contents.get("special_tokens")
    if not isinstance(special, list):
        return min(_EOS_ID, n_special - 1)
    for row in special:
        match row:
            case {"token_str": "</s>", "rank": int(rank)} if 0 <= rank < n_special:
                return rank
    raise file.broken(f"it has no special token {_EOS}")
