"""What ``maskc explain`` says about a text and a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Names = tuple[str, ...]

# Why a text dies: a `Death` in a grammar, a `Refusal` in a JSON Schema.
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Ending:
    """What follows if the open lexeme ends here.

    Attributes:
        terminal: what it becomes; ``None`` if it is ignored, or if none is open yet.
        following: the terminals that may come next, ``$END`` if the text may end.
    """

    terminal: str | None
    following: Names


@dataclass(frozen=True, slots=True)
class TextReading:
    """One way to read the text. Almost always there is one.

    Attributes:
        lexeme: the open lexeme's bytes so far.
        may_become: the terminals that it may still become, as far as the parser takes them.
        may_be_ignored: it may still become something ignored.
        endings: what it may be if it ends here.
        items: the productions being read before the lexeme, as ``X -> A . B``.
    """

    lexeme: bytes
    may_become: Names
    may_be_ignored: bool
    endings: tuple[Ending, ...]
    items: Names


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a reading dies of a byte.

    Attributes:
        lexeme: the open lexeme's bytes before it.
        ended_as: the terminal that the lexeme would have ended as; ``None`` if it would go on.
        refused: the terminals that the parser refuses; empty if no terminal takes the byte.
        expected: the terminals that the parser would take instead.
        items: the productions being read there.
        blocks: columns of the open blocks, if it is the indentation that does not fit; else empty.
    """

    lexeme: bytes
    ended_as: str | None
    refused: Names
    expected: Names
    items: Names
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Death:
    """Where every reading dies.

    Attributes:
        offset: how many bytes were fine.
        byte: the first byte that is not.
        causes: one or more for each reading.
    """

    offset: int
    byte: int
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a schema."""

    pointer: str
    value: Any


@dataclass(frozen=True, slots=True)
class Causes:
    """What forbids a text.

    Attributes:
        alone: keywords without any one of which it is legal.
        together: if there are none, keywords without all of which it is.
        is_complete: whether every keyword was tried.
    """

    alone: tuple[Keyword, ...]
    together: tuple[Keyword, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where a text dies, and of what.

    Attributes:
        offset: how many bytes were fine.
        byte: the first byte that is not.
        layout: choices of the layout that forbid it, each by itself, as ``blanks=compact``.
        causes: keywords that do; ``None`` if no schema would allow it.
    """

    offset: int
    byte: int
    layout: tuple[str, ...]
    causes: Causes | None


@dataclass(frozen=True, slots=True)
class TokenVerdict(Generic[D]):
    """Whether a token is legal after the text.

    Attributes:
        token_id: ``None`` if the vocabulary has no such token: it is taken as bytes then.
        token: its bytes; ``None`` for special tokens.
        is_legal: the mask has it.
        death: where it dies, ``None`` if it does not, or is special.
        readings: after it, if it is legal and the grammar has readings.
    """

    token_id: int | None
    token: bytes | None
    is_legal: bool
    death: D | None
    readings: tuple[TextReading, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenGroup:
    """Legal tokens that belong to one terminal.

    Attributes:
        name: of the terminal; ``None``: they read only what is ignored.
        tokens: the shortest first.
        literal: the terminal's text in quotes, if it is one string and its name does not say it.
    """

    name: str | None
    tokens: tuple[bytes, ...]
    literal: str = ""


@dataclass(frozen=True, slots=True)
class Explanation(Generic[D]):
    """What may come next after a text of a grammar, or of a JSON Schema.

    Attributes:
        text: the text.
        n_tokens: tokens of the vocabulary.
        death: where it dies; the rest is about the text before that.
        readings: the ways to read it; a JSON Schema has none.
        may_end: the text may end here.
        forced: what must come next.
        n_legal: tokens in the mask, end-of-sequence tokens included.
        tokens: the legal tokens that have a text, the shortest first.
        groups: the legal tokens by terminal, if there are any; a token may be in several.
        token: what was asked about a token.
    """

    text: bytes
    n_tokens: int
    death: D | None = None
    readings: tuple[TextReading, ...] = ()
    may_end: bool = False
    forced: bytes = b""
    n_legal: int = 0
    tokens: tuple[bytes, ...] = ()
    groups: tuple[TokenGroup, ...] = ()
    token: TokenVerdict[D] | None = None
