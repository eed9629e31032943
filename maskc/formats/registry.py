"""Formats by name: what a user registers.

Example: after ``register(Format("even", "[0-9]*[02468]"))`` the schema ``{"format": "even"}`` asks
for the strings that the pattern matches.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from maskc.errors import FormatError

# Of each format that is registered its pattern.
Formats = Mapping[str, str]
# The formats of the standard.
STANDARD = (
    *("date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri"),
    *("uri-reference", "iri", "iri-reference", "uri-template", "json-pointer"),
    *("relative-json-pointer", "uuid", "idn-hostname", "idn-email", "regex"),
)
_MOST_NAME = 100  # characters


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes:
        name: as schemas have it.
        pattern: of ECMA-262, which matches whole strings.
        judge: says whether a whole string is of the format, for ``maskc verify``.
    """

    name: str
    pattern: str
    judge: Callable[[str], bool] | None = None


_lock = threading.Lock()
_registered: dict[str, Format] = {}


def check(made: Format) -> None:
    """Check what is given of a format, but for its pattern.

    Raises:
        FormatError: it is no name, one of the standard's, or another format's.
    """
    name: Any = made.name  # what a user gives
    pattern: Any = made.pattern
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= _MOST_NAME:
        problem = f"give a name of up to {_MOST_NAME} printable characters"
        raise FormatError(str(name)[:_MOST_NAME], "is no name", problem)
    if name in STANDARD:
        raise FormatError(name, "is a format of the standard", "choose another name")
    if not isinstance(pattern, str) or not pattern:
        raise FormatError(name, "has no pattern", "give a regular expression")
    if _registered.get(name, made) != made:
        raise FormatError(name, "is registered already, as another one", "choose another name")


def register(made: Format) -> None:
    """Register a format for the life of the process.

    Raises:
        FormatError: as :func:`check`.
    """
    with _lock:
        check(made)
        _registered[made.name] = made


def registered() -> Formats:
    """Return the formats that are registered now."""
    return {name: made.pattern for name, made in sorted(_registered.items())}


def n_registered() -> int:
    """Return how many formats are registered: none is taken back, so this tells what there is."""
    return len(_registered)


def judge_of(name: str) -> Callable[[str], bool] | None:
    """Return the judge of a format that was registered with one in this process.

    The judge raises a ``FormatError`` where the user's raises something else.
    """
    found = _registered.get(name)
    judge = found.judge if found else None
    if judge is None:
        return None

    def guarded(text: str) -> bool:
        try:
            return bool(judge(text))
        except Exception as error:  # whatever a user's function raises
            raise fails(name, "judge", error) from error

    return guarded


def fails(name: str, part: str, error: Exception) -> FormatError:
    """Return what is raised where a function of a user's raises an error."""
    problem = f"its {part} raises {type(error).__name__}"
    return FormatError(name, problem, f"mend the {part}, or leave the format out")
