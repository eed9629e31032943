"""What ``maskc explain`` says about a text and a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Names = tuple[str, ...]

# Why a text dies: a `Death` in a grammar, a `Refusal` in a JSON Schema.
D = TypeVar("D")


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
class TokenVerdict(Generic[D]):
    """Whether a token is legal after the text."""

    token_id: int | None  # None if the vocabulary has no such token: it is taken as bytes then
    token: bytes | None  # its bytes; None for special tokens
    is_legal: bool  # the mask has it
    death: D | None  # where it dies, None if it does not, or is special
    readings: tuple[TextReading, ...] = ()  # after it, if it is legal and the grammar has readings


@dataclass(frozen=True, slots=True)
class TokenGroup:
    """Legal tokens that belong to one terminal."""

    name: str | None  # of the terminal; None: they read only what is ignored
    tokens: tuple[bytes, ...]  # the shortest first
    # the terminal's text in quotes, if it is one string and its name does not say it
    literal: str = ""


@dataclass(frozen=True, slots=True)
class Explanation(Generic[D]):
    """What may come next after a text of a grammar, or of a JSON Schema."""

    text: bytes  # the text
    n_tokens: int  # tokens of the vocabulary
    death: D | None = None  # where it dies; the rest is about the text before that
    readings: tuple[TextReading, ...] = ()  # the ways to read it; a JSON Schema has none
    may_end: bool = False  # the text may end here
    forced: bytes = b""  # what must come next
    n_legal: int = 0  # tokens in the mask, end-of-sequence tokens included
    tokens: tuple[bytes, ...] = ()  # the legal tokens that have a text, the shortest first
    # the legal tokens by terminal, if there are any; a token may be in several
    groups: tuple[TokenGroup, ...] = ()
    token: TokenVerdict[D] | None = None  # what was asked about a token
