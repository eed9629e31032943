"""What a structural tag is made of: a tree of formats, each with its location in the JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Named(str):
    """A text with the name of a tool in it; ``template`` has ``{name}`` instead."""

    __slots__ = ("name", "template")

    template: str
    name: str


def with_name(template: str, name: str) -> str:
    if "{name}" not in template:
        return template
    found = Named(template.replace("{name}", name))
    found.template, found.name = template, name
    return found


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
