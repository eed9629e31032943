"""Which grammars are in a folder, and with which settings does each project load its own?

Beside each grammar stands a file in TOML of the same name, or of another where a project loads one
grammar in several ways::

    repository = "owner/name"
    path = "package/grammar.lark"     # in the repository: for the table
    grammar = "grammar.lark"          # beside this file; default: its name with .lark
    parser = "lalr"                   # default, as Lark's: earley
    lexer = "contextual"              # default: Lark's own for the parser
    start = ["file", "expression"]    # default: start
    flags = "im"                      # g_regex_flags
    priority = "invert"
    regex = true
    strict = true
    use_bytes = true
    samples = ["samples/*.txt"]       # texts of the language, beside this file

    [postlex]                         # what maskc writes in a comment, or
    kind = "indenter"                 # postlex = "words that say what its class does"
    NL_type = "_NL"                   # or kind = "rules", rule = ["drop:A:after:A"], …

A postlex in words is a class with code of its own, which maskc does not run: such a grammar counts
as refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFAULTS: Mapping[str, Any] = {
    "repository": "",
    "path": "",
    "grammar": None,
    "parser": "earley",
    "lexer": None,
    "start": ["start"],
    "flags": "",
    "priority": None,
    "regex": False,
    "strict": False,
    "use_bytes": False,
    "samples": [],
    "postlex": None,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A grammar as its project loads it.

    Attributes:
        name: the settings' path below the folder, without its suffix.
        settings: the file of settings.
        given: what it says, with defaults for all else.
    """

    name: str
    settings: Path
    given: Mapping[str, Any]

    @property
    def grammar(self) -> Path:
        """The grammar's file."""
        beside = self.given["grammar"] or f"{self.settings.stem}.lark"
        return self.settings.parent / str(beside)

    @property
    def postlex_in_words(self) -> str | None:
        """What a class of the project does that is not written as attributes."""
        postlex = self.given["postlex"]
        return postlex if isinstance(postlex, str) else None

    @property
    def samples(self) -> list[Path]:
        """Texts of the language."""
        folder = self.settings.parent
        return sorted(path for pattern in self.given["samples"] for path in folder.glob(pattern))

    def header(self) -> str:
        """Return the settings as comment lines at the head of the grammar."""
        given = self.given
        words = {
            "parser": given["parser"],
            "lexer": given["lexer"],
            "start": ",".join(given["start"]),
            "flags": given["flags"],
            "priority": given["priority"],
            "regex": "true" if given["regex"] else "",
            "use_bytes": "true" if given["use_bytes"] else "",
        }
        rules: list[str] = []
        if isinstance(given["postlex"], dict):
            for key, value in given["postlex"].items():
                if key == "rule":
                    rules = value
                    continue
                written = ",".join(value) if isinstance(value, list) else str(value)
                words["postlex" if key == "kind" else key] = written
        lines = [(key, value) for key, value in words.items() if value]
        lines += [("rule", rule) for rule in rules]
        return "".join(f"// maskc: {key}={value}\n" for key, value in lines)


def read_entries(folder: Path) -> Iterator[Entry]:
    """Yield the grammars of a folder and all below it, in the order of their names.

    Raises:
        ValueError: settings are no TOML, or have a key that is none.
    """
    for path in sorted(folder.rglob("*.toml")):
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = given.keys() - _DEFAULTS.keys()
        if unknown:
            raise ValueError(f"{path}: {', '.join(sorted(unknown))} is not a setting")
        name = str(path.relative_to(folder).with_suffix(""))
        yield Entry(name, path, {**_DEFAULTS, **given})
