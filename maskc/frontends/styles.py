"""Which roles does a style file name?

A style is a file of roles (:mod:`maskc.frontends.roles`), in TOML::

    [roles]
    "classdef.name.NAME" = "[A-Z][A-Za-z0-9]*"

A bare name that is no file is a style that comes with maskc: ``python`` is
``grammars/styles/python.toml``. What else a file holds is refused, as a misspelt table that is
passed over would leave the roles out.
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from maskc.errors import GrammarError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.bundled import find_style, list_styles

MAX_BYTES = 1 << 20
_TABLE = "roles"


def load_style(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the roles of a style: pattern by role, as ``class_name.NAME``.

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
    others = sorted(found.keys() - {_TABLE})
    if others or not _are_roles(found.get(_TABLE)):
        fact = (
            f"has {others[0]!r}, which is unknown"
            if others
            else f"has no table [{_TABLE}] of texts"
        )
        raise GrammarError(
            name, f'it {fact}; write [{_TABLE}] and "RULE.TERMINAL" = "PATTERN" for each'
        )
    roles: dict[str, str] = found[_TABLE]
    return roles


def _are_roles(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
