"""Which rules does free text have, of triggers that are texts or tokens?

A dispatch is free text, or free tokens, that turns to something where a trigger stands: to a tag
that begins with the trigger, or to what follows it. The four formats of structural tags that say so
become one value.

Example: of ``triggered_tags`` with the trigger ``<a`` and a tag that begins with ``<a>``, the rule
is ``<a`` → that tag; a tag that begins with no trigger is refused with its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from maskc.errors import TagError
from maskc.tags import formats as f
from maskc.tags.around import Around
from maskc.tags.fields import (
    check_fields,
    check_triggers,
    read_flag,
    read_pairs,
    read_texts,
)
from maskc.tags.token_names import TokenNames


class Reading(Protocol):
    """What a reader lends; see :class:`maskc.tags.reading.Reader`.

    Attributes:
        tokens: finds tokens.
    """

    tokens: TokenNames

    def format(self, given: Any, pointer: str, around: Around) -> f.Format:
        """Return a format."""

    def tags(self, given: Mapping[str, Any], pointer: str, around: Around) -> list[f.Tag]:
        """Return the tags of a format."""


def read_triggered_tags(
    reader: Reading, given: Mapping[str, Any], pointer: str, around: Around
) -> f.Format:
    """Return the format of free text with tags that triggers begin."""
    flags = ("at_least_one", "stop_after_first")
    check_fields(given, pointer, ("type", "triggers", "tags", "excludes", *flags))
    return make_triggered(
        pointer,
        read_texts(given, pointer, "triggers"),
        reader.tags(given, pointer, around),
        (*read_texts(given, pointer, "excludes", may_lack=True), *around.ends),
        at_least_one=read_flag(given, pointer, "at_least_one"),
        loops=not read_flag(given, pointer, "stop_after_first"),
    )


def make_triggered(
    pointer: str,
    triggers: list[str],
    tags: list[f.Tag],
    excludes: tuple[str, ...],
    *,
    at_least_one: bool,
    loops: bool,
) -> f.Format:
    """Return that of tags that were read; a tag matches exactly one trigger."""
    check_triggers(triggers, f"{pointer}/triggers")
    by_length = sorted({len(trigger) for trigger in triggers})
    known, rules = set(triggers), []
    for tag in tags:
        if not isinstance(tag.begin, str):
            place = f"{tag.pointer}/begin"
            raise TagError(place, "it is a token", "use token_triggered_tags, or give a text")
        # No trigger is the beginning of another, so there is one at most.
        starts = (tag.begin[:n] for n in by_length)
        trigger = next((start for start in starts if start in known), None)
        if trigger is None:
            place = f"{tag.pointer}/begin"
            raise TagError(place, "it begins with no trigger", "add its beginning to triggers")
        rules.append(f.Rule(trigger, tag, True, tag.pointer))
    used: set[str | int] = {rule.trigger for rule in rules}
    unused = tuple(trigger for trigger in triggers if trigger not in used)
    return f.Dispatch(
        pointer,
        tuple(rules),
        unused,
        excludes,
        frozenset(),
        of_tokens=False,
        at_least_one=at_least_one,
        loops=loops,
    )


def read_dispatch(
    reader: Reading, given: Mapping[str, Any], pointer: str, around: Around
) -> f.Format:
    """Return the format of free text with what triggers turn to."""
    check_fields(given, pointer, ("type", "rules", "loop", "excludes"))
    rules = []
    for place, (trigger, content) in read_pairs(given, pointer):
        if not isinstance(trigger, str):
            raise TagError(f"{place}/0", "it is no text", "give a trigger")
        rules.append(f.Rule(trigger, reader.format(content, f"{place}/1", around), False, place))
    triggers = [str(rule.trigger) for rule in rules]
    check_triggers(triggers, f"{pointer}/rules")
    return f.Dispatch(
        pointer,
        tuple(rules),
        (),
        tuple(read_texts(given, pointer, "excludes", may_lack=True)),
        frozenset(),
        of_tokens=False,
        at_least_one=False,
        loops=read_flag(given, pointer, "loop", default=True),
    )


def read_token_triggered_tags(
    reader: Reading, given: Mapping[str, Any], pointer: str, around: Around
) -> f.Format:
    """Return the format of free tokens with tags that tokens begin."""
    flags = ("at_least_one", "stop_after_first")
    fields = ("type", "trigger_tokens", "tags", "exclude_tokens", *flags)
    check_fields(given, pointer, fields)
    if not given.get("trigger_tokens"):
        raise TagError(f"{pointer}/trigger_tokens", "it is empty", "give one trigger at least")
    triggers = reader.tokens.find_all(given, pointer, "trigger_tokens")
    rules = []
    for tag in reader.tags(given, pointer, around):
        if not isinstance(tag.begin, int):
            place = f"{tag.pointer}/begin"
            raise TagError(place, "it is a text", "use triggered_tags, or give a token")
        if tag.begin not in triggers:
            place = f"{tag.pointer}/begin"
            raise TagError(place, "it is no trigger", "add it to trigger_tokens")
        rules.append(f.Rule(tag.begin, tag, True, tag.pointer))
    excludes = reader.tokens.find_all(given, pointer, "exclude_tokens") | around.end_ids | triggers
    return f.Dispatch(
        pointer,
        tuple(rules),
        (),
        (),
        excludes,
        of_tokens=True,
        at_least_one=read_flag(given, pointer, "at_least_one"),
        loops=not read_flag(given, pointer, "stop_after_first"),
    )


def read_token_dispatch(
    reader: Reading, given: Mapping[str, Any], pointer: str, around: Around
) -> f.Format:
    """Return the format of free tokens with what tokens turn to."""
    check_fields(given, pointer, ("type", "rules", "loop", "exclude_tokens"))
    rules = []
    for place, (trigger, content) in read_pairs(given, pointer):
        token = reader.tokens.find(trigger, f"{place}/0")
        rules.append(f.Rule(token, reader.format(content, f"{place}/1", around), False, place))
    excludes = reader.tokens.find_all(given, pointer, "exclude_tokens")
    return f.Dispatch(
        pointer,
        tuple(rules),
        (),
        (),
        excludes | {int(rule.trigger) for rule in rules},
        of_tokens=True,
        at_least_one=False,
        loops=read_flag(given, pointer, "loop", default=True),
    )
