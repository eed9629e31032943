r"""A pattern whose back-reference repeats one of a few texts, without the back-reference.

No automaton compares two parts of a lexeme. Where the author says which texts a group may have,
what follows the group is written once for each of them, the longest first, as a group that repeats
tries them; what stands before the group stays, so that its ways are tried in their order::

    // maskc: backreference=LONG_COMMENT:,=,==,===

Example: ``--\[(?P<n>=*)\[.*?\](?P=n)\]`` with the texts nothing and ``=`` is
``--\[(?:(?:=)\[.*?\](?:=)\]|(?:)\[.*?\](?:)\])``.

Limits: one group, that is not repeated, is greedy, and stands in the alternative that refers to it.
A text with another value is read as the new pattern has it, where the old one would have matched:
the author lists enough.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from maskc.errors import UnsupportedTerminalError

MOST_VALUES = 100
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
# What asks about the text around it; escapes and classes are read whole.
_ASKS = re.compile(
    r"\\(?P<escaped>.)|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<asks>\^|\$|\(\?(?:=|!|<[=!]))", re.DOTALL
)
_FLAGS = re.compile(r"\(\?(?P<flags>[a-zA-Z]+)")
_ODD_LETTERS = re.compile(r"[^\x00-\x7f]|[iIsS]")  # a reference compares their cases otherwise
_QUANTIFIERS = tuple("*+?{")


@dataclass(slots=True)
class _Group:
    """Brackets: what they capture, where they are, and the brackets around them.

    Attributes:
        number: of the group, 0 for brackets that capture nothing.
        name: of the group.
        begin, inside, end: where the bracket opens, where its content begins, and after it.
        around: numbers of the brackets around it in the list of all, the outermost first.
        is_plain: whether its content is read as without the brackets.
    """

    number: int
    name: str | None
    begin: int
    inside: int
    around: tuple[int, ...]
    is_plain: bool
    end: int = -1


@dataclass(slots=True)
class _Reading:
    """What a pattern has in it.

    Attributes:
        groups: brackets, in the order in which they open.
        references: of what, from where to where.
        bars: between alternatives: the number of the brackets around, or -1, and where.
    """

    groups: list[_Group] = field(default_factory=list)
    references: list[tuple[str, int, int]] = field(default_factory=list)
    bars: list[tuple[int, int]] = field(default_factory=list)


def write_without_backreference(
    terminal: str,
    pattern: str,
    values: Sequence[str],
    *,
    flags: Collection[str] = (),
    is_joined: bool = False,
) -> str:
    """Return a pattern that matches what another matches if its group is one of some texts.

    Args:
        terminal: for messages.
        pattern: of ``re``; one of its groups is referred to.
        values: the texts that the group may have.
        flags: letters of the flags of ``re``.
        is_joined: whether the pattern is joined to others, so that groups have other numbers.

    Raises:
        UnsupportedTerminalError: no group is referred to, or several, or in a way that is not
            supported; or a text is none that the group matches.
    """
    letters = {*flags, *"".join(found["flags"] for found in _FLAGS.finditer(pattern))}
    if "x" in letters:
        raise _refuse(terminal, "its pattern has the flag x")
    reading = _read(terminal, pattern)
    referred = {name for name, _, _ in reading.references}
    found = [g for g in reading.groups if g.number and {str(g.number), g.name} & referred]
    if len(found) != 1:
        raise _refuse(terminal, "it does not refer back to exactly one group")
    if is_joined and str(found[0].number) in referred:
        raise UnsupportedTerminalError(
            terminal,
            f"backreference={terminal}: it refers to group {found[0].number} by its number, which "
            "is another one where patterns are joined to one",
            "name the group, as in (?P<q>a)(?P=q)",
        )
    own = pattern[found[0].inside : found[0].end - 1]
    if any(part["asks"] or part["escaped"] in tuple("AbBZ") for part in _ASKS.finditer(own)):
        raise _refuse(terminal, f"its group ({own}) asks about what stands around it")
    for value in values:
        if re.fullmatch(own, value, re.IGNORECASE if "i" in letters else 0) is None:
            raise _refuse(terminal, f"its group ({own}) does not match the text {value[:80]!r}")
        if "i" in letters and _ODD_LETTERS.search(value):
            raise _refuse(terminal, f"it ignores case, and not alike for all of {value[:80]!r}")
    _check_order(terminal, own, values)
    in_order = sorted(set(values), key=lambda value: (-len(value), value))
    return _write(terminal, pattern, reading, found[0], in_order)


def _read(terminal: str, pattern: str) -> _Reading:
    """Return the brackets of a pattern, the references in it, and where its alternatives end."""
    reading = _Reading()
    opened: list[int] = []
    n_captured = 0
    for found in _TOKEN.finditer(pattern):
        reference = found["number"] or found["reference"]
        if found["odd"]:
            raise _refuse(terminal, "it has a conditional group beside its back-reference")
        if reference:
            reading.references.append((reference, *found.span()))
        elif found["bar"]:
            reading.bars.append((opened[-1] if opened else -1, found.start()))
        elif found["close"]:
            if not opened:
                raise _refuse(terminal, "its brackets do not pair up")
            reading.groups[opened.pop()].end = found.end()
        elif found["name"] or found["plain"] or found["other"] or found["open"]:
            is_captured = bool(found["name"] or found["open"])
            n_captured += is_captured
            number, is_plain = n_captured if is_captured else 0, not found["other"]
            around = tuple(opened)
            opened.append(len(reading.groups))
            reading.groups.append(_Group(number, found["name"], *found.span(), around, is_plain))
    if opened:
        raise _refuse(terminal, "its brackets do not pair up")
    return reading


def _write(
    terminal: str, pattern: str, reading: _Reading, group: _Group, values: Sequence[str]
) -> str:
    """Return the pattern with what follows the group, in its alternative, once for each text."""
    groups, references = reading.groups, reading.references
    for place in (group, *(groups[n] for n in group.around)):
        if pattern[place.end :].startswith(_QUANTIFIERS):
            raise _refuse(terminal, "the group that it refers back to is repeated")
    if any(begin < group.end for _, begin, _ in references):
        raise _refuse(terminal, "it refers to a group before the group's end")
    last = max(end for _, _, end in references)
    # Brackets around the group that end before a reference are written without brackets.
    holding = [n for n in group.around if groups[n].end >= last]
    left = group.around[len(holding) :]
    if any(n in left for n, _ in reading.bars) or not all(groups[n].is_plain for n in left):
        raise _refuse(
            terminal, "it refers to a group from outside of brackets with alternatives or flags"
        )
    scope = holding[-1] if holding else -1
    ends = [at for n, at in reading.bars if n == scope and at >= group.end]
    end = min([*ends, groups[scope].end - 1 if holding else len(pattern)])
    if last > end:
        raise _refuse(terminal, "the group that it refers back to is in another alternative")
    edits = [(groups[n].begin, groups[n].inside, "") for n in left]
    edits += [(groups[n].end - 1, groups[n].end, "") for n in left]
    # Names would stand in the pattern more than once.
    edits += [
        (g.begin, g.inside, "(?:")
        for n, g in enumerate(groups)
        if g.name and g is not group and n not in left
    ]
    tails = []
    for value in values:
        text = f"(?:{re.escape(value)})"
        spans = [(begin, stop, text) for _, begin, stop in references]
        tails.append(text + _edit(pattern, group.end, end, [*edits, *spans]))
    head = _edit(pattern, 0, group.begin, edits)
    return f"{head}(?:{'|'.join(tails)}){_edit(pattern, end, len(pattern), edits)}"


def _edit(pattern: str, begin: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a part of a pattern, with some of its spans written otherwise."""
    parts, at = [], begin
    for first, last, text in sorted(edits):
        if begin <= first and last <= end:
            parts += [pattern[at:first], text]
            at = last
    return "".join([*parts, pattern[at:end]])


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


def _refuse(terminal: str, fact: str) -> UnsupportedTerminalError:
    return UnsupportedTerminalError(
        terminal, f"backreference={terminal}: {fact}", "write its pattern out, with pattern="
    )
