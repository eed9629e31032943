r"""A pattern of JSON Schema (ECMA-262, of code points) as one that means the same to ``re``.

It is written for the judge and shares nothing with the compiler's reader. What only looks the same
in both is written out: ``\d``, ``\w``, ``\s`` and ``\b`` are about few characters in ECMA-262,
``$`` is the very end, ``.`` leaves out four line breaks, ``[^]`` is any character.

Source: ECMA-262, 22.2.1 (patterns) and annex B.1.2 (signs and escapes that mean themselves).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import regex

from maskc.verify.characters import all_characters

_LAST = 0x10FFFF
# Members of brackets.
_WORDS = "0-9A-Z_a-z"
_BLANKS = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES = {"d": "0-9", "w": _WORDS, "s": _BLANKS}
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B, "0": 0x00}
_BOUNDARIES = {
    "\\b": f"(?:(?<![{_WORDS}])(?=[{_WORDS}])|(?<=[{_WORDS}])(?![{_WORDS}]))",
    "\\B": f"(?:(?<=[{_WORDS}])(?=[{_WORDS}])|(?<![{_WORDS}])(?![{_WORDS}]))",
}
_SIGNS = {"$": r"\Z", ".": r"[^\n\r\u2028\u2029]", "{": r"\{", "}": r"\}", "]": r"\]"}

_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_NUMBERED = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_CONTROL, _PROPERTY = re.compile(r"\\c([A-Za-z])"), re.compile(r"\\([pP])\{([^}]*)\}")
_QUANTIFIER = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_NAMED = re.compile(r"\(\?<[^=!>][^>]*>")


def to_python(pattern: str) -> str:
    """Return the pattern as ``re`` reads it.

    Raises:
        ValueError: it is no pattern, or ``re`` has nothing like it.
    """
    written = "".join(_translate(pattern))
    try:
        re.compile(written)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return written


def _translate(pattern: str) -> Iterator[str]:
    index = 0
    while index < len(pattern):
        sign = pattern[index]
        named, counted = _NAMED.match(pattern, index), _QUANTIFIER.match(pattern, index)
        if sign == "[":
            written, index = _read_class(pattern, index + 1)
            yield written
        elif pattern[index : index + 2] in _BOUNDARIES:
            yield _BOUNDARIES[pattern[index : index + 2]]
            index += 2
        elif sign == "\\":
            found, index = _read_escape(pattern, index)
            if isinstance(found, int):
                yield re.escape(chr(found))
            else:
                yield f"[{found}]" if found else "(?!)"
        elif named is not None:
            yield "("
            index = named.end()
        elif counted is not None:
            yield counted[0]
            index = counted.end()
        else:
            yield _SIGNS.get(sign, sign)
            index += 1


def _read_class(pattern: str, index: int) -> tuple[str, int]:
    """Return the brackets that begin before an index, and where they end."""
    is_other = pattern.startswith("^", index)
    index += is_other
    members = ""
    while not pattern.startswith("]", index):
        low, index = _read_member(pattern, index)
        if not isinstance(low, int):
            members += low
            continue
        members += f"\\U{low:08x}"
        if pattern.startswith("-", index) and not pattern.startswith("-]", index):
            high, after = _read_member(pattern, index + 1)
            # Before a class of characters the dash is one of them itself.
            if isinstance(high, int):
                members += f"-\\U{high:08x}"
                index = after
    if not members:
        return (r"[\s\S]" if is_other else "(?!)"), index + 1
    return f"[{'^' * is_other}{members}]", index + 1


def _read_member(pattern: str, index: int) -> tuple[int | str, int]:
    if index >= len(pattern):
        raise ValueError("brackets are not closed")
    if pattern[index] != "\\":
        return ord(pattern[index]), index + 1
    if pattern[index : index + 2] == "\\b":
        return 0x08, index + 2
    return _read_escape(pattern, index)


def _read_escape(pattern: str, index: int) -> tuple[int | str, int]:
    """Return the character of an escape, or the members of its class, and where it ends."""
    if index + 1 == len(pattern):
        raise ValueError("an escape is not finished")
    sign = pattern[index + 1]
    pair = _PAIR.match(pattern, index)
    if pair is not None:
        high, low = (int(half, 16) for half in pair.groups())
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), pair.end()
    numbered = _NUMBERED.match(pattern, index)
    if numbered is not None:
        code = int(next(filter(None, numbered.groups())), 16)
        if code > _LAST:
            raise ValueError(f"there is no character {code:x}")
        return code, numbered.end()
    control, named = _CONTROL.match(pattern, index), _PROPERTY.match(pattern, index)
    if control is not None:
        return ord(control[1]) % 32, control.end()
    if named is not None:
        name = named[2].removeprefix("General_Category=").removeprefix("gc=")
        return _list_members(rf"\{named[1]}{{{name}}}"), named.end()
    if sign.lower() in _CLASSES:
        members = _CLASSES[sign.lower()]
        return (members if sign.islower() else _list_members(f"[^{members}]")), index + 2
    return _CONTROLS.get(sign, ord(sign)), index + 2


@lru_cache(maxsize=64)
def _list_members(written: str) -> str:
    r"""Return the characters that a set of the package ``regex`` matches, as members of brackets.

    >>> _list_members("[b-dz]")
    '\\U00000062-\\U00000064\\U0000007a-\\U0000007a'
    """
    try:
        runs = regex.compile(f"(?:{written})+").finditer(all_characters())
    except regex.error as error:
        raise ValueError(str(error)) from None
    return "".join(f"\\U{run.start():08x}-\\U{run.end() - 1:08x}" for run in runs)
