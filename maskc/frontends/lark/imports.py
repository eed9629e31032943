r"""The texts that Lark reads: whether its lexer comes to an end with them, and which are imported.

``%import .words (X)`` reads ``words.lark`` in the grammar's own folder or below it, and nothing
that a link leads to outside; ``%import common.X`` reads Lark's library, and not the current folder,
where Lark would look next. All texts count together.

Two of Lark's patterns for a grammar try ever more ways where they fail. ``"(\\"|\\\\|[^"\n])*?"``
reads two backslashes as one part or as two, so that a string with n of them that nothing closes is
tried in about 1.6\ :sup:`n` ways; so are patterns between slashes. A run of n line breaks that no
``|`` follows is tried in n² ways. All of it is one call of C code, which nothing interrupts. So we
look first, with patterns that do not go back. Texts that Lark reads are read as before, save those
with tens of thousands of blank lines in a row.
"""

from __future__ import annotations

import os
import re
from typing import Any, cast

from lark.load_grammar import FromPackageLoader, stdlib_loader

from maskc.budget import check_text
from maskc.errors import GrammarError, LimitError, UnreadableFileError
from maskc.files import find_inside
from maskc.frontends.source import GrammarSource
from maskc.frontends.texts import read_text

MOST_BLANKS = 20_000  # in a row: some seconds of C code
MOST_BACKSLASHES = 24  # in what nothing closes: 75,000 ways

# Possessive: what was read once is read as it was.
_PART = re.compile(
    r"(?P<blanks>\s+)"
    r"|(?P<comment>//[^\n]*|\#[^\n]*)"
    r'|(?P<string>"(?:\\["\\]|[^"\n])*+)'
    r"|(?P<pattern>/(?:\\[/\\]|[^/])*+)"
    r'|[^\s/\#"]++',
    re.VERBOSE,
)
_CLOSING = {"string": ('"', "a string", "a quotation mark"), "pattern": ("/", "a pattern", "/")}


def check_literals(text: str, name: str) -> None:
    """Check that nothing in a grammar's text keeps Lark's lexer from coming to an end.

    Raises:
        GrammarError: a string or pattern is not closed.
        LimitError: too many blank characters in a row.
    """
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            at += 1
            continue
        kind, at = found.lastgroup, found.end()
        if kind == "blanks" and len(found[0]) > MOST_BLANKS:
            raise LimitError(
                "blank characters in a row",
                MOST_BLANKS,
                "delete most of them",
                _locate(text, found.start(), name),
            )
        if kind in _CLOSING:
            sign, what, wanted = _CLOSING[kind]
            if text.startswith(sign, at):
                at += 1
                continue
            # As Lark does when nothing else is left: an escaped sign closes after all.
            last = found[0].rfind(sign, 1)
            if last > 0:
                at = found.start() + last + 1
            elif found[0].count("\\") > MOST_BACKSLASHES:
                raise GrammarError(
                    _locate(text, found.start(), name),
                    f"{what} is not closed; end it with {wanted}",
                )
            else:
                at = found.start() + 1


def _locate(text: str, at: int, name: str) -> str:
    return f"{name}:{text.count(chr(10), 0, at) + 1}"


def make_loader(source: GrammarSource, imports: dict[str, str]) -> FromPackageLoader:
    """Return what Lark asks for each import of a grammar; it writes the texts into ``imports``."""

    def read_import(base: Any, path: str) -> tuple[Any, str]:
        if not isinstance(base, str):  # `%import name`, not `%import .name`: Lark's own library
            return _read_library(source.name, base, path)
        key = os.path.normpath(os.path.join(base, path)).replace(os.sep, "/")
        text = source.imports.get(key)
        if text is None:
            text = _read_relative(source, key)
        imports[key] = text
        n_characters = sum(map(len, imports.values())) + len(source.text)
        check_grammar_text(key, n_characters, text)
        return key, text

    # Lark calls an entry that is callable; its annotation names only its own loader.
    return cast(FromPackageLoader, read_import)


def check_grammar_text(name: str, n_characters: int, text: str) -> None:
    """Check that a text, with all that was read before, is one that Lark can read.

    Raises:
        LimitError: it is too large.
        GrammarError: a string or pattern is not closed.
    """
    check_text(n_characters, name)
    check_literals(text, name)


def _read_library(name: str, base: Any, path: str) -> tuple[Any, str]:
    try:
        return stdlib_loader(base, path)
    except OSError:
        raise GrammarError(
            name,
            f"it imports {path.removesuffix('.lark')}, which Lark's library does not have; "
            "write a point before the name of a grammar that is beside this one",
        ) from None


def _read_relative(source: GrammarSource, key: str) -> str:
    """Return the text of an imported grammar, which lies in the folder of the one that imports."""

    def refuse(fact: str) -> GrammarError:
        return GrammarError(source.name, f"it imports {key}, {fact}")

    if source.folder is None:
        raise refuse(
            "and a grammar that is given as a text has no folder to look in; give the path of its "
            "file"
        )
    path = find_inside(source.folder, source.folder / key)
    if path is None:
        raise refuse("which leads out of its folder; put a copy into the folder")
    try:
        return read_text(path, key)
    except UnicodeDecodeError as error:
        raise refuse(f"whose byte {error.start} is not UTF-8; save it as UTF-8") from None
    except UnreadableFileError as error:
        if os.path.lexists(path):
            raise refuse(f"which {error.reason}; replace it") from None
        raise refuse("which is not there; check the path") from None
