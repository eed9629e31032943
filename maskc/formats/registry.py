"""Formats by name: what a user registers, and the readers that come with maskc.

Example: after ``register(Format("even", "[0-9]*[02468]"))`` the schema ``{"format": "even"}`` asks
for the strings that the pattern matches.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from maskc.errors import FormatError
from maskc.formats.guard import Guarded, guarded

# Of each format that is registered its pattern, ``None`` if a reader reads it.
Formats = Mapping[str, str | None]
HOST, EMAIL = "idn-hostname", "idn-email"
# Those that a reader reads: the two as the standard has them, and patterns.
EXACT_HOST, EXACT_EMAIL, REGEX = READ = (f"{HOST}-exact", f"{EMAIL}-exact", "regex")
# The formats of the standard.
STANDARD = (
    *(
        "date-time",
        "date-time-local",
        "time-local",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
    ),
    *("uri-reference", "iri", "iri-reference", "uri-template", "json-pointer"),
    *("relative-json-pointer", "uuid", HOST, EMAIL, *READ),
)
_METHODS = ("start", "step", "may_end")
_MOST_NAME = 100  # characters


class Reader(Protocol):
    """Reads the strings of a format, character by character, as :mod:`maskc.formats` says.

    It has no state of its own, as threads share it. States are hashable, and equal only if the same
    may follow.
    """

    def start(self) -> Hashable:
        """Return the state before the first character."""

    def step(self, state: Any, character: str, /) -> Hashable | None:
        """Return the state after a character, ``None`` if no string of the format begins so."""

    def may_end(self, state: Any, /) -> bool:
        """Return whether a string may end in a state."""


class RangeReader(Reader, Protocol):
    """A reader that knows which characters may follow at most."""

    def characters(self, state: Any, /) -> Iterable[tuple[str, str]]:
        """Return the first and the last of ranges outside of which ``step`` returns ``None``."""


@dataclass(frozen=True, slots=True)
class RegisteredFormat:
    """A format.

    Attributes:
        name: as schemas have it.
        pattern: of ECMA-262, which matches whole strings; ``None``: a reader reads them.
        reader: reads them.
        judge: says whether a whole string is of the format, for ``maskc verify``.
    """

    name: str
    pattern: str | None = None
    reader: Reader | None = None
    judge: Callable[[str], bool] | None = None


_lock = threading.Lock()
_registered: dict[str, RegisteredFormat] = {}


def is_name(name: object) -> bool:
    """Return whether something can be the name of a format."""
    return isinstance(name, str) and name.isprintable() and 0 < len(name) <= _MOST_NAME


def check(made: RegisteredFormat) -> None:
    """Check what is given of a format, but for its pattern.

    Raises:
        FormatError: it is not a name, one of the standard's, or another format's; or it lacks a
            pattern and a reader, or has both.
    """
    name: Any = made.name  # what a user gives
    pattern: Any = made.pattern
    reader: Any = made.reader
    if not is_name(name):
        problem = f"give a name of up to {_MOST_NAME} printable characters"
        raise FormatError(str(name)[:_MOST_NAME], "is not a name", problem)
    if name in STANDARD:
        raise FormatError(name, "is a format of the standard", "choose another name")
    if (pattern is None) == (reader is None):
        raise FormatError(name, "has neither a pattern nor a reader, or both", "give one of them")
    if reader is None and not (isinstance(pattern, str) and pattern):
        raise FormatError(name, "has no pattern", "give a regular expression")
    if isinstance(reader, type):
        raise FormatError(name, "has a class as its reader", "give an object of the class")
    for method in _METHODS if reader is not None else ():
        if not callable(getattr(reader, method, None)):
            raise FormatError(name, f"has a reader without {method}", "give it this method")
    if made.judge is not None and not callable(made.judge):
        raise FormatError(name, "has a judge that is not a function", "give a function, or none")
    if _registered.get(name, made) != made:
        raise FormatError(name, "is registered already, as another one", "choose another name")


def register(made: RegisteredFormat) -> None:
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


def reader_of(name: str) -> Guarded:
    """Return what reads the strings of a format; of idn-email-exact, the domain.

    Raises:
        FormatError: nothing in this process does.
    """
    made = _registered.get(name)
    if made is not None and made.reader is not None:
        return Guarded(name, made.reader)
    if name == REGEX:
        from maskc.formats.ecma import Patterns

        return Guarded(name, Patterns())
    if name in (EXACT_HOST, EXACT_EMAIL):
        try:
            from maskc.formats.hosts import hosts_of
        except ImportError:
            remedy = "install the extra idna: pip install 'maskc[idna]', or 'maskc-runtime[idna]'"
            raise FormatError(name, "needs the package idna, 3.20 or newer", remedy) from None
        return Guarded(name, hosts_of(is_strict=name == EXACT_HOST))
    remedy = "call maskc.register_format with its name and its reader before"
    raise FormatError(name, "is not registered in this process", remedy)


def judge_of(name: str) -> Callable[[str], bool] | None:
    """Return the judge of a format that was registered with one in this process.

    The judge raises a ``FormatError`` where the user's raises something else.
    """
    found = _registered.get(name)
    judge = found.judge if found else None
    if judge is None:
        return None
    return lambda text: bool(guarded(name, lambda: bool(judge(text)), "judge"))
