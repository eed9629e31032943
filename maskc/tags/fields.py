"""Fields of a structural tag's JSON: each read as what it must be, or refused with its place.

Example: ``read_count({"min": -1}, "/format", "min")`` is refused with the place ``/format/min``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.errors import TagError

MOST = 2**31 - 1


def check_fields(given: Any, pointer: str, known: tuple[str, ...]) -> None:
    """Refuse what is no object, and fields that are not known."""
    if not isinstance(given, Mapping):
        raise TagError(pointer, "it is no JSON object", "give an object")
    for name in given:
        if name not in known:
            place = f"{pointer}/{name}"
            raise TagError(place, "the field is not known here", f"use {', '.join(known)}")


def check_schema(schema: Any, pointer: str) -> None:
    """Refuse what is neither an object nor a Boolean; ``None`` is no schema."""
    if schema is not None and not isinstance(schema, Mapping | bool):
        raise TagError(pointer, "it is no JSON Schema", "give an object or a Boolean")


def check_utf8(text: str, pointer: str) -> None:
    """Refuse a text with half of a surrogate pair."""
    if not text.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise TagError(pointer, "the text is not UTF-8", "write it in UTF-8")


def check_triggers(triggers: list[str], pointer: str) -> None:
    """Refuse no triggers, an empty one, and one that begins with another."""
    if not triggers:
        raise TagError(pointer, "there is none", "give one at least")
    ordered = sorted(set(triggers))
    for trigger, following in zip(ordered, [*ordered[1:], ""], strict=True):
        if not trigger:
            raise TagError(pointer, "a trigger is empty", "give its text")
        # Of sorted texts, those that begin with one come right after it.
        if following.startswith(trigger):
            fact = f"the trigger {trigger!r} is the beginning of {following!r}"
            raise TagError(pointer, fact, "make them differ, or give the shorter one alone")


def read_items(given: Mapping[str, Any], pointer: str, field: str) -> list[tuple[str, Any]]:
    """Return the items of a list, at least one, each with its place."""
    listed = given.get(field)
    if not isinstance(listed, list | tuple) or not listed:
        raise TagError(f"{pointer}/{field}", "it is no list, or empty", "give one at least")
    return [(f"{pointer}/{field}/{n}", inner) for n, inner in enumerate(listed)]


def read_pairs(given: Mapping[str, Any], pointer: str) -> list[tuple[str, tuple[Any, Any]]]:
    """Return the rules of a dispatch, each with its place."""
    found = []
    for place, pair in read_items(given, pointer, "rules"):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TagError(place, "it is no pair", "give a trigger and a format")
        found.append((place, (pair[0], pair[1])))
    return found


def read_text(given: Mapping[str, Any], pointer: str, field: str) -> str:
    """Return a text that must be there."""
    found = given.get(field)
    if not isinstance(found, str):
        raise TagError(f"{pointer}/{field}", "it is missing, or no text", "give a text")
    check_utf8(found, f"{pointer}/{field}")
    return found


def read_texts(
    given: Mapping[str, Any],
    pointer: str,
    field: str,
    *,
    may_lack: bool = False,
    may_be_empty: bool = False,
) -> list[str]:
    """Return a list of texts; none where it lacks and may."""
    listed = given.get(field)
    if listed is None and may_lack:
        return []
    if not isinstance(listed, list | tuple):
        raise TagError(f"{pointer}/{field}", "it is no list", "give a list of texts")
    for n, text in enumerate(listed):
        place = f"{pointer}/{field}/{n}"
        if not isinstance(text, str):
            raise TagError(place, "it is no text", "give a text")
        if not text and not may_be_empty:
            raise TagError(place, "it is empty, and every text has it", "leave it out")
        check_utf8(text, place)
    return list(listed)


def read_flag(given: Mapping[str, Any], pointer: str, field: str, *, default: bool = False) -> bool:
    """Return a Boolean, or the default where there is none."""
    found = given.get(field)
    if found is None:
        return default
    if not isinstance(found, bool):
        raise TagError(f"{pointer}/{field}", "it is no Boolean", "give true or false")
    return found


def read_count(given: Mapping[str, Any], pointer: str, field: str) -> int | None:
    """Return a number that counts, ``None`` where there is none."""
    found = given.get(field)
    if found is None:
        return None
    if type(found) is not int or not 0 <= found <= MOST:
        fact = f"it is no integer from 0 to {MOST}"
        raise TagError(f"{pointer}/{field}", fact, "give a number, or null")
    return found
