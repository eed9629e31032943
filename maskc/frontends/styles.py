"""What does a style file say of a grammar?

A style is a file in TOML, of roles (:mod:`maskc.frontends.roles`), of rules, or of both::

    rules = '''
    %override suite: _NEWLINE _INDENT stmt+ _DEDENT
    '''

    [roles]
    "classdef.name.NAME" = "[A-Z][A-Za-z0-9]*"

Rules are Lark text that is written at the end of the grammar, where ``%override`` replaces a rule.
A bare name that is no file is a style that comes with maskc: ``python`` is
``grammars/styles/python.toml``. What else a file holds is refused, as a misspelt table that is
passed over would leave the roles out.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from maskc.errors import GrammarError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.bundled import find_style, list_styles

MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Style:
    """What a style file says.

    Attributes:
        roles: pattern by role, as ``class_name.NAME``.
        rules: Lark text for the end of the grammar; empty if there is none.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""


def load_style(path: str | os.PathLike[str]) -> Style:
    """Return what a style says.

    Raises:
        GrammarError: the file cannot be read, or is no style.
    """
    place = find_style(os.fspath(path))
    name = place.name
    try:
        found = tomllib.loads(read_bounded(place, MAX_BYTES).decode())
    except UnreadableFileError as error:
        raise GrammarError(
            os.fspath(path),
            f"{error.reason}; give the path of a style, or one of {', '.join(list_styles())}",
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise GrammarError(name, f"it is no TOML: {error}; see docs/roles.md") from None
    fact = _find_fault(found)
    if fact:
        raise GrammarError(
            name,
            f'{fact}; write [roles] and "RULE.TERMINAL" = "PATTERN" for each, and rules = "…" '
            "with Lark text; see docs/roles.md",
        )
    return Style(**found)


def _find_fault(found: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the content of a style file, or None."""
    others = sorted(found.keys() - {"roles", "rules"})
    if others:
        return f"it has {others[0]!r}, which is unknown"
    if not found:
        return "it has no table [roles] and no rules"
    if not _are_roles(found.get("roles", {})):
        return "its [roles] is no table of texts"
    if not isinstance(found.get("rules", ""), str):
        return "its rules are no text"
    return None


def _are_roles(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
