"""The grammar that a user names: its notation, and its text, by path or name of one of ours.

An entry says how a grammar in a notation is recognised, who reads it, whether it takes a start
symbol, and in which words its author is told what is wrong. Who adds a notation adds an entry here
and nothing elsewhere, but its name in the format's check of headers
(:mod:`maskc.artifact.header`, which knows no front end).

What has a line break, or a colon and is no file, is a text. Of a style, a file in TOML
(docs/roles.md), what is unknown is refused: a misspelt table would leave the roles out.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from maskc.budget import check_text, current_limits
from maskc.errors import FileTooLargeError, GrammarError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.characters import lower_grammar
from maskc.frontends.notations import read_rules, translate_regex
from maskc.frontends.translation import Translation
from maskc.wording import LARK_WORDING, Phrase, Wording

Translate = Callable[[str, str, str | None], Translation]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A notation."""

    name: str  # what artifacts and `dialect=` call it
    title: str  # what people call it
    suffixes: tuple[str, ...]  # of its files; none if a grammar in it is no file but an argument
    # name and text of a grammar, and its start symbol or None → the same grammar over terminals;
    # None for Lark's own notation
    translate: Translate | None
    takes_start: bool  # whether a grammar in it has several symbols that a text can start with
    wording: Wording  # how errors speak to its authors


# GBNF and EBNF have rules and neither terminals nor a lexer.
_RULES = {
    Phrase.ONE_TERMINAL: "states in the automaton of one rule",
    Phrase.WITH_THE_LEXER: "rules when they are written out for the parser",
    Phrase.CUTS: "ways to cut tokens into parts of rules",
    Phrase.SIMPLER_TERMINALS: "simplify the rules: lower their counts, or name fewer alternatives",
    Phrase.SIMPLER_TERMINAL: "lower its counts, or split it into rules that name each other",
    Phrase.SIMPLER_RULES: "simplify the rules",
    Phrase.COUNT_LESS: "lower the counts in the rules",
    Phrase.FEWER_MATCHES: "let fewer rules match the same texts",
    Phrase.FEWER_CUTS: "let fewer rules match the same texts",
    Phrase.SMALLER_GRAMMAR: "lower its counts, and list fewer words",
    Phrase.IGNORE_BLANKS: "simplify the rules",
    Phrase.WRITE_WITHOUT: "write the rule without it",
    Phrase.NO_TEXT: "no text at all is in the language: no rule comes to an end",
    Phrase.NO_GENERAL_TEXT: "no text at all is in the language: no rule comes to an end",
}
_OF_TERMINALS = (
    *(Phrase.SIMPLER_TERMINALS, Phrase.SIMPLER_TERMINAL, Phrase.SIMPLER_RULES),
    *(Phrase.SIMPLER_NESTING, Phrase.SMALLER_GRAMMAR, Phrase.FEWER_MATCHES, Phrase.FEWER_CUTS),
    Phrase.IGNORE_BLANKS,
)
_NO_MATCH = "it matches no text at all; look for parts that contradict each other"
_PATTERN = dict.fromkeys(
    _OF_TERMINALS, "simplify the pattern: lower its counts, or name fewer alternatives"
) | {
    Phrase.CHARACTERS: "characters of pattern",
    Phrase.ONE_TERMINAL: "states in its automaton",
    Phrase.WITH_THE_LEXER: "lines when it is written out for the parser",
    Phrase.CUTS: "ways to cut tokens into parts of it",
    Phrase.COUNT_LESS: "lower the counts in it",
    Phrase.NEST_LESS: "open fewer groups inside each other",
    Phrase.WRITE_WITHOUT: "write the pattern without it",
    Phrase.NO_TEXT: _NO_MATCH,
    Phrase.NO_GENERAL_TEXT: _NO_MATCH,
}


def _wording(phrases: Mapping[Phrase, str], **named: str) -> Wording:
    return Wording(MappingProxyType({str(p): text for p, text in phrases.items()}), **named)


LARK = Dialect("lark", "Lark", (".lark",), None, takes_start=True, wording=LARK_WORDING)
GBNF = Dialect(
    name="gbnf",
    title="llama.cpp's GBNF",
    suffixes=(".gbnf",),
    translate=lambda name, text, start: lower_grammar(read_rules("gbnf", name, text, start)),
    takes_start=True,
    wording=_wording(_RULES, terminal="rule", definition=r"^[ \t]*NAME[ \t]*::="),
)
EBNF = Dialect(
    name="ebnf",
    title="the W3C's EBNF",
    suffixes=(".ebnf",),
    translate=lambda name, text, start: lower_grammar(read_rules("ebnf", name, text, start)),
    takes_start=True,
    wording=_wording(
        _RULES, terminal="rule", definition=r"^\s*(?:\[\s*\d+[a-z]?\s*\]\s*)?NAME\s*::="
    ),
)
REGEX = Dialect(
    name="regex",
    title="a regular expression",
    suffixes=(),
    translate=lambda _name, text, _start: translate_regex(text),
    takes_start=False,
    wording=_wording(_PATTERN, whole="the pattern"),
)
DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (LARK, GBNF, EBNF, REGEX)}
)


def find_dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        known = ", ".join(DIALECTS)
        raise GrammarError("<text>", f"unknown dialect {name!r}; choose one of {known}")
    return DIALECTS[name]


def dialect_of(suffix: str) -> Dialect:
    """Return the notation of files with a suffix; of files with an unknown one it is Lark's.

    >>> dialect_of(".gbnf").name, dialect_of(".lark").name, dialect_of(".txt").name
    ('gbnf', 'lark', 'lark')
    """
    for dialect in DIALECTS.values():
        if suffix.lower() in dialect.suffixes:
            return dialect
    return LARK


MAX_BYTES = 1 << 20  # of a style

_PACKAGE = Path(__file__).parent.parent
# Installed, the grammars are in the package; in a checkout, beside it.
_FOLDERS = (_PACKAGE / "grammars", _PACKAGE.parent / "grammars")


def list_grammars() -> list[str]:
    return sorted({path.stem for folder in _FOLDERS for path in folder.glob("*.lark")})


def list_styles() -> list[str]:
    return sorted({path.stem for folder in _FOLDERS for path in folder.glob("styles/*.toml")})


def describe_grammar(name: str) -> str:
    """Return the first sentence of the comment that a grammar begins with."""
    lines = find_grammar(name).read_text(encoding="utf-8").splitlines()
    # The first line has the settings, the second is empty.
    comment = []
    for line in lines[2:]:
        if not line.startswith("// "):
            break
        comment.append(line.removeprefix("// "))
    return " ".join(comment).partition(". ")[0].removesuffix(".")


def find_grammar(name: str) -> Path:
    """Return the path of a grammar; a bare name that is no file is one of maskc's own."""
    return _find(name, f"{name}.lark")


def _find(name: str, own: str) -> Path:
    path = Path(name)
    if os.path.exists(path) or path.name != name or path.suffix:
        return path
    paths = (folder / own for folder in _FOLDERS)
    return next((path for path in paths if path.is_file()), path)


class GrammarText(NamedTuple):
    """A grammar's text, with the name of its file or, in angle brackets, what it is."""

    notation: Dialect
    name: str
    text: str
    folder: Path | None


def find_text(path_or_text: str | os.PathLike[str], dialect: str | None) -> GrammarText:
    """Return the text that is meant.

    Raises:
        GrammarError: there is no such notation, or the file cannot be read.
        LimitError: it is too large.
    """
    notation = LARK if dialect is None else find_dialect(dialect)
    if not notation.suffixes:  # it has no files
        return GrammarText(notation, f"<{notation.name}>", str(path_or_text), None)
    if isinstance(path_or_text, str) and _is_text(path_or_text):
        return GrammarText(notation, "<text>", path_or_text, None)
    path = find_grammar(os.fspath(path_or_text))
    notation = dialect_of(path.suffix) if dialect is None else notation
    return GrammarText(notation, path.name, _read_grammar(path), path.parent)


def read_text(path: str | os.PathLike[str], name: str) -> str:
    r"""Return the text of a grammar's file, its line breaks as ``\n``.

    Raises:
        LimitError: it is larger than a grammar may be; no more than that is read.
        UnreadableFileError: it cannot be read, or is not a regular file.
        UnicodeDecodeError: it is not UTF-8.
    """
    most_bytes = 4 * current_limits().text  # of one character, UTF-8 has four at most
    try:
        data = read_bounded(path, most_bytes)
    except FileTooLargeError:
        check_text(most_bytes + 1, name)
        raise
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def _is_text(path_or_text: str) -> bool:
    """Return whether it is a grammar's text: a path has no line break, and rarely a colon."""
    return "\n" in path_or_text or (":" in path_or_text and not os.path.exists(path_or_text))


def _read_grammar(path: Path) -> str:
    try:
        return read_text(path, path.name)
    except UnicodeDecodeError as error:
        raise GrammarError(
            str(path), f"byte {error.start} is not UTF-8; save it as UTF-8"
        ) from None
    except UnreadableFileError as error:
        # A name that has a suffix, or a folder, is of a file.
        is_name = not path.suffix and path.name == str(path)
        nearest = get_close_matches(path.name, list_grammars(), 1) if is_name else []
        meant = f"; did you mean {nearest[0]}, which comes with maskc?" if nearest else ""
        raise GrammarError(
            str(path), f"{error.reason}; give the path of a grammar{meant}"
        ) from None


@dataclass(frozen=True, slots=True)
class Style:
    """What a style file says."""

    roles: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""


def load_style(path: str | os.PathLike[str]) -> Style:
    """Return what a style says; GrammarError: the file cannot be read, or is no style."""
    location = _find(os.fspath(path), f"styles/{os.fspath(path)}.toml")
    name = location.name
    try:
        found = tomllib.loads(read_bounded(location, MAX_BYTES).decode("utf-8-sig"))
    except UnreadableFileError as error:
        raise GrammarError(
            os.fspath(path),
            f"{error.reason}; give the path of a style, or one of {', '.join(list_styles())}",
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise GrammarError(name, f"it is not TOML: {error}; see docs/names.md") from None
    fact = _find_fault(found)
    if fact:
        raise GrammarError(
            name,
            f'{fact}; write [roles] and "RULE.TERMINAL" = "PATTERN" for each, and rules = "…" '
            "with Lark text; see docs/names.md",
        )
    return Style(**found)


def _find_fault(found: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the content of a style file, or None."""
    others = sorted(found.keys() - {"roles", "rules"})
    if others:
        return f"it has {others[0]!r}, which is unknown"
    if not found:
        return "it has no table [roles] and no rules"
    roles = found.get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(one, str) for one in roles.values()):
        return "its [roles] is not a table of texts"
    if not isinstance(found.get("rules", ""), str):
        return "its rules are no text"
    return None
