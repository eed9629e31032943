"""Roles: patterns of terminals in certain rules (docs/roles.md).

Roles that are given as an argument are written as comment lines at the end of the grammar's text,
so an artifact carries them as it carries its grammar; the last line of a role counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from maskc.errors import GrammarError
from maskc.regular.python import name_not_plain

_LINE = re.compile(r"^//\s*maskc-terminal:(.*)$", re.MULTILINE)
_ROLE = re.compile(r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)\s*=(.*)", re.DOTALL)
_EXAMPLE = "class_name.NAME=[A-Z][A-Za-z0-9]*"


@dataclass(frozen=True, slots=True)
class Role:
    """A terminal where it plays a role."""

    rules: tuple[str, ...]  # the rule, and others on the way to the terminal
    terminal: str  # the terminal's name
    pattern: str  # re source that its lexemes match there

    @property
    def title(self) -> str:
        return ".".join([*self.rules, self.terminal])


def read_roles(name: str, text: str) -> tuple[Role, ...]:
    """Return the roles of a text, each once.

    Raises:
        GrammarError: a line is not such a role, or its pattern cannot be used for one.
    """
    found: dict[str, Role] = {}
    for match in _LINE.finditer(text):
        location = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        role = _read_role(location, match[1].strip())
        found.pop(role.title, None)
        found[role.title] = role
    return tuple(found.values())


def write_roles(name: str, text: str, patterns: Mapping[str, str]) -> str:
    for title, pattern in patterns.items():
        if "\n" in pattern or pattern != pattern.strip():
            raise GrammarError(
                name,
                f"the pattern of {title} begins or ends with a blank, or has a line break; "
                r"write [ ] or \n",
            )
        _read_role(name, f"{title}={pattern}")
        text = f"{text.rstrip(chr(10))}\n// maskc-terminal: {title}={pattern}\n"
    return text


def split_role(word: str) -> tuple[str, str]:
    """Return role and pattern of a word of a command line.

    >>> split_role("class_name.NAME=[A-Z]+")
    ('class_name.NAME', '[A-Z]+')
    """
    title, equals, pattern = word.partition("=")
    if not equals:
        raise GrammarError(word, f"it is not a role; write RULE.TERMINAL=PATTERN, as {_EXAMPLE}")
    return title, pattern


def _read_role(location: str, text: str) -> Role:
    match = _ROLE.fullmatch(text)
    if match is None:
        raise GrammarError(
            location, f"{text!r} is not a role; write RULE.TERMINAL=PATTERN, as {_EXAMPLE}"
        )
    *rules, terminal = match[1].split(".")
    _check_pattern(location, match[1], match[2])
    return Role(tuple(rules), terminal, match[2])


def _check_pattern(location: str, title: str, pattern: str) -> None:
    try:
        found = name_not_plain(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise GrammarError(location, f"the pattern of {title} is not one of re: {error}") from None
    if found:
        raise GrammarError(
            location,
            f"the pattern of {title} has {found}, and a role's pattern has to match whole lexemes; "
            "leave it out",
        )
