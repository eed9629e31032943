"""Where a grammar's text comes from, and the settings that belong to it.

A grammar file may name its own settings in comment lines at its top::

    // maskc: start=file_input postlex=lark.indenter:PythonIndenter

``start``, ``parser``, ``lexer`` and ``postlex`` can be given as arguments too. Other options of
Lark that change which texts it parses are settings only: ``flags`` (its ``g_regex_flags``, as
letters of ``re``) and ``priority``. Several start symbols share one LALR table, which can change
its contexts: ``start=a,b`` is Lark's ``start=["a", "b"]``, and texts are parsed from ``a``.

A file can name no class but Lark's ``PythonIndenter``, since importing one runs code: any other
Indenter is written as its attributes (:mod:`maskc.frontends.indentation`), or given as an argument.

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

from maskc.budget import check_text, current_limits, name_grammar, run_bounded
from maskc.errors import FileTooLargeError, GrammarError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.dialects import LARK, dialect_of, find_dialect
from maskc.frontends.indentation import (
    ATTRIBUTES,
    INDENTER,
    PYTHON,
    PYTHON_INDENTER,
    Indentation,
    build_indentation,
    read_indentation,
)
from maskc.frontends.translation import Translation

# Lark's parsers, each with the lexers that go with it, its default first.
LEXERS = {"lalr": ("contextual", "basic"), "earley": ("dynamic_complete", "basic")}
PRIORITIES = {"normal": "normal", "invert": "invert", "none": None}
FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
# Of a grammar and all that it imports; the largest that we know of has 70 KB.
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
        postlex: what its ``Indenter`` looks at, or ``None``.
        flags: flags of ``re`` that apply to every terminal.
        priority: a key of ``PRIORITIES``.
        parser: a key of ``LEXERS``.
        dialect: the name of the notation that it was written in; ``text`` is Lark's.
        original: the text in that notation; ``None`` if it is ``text``.
        translation: the same grammar as values; ``None`` if it comes from an artifact.
        folder: where relative imports are looked up; ``None`` if only ``imports`` counts.
    """

    name: str
    text: str
    imports: Mapping[str, str]
    start: str
    lexer: str
    postlex: Indentation | None
    flags: int = 0
    priority: str = "normal"
    parser: str = "lalr"
    dialect: str = LARK.name
    original: str | None = None
    translation: Translation | None = field(default=None, compare=False)
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
    A ``postlex`` given here is ``module:Class``, and that module is imported.

    Raises:
        GrammarError: the file cannot be read, or a setting is unknown.
        PostlexError: the postlex given is not an ``Indenter`` that only sets attributes.
        LimitError: it is too large, or takes too long to translate.
    """
    return run_bounded(
        lambda: _load(path_or_text, start, parser, lexer, postlex, dialect), name="grammar"
    )


def _load(
    path_or_text: str | os.PathLike[str],
    start: str | None,
    parser: str | None,
    lexer: str | None,
    postlex: str | None,
    dialect: str | None,
) -> GrammarSource:
    notation = LARK if dialect is None else find_dialect(dialect)
    if not notation.suffixes:  # it has no files
        name, text, folder = f"<{notation.name}>", str(path_or_text), None
    elif isinstance(path_or_text, str) and "\n" in path_or_text:
        name, text, folder = "<text>", path_or_text, None
    else:
        path = Path(path_or_text)
        name, folder = path.name, path.parent
        notation = dialect_of(path.suffix) if dialect is None else notation
        text = _read_grammar(path)
    name_grammar(name, text, notation.wording)
    check_text(len(text), name)
    original, translation = None, None
    if notation.translate is not None:
        if parser or lexer or postlex:
            raise GrammarError(
                name,
                f"it is written as {notation.name}, which decides its parser and lexer; "
                "leave parser, lexer and postlex out",
            )
        if start is not None and not notation.takes_start:
            raise GrammarError(name, f"{notation.title} has no start symbol; leave it out")
        translation = notation.translate(name, text, start)
        original, text = text, translation.format_lark()
        start, folder = None, None
    settings, place = _read_settings(name, text)
    parser = parser or settings.get("parser", "lalr")
    lexer = lexer or settings.get("lexer") or LEXERS.get(parser, ("",))[0]
    has_postlex = bool(postlex or settings.get("postlex"))
    _check_parser(name, parser, lexer, has_postlex=has_postlex)
    return GrammarSource(
        name=name,
        text=text,
        imports={},
        start=start or settings.get("start", "start"),
        lexer=lexer,
        postlex=_load_class(postlex) if postlex else _read_postlex(place, settings),
        flags=_read_flags(name, settings),
        priority=_read_priority(name, settings),
        parser=parser,
        dialect=notation.name,
        original=original,
        translation=translation,
        folder=folder,
    )


def name_source(source: GrammarSource) -> None:
    """Tell the budget whose grammar it is for, and in which words errors speak of it."""
    terminals = source.translation.terminals if source.translation else {}
    name_grammar(
        source.name,
        source.text if source.original is None else source.original,
        find_dialect(source.dialect).wording,
        {name: terminal.rule for name, terminal in terminals.items()},
    )


def read_text(path: str | os.PathLike[str], name: str) -> str:
    r"""Return the text of a grammar's file, its line breaks as ``\n``.

    Args:
        path: of the file.
        name: what to call it if it is too large.

    Raises:
        LimitError: it is larger than a grammar may be; no more than that is read.
        UnreadableFileError: it cannot be read, or is no regular file.
        UnicodeDecodeError: it is not UTF-8.
    """
    most_bytes = 4 * current_limits().text  # of one character, UTF-8 has four at most
    try:
        data = read_bounded(path, most_bytes)
    except FileTooLargeError:
        check_text(most_bytes + 1, name)
        raise
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def source_from_header(header: Mapping[str, Any]) -> GrammarSource:
    """Return the source that an artifact's header carries under ``grammar``.

    Raises:
        GrammarError: an entry is missing or of another kind, or names a class to be imported, or it
            carries a JSON Schema.
    """
    name = header.get("name")
    if not isinstance(name, str):
        raise _bad_header("<artifact>", "does not say what the grammar is called")
    if header.get("parser") == "schema":
        raise GrammarError(
            name, "it is a JSON Schema, which this command does not read yet; inspect does"
        )
    for key, default in (("text", None), ("start", None), ("lexer", None), ("parser", "lalr")):
        if not isinstance(header.get(key, default), str):
            raise _bad_header(name, f"has no {key} that is a text")
    imports = header.get("imports")
    if not isinstance(imports, dict) or not all(isinstance(text, str) for text in imports.values()):
        raise _bad_header(name, "has no imports that are texts")
    settings, _ = _read_settings(name, header["text"])
    postlex = _postlex_from_header(name, header.get("postlex"))
    parser = header.get("parser", "lalr")
    _check_parser(name, parser, header["lexer"], has_postlex=postlex is not None)
    return GrammarSource(
        name=name,
        text=header["text"],
        imports=dict(imports),
        start=header["start"],
        lexer=header["lexer"],
        postlex=postlex,
        flags=_read_flags(name, settings),
        priority=_read_priority(name, settings),
        parser=parser,
        dialect=header.get("dialect", LARK.name),
        original=header.get("original"),
    )


def _read_grammar(path: Path) -> str:
    try:
        return read_text(path, path.name)
    except UnicodeDecodeError as error:
        raise GrammarError(
            str(path), f"byte {error.start} is not UTF-8; save it as UTF-8"
        ) from None
    except UnreadableFileError as error:
        raise GrammarError(str(path), f"{error.reason}; give the path of a grammar") from None


def _load_class(spec: str) -> Indentation:
    """Return the attributes of a class that the user names; Lark is imported for it."""
    from maskc.frontends.indenters import load_indentation

    return load_indentation(spec)


def _read_postlex(place: str, settings: Mapping[str, str]) -> Indentation | None:
    """Return the Indenter that a grammar's comments ask for.

    Raises:
        GrammarError: they name a class, or its attributes are not complete.
    """
    spec = settings.get("postlex")
    attributes = {name: settings[name] for name in ATTRIBUTES if name in settings}
    if spec != INDENTER and attributes:
        raise GrammarError(
            place, f"{next(iter(attributes))} goes with postlex={INDENTER}; write that beside it"
        )
    if spec is None or spec == PYTHON_INDENTER:
        return None if spec is None else PYTHON
    if spec != INDENTER:
        raise GrammarError(
            place,
            f"postlex={spec} names a class, and importing one would run its code: "
            f"give --postlex {spec} on the command line, or write the Indenter's attributes: "
            f"postlex={INDENTER} {'=… '.join(ATTRIBUTES)}=…",
        )
    try:
        return read_indentation(attributes)
    except ValueError as error:
        raise GrammarError(
            place, f"postlex={INDENTER}: {error}; write {'=… '.join(ATTRIBUTES)}=…"
        ) from None


def _postlex_from_header(name: str, value: Any) -> Indentation | None:
    """Return the Indenter that a header carries; older ones have the name of a class.

    Raises:
        GrammarError: it is not one that can be had without importing.
    """
    if value is None or value == PYTHON_INDENTER:
        return None if value is None else PYTHON
    if isinstance(value, dict):
        try:
            return build_indentation(value)
        except ValueError as error:
            raise _bad_header(name, f"has a postlex whose {error}") from None
    raise _bad_header(
        name,
        f"names the postlex {str(value)[:100]}, and what a file names is not imported",
        "compile the grammar again, with --postlex",
    )


def _bad_header(name: str, fact: str, remedy: str = "compile the grammar again") -> GrammarError:
    return GrammarError(name, f"the header of its artifact {fact}; {remedy}")


def _check_parser(name: str, parser: str, lexer: str, *, has_postlex: bool) -> None:
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
    if parser == "earley" and has_postlex:
        raise GrammarError(
            name, "a postlex needs parser lalr; leave it out, or compile without --parser earley"
        )


def _read_settings(name: str, text: str) -> tuple[dict[str, str], str]:
    """Return the settings of a text, and the place of the last that is about its postlex."""
    settings: dict[str, str] = {}
    place = name
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("//"):
            break
        match = _SETTING.match(line)
        if not match:
            continue
        for word in match[1].split():
            key, equals, value = word.partition("=")
            if not equals or not value or key not in (*_SETTINGS, *ATTRIBUTES):
                raise GrammarError(
                    f"{name}:{number}",
                    f"{word!r} is not a setting; write {', '.join(f'{s}=' for s in _SETTINGS)}",
                )
            settings[key] = value
            if key == "postlex" or key in ATTRIBUTES:
                place = f"{name}:{number}"
    return settings, place


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
