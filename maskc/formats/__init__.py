"""String formats as plug-ins: those that no automaton reads, and a user's own (docs/formats.md).

The standard's regular formats are automata (:mod:`maskc.jsonschema.formats`). A *pattern* of a
user's own is compiled as ``pattern`` of JSON Schema is; it is part of the plan. A *reader* is for
strings that are no regular set: an artifact holds only its name, and no code comes from an artifact
or a schema.

Masks are exact because of one rule alone: ``step`` returns ``None`` if no string of the format
begins so. Without ``characters(state)`` a token that ends inside a character asks about all that it
can become, which may be a million; with ``is_uniform(state)``, whether all characters that are not
ASCII lead to one state, one stands for all of them.

The schema machine walks the characters that the vocabulary spells, once for each distinct pair of a
state and a character. Steps are charged, and results are cached within ``cache_bytes``, so states
must be hashable and equal where they are alike.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from maskc.errors import FormatError, MaskcError

_MOST_RANGES = 16  # collections of ranges that are kept in order
_SURROGATES = (0xD800, 0xDFFF)

Codes = tuple[list[int], list[int]]


class ReaderState:
    """A state of the reader of a format, as it was returned."""

    __slots__ = ("_hash", "_name", "state")

    def __init__(self, name: str, state: Any) -> None:
        self._name, self.state = name, state
        self._hash = hash(state)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, ReaderState) or self._hash != other._hash:
            return False
        return bool(guarded(self._name, lambda: self.state == other.state))

    def __repr__(self) -> str:
        return f"<state of the format {self._name}>"


class Guarded:
    """A reader of a format, as :class:`maskc.formats.Reader` describes it.

    A reader may raise anything, and return states that cannot be hashed or compared. The schema
    machine sees none of that: each method raises a ``FormatError`` that names the format.
    """

    def __init__(self, name: str, reader: Any) -> None:
        self.name, self._reader = name, reader
        self._characters: Callable[[Any], Any] | None = getattr(reader, "characters", None)
        self._is_uniform: Callable[[Any], Any] | None = getattr(reader, "is_uniform", None)
        self._known: dict[int, tuple[Any, Codes]] = {}

    def start(self) -> ReaderState:
        """Return the state before the first character; a reader has one."""
        state = guarded(self.name, self._reader.start)
        if state is None:
            raise FormatError(self.name, "its reader starts with None", "correct the reader")
        return self._hold(state)

    def step(self, held: ReaderState, character: str) -> ReaderState | None:
        """Return the state after one more character, ``None`` if no string begins so."""
        state = guarded(self.name, lambda: self._reader.step(held.state, character))
        return None if state is None else self._hold(state)

    def may_end(self, held: ReaderState) -> bool:
        return bool(guarded(self.name, lambda: bool(self._reader.may_end(held.state))))

    def is_uniform(self, held: ReaderState) -> bool:
        """Return whether all characters that are not ASCII are known to lead to one state."""
        asked = self._is_uniform
        return asked is not None and bool(guarded(self.name, lambda: bool(asked(held.state))))

    def within(self, held: ReaderState, ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
        """Yield the characters of some ranges that may follow at most."""
        firsts, lasts = self._ranges_of(held)
        for low, high in ranges:
            for n in range(bisect_left(lasts, low), len(firsts)):
                if firsts[n] > high:
                    break
                yield from range(max(low, firsts[n]), min(high, lasts[n]) + 1)

    def _ranges_of(self, held: ReaderState) -> Codes:
        if self._characters is None:
            return _EVERY
        asked = self._characters
        given = guarded(self.name, lambda: asked(held.state))
        known = self._known.get(id(given))
        if known is None:
            if len(self._known) >= _MOST_RANGES:
                self._known = {}
            # Beside the object itself, so that no other one gets its number.
            known = self._known[id(given)] = given, self._read(given)
        return known[1]

    def _read(self, given: Any) -> Codes:
        pairs = guarded(self.name, lambda: sorted((ord(one), ord(last)) for one, last in given))
        found: list[tuple[int, int]] = []
        for first, last in pairs:
            low = max(first, found[-1][1] + 1) if found else first
            for bottom, top in ((low, min(last, _SURROGATES[0] - 1)), (max(low, 0xE000), last)):
                if bottom <= top:
                    found.append((bottom, top))
        return [first for first, _ in found], [last for _, last in found]

    def _hold(self, state: Any) -> ReaderState:
        try:
            return ReaderState(self.name, state)
        except MaskcError:
            raise
        except Exception as error:
            problem = "its reader returns a state that cannot be hashed"
            raise FormatError(self.name, problem, "use tuples, texts and numbers") from error


_EVERY: Codes = ([0, _SURROGATES[1] + 1], [_SURROGATES[0] - 1, 0x10FFFF])


def guarded(name: str, ask: Callable[[], Any], part: str = "reader") -> Any:
    """Return what a function of a user's returns; what it raises is a ``FormatError``."""
    try:
        return ask()
    except MaskcError:
        raise  # a limit, which whoever set it waits for
    except Exception as error:  # whatever a user's function raises
        problem = f"its {part} raises {type(error).__name__}"
        raise FormatError(name, problem, f"correct the {part}, or leave the format out") from error


# Of each format that is registered its pattern, ``None`` if a reader reads it.
Formats = Mapping[str, str | None]
HOST, EMAIL = "idn-hostname", "idn-email"
# Those that a reader reads: the two as the standard has them, and patterns.
EXACT_HOST, EXACT_EMAIL, REGEX = READ = (f"{HOST}-exact", f"{EMAIL}-exact", "regex")
_REGULAR = (
    "date-time date-time-local time-local date time duration email hostname ipv4 ipv6 uri "
    "uri-reference iri iri-reference uri-template json-pointer relative-json-pointer uuid"
)
STANDARD = (*_REGULAR.split(), HOST, EMAIL, *READ)  # its formats
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
    """A format."""

    name: str  # as schemas have it
    # of ECMA-262, which matches whole strings; None: a reader reads them
    pattern: str | None = None
    reader: Reader | None = None  # reads them
    # says whether a whole string is of the format, for `maskc verify`
    judge: Callable[[str], bool] | None = None


_lock = threading.Lock()
_registered: dict[str, RegisteredFormat] = {}


def is_name(name: object) -> bool:
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
