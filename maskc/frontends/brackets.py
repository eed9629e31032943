"""Which brackets, back-references and alternatives does a pattern of ``re`` have, and where?

Read from the pattern's text, so that a part of it can be written otherwise. Brackets in classes and
escapes are none.

Example: ``(?P<q>a|b)x(?P=q)`` has one group, one reference to it, and one bar.

Limits: a pattern with the flag ``x``, or with a conditional, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from maskc.errors import UnsupportedTerminalError

_TOKEN = re.compile(
    r"\\(?P<number>[1-9][0-9]?)(?![0-9])"
    r"|\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\(\?P=(?P<reference>\w+)\)"
    r"|\(\?P<(?P<name>\w+)>"
    r"|(?P<odd>\(\?\()"
    r"|(?P<plain>\(\?:)"
    r"|(?P<other>\(\?)"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<bar>\|)",
    re.DOTALL,
)
_FLAGS = re.compile(r"\(\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]+))?(?P<whole>\))?(?=[:)]?)")
_FLAG_OF = {"i": re.IGNORECASE.value, "x": re.VERBOSE.value, "a": re.ASCII.value}


@dataclass(slots=True)
class Group:
    """Brackets: what they capture, where they are, and the brackets around them.

    Attributes:
        number: of the group, 0 for brackets that capture nothing.
        name: of the group.
        begin, inside, end: where the bracket opens, where its content begins, and after it.
        flags: of ``re``, for its content.
        around: numbers of the brackets around it in the list of all, the outermost first.
        is_plain: whether its content is read as without the brackets.
    """

    number: int
    name: str | None
    begin: int
    inside: int
    around: tuple[int, ...]
    is_plain: bool
    flags: int
    end: int = -1


class Reference(NamedTuple):
    """A back-reference: of what, from where to where, and the flags that hold there."""

    name: str
    begin: int
    end: int
    flags: int


@dataclass(slots=True)
class Reading:
    """What a pattern has in it.

    Attributes:
        groups: brackets, in the order in which they open.
        references: the back-references.
        bars: between alternatives: the number of the brackets around, or -1, and where.
    """

    groups: list[Group] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    bars: list[tuple[int, int]] = field(default_factory=list)


def read_brackets(terminal: str, pattern: str, flags: int) -> Reading:
    """Return the brackets of a pattern, the references in it, and where its alternatives end.

    Args:
        terminal: for messages.
        pattern: of ``re``, which reads it.
        flags: of ``re``.

    Raises:
        UnsupportedTerminalError: it has a conditional, or the flag x.
    """
    reading = Reading()
    opened: list[int] = []
    n_captured = 0
    whole = _FLAGS.match(pattern)
    if whole and whole["whole"]:
        flags = _change(terminal, flags, whole)
    for found in _TOKEN.finditer(pattern):
        reference = found["number"] or found["reference"]
        if found["odd"]:
            raise refuse(terminal, "it has a conditional group beside its back-reference")
        if reference:
            here = reading.groups[opened[-1]].flags if opened else flags
            reading.references.append(Reference(reference, *found.span(), here))
        elif found["bar"]:
            reading.bars.append((opened[-1] if opened else -1, found.start()))
        elif found["close"]:
            if not opened:
                raise refuse(terminal, "its brackets do not pair up")
            reading.groups[opened.pop()].end = found.end()
        elif found["name"] or found["plain"] or found["other"] or found["open"]:
            is_captured = bool(found["name"] or found["open"])
            n_captured += is_captured
            number, is_plain = n_captured if is_captured else 0, not found["other"]
            around = tuple(opened)
            inner = reading.groups[opened[-1]].flags if opened else flags
            if found["other"]:
                inner = _change(terminal, inner, _FLAGS.match(pattern, found.start()))
            opened.append(len(reading.groups))
            reading.groups.append(
                Group(number, found["name"], *found.span(), around, is_plain, inner)
            )
    if opened:
        raise refuse(terminal, "its brackets do not pair up")
    return reading


def _change(terminal: str, flags: int, found: re.Match[str] | None) -> int:
    """Return the flags inside of brackets."""
    on, off = (found["on"] or "", found["off"] or "") if found else ("", "")
    if flags & re.VERBOSE or "x" in on:
        raise refuse(terminal, "its pattern has the flag x")
    for letter in {*on} & _FLAG_OF.keys():
        flags |= _FLAG_OF[letter]
    for letter in {*off} & _FLAG_OF.keys():
        flags &= ~_FLAG_OF[letter]
    return flags


def is_referred(reading: Reading, group: Group) -> bool:
    """Return whether some back-reference is to a group."""
    names = {str(group.number), group.name}
    return group.number > 0 and any(found.name in names for found in reading.references)


def edit(pattern: str, begin: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a part of a pattern, with some of its spans written otherwise."""
    parts, at = [], begin
    for first, last, text in sorted(edits):
        if begin <= first and last <= end:
            parts += [pattern[at:first], text]
            at = last
    return "".join([*parts, pattern[at:end]])


def refuse(terminal: str, fact: str) -> UnsupportedTerminalError:
    """Return the refusal of a pattern of which no other can be written."""
    return UnsupportedTerminalError(
        terminal,
        f"its back-reference cannot be written out: {fact}",
        "write its pattern without one",
    )
