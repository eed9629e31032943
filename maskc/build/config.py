"""Reads a ``maskc.toml`` (docs/maskc-toml.md).

What is unknown is refused by name: a misspelt setting that is passed over would build the wrong
artifact. Paths begin at the file's own folder.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from maskc.errors import ConfigError, UnreadableFileError
from maskc.files import read_bounded
from maskc.limits import MEGABYTE, Limits

MAX_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

_LISTS = {"start", "tokenizers", "resources", "text-tokens", "atom-tokens"}
_WHOLE = {"vocab-size", "memory-mb", "text", "work", "digits"}
_YES_OR_NO = {"kit", "parallel", "reasoning", "strict"}

# Settings of a grammar, by what it is.
OF_LARK = ("start", "parser", "lexer", "postlex")
OF_SCHEMAS = (
    "component",
    "style",
    "key-order",
    "blanks",
    "escapes",
    "numbers",
    "digits",
    "formats",
    "resources",
)
OF_TOOLS = ("family", "choice", "parallel", "reasoning", "strict")
OF_GRAMMARS = ("source", "regex", "tokenizers", *OF_LARK, *OF_SCHEMAS, *OF_TOOLS)
OF_TOKENIZERS = (
    *("source", "vocab-size", "eos-ids", "added-tokens", "text-tokens", "atom-tokens", "kit"),
)
OF_LIMITS = ("seconds", "memory-mb", "text", "work")


@dataclass(frozen=True, slots=True)
class Entry:
    """A grammar or a tokenizer as the file has it."""

    name: str  # what it is called in the file, and in the names of artifacts
    source: str  # a path, or a name; empty for a pattern
    # the rest, by name; all of the right type
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """What a file asks for."""

    path: str
    folder: Path
    output: Path
    grammars: tuple[Entry, ...]
    tokenizers: tuple[Entry, ...]
    limits: Limits


def load_config(path: str) -> Config:
    """Return what a file asks for.

    Raises:
        ConfigError: it cannot be read, is not TOML, or asks for what is unknown.
    """
    try:
        found = tomllib.loads(read_bounded(path, MAX_BYTES).decode("utf-8-sig"))
    except UnreadableFileError as error:
        raise ConfigError(path, "", error.reason, "give the path of a maskc.toml") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(path, "", f"it is not TOML ({error})", "write it as TOML") from None
    read = _Reader(path)
    read.refuse_unknown("", found, ("output", "tokenizers", "grammars", "limits"))
    folder = Path(path).resolve().parent
    config = Config(
        path,
        folder,
        folder / read.text("output", found.get("output", "artifacts")),
        read.entries("grammars", found.get("grammars"), OF_GRAMMARS),
        read.entries("tokenizers", found.get("tokenizers"), OF_TOKENIZERS),
        read.limits(found.get("limits", {})),
    )
    known = [tokenizer.name for tokenizer in config.tokenizers]
    for grammar in config.grammars:
        for name in grammar.settings.get("tokenizers", ()):
            if name not in known:
                location = f"grammars.{grammar.name}.tokenizers"
                raise read.refuse(location, f"there is no tokenizer {name!r}", name, known)
    return config


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the tables of a file, and names the location of what is wrong."""

    path: str

    def refuse(
        self, location: str, reason: str, name: str = "", known: Collection[str] = ()
    ) -> ConfigError:
        near = get_close_matches(name, known, n=1)
        names = ", ".join(known)
        remedy = f"did you mean {near[0]!r}? " if near else ""
        return ConfigError(self.path, location, reason, f"{remedy}available: {names}")

    def refuse_unknown(
        self, location: str, table: Mapping[str, Any], known: tuple[str, ...]
    ) -> None:
        for name in table:
            if name not in known:
                raise self.refuse(location, f"{name!r} is unknown", name, known)

    def entries(self, kind: str, table: Any, known: tuple[str, ...]) -> tuple[Entry, ...]:
        if not isinstance(table, dict) or not table:
            example = 'json = "json"' if kind == "grammars" else 'llama3 = "llama3"'
            reason, remedy = f"it names no {kind}", f"write [{kind}], and below it {example}"
            raise ConfigError(self.path, "", reason, remedy)
        return tuple(self.entry(kind, name, value, known) for name, value in table.items())

    def entry(self, kind: str, name: str, value: Any, known: tuple[str, ...]) -> Entry:
        location = f"{kind}.{name}"
        if not _NAME.fullmatch(name) or len(name) > 60:
            remedy = "use at most 60 letters, digits, dots, hyphens and underscores"
            raise ConfigError(self.path, location, "its name is not allowed in a file name", remedy)
        if isinstance(value, str):
            return Entry(name, value)
        if not isinstance(value, dict):
            remedy = f'write {name} = "…", or {name} = {{ source = "…" }}'
            raise ConfigError(self.path, location, "it is neither a string nor a table", remedy)
        self.refuse_unknown(location, value, known)
        if sum(key in value for key in ("source", "regex")) != 1:
            choice = "source or regex" if "regex" in known else "source"
            raise ConfigError(self.path, location, f"it has not one {choice}", f"give it {choice}")
        settings = {k: self.setting(f"{location}.{k}", k, v) for k, v in value.items()}
        return Entry(name, settings.pop("source", ""), settings)

    def setting(self, location: str, name: str, value: Any) -> Any:
        if name in _LISTS:
            values = [value] if isinstance(value, str) else value
            if isinstance(values, list) and all(isinstance(text, str) for text in values):
                return tuple(values)
            raise ConfigError(self.path, location, "it is not a list of texts", 'write ["…", "…"]')
        if name == "eos-ids":
            if isinstance(value, list) and value and all(type(i) is int for i in value):
                return tuple(value)
            raise ConfigError(self.path, location, "it is not a list of ids", "write [2, 3]")
        if name in _WHOLE:
            return self.whole(location, value)
        if name in _YES_OR_NO:
            if isinstance(value, bool):
                return value
            raise ConfigError(self.path, location, "it is neither true nor false", "write true")
        return self.text(location, value)

    def text(self, location: str, value: Any) -> str:
        if isinstance(value, str) and value:
            return value
        raise ConfigError(self.path, location, "it is not a string", 'write "…"')

    def whole(self, location: str, value: Any) -> int:
        if type(value) is int and value > 0:
            return value
        raise ConfigError(self.path, location, "it is not a whole number above 0", "write a number")

    def limits(self, table: Any) -> Limits:
        if not isinstance(table, dict):
            raise ConfigError(self.path, "limits", "it is not a table", "write [limits]")
        self.refuse_unknown("limits", table, OF_LIMITS)
        given = {name: self.whole(f"limits.{name}", value) for name, value in table.items()}
        if "memory-mb" in given:
            given["bytes"] = given.pop("memory-mb") * MEGABYTE
        return Limits(**given)
