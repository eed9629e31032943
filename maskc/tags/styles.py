"""How a style writes a parameter: the texts around its name and its value, from ``styles.json``.

Strings are written as they are; everything else is JSON. A style that names the type of a value
does so between the name and the value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class CallStyle:
    """The texts of a style."""

    before: str  # before the name
    string: str  # between the name and a string
    other: str  # between the name and any other value; `{type}` is its type, if that is written
    close: str  # after the value, with `{name}` if the name is written again
    gap: str = ""  # another text, with blanks before it, that follows string and other
    forbidden: str = ""  # what stands in no string; empty: close
    # what may stand before and after a string that is not free, as templates write it
    line: str = ""
    # another way to write false and true, as the models' own templates do in Python's words, and
    # parsers read both; empty: JSON alone
    booleans: tuple[str, ...] = ()
    # type → the word for it, where that is another one
    types: Mapping[str, str] = field(default_factory=dict)
    # what opens a value → what closes it, where that is not close
    ends: Mapping[str, str] = field(default_factory=dict)
    # between parameters and between items, without blanks; names that the schema does not give are
    # not written
    separator: str = ""
    marks: str = ""  # characters that stand in no name
    unwritten: tuple[str, ...] = ()  # types that not all parsers read
    numbers: str = "digits"  # a layout's: with short there are no exponents
    # what texts stand between, one of them, with Python's escapes; empty: nothing
    quotes: tuple[str, ...] = ()
    # null, false and true → the words for it, where those are others
    literals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inner: str = ""  # the style of objects inside of arguments, whose names are in quotes
    # whether a blank may stand after a separator, and before a value in an object
    is_spaced: bool = False
    identifiers: str = ""  # a pattern of names, of Python's arguments; empty: names of any kind
    # whether names may be words of Python, which some parsers rename before they read
    keywords: bool = False
    # before an item of an array, and between it and its value as string and other; empty: arrays
    # and objects are JSON
    item: tuple[str, str, str] | None = None

    def before_value(self, opening: str) -> list[str]:
        """Return the ways to write what stands between a name and a value."""
        has_blank = self.is_spaced and not self.identifiers
        return [opening, f"{opening[0]} {opening[1:]}"] if has_blank else [opening]

    @property
    def is_nested(self) -> bool:
        """Whether arrays and objects are written as parameters are."""
        return self.item is not None

    @property
    def closes_by_name(self) -> bool:
        """Whether the name is written again after the value."""
        return "{name}" in self.close

    def between(self, kind: str, text: str) -> str:
        return text.replace("{type}", self.types.get(kind, kind))

    def closing(self, opening: str) -> str:
        return next((e for begin, e in self.ends.items() if opening.endswith(begin)), self.close)

    @property
    def writes_types(self) -> bool:
        """Whether each value has its type written before it."""
        return "{type}" in self.other


def _read_style(entry: Mapping[str, Any]) -> CallStyle:
    while "like" in entry:
        entry = {**_DATA[entry["like"]], **{k: v for k, v in entry.items() if k != "like"}}
    texts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return CallStyle(**texts)


_DATA = json.loads((files("maskc.tags") / "styles.json").read_bytes())
STYLES: dict[str, CallStyle] = {name: _read_style(entry) for name, entry in _DATA.items()}
