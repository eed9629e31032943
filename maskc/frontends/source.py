"""Where a grammar's text comes from, and the settings that belong to it.

A grammar file may name its own settings in comment lines at its top::

    // maskc: start=file_input postlex=lark.indenter:PythonIndenter

``start``, ``parser``, ``lexer`` and ``postlex`` can be given as arguments too. Other options of
Lark that change which texts it parses are settings only: ``flags`` (its ``g_regex_flags``, as
letters of ``re``) and ``priority``. Several start symbols share one LALR table, which can change
its contexts: ``start=a,b`` is Lark's ``start=["a", "b"]``, and texts are parsed from ``a``.

The texts it imports with a relative path are kept beside it, so that an artifact carries
everything that is needed to build the same parser again, and no path of the machine.

A grammar in another notation is translated (:mod:`maskc.frontends.dialects`); its translation
carries its settings, and the original is kept beside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maskc.errors import GrammarError
from maskc.frontends.dialects import DIALECTS, LARK, REGEX, dialect_of, translate
from maskc.frontends.regex import NAME as REGEX_NAME

# Lark's parsers, each with the lexers that go with it, its default first.
LEXERS = {"lalr": ("contextual", "basic"), "earley": ("dynamic_complete", "basic")}
PRIORITIES = {"normal": "normal", "invert": "invert", "none": None}
FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_SETTINGS = ("start", "parser", "lexer", "postlex", "flags", "priority")
_SETTING = re.compile(r"^//\s*maskc:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A grammar's text with all that decides which language it is.

    Attributes:
        name: file name without its folder, or ``<text>``.
        text: the grammar.
        imports: text of each file it imports with a relative path, by relative path.
        start: the start symbol; others that share its LALR table behind commas.
        lexer: one of the parser's ``LEXERS``.
        postlex: ``module:Class`` of an ``Indenter``, or ``None``.
        flags: flags of ``re`` that apply to every terminal.
        priority: a key of ``PRIORITIES``.
        parser: a key of ``LEXERS``.
        dialect: the notation that it was written in, one of ``DIALECTS``; ``text`` is Lark's.
        original: the text in that notation; ``None`` if it is ``text``.
        folder: where relative imports are looked up; ``None`` if only ``imports`` counts.
    """

    name: str
    text: str
    imports: Mapping[str, str]
    start: str
    lexer: str
    postlex: str | None
    flags: int = 0
    priority: str = "normal"
    parser: str = "lalr"
    dialect: str = LARK
    original: str | None = None
    folder: Path | None = field(default=None, compare=False)


def load_source(
    path_or_text: str | os.PathLike[str],
    *,
    start: str | None = None,
    parser: str | None = None,
    lexer: str | None = None,
    postlex: str | None = None,
    dialect: str | None = None,
) -> GrammarSource:
    """Return the source of a grammar given as a path, or as text (anything with a line break).

    Arguments win over the settings in the text, which win over Lark's defaults. The dialect is
    the file's suffix's unless it is given; with ``regex`` the text is a pattern and no path.

    Raises:
        GrammarError: the file cannot be read, or a setting is unknown.
    """
    if dialect is not None and dialect not in DIALECTS:
        raise GrammarError(
            "<text>", f"unknown dialect {dialect!r}; choose one of {', '.join(DIALECTS)}"
        )
    if dialect == REGEX:
        name, text, folder = REGEX_NAME, str(path_or_text), None
    elif isinstance(path_or_text, str) and "\n" in path_or_text:
        name, text, folder = "<text>", path_or_text, None
    else:
        path = Path(path_or_text)
        name, folder = path.name, path.parent
        dialect = dialect or dialect_of(path.suffix)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise GrammarError(
                str(path), f"byte {error.start} is not UTF-8; save it as UTF-8"
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise GrammarError(
                str(path), f"cannot be read ({reason}); give the path of a grammar"
            ) from None
    dialect, original = dialect or LARK, None
    if dialect != LARK:
        if parser or lexer or postlex:
            raise GrammarError(
                name,
                f"it is written as {dialect}, which decides its parser and lexer; "
                "leave parser, lexer and postlex out",
            )
        original, text = text, translate(dialect, name, text, start=start)
        start, folder = None, None
    settings = _read_settings(name, text)
    parser = parser or settings.get("parser", "lalr")
    lexer = lexer or settings.get("lexer") or LEXERS.get(parser, ("",))[0]
    postlex = postlex or settings.get("postlex")
    _check_parser(name, parser, lexer, postlex)
    return GrammarSource(
        name=name,
        text=text,
        imports={},
        start=start or settings.get("start", "start"),
        lexer=lexer,
        postlex=postlex,
        flags=_read_flags(name, settings),
        priority=_read_priority(name, settings),
        parser=parser,
        dialect=dialect,
        original=original,
        folder=folder,
    )


def source_from_header(header: Mapping[str, Any]) -> GrammarSource:
    """Return the source that an artifact's header carries under ``grammar``."""
    settings = _read_settings(header["name"], header["text"])
    return GrammarSource(
        name=header["name"],
        text=header["text"],
        imports=dict(header["imports"]),
        start=header["start"],
        lexer=header["lexer"],
        postlex=header["postlex"],
        flags=_read_flags(header["name"], settings),
        priority=_read_priority(header["name"], settings),
        parser=header.get("parser", "lalr"),
        dialect=header.get("dialect", LARK),
        original=header.get("original"),
    )


def _check_parser(name: str, parser: str, lexer: str, postlex: str | None) -> None:
    """Refuse a parser, lexer and postlex that Lark does not put together.

    Raises:
        GrammarError: they do not fit.
    """
    if parser not in LEXERS:
        raise GrammarError(name, f"unknown parser {parser!r}; choose one of {', '.join(LEXERS)}")
    if parser == "earley" and lexer == "dynamic":
        raise GrammarError(
            name,
            "lexer dynamic takes only the longest match of each terminal, and is not supported; "
            "use dynamic_complete, which takes every match, or basic",
        )
    if lexer not in LEXERS[parser]:
        raise GrammarError(
            name,
            f"unknown lexer {lexer!r} for parser {parser}; "
            f"choose one of {', '.join(LEXERS[parser])}",
        )
    if parser == "earley" and postlex:
        raise GrammarError(
            name, "a postlex needs parser lalr; leave it out, or compile without --parser earley"
        )


def _read_settings(name: str, text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("//"):
            break
        match = _SETTING.match(line)
        if not match:
            continue
        for word in match[1].split():
            key, equals, value = word.partition("=")
            if not equals or not value or key not in _SETTINGS:
                raise GrammarError(
                    f"{name}:{number}",
                    f"{word!r} is not a setting; write {', '.join(f'{s}=' for s in _SETTINGS)}",
                )
            settings[key] = value
    return settings


def _read_flags(name: str, settings: Mapping[str, str]) -> int:
    flags = 0
    for letter in settings.get("flags", ""):
        if letter not in FLAGS:
            raise GrammarError(name, f"unknown flag {letter!r}; choose among {', '.join(FLAGS)}")
        flags |= FLAGS[letter]
    return flags


def _read_priority(name: str, settings: Mapping[str, str]) -> str:
    priority = settings.get("priority", "normal")
    if priority not in PRIORITIES:
        raise GrammarError(
            name, f"unknown priority {priority!r}; choose one of {', '.join(PRIORITIES)}"
        )
    return priority
