r"""How is a regular expression over characters written for ``re``?

What has a meaning in a pattern is escaped; every other character stands for itself.

Example: ``write_pattern(repeat(Characters(((34, 34), (93, 93))), 4, 4))`` is ``["\]]{4}``.
"""

from __future__ import annotations

from itertools import groupby

from maskc.automata.charset import ANY, CodePoints, complement
from maskc.frontends.characters.expressions import (
    MAX_NESTED,
    Characters,
    Choice,
    Expression,
    Repeat,
    Sequence,
    nesting,
)
from maskc.frontends.characters.positions import TooLargeError

MAX_LENGTH = 40_000

_SPECIAL = frozenset(r".^$*+?{}[]\|()/")
_SPECIAL_IN_CLASS = frozenset(r"]\^-[&~|/")


def write_pattern(expression: Expression) -> str:
    """Return the pattern of an expression without references.

    Raises:
        TooLargeError: it is too long, or nested too deep for ``re``.
    """
    if nesting(expression) > MAX_NESTED:
        raise TooLargeError
    pattern = _write(expression)
    if len(pattern) > MAX_LENGTH:
        raise TooLargeError
    return pattern


def write_class(ranges: CodePoints) -> str:
    """Return the pattern of one character of a set.

    >>> write_class(((97, 99), (120, 120))), write_class(((45, 45),))
    ('[a-cx]', '-')
    """
    if ranges == ANY:
        return r"[\s\S]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _write_character(ranges[0][0], _SPECIAL)
    others = complement(ranges)
    if len(others) < len(ranges) or ranges[-1][1] == ANY[-1][1]:
        return f"[^{_write_ranges(others)}]"
    return f"[{_write_ranges(ranges)}]"


def _write(expression: Expression) -> str:
    match expression:
        case Characters(ranges):
            return write_class(ranges)
        case Sequence(parts):
            return "".join(_write_run(p, len(list(run))) for p, run in groupby(parts))
        case Choice(parts):
            return f"(?:{'|'.join(map(_write, parts))})"
        case Repeat(body, low, high):
            inner = _write(body)
            if not isinstance(body, Characters | Choice):
                inner = f"(?:{inner})"
            return inner + _write_count(low, high)
    raise ValueError("a regular expression names no rule")


def _write_run(part: Expression, length: int) -> str:
    written = _write(part)
    if length > 2 and isinstance(part, Characters) and len(written) > 1:
        return f"{written}{{{length}}}"
    return written * length


def _write_count(low: int, high: int | None) -> str:
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}
    if (low, high) in short:
        return short[low, high]
    if low == high:
        return f"{{{low}}}"
    return f"{{{low},{'' if high is None else high}}}"


def _write_ranges(ranges: CodePoints) -> str:
    written = []
    for low, high in ranges:
        written.append(_write_character(low, _SPECIAL_IN_CLASS))
        if high > low:
            written.append("-" if high > low + 1 else "")
            written.append(_write_character(high, _SPECIAL_IN_CLASS))
    return "".join(written)


def _write_character(code_point: int, special: frozenset[str]) -> str:
    character = chr(code_point)
    return f"\\{character}" if character in special else character
