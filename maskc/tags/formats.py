"""What a structural tag is made of: a tree of formats, and the ways to write their texts.

Each format has its location in the JSON. Where the name of a special token stands in a text of a
tag, the tokenizer reads that token there, and so does a model write it. Two readings are offered:
the token *or* its characters, as a parser of text takes both; or the token alone, as the families
of models have it, whose parsers look at tokens. In free text the characters of a delimiter are
forbidden either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from maskc.runtime.link import pattern_of
from maskc.runtime.link.automata import ATOM
from maskc.runtime.link.joining.pieces import Word

# Of one constant: each of them doubles the ways to write it.
_MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class Format:
    """A part of the output, with the JSON pointer to where it stands in the request."""

    pointer: str


@dataclass(frozen=True, slots=True)
class ConstString(Format):
    """One text."""

    value: str


@dataclass(frozen=True, slots=True)
class JsonSchema(Format):
    """A value by a JSON Schema."""

    schema: Any  # an object, a Boolean or None for any object
    style: str
    any_order: bool  # whether keys come in any order; else as the schema names them
    max_blanks: int | None  # how many blanks are allowed in a row; None: as a kit allows
    excludes: tuple[str, ...]  # what stands in no string of the value
    tool: str = ""  # the name of the tool whose arguments it is, for errors; empty if it is none's


@dataclass(frozen=True, slots=True)
class GrammarFormat(Format):
    """The texts of a grammar in EBNF, as llama.cpp and xgrammar write it."""

    text: str


@dataclass(frozen=True, slots=True)
class Regex(Format):
    """The texts of a pattern."""

    pattern: str


@dataclass(frozen=True, slots=True)
class AnyText(Format):
    """Free text."""

    excludes: tuple[str, ...]
    max_tokens: int | None
    max_characters: int | None


@dataclass(frozen=True, slots=True)
class SequenceFormat(Format):
    """One after the other."""

    elements: tuple[Format, ...]


@dataclass(frozen=True, slots=True)
class Either(Format):
    """One of several."""

    elements: tuple[Format, ...]


@dataclass(frozen=True, slots=True)
class RepeatFormat(Format):
    """The same, ``low`` to ``high`` times; ``None``: without a bound."""

    content: Format
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Token(Format):
    """One token."""

    token_id: int


@dataclass(frozen=True, slots=True)
class AnyTokens(Format):
    """Tokens but those that are excluded, ``low`` to ``high`` of them."""

    excludes: frozenset[int]
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Tag(Format):
    """What stands between a begin and one of some ends, each a text or a token."""

    begin: str | int
    content: Format
    ends: tuple[str, ...] | int


@dataclass(frozen=True, slots=True)
class TriggerRule:
    """What a trigger turns to: what follows it, or a tag that begins with it."""

    trigger: str | int
    content: Format
    begins_with_trigger: bool
    pointer: str


@dataclass(frozen=True, slots=True)
class Dispatch(Format):
    """Free text, or free tokens, with rules that triggers turn to."""

    rules: tuple[TriggerRule, ...]
    unused: tuple[str, ...] = ()  # triggers without a rule: the free text does not have them
    excludes: tuple[str, ...] = ()  # texts that the free text does not have
    excluded_ids: frozenset[int] = frozenset()  # tokens that are not among the free ones
    of_tokens: bool = False  # whether triggers are tokens, and what is free as well
    at_least_one: bool = False  # whether it begins with a rule, without free text before it
    loops: bool = True  # whether free text, and rules, go on after one


@dataclass(frozen=True, slots=True)
class Separated(Format):
    """Tags with a separator between them, and no other text."""

    tags: tuple[Tag, ...]
    separator: str
    at_least_one: bool
    stops_after_first: bool


class WrittenStretch(NamedTuple):
    """A part of a text: the ways to write it, none if it ends the sequence, and its bytes."""

    words: tuple[Word, ...]
    text: bytes


class Strings:
    """Writes texts with the names of special tokens in them.

    With ``names_as_text`` the characters of a name are as good as the token; ``ends`` are the
    tokens that end the sequence.
    """

    def __init__(
        self, special_ids: Mapping[str, int], ends: frozenset[int], *, names_as_text: bool
    ) -> None:
        self._ids, self._ends, self.names_as_text = special_ids, ends, names_as_text
        self._names = pattern_of(special_ids)
        self._sizes = {ATOM + token: len(name.encode()) for name, token in special_ids.items()}

    def size(self, symbol: int) -> int:
        return self._sizes.get(symbol, 1)

    def cut(self, text: str) -> list[WrittenStretch]:
        """Return the stretches of a text, none of them with very many ways to write it."""
        found: list[WrittenStretch] = []
        open_, n_names = WrittenStretch(((),), b""), 0
        for piece, token in self._find_names(text):
            data = piece.encode()
            words = [tuple(data)] if token is None or self.names_as_text else []
            if token is not None and token in self._ends:
                found += [open_, WrittenStretch(tuple(words), data)]
                open_, n_names = WrittenStretch(((),), b""), 0
                continue
            if token is not None:
                words.append((ATOM + token,))
                n_names += 1
                if n_names > _MOST_NAMES and self.names_as_text:
                    found.append(open_)
                    open_, n_names = WrittenStretch(((),), b""), 1
            longer = tuple(before + word for before in open_.words for word in words)
            open_ = WrittenStretch(longer, open_.text + data)
        return [stretch for stretch in (*found, open_) if stretch.text]

    def find_end(self, stretch: WrittenStretch) -> int | None:
        """Return the token that ends the sequence, if a stretch is the name of one."""
        token = self._ids.get(stretch.text.decode())
        return token if token in self._ends else None

    def _find_names(self, text: str) -> list[tuple[str, int | None]]:
        """Return the parts of a text, each with the special token whose name it is."""
        parts = self._names.split(text)
        return [(part, self._ids[part] if n % 2 else None) for n, part in enumerate(parts) if part]
