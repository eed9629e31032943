"""What may come next after a text, and whether a token is legal there, in the words of the grammar.

A kind of artifact brings a :class:`TextJudge`: it reads the text beside the masks' matcher, and
says why a text dies, how it is read, and of which part the legal tokens are.
"""

from __future__ import annotations

import ast
import codecs
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from maskc.kinds import kind_of
from maskc.runtime.artifact import Artifact
from maskc.runtime.link import names_of
from maskc.runtime.matcher import Matcher

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """What follows if the open lexeme ends here."""

    terminal: str | None  # what it becomes; None if it is ignored, or if none is open yet
    following: Names  # the terminals that may come next, `$END` if the text may end


@dataclass(frozen=True, slots=True)
class TextReading:
    """One way to read the text. Almost always there is one."""

    lexeme: bytes  # the open lexeme's bytes so far
    may_become: Names  # the terminals that it may still become, as far as the parser takes them
    may_be_ignored: bool  # it may still become something ignored
    endings: tuple[Ending, ...]  # what it may be if it ends here
    items: Names  # the productions being read before the lexeme, as `X -> A . B`


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a reading dies of a byte."""

    lexeme: bytes  # the open lexeme's bytes before it
    ended_as: str | None  # the terminal that the lexeme would have ended as; None if it would go on
    refused: Names  # the terminals that the parser refuses; empty if no terminal takes the byte
    expected: Names  # the terminals that the parser would take instead
    items: Names  # the productions being read there
    # columns of the open blocks, if it is the indentation that does not fit; else empty
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Death:
    """Where every reading dies."""

    offset: int  # how many bytes were fine
    byte: int  # the first byte that is not
    causes: tuple[Cause, ...]  # one or more for each reading


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a schema."""

    pointer: str
    value: Any


@dataclass(frozen=True, slots=True)
class Causes:
    """What forbids a text."""

    alone: tuple[Keyword, ...]  # keywords without any one of which it is legal
    together: tuple[Keyword, ...]  # if there are none, keywords without all of which it is
    is_complete: bool  # whether every keyword was tried


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where a text dies, and of what."""

    offset: int  # how many bytes were fine
    byte: int  # the first byte that is not
    # choices of the layout that forbid it, each by itself, as `blanks=compact`
    layout: tuple[str, ...]
    causes: Causes | None  # keywords that do; None if no schema would allow it


@dataclass(frozen=True, slots=True)
class TokenVerdict:
    """Whether a token is legal after the text."""

    token_id: int | None  # None if the vocabulary has no such token: it is taken as bytes then
    token: bytes | None  # its bytes; None for special tokens
    is_legal: bool  # the mask has it
    death: Death | Refusal | None  # where it dies, None if it does not, or is special
    readings: tuple[TextReading, ...] = ()  # after it, if it is legal and the grammar has readings


@dataclass(frozen=True, slots=True)
class TokenGroup:
    """Legal tokens that belong to one terminal."""

    name: str | None  # of the terminal; None: they read only what is ignored
    tokens: tuple[bytes, ...]  # the shortest first
    # the terminal's text in quotes, if it is one string and its name does not say it
    literal: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What may come next after a text of a grammar, or of a JSON Schema."""

    text: bytes  # the text
    n_tokens: int  # tokens of the vocabulary
    death: Death | Refusal | None = None  # where it dies; the rest is about the text before that
    readings: tuple[TextReading, ...] = ()  # the ways to read it; a JSON Schema has none
    may_end: bool = False  # the text may end here
    forced: bytes = b""  # what must come next
    n_legal: int = 0  # tokens in the mask, end-of-sequence tokens included
    tokens: tuple[bytes, ...] = ()  # the legal tokens that have a text, the shortest first
    # the legal tokens by terminal, if there are any; a token may be in several
    groups: tuple[TokenGroup, ...] = ()
    token: TokenVerdict | None = None  # what was asked about a token


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


class TextJudge(ABC):
    """Reads one text of an artifact of its kind."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact, self.matcher = artifact, artifact.matcher()

    @abstractmethod
    def read(self, text: bytes) -> Death | Refusal | None:
        """Read a text from the start, as far as it is legal; return where it dies, and of what."""

    @abstractmethod
    def group(self, legal: Sequence[int]) -> tuple[TokenGroup, ...]:
        """Return the groups of tokens that are legal after what was read."""

    @abstractmethod
    def try_token(self, token: bytes) -> tuple[Death | Refusal | None, tuple[TextReading, ...]]:
        """Return where the bytes of a token die after what was read, else how they are read."""

    def describe(self) -> tuple[TextReading, ...]:
        return ()


def explain(judge: TextJudge, text: bytes, asked: TokenName | None = None) -> Explanation:
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
    judge: TextJudge, legal: Sequence[int], token_id: int | None, token: bytes | None
) -> TokenVerdict:
    if token is None:
        return TokenVerdict(token_id, None, token_id in legal, None)
    death, readings = judge.try_token(token)
    is_legal = death is None if token_id is None else token_id in legal
    return TokenVerdict(token_id, token, is_legal, None if is_legal else death, readings)


def list_texts(artifact: Artifact, tokens: Iterable[int]) -> list[bytes]:
    texts = map(artifact.token_bytes, tokens)
    return [text for text in texts if text is not None]


def find_token(artifact: Artifact, asked: TokenName) -> tuple[int | None, bytes | None]:
    """Return the id and the bytes of a token, as far as it has them."""
    token_id, token = asked.token_id, asked.token
    if token_id is not None:
        if token_id >= artifact.vocab_size:
            raise ValueError(f"there is no token {token_id}: they end at {artifact.vocab_size - 1}")
        return token_id, artifact.token_bytes(token_id)
    ids = (t for t in range(artifact.vocab_size) if artifact.token_bytes(t) == token)
    return next(ids, None), token


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a text stops being one that the artifact allows."""

    offset: int  # how many bytes are fine: all of them, if the text ends too early
    # line, column: the same in lines and characters, from 1 on
    line: int
    column: int
    explanation: Explanation  # what is wrong; without a death, the text ends too early


def find_problem(
    artifact: Artifact, text: bytes, resources: Mapping[str, Any] | None = None
) -> Problem | None:
    """Return where a text is wrong, ``None`` if it is right from start to end.

    A line break at the end, which editors write, may be there or not. The masks' machine reads the
    text, which takes a microsecond a byte; only what is refused is explained.

    Raises:
        GrammarError, PostlexError: the grammar of the artifact cannot be built again.
        SchemaError: the schema refers to a document that is not given.
    """
    kind = kind_of(artifact.header)
    for whole in (text, *[text[:-1]] * text.endswith(b"\n")):
        matcher = artifact.matcher()
        if kind.accepts(artifact, matcher, whole) and matcher.is_accepting:
            return None
    explanation = kind.explain(artifact, text, None, resources)
    offset = len(text) if explanation.death is None else explanation.death.offset
    line, column = line_and_column_of(text, offset)
    return Problem(offset, line, column, explanation)


def line_and_column_of(text: bytes, offset: int) -> tuple[int, int]:
    r"""Return the line and the column of a byte, from 1 on; columns are characters.

    >>> line_and_column_of("a\nöb".encode(), 4)
    (2, 2)
    """
    before = text[:offset]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(errors="replace")) + 1


@dataclass(frozen=True, slots=True)
class Warmth:
    """A token of a text, and how many tokens its mask allowed."""

    token: bytes
    n_legal: int
    is_special: bool = False


def measure_heat(artifact: Artifact, text: bytes) -> tuple[Warmth, ...]:
    """Return the tokens of a text, as far as it is legal; what follows is left out.

    The text is cut at each offset into the longest token of the vocabulary that is legal there; a
    tokenizer may cut otherwise, and the artifact does not know it.

    Example: for ``bytes`` and json the first token of ``true`` had 17 to choose from, the others 1.
    """
    matcher, found = artifact.matcher(), list[Warmth]()
    name_of = {token: name.encode() for name, token in names_of(artifact.header).items()}
    for part in kind_of(artifact.header).cut(artifact.header, text):
        if isinstance(part, int):
            n_legal = len(matcher.legal_tokens())
            if not matcher.accept_token(part):
                break
            found.append(Warmth(name_of[part], n_legal, is_special=True))
        elif not _cut(artifact, matcher, part, found):
            break
    return tuple(found)


def _cut(artifact: Artifact, matcher: Matcher, text: bytes, found: list[Warmth]) -> bool:
    """Add the tokens of a part, and move the matcher; return whether all of it is legal."""
    at = 0
    while at < len(text):
        legal = matcher.legal_tokens().tolist()
        rest = text[at:]
        tokens = ((artifact.token_bytes(token) or b"", token) for token in legal)
        token, number = max(
            ((token, number) for token, number in tokens if token and rest.startswith(token)),
            key=lambda pair: len(pair[0]),
            default=(b"", 0),
        )
        if not token or not matcher.accept_token(number):
            return False
        found.append(Warmth(token, len(legal)))
        at += len(token)
    return True
