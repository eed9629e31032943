"""The texts that a pattern matches, if they are few, or some of them.

They are sets, since in which order ``re`` tries them is not asked. What asks about the text around
it, or may read any character, is not listed.

Example: ``"{3}|'{3}`` matches two texts, and ``=*`` without end; the first of its texts are
nothing, ``=`` and ``==``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from maskc.regular.charset import CodePoints
from maskc.regular.python import read_python
from maskc.regular.tree import (
    Alternation,
    Atomic,
    CapturingGroup,
    Characters,
    Expression,
    Repeat,
    Sequence,
)

LONGEST = 100  # characters of a text that is listed
_N_SAMPLES = 3
_USUAL = "a0 "  # what stands for a set, if it is in it
_MORE_PASSES = 2  # of a repetition without end, for samples
_WORDS = ("EOF", "EOT", "END")  # what a name before a text may be, as in a shell


class _TooManyError(Exception):
    """The texts are not listed."""


def list_texts(pattern: str, flags: int, most: int) -> list[str] | None:
    """Return the texts that ``re.fullmatch`` takes, sorted; ``None`` if they are not listed.

    Args:
        pattern: a part of a pattern, which stands by itself.
        flags: of ``re``; where case is ignored, one text stands for all that differ in case.
        most: how many texts there may be.
    """
    lister = _Lister(flags, most, passes=None)
    try:
        found = lister.list(read_python(pattern, flags))
    except _TooManyError:
        return None
    return _keep_matched(pattern, flags, found)


def sample_texts(pattern: str, flags: int) -> list[str]:
    """Return a few of the texts that ``re.fullmatch`` takes; none, if none was found."""
    words = [word for word in _WORDS if re.fullmatch(pattern, word, flags)]
    if words:
        return words
    lister = _Lister(flags, 1000, passes=_MORE_PASSES)
    try:
        found = lister.list(read_python(pattern, flags))
    except _TooManyError:
        return []
    matched = _keep_matched(pattern, flags, found)
    return sorted(matched, key=lambda text: (len(text), text))[:_N_SAMPLES]


def _keep_matched(pattern: str, flags: int, texts: Iterable[str]) -> list[str]:
    """Return those that are matched: atomic groups match less than is listed."""
    if flags & re.IGNORECASE:
        texts = {text.lower() for text in texts}
    return sorted(text for text in texts if re.fullmatch(pattern, text, flags))


class _Lister:
    """Lists what trees match, as sets of texts.

    With ``passes``, what has no end is repeated so often beyond its least, and one character stands
    for a class; without, all texts are listed.
    """

    def __init__(self, flags: int, most: int, passes: int | None) -> None:
        self._folds = bool(flags & re.IGNORECASE)
        self._most, self._passes = most, passes

    def list(self, node: Expression) -> set[str]:
        match node:
            case Characters(ranges):
                return self._list_characters(ranges)
            case Sequence(parts):
                found = {""}
                for part in parts:
                    found = self._join(found, self.list(part))
                return found
            case Alternation(parts) if parts:
                return self._check(set().union(*map(self.list, parts)))
            case CapturingGroup(body) | Atomic(body):
                return self.list(body)
            case Repeat(body, low, high):
                return self._repeat(low, high, self.list(body))
        raise _TooManyError

    def _repeat(self, low: int, high: int | None, one: set[str]) -> set[str]:
        if one == {""}:
            return one
        most = LONGEST + 1 if high is None else high
        if self._passes is not None:
            most = min(most, low + self._passes)
        if most > LONGEST:
            raise _TooManyError
        found: set[str] = set()
        passes = {""}
        for n in range(most + 1):
            if n >= low:
                found = self._check(found | passes)
            if n < most:
                passes = self._join(passes, one)
        return found

    def _list_characters(self, ranges: CodePoints) -> set[str]:
        if self._passes is not None:
            return {next((c for c in _USUAL if _has(ranges, c)), chr(ranges[0][0]))}
        if sum(high - low + 1 for low, high in ranges) > 4 * self._most:
            raise _TooManyError
        found = {chr(n) for low, high in ranges for n in range(low, high + 1)}
        # Of a set that ignores case, one text stands for others; in a part that does not, none.
        if self._folds and any(len(o) == 1 and o not in found for c in found for o in _cases(c)):
            raise _TooManyError
        return self._check(set(map(str.lower, found)) if self._folds else found)

    def _join(self, before: set[str], after: set[str]) -> set[str]:
        if len(before) * len(after) > self._most**2:
            raise _TooManyError
        return self._check({one + other for one in before for other in after})

    def _check(self, found: set[str]) -> set[str]:
        if len(found) > self._most or any(len(text) > LONGEST for text in found):
            raise _TooManyError
        return found


def _has(ranges: CodePoints, character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in ranges)


def _cases(character: str) -> tuple[str, str]:
    return character.lower(), character.upper()
