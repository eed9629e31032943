"""Short numbers of a JSON Schema: what ends one that is open?

Example: of the numbers of at least 34,007 the shortest is ``5e4``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from maskc.runtime.effort import spend
from maskc.runtime.schema.numbers.numbers import Numbers, State

_MOST_NUMBERS = 500  # states that are looked at for one
_MOST_DIGITS = 400
_NUMBER_STEPS = 100  # that the moves of one state of a number take
_DIGITS = b"0123456789"
_SIGNS = b".-e"  # no other one is shorter
# In which order bytes are taken where digits are many: of a small number they are 0 up to one that
# ends it, and the greatest one that fits ends it at once, as a great exponent does.
_ORDERS = (_DIGITS + b"-.e", _DIGITS[::-1] + b"-.e", b"e-" + _DIGITS[::-1] + b".")
_FEW_DIGITS = 4


def finish_number(numbers: Numbers, start: State) -> bytes | None:
    """Return what ends a number, ``None`` if that takes too long to find."""
    for text in list_ends(numbers, start):
        return text
    ends = (_follow(numbers, start, order) for order in _ORDERS)
    return min((end for end in ends if end is not None), key=len, default=None)


def list_ends(numbers: Numbers, start: State) -> Iterator[bytes]:
    """Yield what ends a number, the shortest first."""
    todo, seen = deque([(start, b"")]), {start}
    while todo:
        here, text = todo.popleft()
        if numbers.may_end(here):
            yield text
        for byte, after in _list_steps(numbers, here):
            if after not in seen and len(seen) < _MOST_NUMBERS:
                seen.add(after)
                todo.append((after, text + bytes([byte])))


def _list_steps(numbers: Numbers, here: State) -> list[tuple[int, State]]:
    """Return the bytes that may come next, with the states after them.

    Where only bounds are asked for, a digit between others leads as far as any of them: 0, the
    least, the greatest, and one between them are enough.
    """
    spend(_NUMBER_STEPS)
    digits = [(b, after) for b in _DIGITS if (after := numbers.step(here, b)) is not None]
    if len(digits) > _FEW_DIGITS and numbers.has_bounds_only:
        others = [step for step in digits if step[0] != _DIGITS[0]]
        kept = others[0], others[len(others) // 2], others[-1]
        digits = [*digits[: len(digits) - len(others)], *kept]
    return digits + [(b, after) for b in _SIGNS if (after := numbers.step(here, b)) is not None]


def _follow(numbers: Numbers, start: State, order: bytes) -> bytes | None:
    """Return what ends a number that has many digits, ``None`` if none is found.

    Args:
        numbers: the rule.
        start: what has been read of it.
        order: of the bytes, the first of which that may come is taken.
    """
    here, text = start, bytearray()
    while not numbers.may_end(here) and len(text) < _MOST_DIGITS:
        spend(_NUMBER_STEPS)
        for byte in order:
            after = numbers.step(here, byte)
            if after is not None:
                here = after
                text.append(byte)
                break
    return bytes(text) if numbers.may_end(here) else None
