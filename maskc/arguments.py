"""What a caller hands to maskc, checked before anything is made of it.

A wrong type is a :class:`~maskc.errors.WrongTypeError`, a wrong value of the right type a
:class:`~maskc.errors.WrongValueError`; the sentence names the argument. Numbers and arrays are
checked by :mod:`maskc.runtime.arguments`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from maskc.errors import WrongTypeError, WrongValueError


def as_text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        hint = "; decode it" if isinstance(value, bytes | bytearray) else ""
        raise WrongTypeError(f"{what} must be a str, not {describe(value)}{hint}")
    return value


def as_path(what: str, value: Any) -> str:
    if not isinstance(value, str | bytes | os.PathLike):
        raise WrongTypeError(f"{what} must be a path, not {describe(value)}")
    return os.fsdecode(value)


def as_one_of(what: str, value: Any, choices: Sequence[str]) -> str:
    """Return one of some texts.

    Raises:
        WrongTypeError: it is not a text.
        WrongValueError: it is another text.
    """
    text = as_text(what, value)
    if text not in choices:
        named = ", ".join(choices[:-1])
        raise WrongValueError(f"{what} is {text[:40]!r}; give {named} or {choices[-1]}")
    return text


def as_items(what: str, value: Any) -> Iterator[Any]:
    """Return an iterator over the items of a list, or of anything else that has some.

    Raises:
        WrongTypeError: it is a text, or nothing that can be iterated over.
    """
    try:
        if not isinstance(value, str):
            return iter(value)
    except TypeError:
        pass
    raise WrongTypeError(f"{what} must be a list, not {describe(value)}")


def as_list(what: str, value: Any) -> Iterator[Any]:
    """Return an iterator over the items of a list; WrongTypeError: none, a mapping, or bytes."""
    if isinstance(value, Mapping):
        raise WrongTypeError(f"{what} must be a list, not a mapping")
    if isinstance(value, bytes | bytearray):
        raise WrongTypeError(f"{what} must be a list, not {describe(value)}; decode it")
    return as_items(what, value)


def as_float(what: str, value: Any) -> float:
    """Return a number as Python's float.

    Raises:
        WrongTypeError: it is not a number.
        WrongValueError: it is NaN.
    """
    is_number = hasattr(value, "__float__") and not hasattr(value, "__len__")
    if not is_number or isinstance(value, bool | type):
        raise WrongTypeError(f"{what} must be a number, not {describe(value)}")
    try:
        number = float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    if number != number:
        raise WrongValueError(f"{what} is NaN; give a number")
    return number


def as_mapping(what: str, value: Any) -> Mapping[str, Any]:
    """Return a mapping whose keys are texts; WrongTypeError: it is none, or a key is not a text."""
    if not isinstance(value, Mapping):
        raise WrongTypeError(f"{what} must be a mapping, not {describe(value)}")
    for key in value:
        as_text(f"a key of {what}", key)
    return value


def as_flag(what: str, value: Any) -> bool:
    """Return a truth value, NumPy's as Python's; WrongTypeError: it is none."""
    if type(value).__name__ not in ("bool", "bool_"):
        raise WrongTypeError(f"{what} must be True or False, not {describe(value)}")
    return bool(value)


def check_callable(what: str, value: Any) -> None:
    """Check that something can be called; WrongTypeError: it cannot."""
    if not callable(value):
        raise WrongTypeError(f"{what} must be a function, not {describe(value)}")


def describe(value: Any) -> str:
    """Return a type, and the value if it is short to tell.

    >>> describe(None), describe(True), describe("a"), describe(int)
    ('None', 'bool True', 'str', 'the class int')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__[:40]}"
    kind = type(value).__name__[:40]
    return f"{kind} {value!r}" if type(value) in (bool, float) else kind
