"""Which newlines, blocks and brackets does an ``Indenter`` look at?

Six attributes decide what a ``lark.indenter.Indenter`` that overrides nothing else does. Here
they are a value. It is all that a grammar's file or an artifact can bring: a name of a class
would have to be imported, which runs what its author wrote. The one class that may be named is
Lark's own ``PythonIndenter``, whose attributes are known.

Example: a grammar whose comment says ``postlex=indenter NL_type=_NL INDENT_type=_INDENT
DEDENT_type=_DEDENT OPEN_PAREN_types=LPAR CLOSE_PAREN_types=RPAR tab_len=4``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PYTHON_INDENTER = "lark.indenter:PythonIndenter"
INDENTER = "indenter"  # what stands for an Indenter with the attributes beside it
TERMINALS = ("NL_type", "INDENT_type", "DEDENT_type")
BRACKETS = ("OPEN_PAREN_types", "CLOSE_PAREN_types")
TAB = "tab_len"
ATTRIBUTES = (*TERMINALS, *BRACKETS, TAB)
MAX_TAB = (1 << 16) - 1

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Indentation:
    """The attributes of an ``Indenter``.

    Attributes:
        newline: ``NL_type``, the terminal whose lexemes end in a line's blanks.
        indent: ``INDENT_type``.
        dedent: ``DEDENT_type``.
        opens: ``OPEN_PAREN_types``, sorted.
        closes: ``CLOSE_PAREN_types``, sorted.
        tab_len: the columns of a tab.
    """

    newline: str
    indent: str
    dedent: str
    opens: tuple[str, ...]
    closes: tuple[str, ...]
    tab_len: int

    def names(self) -> frozenset[str]:
        """Return the terminals that are named; ``"("`` is no terminal's name, and never comes."""
        brackets = filter(_is_name, (*self.opens, *self.closes))
        return frozenset((self.newline, self.indent, self.dedent, *brackets))

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes under Lark's names, as an artifact's header carries them."""
        return {
            "NL_type": self.newline,
            "INDENT_type": self.indent,
            "DEDENT_type": self.dedent,
            "OPEN_PAREN_types": list(self.opens),
            "CLOSE_PAREN_types": list(self.closes),
            "tab_len": self.tab_len,
        }


PYTHON = Indentation(
    "_NEWLINE",
    "_INDENT",
    "_DEDENT",
    ("LBRACE", "LPAR", "LSQB"),
    ("RBRACE", "RPAR", "RSQB"),
    8,
)


def build_indentation(attributes: Mapping[str, Any]) -> Indentation:
    """Return the value of attributes under Lark's names; those of brackets are lists of names.

    Raises:
        ValueError: an attribute is missing, unknown or of another kind; the text says which.
    """
    for name in attributes:
        if name not in ATTRIBUTES:
            raise ValueError(f"{name!r} is no attribute of an Indenter")
    for name in ATTRIBUTES:
        if name not in attributes:
            raise ValueError(f"{name} is missing")
    for name in TERMINALS:
        if not _is_name(attributes[name]):
            raise ValueError(f"{name} is {_show(attributes[name])}, which is no terminal's name")
    for name in BRACKETS:
        names = attributes[name]
        if not isinstance(names, list | tuple | set | frozenset) or not all(map(_is_word, names)):
            raise ValueError(f"{name} is {_show(names)}, which is no list of terminals' names")
    tab = attributes[TAB]
    if type(tab) is not int or not 1 <= tab <= MAX_TAB:
        raise ValueError(
            f"{TAB} is {_show(tab)}, which is no number of columns from 1 to {MAX_TAB}"
        )
    newline, indent, dedent = (attributes[name] for name in TERMINALS)
    opens, closes = (tuple(sorted(set(attributes[name]))) for name in BRACKETS)
    return Indentation(newline, indent, dedent, opens, closes, tab)


def read_indentation(settings: Mapping[str, str]) -> Indentation:
    """Return the value of attributes as a comment writes them; brackets left out are none.

    Raises:
        ValueError: as :func:`build_indentation`.

    >>> written = dict(NL_type="_NL", INDENT_type="_I", DEDENT_type="_D", tab_len="4")
    >>> read_indentation({**written, "OPEN_PAREN_types": "LPAR,LSQB"}).opens
    ('LPAR', 'LSQB')
    """
    attributes: dict[str, Any] = dict(settings)
    for name in BRACKETS:
        attributes[name] = settings[name].split(",") if name in settings else []
    if re.fullmatch(r"[0-9]{1,9}", settings.get(TAB, "")):
        attributes[TAB] = int(settings[TAB])
    return build_indentation(attributes)


def format_indentation(indentation: Indentation) -> str:
    """Return what a grammar's comment says for it.

    >>> format_indentation(PYTHON)
    'lark.indenter:PythonIndenter'
    """
    if indentation == PYTHON:
        return PYTHON_INDENTER
    written = {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in indentation.to_dict().items()
    }
    return " ".join([INDENTER, *(f"{name}={text}" for name, text in written.items() if text)])


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_word(value: Any) -> bool:
    """Return whether a comment can write it; Lark compares names, whatever they are."""
    return isinstance(value, str) and re.fullmatch(r"[^\s,]+", value) is not None


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
