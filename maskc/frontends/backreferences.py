r"""A pattern whose back-reference repeats one of a few texts, without the back-reference.

No automaton compares two parts of a lexeme. Where the author says which texts a group may have, the
pattern is written once for each of them, the longest first, as a group that repeats tries them::

    // maskc: backreference=LONG_COMMENT:,=,==,===

Example: ``--\[(=*)\[.*?\]\1\]`` with the texts nothing and ``=`` is
``(?:--\[(?:=)\[.*?\](?:=)\]|--\[(?:)\[.*?\](?:)\])``.

Limits: one group, that is not repeated as a whole and is greedy. A text with another value is
read as the new pattern has it, where the old one would have matched: the author lists enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from maskc.errors import UnsupportedTerminalError

MOST_VALUES = 100
_TOKEN = re.compile(
    r"\\(?P<number>[1-9][0-9]?)(?![0-9])"
    r"|\\."
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\(\?P=(?P<reference>\w+)\)"
    r"|\(\?P<(?P<name>\w+)>"
    r"|(?P<odd>\(\?\()"
    r"|(?P<other>\(\?)"
    r"|(?P<open>\()"
    r"|(?P<close>\))",
    re.DOTALL,
)
_QUANTIFIERS = tuple("*+?{")


@dataclass(slots=True)
class _Group:
    """A group with brackets: its number and name, where it is, and what is around it."""

    number: int
    name: str | None
    begin: int
    inside: int
    around: tuple[int, ...]
    end: int = -1


def write_without_backreference(terminal: str, pattern: str, values: Sequence[str]) -> str:
    """Return a pattern that matches what another matches if its group is one of some texts.

    Args:
        terminal: for messages.
        pattern: of ``re``; one of its groups is referred to.
        values: the texts that the group may have.

    Raises:
        UnsupportedTerminalError: no group is referred to, or several, or in a way that is not
            supported; or a text is none that the group matches.
    """
    groups, references = _read(terminal, pattern)
    referred = {name for name, _, _ in references}
    found = [g for g in groups if str(g.number) in referred or g.name in referred]
    if len(found) != 1:
        raise _refuse(terminal, "it does not refer back to exactly one group")
    group = found[0]
    for place in (group, *(groups[n] for n in group.around)):
        if pattern[place.end :].startswith(_QUANTIFIERS):
            raise _refuse(terminal, "the group that it refers back to is repeated")
    own = pattern[group.inside : group.end - 1]
    for value in values:
        if re.fullmatch(own, value) is None:
            raise _refuse(terminal, f"its group ({own}) does not match the text {value[:80]!r}")
    _check_order(terminal, own, values)
    spans = [(group.begin, group.end), *((begin, end) for _, begin, end in references)]
    return "|".join(
        _put(pattern, spans, re.escape(value))
        for value in sorted(set(values), key=lambda value: (-len(value), value))
    ).join(("(?:", ")"))


def _read(terminal: str, pattern: str) -> tuple[list[_Group], list[tuple[str, int, int]]]:
    """Return the groups of a pattern, and the references in it: of what, from where to where."""
    groups: list[_Group] = []
    opened: list[int] = []
    references: list[tuple[str, int, int]] = []
    n_captured = 0
    for found in _TOKEN.finditer(pattern):
        reference = found["number"] or found["reference"]
        if found["odd"]:
            raise _refuse(terminal, "it has a conditional group beside its back-reference")
        if reference:
            references.append((reference, *found.span()))
        elif found["close"]:
            if not opened:
                raise _refuse(terminal, "its brackets do not pair up")
            groups[opened.pop()].end = found.end()
        elif found["name"] or found["other"] or found["open"]:
            is_captured = not found["other"]
            n_captured += is_captured
            number = n_captured if is_captured else 0
            groups.append(_Group(number, found["name"], *found.span(), tuple(opened)))
            opened.append(len(groups) - 1)
    return groups, references


def _check_order(terminal: str, own: str, values: Sequence[str]) -> None:
    """Check that a group tries a longer text before one that it begins with."""
    for longer in values:
        for shorter in values:
            if longer == shorter or not longer.startswith(shorter):
                continue
            rest = re.escape(longer[len(shorter) :])
            tried = re.match(rf"(?P<own__>{own})(?:{rest})?\Z", longer)
            if tried is None or tried["own__"] != longer:
                raise _refuse(
                    terminal, f"its group ({own}) tries {shorter[:40]!r} before {longer[:40]!r}"
                )


def _put(pattern: str, spans: Sequence[tuple[int, int]], text: str) -> str:
    parts, at = [], 0
    for begin, end in sorted(spans):
        parts += [pattern[at:begin], f"(?:{text})"]
        at = end
    return "".join([*parts, pattern[at:]])


def _refuse(terminal: str, fact: str) -> UnsupportedTerminalError:
    return UnsupportedTerminalError(
        terminal, f"backreference={terminal}: {fact}", "write its pattern out, with pattern="
    )
