"""JSON values as JSON Schema compares them: ``1`` is ``1.0``, the order of keys does not count.

A value is a tuple of its type and what it holds, and can be hashed. Numbers are exact fractions.

Example: ``{"a": [1.0]}`` is ``("object", (("a", ("array", (("number", Fraction(1, 1)),))),))``.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from maskc.errors import SchemaError
from maskc.runtime.schema.numbers.powers import write_digits

Value = tuple[Any, ...]

NULL: Value = ("null",)
TRUE: Value = ("boolean", True)
FALSE: Value = ("boolean", False)
LITERALS: Final = (NULL, TRUE, FALSE)

# 10 to this power, or its inverse: beyond it nothing is compared.
MAX_EXPONENT: Final = 5_000


def freeze(raw: Any, pointer: str = "", keyword: str = "") -> Value:
    """Return the value of parsed JSON."""
    if raw is None:
        return NULL
    if isinstance(raw, bool):
        return TRUE if raw else FALSE
    if isinstance(raw, str):
        return ("string", raw)
    if isinstance(raw, list | tuple):
        return ("array", tuple(freeze(item, pointer, keyword) for item in raw))
    if isinstance(raw, dict):
        items = {key: freeze(value, pointer, keyword) for key, value in raw.items()}
        return ("object", tuple(sorted(items.items())))
    return ("number", to_fraction(raw, pointer, keyword))


def to_fraction(raw: Any, pointer: str = "", keyword: str = "") -> Fraction:
    """Return a number exactly."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
        raise SchemaError(pointer, keyword, "needs a number", "write a number")
    if isinstance(raw, float):
        raw = Decimal(repr(raw))
    if isinstance(raw, Decimal):
        _, _, exponent = raw.as_tuple()
        if (
            not isinstance(exponent, int)
            or abs(exponent) > MAX_EXPONENT
            or (raw and abs(raw.adjusted()) > MAX_EXPONENT)
        ):
            raise SchemaError(
                pointer,
                keyword,
                f"has a number beyond 10 to the power of {MAX_EXPONENT:,}",
                "leave such a bound out",
            )
    return Fraction(raw)


def sort_key(value: object) -> str:
    """Return a text by which values are put in order, whatever their types.

    It is what ``repr`` gives, which refuses numbers of more than 4,300 digits.
    """
    if isinstance(value, tuple):
        parts = ", ".join(map(sort_key, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    if isinstance(value, Fraction):
        digits = write_digits(abs(value.numerator)), write_digits(value.denominator)
        return f"Fraction({'-' if value < 0 else ''}{digits[0]}, {digits[1]})"
    return repr(value)
