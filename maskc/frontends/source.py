"""A grammar's text with all that decides which language it is.

A :class:`GrammarSource` comes from a file, a text or an artifact's header. The texts that it
imports with a relative path are kept beside it, so that an artifact carries everything that is
needed to build the same parser again, and no path of the machine.

A grammar in another notation than Lark's is translated (:mod:`maskc.frontends.texts`), and the
original is kept beside the translation. Its settings are the translation's; those of a text in
Lark's notation stand in its first lines (:mod:`maskc.frontends.settings`).

In an artifact's header, equal grammars with equal settings have equal hashes. ``postlex`` is the
attributes of an ``Indenter`` under Lark's names; an older version wrote ``module:Class``.
``parser`` is named only where it is not LALR, so that an artifact of an older version says the
same.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maskc.bounded import run_bounded
from maskc.budget import check_text, name_grammar
from maskc.errors import GrammarError
from maskc.frontends.postlex import PYTHON, PYTHON_INDENTER, build_indentation, build_rules
from maskc.frontends.settings import (
    Postlex,
    Role,
    check_parser,
    default_lexer,
    read_options,
    read_postlex,
    read_settings,
    write_roles,
)
from maskc.frontends.texts import LARK, Dialect, Translate, find_dialect, find_text
from maskc.frontends.translation import Translation

_HALF = re.compile("[\ud800-\udfff]")  # of a surrogate pair


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A grammar's text with all that decides which language it is."""

    name: str  # file name without its folder, or `<text>`
    text: str  # the grammar
    # text of each file it imports with a relative path, by relative path
    imports: Mapping[str, str]
    start: str  # the start symbol; others that share its LALR table after commas
    lexer: str  # one of the parser's LEXERS
    postlex: Postlex | None  # what its Indenter looks at, or what is dropped and renamed; or None
    flags: int = 0  # flags of re that apply to every terminal
    priority: str = "normal"  # a key of PRIORITIES
    parser: str = "lalr"  # a key of LEXERS
    regex: bool = False  # whether terminals are patterns of the module regex
    use_bytes: bool = False  # whether texts are bytes, of which each is a character to the patterns
    # (terminal, pattern), what stands in the place of the grammar's own patterns
    patterns: tuple[tuple[str, str], ...] = ()
    # (terminal, texts), what a group may have that a terminal refers back to
    backreferences: tuple[tuple[str, tuple[str, ...]], ...] = ()
    roles: tuple[Role, ...] = ()  # terminals that are narrowed in a rule; text says them, too
    holes: tuple[str, ...] = ()  # terminals that requests narrow, as the text marks them
    dialect: str = LARK.name  # the name of the notation that it was written in; text is Lark's
    original: str | None = None  # the text in that notation; None if it is text
    lexer_is_default: bool = field(default=False, compare=False)  # whether nobody chose the lexer
    # whether Lark's Earley parser and the LALR parser that stands here must read the same texts, so
    # that a conflict is refused
    is_earleys: bool = field(default=False, compare=False)
    # the same grammar as values; None if it comes from an artifact
    translation: Translation | None = field(default=None, compare=False)
    # where relative imports are looked up; None if only imports counts
    folder: Path | None = field(default=None, compare=False)

    def describe(self) -> dict[str, Any]:
        """Return the entry ``grammar`` of a header; :func:`source_from_header` reads it."""
        postlex = None if self.postlex is None else self.postlex.to_dict()
        parser = {} if self.parser == "lalr" else {"parser": self.parser}
        hashed = [self.text, self.start, self.lexer, postlex, dict(self.imports), *parser.values()]
        found = {
            "name": self.name,
            "text": self.text,
            "imports": dict(self.imports),
            "start": self.start,
            "lexer": self.lexer,
            "postlex": postlex,
            "sha256": hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest(),
            **parser,
        }
        # A grammar in Lark's notation is its own original.
        if self.original is not None:
            found |= {"dialect": self.dialect, "original": self.original}
        return found


def load_source(
    path_or_text: str | os.PathLike[str],
    *,
    start: str | None = None,
    parser: str | None = None,
    lexer: str | None = None,
    postlex: str | None = None,
    dialect: str | None = None,
    roles: Mapping[str, str] | None = None,
    rules: str = "",
) -> GrammarSource:
    """Return the source of a grammar.

    It is given as a path, as a text, or by the name of one that comes with maskc. What has a line
    break, or a colon and is no file, is a text.

    Arguments win over the settings in the text, which win over Lark's defaults. The dialect is
    the file's suffix's unless it is given; with ``regex`` the text is a pattern and no path.
    A ``postlex`` given here is ``module:Class``, and that module is imported. ``roles`` are
    patterns of terminals in rules, by ``rule.TERMINAL`` (:mod:`maskc.frontends.settings`), and
    ``rules`` is Lark text; both are written at the end of the grammar's.

    Raises:
        GrammarError: the file cannot be read, or a setting or a role is none.
        PostlexError: the postlex given is not an ``Indenter`` that only sets attributes.
        LimitError: it is too large, or takes too long to translate.
    """
    return run_bounded(
        lambda: _load(path_or_text, start, parser, lexer, postlex, dialect, roles or {}, rules),
        name="grammar",
    )


def load_sources(
    path_or_text: str | os.PathLike[str], *, starts: Sequence[str], **settings: Any
) -> list[GrammarSource]:
    """Return the sources of a grammar with each of its start symbols, at least one."""
    if len(set(starts)) < len(starts):
        twice = next(start for start in starts if list(starts).count(start) > 1)
        raise GrammarError(twice, "it is a start symbol twice; name it once")
    return [load_source(path_or_text, start=start, **settings) for start in starts or (None,)]


def _load(
    path_or_text: str | os.PathLike[str],
    start: str | None,
    parser: str | None,
    lexer: str | None,
    postlex: str | None,
    dialect: str | None,
    roles: Mapping[str, str],
    rules: str,
) -> GrammarSource:
    notation, name, text, folder = find_text(path_or_text, dialect)
    name_grammar(name, text, notation.wording)
    check_text(len(text), name)
    if notation.translate is not None:
        _check_no_settings(notation, name, (parser, lexer, postlex), roles, rules)
        return _translate(notation, notation.translate, name, text, start)
    half = _HALF.search(text)
    if half:
        line = text.count("\n", 0, half.start()) + 1
        fact = f"U+{ord(half[0]):04X} is half of a surrogate pair, which no text holds"
        raise GrammarError(f"{name}:{line}", f"{fact}; write the character itself")
    if rules:
        text = f"{text.rstrip(chr(10))}\n{rules}"
        check_text(len(text), name)
    text = write_roles(name, text, roles)
    settings, location = read_settings(name, text)
    parser = parser or settings.get("parser", "lalr")
    chosen = lexer or settings.get("lexer")
    has_postlex = bool(postlex or settings.get("postlex"))
    lexer = chosen or default_lexer(parser, has_postlex=has_postlex)
    check_parser(name, parser, lexer, has_postlex=has_postlex)
    # The runtime keeps columns and open blocks beside one stack. Without conflicts one is enough.
    is_earleys = parser == "earley" and has_postlex
    if postlex:
        from maskc.frontends.lark.rule_postlex import load_indentation

        read: Postlex | None = load_indentation(postlex)
    else:
        read = read_postlex(location, settings)
    given = {**settings, "postlex": postlex} if postlex else settings
    options = read_options(name, text, given)
    if options["use_bytes"] and roles:
        raise GrammarError(
            name, "use_bytes=true cannot be combined with roles; leave one of them out"
        )
    return GrammarSource(
        name=name,
        text=text,
        imports={},
        start=start or settings.get("start", "start"),
        lexer=lexer,
        postlex=read,
        parser="lalr" if is_earleys else parser,
        lexer_is_default=not chosen,
        is_earleys=is_earleys,
        folder=folder,
        **options,
    )


def _check_no_settings(
    notation: Dialect,
    name: str,
    settings: tuple[str | None, ...],
    roles: Mapping[str, str],
    rules: str,
) -> None:
    """Check that a grammar in another notation is given nothing that is Lark's."""
    if any(settings):
        raise GrammarError(
            name,
            f"it is written as {notation.name}, which fixes its parser and lexer; "
            "leave parser, lexer and postlex out",
        )
    if roles or rules:
        raise GrammarError(
            name,
            f"it is written as {notation.name}, which has no terminals "
            "and no rules of Lark's; leave roles and style out",
        )


def _translate(
    notation: Dialect, translate: Translate, name: str, text: str, start: str | None
) -> GrammarSource:
    if start is not None and not notation.takes_start:
        raise GrammarError(name, f"{notation.title} has no start symbol; leave it out")
    translation = translate(name, text, start)
    return GrammarSource(
        name=name,
        text=translation.format_lark(),
        imports={},
        start=translation.start,
        lexer=translation.lexer,
        postlex=None,
        parser=translation.parser,
        dialect=notation.name,
        original=text,
        translation=translation,
    )


def name_source(source: GrammarSource) -> None:
    """Tell the budget whose grammar it is for, and in which words errors speak of it."""
    name_grammar(
        source.name,
        source.text if source.original is None else source.original,
        find_dialect(source.dialect).wording,
        source.translation.rule_of if source.translation else {},
    )


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
            name,
            "it is a JSON Schema, which this command does not read yet; inspect, verify and "
            "generate do",
        )
    for key, default in (("text", None), ("start", None), ("lexer", None), ("parser", "lalr")):
        if not isinstance(header.get(key, default), str):
            raise _bad_header(name, f"has no {key} that is a text")
    imports = header.get("imports")
    if not isinstance(imports, dict) or not all(isinstance(text, str) for text in imports.values()):
        raise _bad_header(name, "has no imports that are texts")
    settings, _ = read_settings(name, header["text"])
    postlex = _postlex_from_header(name, header.get("postlex"))
    parser = header.get("parser", "lalr")
    check_parser(name, parser, header["lexer"], has_postlex=postlex is not None)
    return GrammarSource(
        name=name,
        text=header["text"],
        imports=dict(imports),
        start=header["start"],
        lexer=header["lexer"],
        postlex=postlex,
        parser=parser,
        dialect=header.get("dialect", LARK.name),
        original=header.get("original"),
        **read_options(name, header["text"], settings),
    )


def _postlex_from_header(name: str, value: Any) -> Postlex | None:
    """Return the postlex that a header carries; older ones have the name of a class."""
    if value is None or value == PYTHON_INDENTER:
        return None if value is None else PYTHON
    if isinstance(value, dict):
        try:
            return build_rules(value) if "rules" in value else build_indentation(value)
        except ValueError as error:
            raise _bad_header(name, f"has a postlex whose {error}") from None
    raise _bad_header(
        name,
        f"names the postlex {str(value)[:100]}, and what a file names is not imported",
        "compile the grammar again, with --postlex",
    )


def _bad_header(name: str, fact: str, remedy: str = "compile the grammar again") -> GrammarError:
    return GrammarError(name, f"the header of its artifact {fact}; {remedy}")
