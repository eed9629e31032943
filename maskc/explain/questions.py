"""What may come next after a text, and is a token legal there?"""

from __future__ import annotations

import ast
import codecs
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maskc.explain.groups import group_tokens
from maskc.explain.model import Death, Explanation, TokenVerdict
from maskc.explain.readings import Open, Reader, open_reader
from maskc.runtime.artifact import Artifact
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher

N_EXAMPLES = 16


@dataclass(frozen=True, slots=True)
class TokenName:
    """A token as it is asked for: by its id, or by its bytes."""

    token_id: int | None
    token: bytes | None


def parse_token(name: str) -> TokenName:
    r"""Return which token is meant: an id, or a text with Python's escapes.

    A text in quotes is never an id; ``b'…'`` gives bytes that are no characters.

    >>> parse_token("12"), parse_token("'12'").token, parse_token(r"a\n").token
    (TokenName(token_id=12, token=None), b'12', b'a\n')
    >>> parse_token(r"b'\xc3'").token, parse_token("é").token
    (b'\xc3', b'\xc3\xa9')

    Raises:
        ValueError: an escape is not one of Python's.
    """
    if name.isdecimal() and name.isascii():
        return TokenName(int(name), None)
    if len(name) > 2 and name[0] == "b" and name[1] in "'\"" and name[-1] == name[1]:
        try:
            value = ast.literal_eval(name)
        except SyntaxError as error:
            raise ValueError(str(error)) from None
        return TokenName(None, bytes(value))
    if len(name) > 2 and name[0] in "'\"" and name[-1] == name[0]:
        name = name[1:-1]
    text = codecs.decode(name.encode("latin-1", "backslashreplace"), "unicode_escape")
    return TokenName(None, text.encode(errors="surrogatepass"))


def explain(artifact: Artifact, text: bytes, asked: TokenName | None = None) -> Explanation[Death]:
    """Return what may come next after a text.

    Raises:
        GrammarError, PostlexError: the grammar of the artifact cannot be built again.
        ValueError: there is no token of that id.
    """
    token_id, token = find_token(artifact, asked) if asked is not None else (None, None)
    reader = open_reader(artifact)
    readings, death = reader.read(reader.start(), text)
    if death is not None:
        return Explanation(text, artifact.header["tokenizer"]["n_tokens"], death)
    matcher = artifact.matcher()
    if not matcher.accept_bytes(text):
        raise ValueError("the readings and the matcher disagree")
    found: Explanation[Death] = describe_next(artifact, text, matcher)
    legal = list_legal(artifact, matcher)
    return replace(
        found,
        readings=tuple(map(reader.describe, readings)),
        groups=group_tokens(reader, readings, list_texts(artifact, legal)),
        token=_explain_token(reader, readings, legal, token_id, token) if asked else None,
    )


def describe_next(artifact: Artifact, text: bytes, matcher: Matcher) -> Explanation[Any]:
    """Return what a matcher says may come next after a text that it has accepted."""
    legal = list_legal(artifact, matcher)
    tokens = list_texts(artifact, legal)
    return Explanation(
        text=text,
        n_tokens=artifact.header["tokenizer"]["n_tokens"],
        may_end=matcher.is_accepting,
        forced=matcher.forced_bytes(),
        n_legal=len(legal),
        examples=tuple(sorted(tokens, key=lambda token: (len(token), token))[:N_EXAMPLES]),
    )


def list_texts(artifact: Artifact, tokens: Iterable[int]) -> list[bytes]:
    """Return the texts of the tokens that have one."""
    texts = map(artifact.token_bytes, tokens)
    return [text for text in texts if text is not None]


def find_token(artifact: Artifact, asked: TokenName) -> tuple[int | None, bytes | None]:
    """Return the id and the bytes of a token, as far as it has them.

    Raises:
        ValueError: there is no token of that id.
    """
    token_id, token = asked.token_id, asked.token
    if token_id is not None:
        if token_id >= artifact.vocab_size:
            raise ValueError(f"there is no token {token_id}: they end at {artifact.vocab_size - 1}")
        return token_id, artifact.token_bytes(token_id)
    ids = (t for t in range(artifact.vocab_size) if artifact.token_bytes(t) == token)
    return next(ids, None), token


def list_legal(artifact: Artifact, matcher: Matcher) -> list[int]:
    """Return the tokens of a matcher's mask."""
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    found: list[int] = np.flatnonzero(bits).tolist()
    return found


def _explain_token(
    reader: Reader[Any],
    readings: tuple[Open[Any], ...],
    legal: list[int],
    token_id: int | None,
    token: bytes | None,
) -> TokenVerdict[Death]:
    if token is None:
        return TokenVerdict(token_id, None, token_id in legal, None, ())
    after: tuple[Open[Any], ...]
    death: Death | None
    after, death = reader.read(readings, token)
    return TokenVerdict(token_id, token, death is None, death, tuple(map(reader.describe, after)))
