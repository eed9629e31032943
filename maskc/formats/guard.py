"""A reader behind a guard: what it does wrong is one error, which names its format.

A reader may raise anything, return states that cannot be hashed or compared, or say nonsense of the
characters that may follow. The schema machine, whose tables hold states, sees none of that: it
holds states by :class:`ReaderState`, which hash and compare as the reader's own do, or raise a
``FormatError``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any

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
    """A reader of a format, as :class:`maskc.formats.registry.Reader` describes it.

    Each method raises a ``FormatError`` where the reader fails.
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
        """Return the first and the last characters of ranges, in order and apart."""
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
