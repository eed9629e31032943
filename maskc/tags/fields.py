"""Fields of a structural tag's JSON: each read as what it must be, or refused with its location."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from maskc.errors import TagError

MAX_CHARACTERS = 8 * 1024 * 1024


def parse_tag(given: Any) -> Any:
    """Return a tag as parsed JSON, a mapping as it is; TagError if it is not a JSON object."""
    given = parse_json(given, "")
    if not isinstance(given, Mapping):
        raise TagError("", "it is not a JSON object", "give a mapping or its text")
    return given


def is_tag(given: Any) -> bool:
    """Return whether parsed JSON is meant as a structural tag, and not as a JSON Schema."""
    if not isinstance(given, dict):
        return False
    is_marked = given.get("type") == "structural_tag" or bool({"format", "structures"} & set(given))
    return is_marked and not {"$schema", "properties"} & set(given)


def parse_json(given: Any, pointer: str) -> Any:
    """Return what a JSON text says, and what is not a text as it is.

    A TagError at the pointer says that it is not JSON, or too large.
    """
    if not isinstance(given, str | bytes | bytearray):
        return given
    if len(given) > MAX_CHARACTERS:
        raise TagError(pointer, f"it has more than {MAX_CHARACTERS:,} characters", "split it")
    try:
        return json.loads(given)
    except RecursionError:
        raise TagError(pointer, "it is nested too deep", "nest less") from None
    except ValueError as error:
        raise TagError(pointer, f"it is not JSON ({error})", "give valid JSON") from None


MOST = 2**31 - 1

FindToken = Callable[[str], int | None]


class Around(NamedTuple):
    """What stands around a format: the end of the nearest tag as texts or tokens, and its depth."""

    ends: tuple[str, ...] = ()
    end_ids: frozenset[int] = frozenset()
    depth: int = 0

    def deeper(self) -> Around:
        return self._replace(depth=self.depth + 1)


class TokenNames:
    """Finds tokens by name or by id; ``find_token`` returns ``None`` where there is none."""

    def __init__(self, vocab_size: int, find_token: FindToken) -> None:
        self._vocab_size, self._find_token = vocab_size, find_token

    def find(self, given: Any, pointer: str) -> int:
        """Return a token; TagError if there is none of that name or id."""
        if type(given) is int:
            if 0 <= given < self._vocab_size:
                return given
            fact = f"there is no token {given}"
            raise TagError(pointer, fact, f"give an id below {self._vocab_size}")
        if not isinstance(given, str):
            raise TagError(pointer, "it is neither a name nor an id of a token", "give one of them")
        found = self._find_token(given)
        if found is None:
            fact = f"the tokenizer has no token {given!r}"
            raise TagError(pointer, fact, "give the token's id, or make the kit again")
        return found


class Form:
    """An object of a tag's JSON with known fields only; a TagError names its location."""

    def __init__(
        self, given: Any, pointer: str, known: Sequence[str], tokens: TokenNames, around: Around
    ) -> None:
        if not isinstance(given, Mapping):
            raise TagError(pointer, "it is not a JSON object", "give an object")
        self.given: Mapping[str, Any] = given
        self.pointer, self.around, self.tokens = pointer, around, tokens
        for name in given:
            if name not in known:
                raise self.refuse(name, "the field is not known here", f"use {', '.join(known)}")

    def locate(self, field: str) -> str:
        return f"{self.pointer}/{field}"

    def refuse(self, field: str, fact: str, remedy: str) -> TagError:
        return TagError(f"{self.pointer}/{field}", fact, remedy)

    def text(self, field: str) -> str:
        found = self.given.get(field)
        if not isinstance(found, str):
            raise self.refuse(field, "it is missing, or no text", "give a text")
        return check_utf8(found, self.locate(field))

    def texts(self, field: str, *, may_be_empty: bool = False) -> list[str]:
        given = self.given.get(field)
        if not isinstance(given, list | tuple):
            raise self.refuse(field, "it is not a list", "give a list of texts")
        for n, text in enumerate(given):
            location = f"{field}/{n}"
            if not isinstance(text, str):
                raise self.refuse(location, "it is not a string", "give a text")
            if not text and not may_be_empty:
                raise self.refuse(location, "it is empty, and every text has it", "leave it out")
            check_utf8(text, self.locate(location))
        return list(given)

    def excludes(self) -> tuple[str, ...]:
        """Return the texts that do not stand in it; none where they lack."""
        return () if self.given.get("excludes") is None else tuple(self.texts("excludes"))

    def items(self, field: str) -> list[tuple[str, Any]]:
        """Return the items of a list, at least one, each with its location."""
        given = self.given.get(field)
        if not isinstance(given, list | tuple) or not given:
            raise self.refuse(field, "it is not a list, or empty", "give at least one")
        return [(self.locate(f"{field}/{n}"), inner) for n, inner in enumerate(given)]

    def flag(self, field: str, *, default: bool = False) -> bool:
        found = self.given.get(field)
        if found is None:
            return default
        if not isinstance(found, bool):
            raise self.refuse(field, "it is no Boolean", "give true or false")
        return found

    def count(self, field: str) -> int | None:
        """Return a number that counts, ``None`` where there is none."""
        found = self.given.get(field)
        if found is None:
            return None
        if type(found) is not int or not 0 <= found <= MOST:
            raise self.refuse(field, f"it is no integer from 0 to {MOST}", "give a number, or null")
        return found

    def token(self, field: str) -> int:
        return self.tokens.find(self.given.get(field), self.locate(field))

    def token_list(self, field: str) -> frozenset[int]:
        given = self.given.get(field)
        if given is None:
            return frozenset()
        if not isinstance(given, list):
            raise self.refuse(field, "it is not a list", "give names or ids of tokens")
        locations = (self.locate(f"{field}/{n}") for n in range(len(given)))
        return frozenset(map(self.tokens.find, given, locations))


def check_schema(schema: Any, pointer: str) -> None:
    if schema is not None and not isinstance(schema, Mapping | bool):
        raise TagError(pointer, "it is not a JSON Schema", "give an object or a Boolean")


def check_utf8(text: str, pointer: str) -> str:
    """Return a text, which has no half of a surrogate pair."""
    if not text.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise TagError(pointer, "the text is not UTF-8", "write it in UTF-8")
    return text


def check_triggers(triggers: list[str], pointer: str) -> None:
    """Refuse no triggers, an empty one, and one that begins with another."""
    if not triggers:
        raise TagError(pointer, "there is none", "give at least one")
    ordered = sorted(set(triggers))
    for trigger, following in zip(ordered, [*ordered[1:], ""], strict=True):
        if not trigger:
            raise TagError(pointer, "a trigger is empty", "give its text")
        # Of sorted texts, those that begin with one come right after it.
        if following.startswith(trigger):
            fact = f"the trigger {trigger!r} is the beginning of {following!r}"
            raise TagError(pointer, fact, "make them differ, or give the shorter one alone")
