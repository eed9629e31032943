"""What may come next after a text, and whether a token is legal there.

A kind of artifact brings a :class:`TextJudge`: it reads the text beside the masks' matcher, and
says why a text dies, how it is read, and of which part the legal tokens are.

Example: ``explain(GrammarJudge(artifact), b"[1")``.
"""

from __future__ import annotations

import ast
import codecs
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple

from maskc.explain.model import D, Explanation, TextReading, TokenGroup, TokenVerdict
from maskc.runtime.artifact import Artifact


class TokenName(NamedTuple):
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


class TextJudge(ABC, Generic[D]):
    """Reads one text of an artifact of its kind.

    Attributes:
        matcher: that has taken what was read.
    """

    def __init__(self, artifact: Artifact) -> None:
        self.artifact, self.matcher = artifact, artifact.matcher()

    @abstractmethod
    def read(self, text: bytes) -> D | None:
        """Read a text from the start, as far as it is legal; return where it dies, and of what."""

    @abstractmethod
    def group(self, legal: Sequence[int]) -> tuple[TokenGroup, ...]:
        """Return the groups of tokens that are legal after what was read."""

    @abstractmethod
    def try_token(self, token: bytes) -> tuple[D | None, tuple[TextReading, ...]]:
        """Return where the bytes of a token die after what was read, else how they are read."""

    def describe(self) -> tuple[TextReading, ...]:
        """Return the ways to read what was read, if the kind has any."""
        return ()


def explain(judge: TextJudge[D], text: bytes, asked: TokenName | None = None) -> Explanation[D]:
    """Return what may come next after a text.

    Raises:
        GrammarError, PostlexError: the grammar of the artifact cannot be built again.
        SchemaError: the schema refers to a document that is not given.
        ValueError: there is no token of that id.
    """
    artifact, matcher = judge.artifact, judge.matcher
    token_id, token = find_token(artifact, asked) if asked is not None else (None, None)
    n_tokens: int = artifact.header["tokenizer"]["n_tokens"]
    death = judge.read(text)
    legal: list[int] = matcher.legal_tokens().tolist()
    texts = sorted(list_texts(artifact, legal), key=lambda token: (len(token), token))
    return Explanation(
        text=text,
        n_tokens=n_tokens,
        death=death,
        readings=judge.describe(),
        may_end=matcher.is_accepting,
        forced=matcher.forced_bytes(),
        n_legal=len(legal),
        tokens=tuple(texts),
        groups=judge.group(legal),
        token=_judge_token(judge, legal, token_id, token) if asked and death is None else None,
    )


def _judge_token(
    judge: TextJudge[D], legal: Sequence[int], token_id: int | None, token: bytes | None
) -> TokenVerdict[D]:
    if token is None:
        return TokenVerdict(token_id, None, token_id in legal, None)
    death, readings = judge.try_token(token)
    is_legal = death is None if token_id is None else token_id in legal
    return TokenVerdict(token_id, token, is_legal, None if is_legal else death, readings)


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
