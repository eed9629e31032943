r"""Patterns of ECMA-262, character by character: what may come next, and may it end here?

A pattern is read with the flag ``u``, as JSON Schema says. What an automaton cannot count is kept
as it is: the groups that are open, how many capture, the greatest back-reference, and the names of
groups. A back-reference may come before its group, so whether there are enough groups is decided at
the end; until then one more group can always be written. So nothing is a dead end.

Example: after ``(a\2`` a group must be closed, and another one must be opened, before it may end.

Limits: the edition is the 15th (2024): two groups of one name are an error wherever they stand, and
there are no modifiers as ``(?i:…)``. Numbers of groups are below 2 to the power of 32, as there.

Source: ECMA-262, 15th edition, 22.2.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from maskc.formats.ecma_escapes import (
    ATOM,
    CLASS,
    DASH,
    ESCAPE,
    IN_ESCAPES,
    NAME,
    NOTHING,
    NUMBER,
    OUT,
    REPEATED,
    START_CLASS,
    ZERO,
    ZERO_CLASS,
    Lex,
    follow_escape,
)
from maskc.formats.identifiers import has_identifier, name_ranges

_OPEN, _MARK, _BEFORE = "(", "(?", "(?<"
_COUNT, _LEAST, _MOST, _REFERENCE = "{", "{n", "{n,", "k"
_MOST_GROUPS = (1 << 32) - 2
_LAST, _LAST_ASCII = "\U0010ffff", "\x7f"
_DIGITS = frozenset(range(0x30, 0x3A))
# Kinds of groups: those that may be repeated, and assertions.
GROUP, ASSERTION = "g", "a"
_NONE: frozenset[str] = frozenset()


class Pattern(NamedTuple):
    """What has been read of a pattern.

    Attributes:
        lex: what is under way; first its kind.
        groups: the kinds of groups that are open, the innermost last.
        n_groups: groups that capture.
        most: the greatest number of a back-reference.
        names: of groups.
        wanted: names that are referred to.
    """

    lex: Lex
    groups: str = ""
    n_groups: int = 0
    most: int = 0
    names: frozenset[str] = _NONE
    wanted: frozenset[str] = _NONE


class Patterns:
    """Reads patterns: :class:`maskc.formats.registry.RangeReader`."""

    def start(self) -> Pattern:
        """Return what is read of a pattern at its beginning."""
        return Pattern((OUT, NOTHING))

    def step(self, state: Pattern, character: str) -> Pattern | None:
        """Return what is read with one more character, ``None`` if no pattern begins so."""
        kind, code = state.lex[0], ord(character)
        if kind in (OUT, ZERO, NUMBER):
            return _outside(state, code)
        if kind in (CLASS, START_CLASS, DASH, ZERO_CLASS):
            lex = _in_class(state.lex, code)
            return state._replace(lex=lex) if lex else None
        if kind in IN_ESCAPES:
            return _in_escape(state, code)
        if kind == NAME:
            return _in_name(state, code)
        if kind in (_COUNT, _LEAST, _MOST):
            lex = _in_count(state.lex, code)
            return state._replace(lex=lex) if lex else None
        if kind == _REFERENCE:
            return state._replace(lex=(NAME, _REFERENCE, "")) if code == ord("<") else None
        return _in_opening(state, code)

    def may_end(self, state: Pattern) -> bool:
        """Return whether a pattern may end here."""
        return (
            state.lex[0] in (OUT, ZERO, NUMBER)
            and not state.groups
            and state.most <= state.n_groups
            and state.wanted <= state.names
        )

    def characters(self, state: Pattern) -> Iterable[tuple[str, str]]:
        """Return ranges of the characters that may follow at most."""
        kind = state.lex[0]
        if kind in (NAME, _BEFORE):
            is_first = kind == _BEFORE or state.lex[2] == ""
            return name_ranges(is_first=is_first)
        if kind == DASH:
            return (("\0", _LAST_ASCII), (chr(max(state.lex[1], 0x80)), _LAST))
        if kind in (OUT, ZERO, NUMBER, _OPEN, CLASS, START_CLASS, ZERO_CLASS):
            return (("\0", _LAST),)
        return (("\0", _LAST_ASCII),)


def _in_escape(state: Pattern, code: int) -> Pattern | None:
    lex = follow_escape(state.lex, code)
    if lex is None:
        return None
    most = max(state.most, lex[1]) if lex[0] == NUMBER else state.most
    return state._replace(lex=lex, most=most)


def _outside(state: Pattern, code: int) -> Pattern | None:
    """Go on outside of classes."""
    kind, after = state.lex[0], state.lex[1]
    if kind != OUT:
        if code in _DIGITS:
            if kind == ZERO:
                return None
            number = after * 10 + code - 0x30
            if number > _MOST_GROUPS:
                return None
            return state._replace(lex=(NUMBER, number), most=max(state.most, number))
        after = ATOM
    sign = chr(code)
    if sign in "*+?{":
        if sign == "?" and after == REPEATED:
            return state._replace(lex=(OUT, NOTHING))
        if after in (NOTHING, REPEATED):
            return None
        return state._replace(lex=(_COUNT,) if sign == "{" else (OUT, REPEATED))
    if sign in "}]":
        return None
    if sign == ")":
        return _close(state)
    lex: Lex
    if sign in "^$|":
        lex = (OUT, NOTHING)
    elif sign == "(":
        lex = (_OPEN,)
    elif sign == "[":
        lex = (START_CLASS,)
    elif sign == "\\":
        lex = (ESCAPE, (OUT,))
    else:
        lex = (OUT, ATOM)
    return state._replace(lex=lex)


def _close(state: Pattern) -> Pattern | None:
    if state.groups:
        after = ATOM if state.groups[-1] == GROUP else NOTHING
        return state._replace(lex=(OUT, after), groups=state.groups[:-1])
    return None


def _open(state: Pattern, kind: str, n_groups: int = 0) -> Pattern:
    return state._replace(
        lex=(OUT, NOTHING), groups=state.groups + kind, n_groups=state.n_groups + n_groups
    )


def _in_opening(state: Pattern, code: int) -> Pattern | None:
    """Go on after ``(``, ``(?`` or ``(?<``."""
    kind, sign = state.lex[0], chr(code)
    if kind == _OPEN:
        if sign == "?":
            return state._replace(lex=(_MARK,))
        return _outside(_open(state, GROUP, 1), code)
    if sign in "=!":
        return _open(state, ASSERTION)
    if kind == _MARK:
        if sign == ":":
            return _open(state, GROUP)
        return state._replace(lex=(_BEFORE,)) if sign == "<" else None
    return _in_name(state._replace(lex=(NAME, GROUP, "")), code)


def _in_name(state: Pattern, code: int) -> Pattern | None:
    """Go on in the name of a group, or of one that is referred to."""
    _, purpose, text = state.lex
    if code == ord("\\"):
        return state._replace(lex=(ESCAPE, (NAME, purpose, text)))
    if code != ord(">"):
        if not has_identifier(code, code, is_first=text == ""):
            return None
        return state._replace(lex=(NAME, purpose, text + chr(code)))
    if text == "":
        return None
    if purpose == _REFERENCE:
        state = state._replace(wanted=state.wanted | {text})
    elif text in state.names:
        return None
    else:
        state = state._replace(names=state.names | {text})
    if purpose == _REFERENCE:
        return state._replace(lex=(OUT, ATOM))
    return _open(state, GROUP, 1)


def _in_count(lex: Lex, code: int) -> Lex | None:
    """Go on in a quantifier with numbers, as ``{2,3}``."""
    kind = lex[0]
    if code in _DIGITS:
        digit = code - 0x30
        if kind == _COUNT:
            return (_LEAST, digit)
        if kind == _LEAST:
            return (_LEAST, lex[1] * 10 + digit)
        return (_MOST, lex[1], max(lex[2], 0) * 10 + digit)
    if code == ord("}"):
        fits = kind == _LEAST or kind == _MOST and (lex[2] < 0 or lex[1] <= lex[2])
        return (OUT, REPEATED) if fits else None
    return (_MOST, lex[1], -1) if code == ord(",") and kind == _LEAST else None


def _in_class(lex: Lex, code: int) -> Lex | None:
    """Go on in a class, as ``[a-z]``, outside of escapes."""
    kind, sign = lex[0], chr(code)
    if kind == ZERO_CLASS:
        if code in _DIGITS:
            return None
        lex = (CLASS, lex[1], None)
        kind = CLASS
    elif kind == START_CLASS:
        if sign == "^":
            return (CLASS, None, None)
        lex = (CLASS, None, None)
        kind = CLASS
    pending = lex[1]
    if sign == "]":
        return (OUT, ATOM)
    if kind == DASH:
        if pending < 0:
            return None  # after \d a hyphen is the last
        if sign == "\\":
            return (ESCAPE, (CLASS, pending, None))
        return (CLASS, None, None) if code >= pending else None
    if sign == "\\":
        return (ESCAPE, (CLASS, None, lex[2]))
    if sign == "-" and pending is not None:
        return (DASH, pending)
    return (CLASS, code, None)
