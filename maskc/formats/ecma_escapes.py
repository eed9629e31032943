r"""Escapes in patterns of ECMA-262: what may come after a backslash, and which character is it?

The character counts in a class, where the second one of a range is not below the first one, and in
the name of a group. There what may come is bounded by what it can still become: after ``[z-\x`` no
``4`` may come. Two escapes of surrogates are one character, so ``[\ud83d`` may still become one.

Example: ``\u{1f600}`` and ``\ud83d\ude00`` are one character each.

Source: ECMA-262, 15th edition, 22.2.1, with the flag ``u``.
"""

from __future__ import annotations

from typing import Any

from maskc.formats.identifiers import has_identifier
from maskc.formats.properties import begins_property, is_property

# What is under way; first its kind.
Lex = tuple[Any, ...]

OUT, ZERO, NUMBER, NAME = "out", "\\0", "\\1", "name"
# In a class: an atom or a range may begin; [; the hyphen of a range; \0.
CLASS, START_CLASS, DASH, ZERO_CLASS = "class", "[", "-", "[\\0"
ESCAPE, PAIR = "\\", "pair"
_CONTROL, _BYTE, _UNIT, _FOUR, _BRACES, _PROPERTY, _VALUE = "c", "x", "u", "uXXXX", "u{", "p", "p{"
IN_ESCAPES = frozenset([ESCAPE, PAIR, _CONTROL, _BYTE, _UNIT, _FOUR, _BRACES, _PROPERTY, _VALUE])
# After OUT: may what was read be repeated?
NOTHING, ATOM, REPEATED = range(3)
# In a class, of what was read: several characters, with which no range begins.
_SEVERAL = -1

_LAST = 0x10FFFF
_HEX = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_SETS, _SIGNS = "dDsSwW", "^$\\.*+?()[]{}|/"
_LEADS, _TRAILS = (0xD800, 0xDBFF), (0xDC00, 0xDFFF)
_MOST_CONTROL = 26


def follow_escape(lex: Lex, code: int) -> Lex | None:
    """Return what is under way with one more character, ``None`` if nothing begins so.

    Args:
        lex: what is under way, of a kind of ``IN_ESCAPES``. After its kind comes where it stands:
            ``(OUT,)``; ``(CLASS, low, lead)``, with the first character of a range or ``None``, and
            the lead surrogate before it with whether that ends a range; ``(NAME, purpose, text)``;
            ``(PAIR, context, lead)``, where its trail must come.
        code: the character.
    """
    kind, sign = lex[0], chr(code)
    if kind == PAIR:
        return (ESCAPE, lex) if sign == "\\" else None
    where = lex[1]
    if kind == ESCAPE:
        return _after_backslash(where, sign)
    if kind == _CONTROL:
        is_letter = sign.isascii() and sign.isalpha()
        return _become(where, code & 31, is_unit=False) if is_letter else None
    if kind == _UNIT and sign == "{" and where[0] != PAIR:
        return (_BRACES, where, 0, False)
    if kind == _PROPERTY:
        return (_VALUE, where, "") if sign == "{" else None
    if kind == _VALUE:
        return _in_property(where, lex[2], sign)
    if kind == _BRACES and sign == "}":
        return _become(where, lex[2], is_unit=False) if lex[3] else None
    digit = _HEX.get(code)
    if digit is None:
        return None
    if kind == _BRACES:
        return _in_braces(where, lex[2] << 4 | digit)
    if kind == _UNIT:
        return _in_digits(_FOUR, where, digit, 1, 4)
    return _in_digits(kind, where, lex[2] << 4 | digit, lex[3] + 1, 2 if kind == _BYTE else 4)


def _after_backslash(where: Lex, sign: str) -> Lex | None:
    place = where[0]
    if sign == "u":
        return (_UNIT, where)
    if place in (NAME, PAIR):
        return None
    is_out = place == OUT
    low = None if is_out else where[1]
    if sign in _SETS:
        return _set(where)
    if sign in "pP":
        return None if low is not None else (_PROPERTY, where)
    if sign in _CONTROLS:
        return _become(where, _CONTROLS[sign], is_unit=False)
    if sign == "c":
        return (_CONTROL, where) if low is None or low <= _MOST_CONTROL else None
    if sign == "x":
        return (_BYTE, where, 0, 0) if low is None or low <= 0xFF else None
    if sign == "0":
        if is_out:
            return (ZERO, 0)
        return (ZERO_CLASS, 0 if low is None else None) if not low else None
    if is_out:
        if sign in "bB":
            return (OUT, NOTHING)
        if sign == "k":
            return ("k",)
        if "1" <= sign <= "9":
            return (NUMBER, int(sign))
    elif sign == "b":
        return _become(where, 8, is_unit=False)
    elif sign == "-":
        return _become(where, 0x2D, is_unit=False)
    return _become(where, ord(sign), is_unit=False) if sign in _SIGNS else None


def _set(where: Lex) -> Lex | None:
    r"""Go on after several characters, as ``\d``."""
    if where[0] == OUT:
        return (OUT, ATOM)
    return (CLASS, _SEVERAL, None) if where[1] is None else None


def _in_property(where: Lex, text: str, sign: str) -> Lex | None:
    if sign == "}":
        return _set(where) if is_property(text) else None
    return (_VALUE, where, text + sign) if begins_property(text + sign) else None


def _in_digits(kind: str, where: Lex, value: int, n_read: int, n_digits: int) -> Lex | None:
    """Go on after some of so many hexadecimal digits."""
    n_left = n_digits - n_read
    is_unit = kind == _FOUR
    if not n_left:
        return _become(where, value, is_unit=is_unit)
    low, high = value << 4 * n_left, (value + 1 << 4 * n_left) - 1
    if not _suits(where, low, high, is_unit=is_unit):
        return None
    return (kind, where, 0 if where[0] == OUT else value, n_read)


def _in_braces(where: Lex, value: int) -> Lex | None:
    r"""Go on after some digits of ``\u{…}``, of which any number may be zeros."""
    low, high = value, value
    while low <= _LAST:
        if _suits(where, low, min(high, _LAST), is_unit=False):
            return (_BRACES, where, _blur(value) if where[0] == OUT else value, True)
        if not value and high > _LAST:
            break
        low, high = low << 4, high << 4 | 15
    return None


def _blur(value: int) -> int:
    """Return one number for all after which as many digits may come.

    >>> [hex(_blur(value)) for value in (0, 0x41, 0x10, 0x10F)]
    ['0x0', '0x20', '0x10', '0x100']
    """
    n_digits = (value.bit_length() + 3) // 4
    if n_digits < 2:
        return min(value, 2)
    first = value >> 4 * (n_digits - 2)
    return (0x10 if first == 0x10 else 0x20) << 4 * (n_digits - 2)


def _suits(where: Lex, low: int, high: int, *, is_unit: bool) -> bool:
    r"""Return whether a character of a range may stand somewhere.

    Args:
        where: where.
        low: the first character.
        high: the last.
        is_unit: whether it is written as ``\uXXXX``, so that surrogates are halves of one.
    """
    place = where[0]
    if place == OUT:
        return True
    if place == PAIR:
        _, context, lead = where
        first, last = max(low, _TRAILS[0]), min(high, _TRAILS[1])
        pair = (_join(lead, first), _join(lead, last))
        return first <= last and _suits(context, *pair, is_unit=False)
    if place == NAME:
        if has_identifier(low, high, is_first=where[2] == ""):
            return True
    elif where[1] is None or high >= where[1]:
        return True
    first, last = max(low, _LEADS[0]), min(high, _LEADS[1])
    if not is_unit or first > last:
        return False
    pairs = (_join(first, _TRAILS[0]), _join(last, _TRAILS[1]))
    return _suits(where, *pairs, is_unit=False)


def _join(lead: int, trail: int) -> int:
    return 0x10000 + (lead - 0xD800 << 10) + trail - 0xDC00


def _become(where: Lex, value: int, *, is_unit: bool) -> Lex | None:
    """Return what is under way after the character that an escape is."""
    place = where[0]
    if place == OUT:
        return (OUT, ATOM)
    if place == PAIR:
        _, context, lead = where
        if not _TRAILS[0] <= value <= _TRAILS[1]:
            return None
        return _become(context, _join(lead, value), is_unit=False)
    is_lead = is_unit and _LEADS[0] <= value <= _LEADS[1]
    if not _suits(where, value, value, is_unit=is_unit):
        return None
    if place == NAME:
        if is_lead:
            return (PAIR, where, value)
        _, purpose, text = where
        return (NAME, purpose, text + chr(value))
    _, low, lead = where
    if lead is not None and is_unit and _TRAILS[0] <= value <= _TRAILS[1]:
        # The second half of a pair.
        before, ends_range = lead
        return (CLASS, None if ends_range else _join(before, value), None)
    if low is None:
        return (CLASS, value, (value, False) if is_lead else None)
    if value < low:
        return (PAIR, where, value)
    return (CLASS, None, (value, True) if is_lead else None)
