"""The bounds of a compilation, and how each of them is raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maskc.arguments import describe
from maskc.errors import WrongTypeError, WrongValueError

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What one compilation may take.

    Attributes:
        seconds: processor time of the compiling thread.
        bytes: growth of the process's resident memory.
        text: characters of the grammar, with what it imports.
        work: symbols of the rules that Lark writes out, all optional parts and counts expanded.
    """

    seconds: float = 55.0
    bytes: int = 3_500 * MEGABYTE
    text: int = 1_000_000
    work: int = 200_000

    def __post_init__(self) -> None:
        for name in ("seconds", "bytes", "text", "work"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise WrongTypeError(f"{name} must be a number, not {describe(value)}")
            if not value > 0:
                raise WrongValueError(
                    f"{name} must be positive; to allow more, give a larger number"
                )


# How each bound is raised, on the command line and in Python.
HOW_TO_RAISE = {
    "seconds": "--time-limit SECONDS (seconds= of maskc.Limits)",
    "bytes": "--memory-limit MB (bytes= of maskc.Limits)",
    "text": "--text-limit CHARACTERS (text= of maskc.Limits)",
    "work": "--work-limit SYMBOLS (work= of maskc.Limits)",
}


def as_limits(value: Any) -> Limits:
    """Return limits; ``None`` is the default ones.

    Raises:
        WrongTypeError: it is none.
    """
    if value is None:
        return Limits()
    if not isinstance(value, Limits):
        raise WrongTypeError(f"limits must be a maskc.Limits, not {describe(value)}")
    return value
