"""Where a number is drawn, and which numbers an axis names.

Rows per lexer state span four powers of ten and begin at 0, so their axis is logarithmic in
1 + x: 0 is on it, and small numbers have room.

Example: up to 40 rows, a logarithmic axis names 0, 1, 2, 5, 10, 20 and 40 is inside.
>>> list_log_ticks(40)
[0, 1, 2, 5, 10, 20]
>>> list_ticks(112_283)
[0, 20000, 40000, 60000, 80000, 100000, 120000]
"""

from __future__ import annotations

import math

MAX_TICKS = 8


def list_ticks(largest: float) -> list[int]:
    """Return round numbers from 0 to the first that is not below ``largest``."""
    step, exponent = 1, 0
    while step * (MAX_TICKS - 1) < largest:
        for digit in (2, 5, 10):
            step = digit * 10**exponent
            if step * (MAX_TICKS - 1) >= largest:
                break
        exponent += 1
    n_steps = max(1, math.ceil(largest / step))
    return [step * i for i in range(n_steps + 1)]


def list_log_ticks(largest: float) -> list[int]:
    """Return 0 and round numbers up to ``largest``: 1, 2, 5 of each power of ten if few."""
    digits = (1, 2, 5) if largest < 500 else (1, 3) if largest < 50_000 else (1,)
    found = [0]
    power = 1
    while power <= largest:
        found += [digit * power for digit in digits if digit * power <= largest]
        power *= 10
    return found


def scale_linear(value: float, largest: float, start: float, length: float) -> float:
    """Return where a linear axis from 0 to ``largest`` has a value."""
    return start + length * value / largest if largest else start


def scale_log(value: float, largest: float, start: float, length: float) -> float:
    """Return where an axis that is logarithmic in 1 + x has a value."""
    return scale_linear(math.log1p(value), math.log1p(largest), start, length)
