"""Which text is meant by what a user gives: a path, a text, or the name of a grammar of ours?

What has a line break, or a colon and is no file, is a text. The notation is that of the file's
suffix, unless it is given.

Example: ``json`` is the grammar that comes with maskc, and ``start: "a"`` is a text.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from maskc.budget import check_text, current_limits
from maskc.errors import FileTooLargeError, GrammarError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.bundled import find_grammar, list_grammars
from maskc.frontends.dialects import LARK, Dialect, dialect_of, find_dialect


class Text(NamedTuple):
    """A grammar's text.

    Attributes:
        notation: in which it is written.
        name: file name without its folder, or in angle brackets what it is.
        text: the grammar.
        folder: of the file; ``None`` if there is none.
    """

    notation: Dialect
    name: str
    text: str
    folder: Path | None


def find_text(path_or_text: str | os.PathLike[str], dialect: str | None) -> Text:
    """Return the text that is meant.

    Args:
        path_or_text: a path, a text or a name.
        dialect: the notation's name; ``None``: the file's suffix says it, else it is Lark's.

    Raises:
        GrammarError: there is no such notation, or the file cannot be read.
        LimitError: it is too large.
    """
    notation = LARK if dialect is None else find_dialect(dialect)
    if not notation.suffixes:  # it has no files
        return Text(notation, f"<{notation.name}>", str(path_or_text), None)
    if isinstance(path_or_text, str) and _is_text(path_or_text):
        return Text(notation, "<text>", path_or_text, None)
    path = find_grammar(os.fspath(path_or_text))
    notation = dialect_of(path.suffix) if dialect is None else notation
    return Text(notation, path.name, _read_grammar(path), path.parent)


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
