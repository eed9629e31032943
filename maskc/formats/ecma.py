r"""Patterns of ECMA-262, character by character: the format ``regex``.

A pattern is read with the flag ``u``, as JSON Schema says. What an automaton cannot count is kept
as it is: the groups that are open, how many capture, the greatest back-reference, and the names of
groups. A back-reference may come before its group, so whether there are enough groups is decided at
the end; until then one more group can always be written. So nothing is a dead end.

A piece that is not complete, as an escape, is kept as its text, and read anew with each character.
In a class and in a name it counts which characters an escape can still become: after ``[z-\x`` no
``4`` may come. Where a piece turns out to have been complete before, the rest is read after it: two
escapes of surrogates are one character, so ``[\ud83d`` waits for a second one.

Example: after ``(a\2`` a group must be closed, and another one must be opened, before it may end.

Limits: the edition is the 15th (2024): two groups of one name are an error wherever they stand, and
there are no modifiers as ``(?i:…)``. Numbers of groups are below 2 to the power of 32, as there.

Source: ECMA-262, 15th edition, 22.2.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from maskc.formats.character_sets import begins_property, has_identifier, is_property, name_ranges

_MOST_GROUPS = (1 << 32) - 2
_LAST = 0x10FFFF
_ASCII = ("\0", "\x7f")
_LAST_SIGN = "\U0010ffff"
_ONLY_ASCII, _EVERY = (_ASCII,), (("\0", _LAST_SIGN),)
_LEADS, _TRAILS = (0xD800, 0xDBFF), (0xDC00, 0xDFFF)
_CONTROLS = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_SIGNS = frozenset("^$\\.*+?()[]{}|/")
_HEX = re.compile(r"[0-9a-fA-F]*")
_COUNT = re.compile(r"\{(?:(?P<low>[0-9]+)(?:(?P<comma>,)(?P<high>[0-9]*))?)?(?P<end>\})?")
_NEEDLESS_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
# A piece that is complete, though the next character may belong to it.
_MAY_BE_COMPLETE = re.compile(r"\\[0-9]+|\\u[dD][89abAB]..|\(|\[")

# Where a piece stands: outside of classes, with whether what was read may be repeated; in a class,
# with the character with which a range may begin, and the one with which one has begun; in the name
# of a group, with what it is for and its beginning.
_OUT, _CLASS, _NAME = "out", "class", "name"
_NOTHING, _ATOM, _REPEATED = range(3)
_SEVERAL = -1  # in the place of a character: ``\d``, with which no range begins
# Kinds of groups: those that may be repeated, and assertions. What a name is for else.
_GROUP, _ASSERTION, _REFERENCE = "g", "a", "k"

PrefixState = tuple[Any, ...]


class PatternPrefix(NamedTuple):
    """What has been read of a pattern."""

    state: PrefixState = (_OUT, _NOTHING)  # where it goes on
    text: str = ""  # of a piece that is not complete
    groups: str = ""  # the kinds of groups that are open, the innermost last
    n_groups: int = 0  # groups that capture
    most: int = 0  # the greatest number of a back-reference
    names: frozenset[str] = frozenset()  # of groups
    wanted: frozenset[str] = frozenset()  # names that are referred to

    def go(self, *state: Any) -> PatternPrefix:
        """Return what is read when a piece is complete."""
        return self._replace(state=state, text="")

    def open(self, kind: str, n_groups: int = 0) -> PatternPrefix:
        opened = self._replace(groups=self.groups + kind, n_groups=self.n_groups + n_groups)
        return opened.go(_OUT, _NOTHING)

    def fits(self, ranges: Iterable[tuple[int, int]]) -> bool:
        """Return whether a character of some ranges may stand here."""
        where, *_, last = self.state
        if where == _CLASS:
            return last is None or any(high >= last for _, high in ranges)
        if where == _NAME:
            return any(has_identifier(*pair, is_first=last == "") for pair in ranges)
        return True

    def take(self, code: int) -> PatternPrefix | None:
        """Return what is read after the character that an escape is."""
        if not self.fits([(code, code)]):
            return None
        where, *known = self.state
        if where == _CLASS:
            return self.go(_CLASS, code if known[1] is None else None, None)
        if where == _NAME:
            return self.go(_NAME, known[0], known[1] + chr(code))
        return self.go(_OUT, _ATOM)

    def take_several(self) -> PatternPrefix | None:
        r"""Return what is read after several characters, as ``\d``."""
        if self.state[0] == _OUT:
            return self.go(_OUT, _ATOM)
        return self.go(_CLASS, _SEVERAL, None) if self.state[2] is None else None


class Patterns:
    """Reads patterns: :class:`maskc.formats.RangeReader`."""

    def start(self) -> PatternPrefix:
        return PatternPrefix()

    def step(self, state: PatternPrefix, character: str) -> PatternPrefix | None:
        """Return what is read with one more character, ``None`` if no pattern begins so."""
        return _step(state, character)

    def may_end(self, state: PatternPrefix) -> bool:
        return (
            state.state[0] == _OUT
            and (not state.text or state.text[0] == "\\" and state.text[1:].isdigit())
            and not state.groups
            and state.most <= state.n_groups
            and state.wanted <= state.names
        )

    def characters(self, state: PatternPrefix) -> Iterable[tuple[str, str]]:
        """Return ranges of the characters that may follow at most."""
        if _begins_name(state):
            return name_ranges(is_first=state.text != "" or state.state[2] == "")
        if _needs_ascii(state):
            return _ONLY_ASCII
        if state.state[0] == _CLASS and state.state[2] is not None and not state.text:
            return (_ASCII, (chr(max(state.state[2], 0x80)), _LAST_SIGN))
        return _EVERY

    def is_uniform(self, state: PatternPrefix) -> bool:
        """Return whether all characters that are not ASCII are known to lead to one state."""
        if _begins_name(state):
            return False
        return _needs_ascii(state) or state.state[0] == _OUT and state.text != "["


def _begins_name(state: PatternPrefix) -> bool:
    return state.text == "(?<" or state.state[0] == _NAME and not state.text


def _needs_ascii(state: PatternPrefix) -> bool:
    return state.text != "" and not _MAY_BE_COMPLETE.fullmatch(state.text)


def _step(state: PatternPrefix | None, sign: str) -> PatternPrefix | None:
    if state is None:
        return None
    if not state.text:
        where = state.state[0]
        after = _outside if where == _OUT else _in_class if where == _CLASS else _in_name
        return after(state, sign)
    match state.text[0]:
        case "\\":
            return _escape(state, sign)
        case "(":
            return _open(state, sign)
        case "{":
            return _count(state, sign)
    # A class, whose first sign may be ^.
    opened = state.go(_CLASS, None, None)
    return opened if sign == "^" else _step(opened, sign)


def _outside(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    after = state.state[1]
    if sign in "*+?{":
        if sign == "?" and after == _REPEATED:
            return state.go(_OUT, _NOTHING)
        if after != _ATOM:
            return None
        return state._replace(text=sign) if sign == "{" else state.go(_OUT, _REPEATED)
    if sign in "}]":
        return None
    if sign == ")":
        if not state.groups:
            return None
        left = state._replace(groups=state.groups[:-1])
        return left.go(_OUT, _ATOM if state.groups[-1] == _GROUP else _NOTHING)
    if sign in "([\\":
        return state._replace(text=sign)
    return state.go(_OUT, _NOTHING if sign in "^$|" else _ATOM)


def _open(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    """Go on after ``(``, ``(?`` or ``(?<``."""
    if state.text == "(":
        return state._replace(text="(?") if sign == "?" else _step(state.open(_GROUP, 1), sign)
    if sign in "=!":
        return state.open(_ASSERTION)
    if state.text == "(?<":
        return _step(state.go(_NAME, _GROUP, ""), sign)
    if sign == ":":
        return state.open(_GROUP)
    return state._replace(text="(?<") if sign == "<" else None


def _count(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    """Go on in a quantifier with numbers, as ``{2,3}``."""
    found = _COUNT.fullmatch(state.text + sign)
    if found is None:
        return None
    if not found["end"]:
        return state._replace(text=_NEEDLESS_ZEROS.sub("", found[0]))
    low, high = found["low"] or "", found["high"] or ""
    is_count = low and (not high or (len(low), low) <= (len(high), high))
    return state.go(_OUT, _REPEATED) if is_count else None


def _in_class(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    """Go on in a class, as ``[a-z]``, outside of escapes."""
    _, pending, low = state.state
    if sign == "]":
        return state.go(_OUT, _ATOM)
    if low == _SEVERAL:
        return None  # after \d a hyphen is the last
    if sign == "\\":
        return state._replace(text=sign)
    if sign == "-" and pending is not None and low is None:
        return state.go(_CLASS, None, pending)
    return state.take(ord(sign))


def _in_name(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    _, purpose, name = state.state
    if sign == "\\":
        return state._replace(text=sign)
    if sign != ">":
        return state.take(ord(sign))
    if not name or purpose == _GROUP and name in state.names:
        return None
    if purpose == _REFERENCE:
        return state._replace(wanted=state.wanted | {name}).go(_OUT, _ATOM)
    return state._replace(names=state.names | {name}).open(_GROUP, 1)


def _escape(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    text, where = state.text + sign, state.state[0]
    kind, rest = text[1], text[2:]
    longer = state._replace(text=text)
    if kind == "u":
        return _unit(longer)
    if where == _NAME:
        return None
    if kind in "dDsSwW":
        return state.take_several()
    if kind in "pP":
        if rest[-1:] == "}":
            return state.take_several() if is_property(rest[1:-1]) else None
        begins = not rest or rest[0] == "{" and begins_property(rest[1:])
        return longer if begins and state.take_several() else None
    if kind == "0":
        if rest:
            return None if "0" <= sign <= "9" else _step(state.take(0), sign)
        return longer if state.fits([(0, 0)]) else None
    if kind == "c":
        if rest:
            return state.take(ord(sign) & 31) if sign.isascii() and sign.isalpha() else None
        return longer if state.fits([(1, 26)]) else None
    if kind == "x":
        return _digits(longer, rest, 2)
    if where == _OUT:
        if "1" <= kind <= "9":
            return _number(longer, sign)
        if kind == "k":
            return longer if not rest else state.go(_NAME, _REFERENCE, "") if sign == "<" else None
        if kind in "bB":
            return state.go(_OUT, _NOTHING)
    elif kind in "b-":
        return state.take(8 if kind == "b" else 0x2D)
    if kind in _CONTROLS:
        return state.take(_CONTROLS[kind])
    return state.take(ord(kind)) if kind in _SIGNS else None


def _number(state: PatternPrefix, sign: str) -> PatternPrefix | None:
    if not "0" <= sign <= "9":
        return _step(state.go(_OUT, _ATOM), sign)
    number = int(state.text[1:])
    return state._replace(most=max(state.most, number)) if number <= _MOST_GROUPS else None


def _digits(state: PatternPrefix, digits: str, n_digits: int) -> PatternPrefix | None:
    """Go on after some of so many hexadecimal digits, which are the end of the text."""
    if not _HEX.fullmatch(digits):
        return None
    low, high = _spread(digits, n_digits)
    if len(digits) == n_digits:
        return state.take(low)
    is_unit = n_digits == 4
    if not state.fits([(low, high), *(_pairs(low, high, *_TRAILS) if is_unit else ())]):
        return None
    if state.state[0] == _OUT:  # which ones they are is all the same
        state = state._replace(text=state.text[: len(state.text) - len(digits)] + "0" * len(digits))
    return state


def _unit(state: PatternPrefix) -> PatternPrefix | None:
    r"""Go on in ``\uXXXX``, in two of these, or in ``\u{X…}``."""
    text = state.text
    if text[2:3] == "{":
        return _braces(state, text[3:])
    digits, second = text[2:6], text[6:]
    lead = int(digits, 16) if len(digits) == 4 and _HEX.fullmatch(digits) else 0
    is_lead = _LEADS[0] <= lead <= _LEADS[1] and state.state[0] != _OUT
    if not is_lead:
        return _digits(state, digits, 4)
    if "\\u".startswith(second[:2]) and _HEX.fullmatch(second[2:]):
        pairs = list(_pairs(lead, lead, *_spread(second[2:], 4)))
        if len(second) == 6 and pairs:
            return state.take(pairs[0][0])
        if len(second) < 6 and pairs and state.fits(pairs):
            return state
        if not second and state.fits([(lead, lead)]):
            return state
    if state.state[0] == _NAME:
        return None
    alone = state.take(lead)
    for sign in second:
        alone = _step(alone, sign)
    return alone


def _braces(state: PatternPrefix, digits: str) -> PatternPrefix | None:
    r"""Go on in ``\u{…}``, where any number of digits may be zeros."""
    if digits[-1:] == "}":
        return state.take(int(digits[:-1], 16)) if digits[:-1] else None
    if not _HEX.fullmatch(digits):
        return None
    if not digits:
        return state
    low = high = value = int(digits, 16)
    ranges: list[tuple[int, int]] = []
    while low <= _LAST and (value or high <= _LAST or not ranges):
        ranges.append((low, min(high, _LAST)))
        low, high = low << 4, high << 4 | 15
    if not value:
        ranges.append((0, _LAST))
    return state._replace(text=rf"\u{{{value:x}") if ranges and state.fits(ranges) else None


def _spread(digits: str, n_digits: int) -> tuple[int, int]:
    n_left = 4 * (n_digits - len(digits))
    low = int(digits or "0", 16) << n_left
    return low, low | (1 << n_left) - 1


def _pairs(low: int, high: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    low, high = max(low, _LEADS[0]), min(high, _LEADS[1])
    first, last = max(first, _TRAILS[0]), min(last, _TRAILS[1])
    if low <= high and first <= last:
        yield (
            0x10000 + (low - 0xD800 << 10) + first - 0xDC00,
            (0x10000 + (high - 0xD800 << 10) + last - 0xDC00),
        )
