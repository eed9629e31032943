"""Which texts does a grammar import, and may it?

``%import .words (X)`` reads ``words.lark`` in the grammar's own folder or below it, and nothing
that a link leads to outside; ``%import common.X`` reads Lark's library, and not the current folder,
where Lark would look next. All texts count together.
"""

from __future__ import annotations

import os
from typing import Any, cast

from lark.load_grammar import FromPackageLoader, stdlib_loader

from maskc.budget import check_text
from maskc.errors import GrammarError, UnreadableFileError
from maskc.files import find_inside
from maskc.frontends.lark.literals import check_literals
from maskc.frontends.source import GrammarSource
from maskc.frontends.texts import read_text


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
    """Return what Lark's own loader finds in its library.

    Raises:
        GrammarError: it finds none; Lark would look in the current folder next.
    """
    try:
        return stdlib_loader(base, path)
    except OSError:
        raise GrammarError(
            name,
            f"it imports {path.removesuffix('.lark')}, which Lark's library does not have; "
            "write a point before the name of a grammar that is beside this one",
        ) from None


def _read_relative(source: GrammarSource, key: str) -> str:
    """Return the text of an imported grammar, which lies in the folder of the one that imports.

    Raises:
        GrammarError: it is not there, leads out of the folder, is too large or no regular file.
    """
    if source.folder is None:
        raise GrammarError(
            source.name,
            f"it imports {key}, and a grammar that is given as a text has no folder to look in; "
            "give the path of its file",
        )
    path = find_inside(source.folder, source.folder / key)
    if path is None:
        raise GrammarError(
            source.name,
            f"it imports {key}, which leads out of its folder; put a copy into the folder",
        )
    try:
        return read_text(path, key)
    except UnicodeDecodeError as error:
        raise GrammarError(
            source.name,
            f"it imports {key}, whose byte {error.start} is not UTF-8; save it as UTF-8",
        ) from None
    except UnreadableFileError as error:
        if os.path.lexists(path):
            reason, remedy = error.reason, "replace it"
        else:
            reason, remedy = "is not there", "check the path"
        raise GrammarError(source.name, f"it imports {key}, which {reason}; {remedy}") from None
