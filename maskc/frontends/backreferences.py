"""A pattern whose back-references repeat one of a few texts, without the back-references.

No automaton compares two parts of a lexeme. Where a group has few texts, by its tree
(:mod:`maskc.regular.matching`) or by the author's list (docs/lexing.md), what follows the group is
written once for each of them, in the order in which ``re`` tries them; what stands before the group
stays, so that its ways are tried in their order.

Limits: a group is not repeated by itself, and stands in the alternative that refers to it; a
pattern with the flag ``x``, or with a conditional, is refused. Where the author lists texts, a text
with another value is read as the new pattern has it, where the old one would have matched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from maskc.errors import UnsupportedTerminalError
from maskc.regular.matching import list_texts, sample_texts

MOST_VALUES = 100
MOST_WRITTEN = 100_000  # characters of what follows a group, once for each of its texts
# What depends on the text around it; escapes and classes are read whole.
_CONTEXT_DEPENDENT = re.compile(
    r"\\(?P<escaped>.)|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<around>\^|\$|\(\?(?:=|!|<[=!]))", re.DOTALL
)
_ODD_LETTERS = re.compile(r"[^\x00-\x7f]|[iIsS]")  # a reference compares their cases otherwise
_QUANTIFIERS = tuple("*+?{")
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
class CaptureBrackets:
    """Brackets: what they capture, where they are, and the brackets around them."""

    number: int  # of the group, 0 for brackets that capture nothing
    name: str | None  # of the group
    # begin, inside, end: where the bracket opens, where its content begins, and after it
    begin: int
    inside: int
    # numbers of the brackets around it in the list of all, the outermost first
    around: tuple[int, ...]
    is_plain: bool  # whether its content is read as without the brackets
    flags: int  # of re, for its content
    end: int = -1


class WrittenReference(NamedTuple):
    """A back-reference: of what, from where to where, and the flags that hold there."""

    name: str
    begin: int
    end: int
    flags: int


@dataclass(slots=True)
class Brackets:
    """What a pattern has in it."""

    # brackets, in the order in which they open
    groups: list[CaptureBrackets] = field(default_factory=list)
    references: list[WrittenReference] = field(default_factory=list)  # the back-references
    # between alternatives: the number of the brackets around, or -1, and where
    bars: list[tuple[int, int]] = field(default_factory=list)


def read_brackets(terminal: str, pattern: str, flags: int) -> Brackets:
    """Return the brackets of a pattern, the references in it, and where its alternatives end."""
    brackets = Brackets()
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
            here = brackets.groups[opened[-1]].flags if opened else flags
            brackets.references.append(WrittenReference(reference, *found.span(), here))
        elif found["bar"]:
            brackets.bars.append((opened[-1] if opened else -1, found.start()))
        elif found["close"]:
            if not opened:
                raise refuse(terminal, "its brackets do not pair up")
            brackets.groups[opened.pop()].end = found.end()
        elif found["name"] or found["plain"] or found["other"] or found["open"]:
            is_captured = bool(found["name"] or found["open"])
            n_captured += is_captured
            number, is_plain = n_captured if is_captured else 0, not found["other"]
            around = tuple(opened)
            inner = brackets.groups[opened[-1]].flags if opened else flags
            if found["other"]:
                inner = _change(terminal, inner, _FLAGS.match(pattern, found.start()))
            opened.append(len(brackets.groups))
            brackets.groups.append(
                CaptureBrackets(number, found["name"], *found.span(), around, is_plain, inner)
            )
    if opened:
        raise refuse(terminal, "its brackets do not pair up")
    return brackets


def _change(terminal: str, flags: int, found: re.Match[str] | None) -> int:
    on, off = (found["on"] or "", found["off"] or "") if found else ("", "")
    if flags & re.VERBOSE or "x" in on:
        raise refuse(terminal, "its pattern has the flag x")
    for letter in {*on} & _FLAG_OF.keys():
        flags |= _FLAG_OF[letter]
    for letter in {*off} & _FLAG_OF.keys():
        flags &= ~_FLAG_OF[letter]
    return flags


def is_referred(brackets: Brackets, group: CaptureBrackets) -> bool:
    names = {str(group.number), group.name}
    return group.number > 0 and any(found.name in names for found in brackets.references)


def edit(pattern: str, begin: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a part of a pattern, with some of its spans written otherwise."""
    parts, at = [], begin
    for first, last, text in sorted(edits):
        if begin <= first and last <= end:
            parts += [pattern[at:first], text]
            at = last
    return "".join([*parts, pattern[at:end]])


def refuse(terminal: str, fact: str) -> UnsupportedTerminalError:
    return UnsupportedTerminalError(
        terminal,
        f"its back-reference cannot be written out: {fact}",
        "write its pattern without one",
    )


def write_without_backreferences(
    terminal: str,
    pattern: str,
    values: Sequence[str] | None = None,
    *,
    flags: int = 0,
    is_joined: bool = False,
) -> str:
    """Return a pattern that matches what another matches, without its back-references.

    Args:
        terminal: for messages.
        pattern: of ``re``; one or more of its groups are referred to.
        values: the texts that the group may have whose texts are not few.
        is_joined: whether the pattern is joined to others, so that groups have other numbers.

    Raises:
        UnsupportedTerminalError: the texts of a group are not few and not given, or a group is
            referred to in a way that is not supported, or a given text is not one of the group's.
    """
    given = values
    while (brackets := read_brackets(terminal, pattern, flags)).references:
        group = _find_last(terminal, brackets)
        if is_joined and any(str(group.number) == found.name for found in brackets.references):
            raise UnsupportedTerminalError(
                terminal,
                f"it refers back to group {group.number} by its number, which changes where "
                "patterns are joined to one",
                f"name the group, as in {_name_group(terminal, pattern, brackets, group)}",
            )
        own = pattern[group.inside : group.end - 1]
        parts = _CONTEXT_DEPENDENT.finditer(own)
        if any(part["around"] or part["escaped"] in tuple("AbBZ") for part in parts):
            raise refuse(terminal, f"its group ({own}) depends on the text around it")
        is_left = len({g.number for g in brackets.groups if is_referred(brackets, g)}) == 1
        few = None if given is not None and is_left else list_texts(own, group.flags, MOST_VALUES)
        if few is None and given is None:
            raise _refuse_many(terminal, pattern, brackets, group)
        if few is None:
            few, given = _check_values(terminal, own, given or (), group.flags), None
        if group.flags & re.IGNORECASE and any(map(_ODD_LETTERS.search, few)):
            raise refuse(terminal, f"it ignores case, and not alike for all texts of ({own})")
        in_order = _put_in_order(own, few, group.flags)
        pattern = _write(terminal, pattern, brackets, group, in_order)
    if given is not None:
        raise refuse(terminal, "it has no back-reference to a group whose texts are not few")
    return pattern


def _find_last(terminal: str, brackets: Brackets) -> CaptureBrackets:
    """Return the group that begins last of those that are referred to.

    What follows it refers to none that begins there, and those before it keep their numbers.
    """
    found = [group for group in brackets.groups if is_referred(brackets, group)]
    known = {word for group in found for word in (str(group.number), group.name)}
    if any(reference.name not in known for reference in brackets.references):
        raise refuse(terminal, "it refers to a group that it does not have")
    return found[-1]


def _check_values(terminal: str, own: str, values: Sequence[str], flags: int) -> list[str]:
    for value in values:
        if re.fullmatch(own, value, flags) is None:
            raise refuse(terminal, f"its group ({own}) does not match the text {value[:80]!r}")
    return sorted({value.lower() if flags & re.IGNORECASE else value for value in values})


def _put_in_order(own: str, values: Sequence[str], flags: int) -> list[str]:
    """Return the texts of a group in an order in which ``re`` tries them.

    Two of them match at one index only if one begins with the other. Which of them comes first
    ``re`` says itself: what is left of the longer one may follow the shorter one.
    """
    ordered: list[str] = []
    for value in sorted(values, key=lambda text: (len(text), text)):
        at = len(ordered)
        for index, shorter in enumerate(ordered):
            if value.startswith(shorter):
                rest = re.escape(value[len(shorter) :])
                tried = re.match(rf"(?P<own__>{own})(?:{rest})?\Z", value, flags)
                if tried is not None and tried["own__"] == value:
                    at = index
                    break
        ordered.insert(at, value)
    return ordered


def _write(
    terminal: str, pattern: str, brackets: Brackets, group: CaptureBrackets, values: Sequence[str]
) -> str:
    """Return the pattern with what follows the group, in its alternative, once for each text."""
    groups, references = brackets.groups, brackets.references
    names = {str(group.number), group.name}
    own = [found for found in references if found.name in names]
    if any(found.begin < group.end for found in own):
        raise refuse(terminal, "it refers to a group before the group's end")
    if any((found.flags ^ group.flags) & re.IGNORECASE for found in own):
        raise refuse(terminal, "it ignores case in the group and not where it refers to it")
    last = max(found.end for found in own)
    # Brackets around the group that end before a reference are written without brackets.
    holding = [n for n in group.around if groups[n].end >= last]
    left = group.around[len(holding) :]
    for index in (group, *(groups[n] for n in left)):
        if pattern[index.end :].startswith(_QUANTIFIERS):
            raise refuse(terminal, "the group that it refers back to is repeated")
    if any(is_referred(brackets, groups[n]) for n in left):
        raise refuse(terminal, "of two groups that it refers back to one is inside the other")
    if any(n in left for n, _ in brackets.bars) or not all(groups[n].is_plain for n in left):
        raise refuse(
            terminal, "it refers to a group from outside of brackets with alternatives or flags"
        )
    scope = holding[-1] if holding else -1
    ends = [at for n, at in brackets.bars if n == scope and at >= group.end]
    end = min([*ends, groups[scope].end - 1 if holding else len(pattern)])
    if last > end:
        raise refuse(terminal, "the group that it refers back to is in another alternative")
    if len(values) * (end - group.end) > MOST_WRITTEN:
        raise refuse(terminal, f"once for each text it has more than {MOST_WRITTEN:,} characters")
    edits = [(groups[n].begin, groups[n].inside, "") for n in left]
    edits += [(groups[n].end - 1, groups[n].end, "") for n in left]
    # Names would stand in the pattern more than once.
    edits += [
        (g.begin, g.inside, "(?:")
        for n, g in enumerate(groups)
        if g.name and g is not group and n not in left and not is_referred(brackets, g)
    ]
    tails = []
    for value in values:
        text = f"(?:{re.escape(value)})"
        spans = [(found.begin, found.end, text) for found in own]
        tails.append(text + edit(pattern, group.end, end, [*edits, *spans]))
    head = edit(pattern, 0, group.begin, edits)
    return f"{head}(?:{'|'.join(tails)}){edit(pattern, end, len(pattern), edits)}"


def _name_group(terminal: str, pattern: str, brackets: Brackets, group: CaptureBrackets) -> str:
    name = f"of_{terminal.strip('_').lower()}"
    edits = [(group.begin, group.inside, f"(?P<{name}>")]
    edits += [
        (found.begin, found.end, f"(?P={name})")
        for found in brackets.references
        if found.name == str(group.number)
    ]
    return f"/{edit(pattern, 0, len(pattern), edits)}/"


def _refuse_many(
    terminal: str, pattern: str, brackets: Brackets, group: CaptureBrackets
) -> UnsupportedTerminalError:
    """Return the refusal of a group whose texts are not few, with what lists some of them."""
    own = pattern[group.inside : group.end - 1]
    shown = f"({own[:80]})"
    construct = f"it refers back to its group {shown}, which has too many texts for an automaton"
    texts = [text for text in sample_texts(own, group.flags) if not re.search(r"[\s,]", text)]
    try:
        _write(terminal, pattern, brackets, group, texts)
    except UnsupportedTerminalError as error:
        return error
    remedy = "write its pattern without one"
    if texts:
        is_nameless = terminal.startswith("__")
        remedy = (
            f"{'give the terminal a name, and ' * is_nameless}list those that it may have, as // "
            f"maskc: backreference={'NAME' if is_nameless else terminal}:{','.join(texts)}"
        )
    return UnsupportedTerminalError(terminal, construct, remedy)
