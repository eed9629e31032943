r"""The parser of Python's ``re``: a pattern as a syntax tree of ours, and what to call its parts.

CPython's own parser reads the pattern, so the syntax is ``re``'s by construction; here alone its
tree is looked at, which is documented nowhere but in its source. It has joined and factored some
alternatives already: ``a|b`` is a set, and ``ab|ac`` is ``a(?:b|c)``.

Messages name what looks at more than the characters that it matches as its author wrote it:
look-arounds, anchors, word boundaries, and groups that keep what they first matched.

Example: ``(?i:k)+?`` is a lazy repetition of the set of ``K``, ``k`` and the Kelvin sign;
``a(?!b)\b`` has "the look-ahead (?!…)" and "the word boundary \b".
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, cast

from maskc import regular
from maskc.errors import UnsupportedTerminalError
from maskc.regular import (
    EMPTY_TEXT,
    GREEDY,
    LAZY,
    NOTHING,
    POSSESSIVE,
    Alternation,
    Anchor,
    Atomic,
    BackReference,
    CapturingGroup,
    Characters,
    Conditional,
    Expression,
    Look,
    Repeat,
    Sequence,
    charset,
    walk,
)
from maskc.wording import Phrase

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001
_combine_flags = cast(Any, re)._compiler._combine_flags  # noqa: SLF001
_MODES = {"MAX_REPEAT": GREEDY, "MIN_REPEAT": LAZY, "POSSESSIVE_REPEAT": POSSESSIVE}
_ANCHORS = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": "A",
    "AT_END": "$",
    "AT_END_STRING": "Z",
    "AT_BOUNDARY": "b",
    "AT_NON_BOUNDARY": "B",
}
_LONGEST_KEPT = 2_000  # characters of a pattern whose tree is kept

_MAY_REFER = re.compile(r"\\[1-9]|\(\?P=")
_ANCHOR_NAMES = {"^": "anchor ^", "$": "anchor $", "A": r"anchor \A", "Z": r"anchor \Z"}
_ANCHOR_NAMES |= {"b": r"word boundary \b", "B": r"word boundary \B"}


def read_python(pattern: str, flags: int = 0) -> Expression:
    """Return the syntax tree of a pattern.

    Raises:
        re.error, OverflowError, RecursionError: ``re`` does not read the pattern.
    """
    return (_read if len(pattern) > _LONGEST_KEPT else _read_once)(pattern, flags)


def _read(pattern: str, flags: int) -> Expression:
    tree = _parser.parse(pattern, flags)
    return _Reader(tree.state.groupwidths).sequence(tree, tree.state.flags)


_read_once = lru_cache(maxsize=1_024)(_read)


class _Reader:
    def __init__(self, widths: list[tuple[int, int] | None]) -> None:
        self._widths = widths  # of groups

    def sequence(self, tree: Any, flags: int) -> Expression:
        parts = []
        for opcode, argument in tree:
            parts.append(self._node(str(opcode), argument, flags))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _node(self, opcode: str, argument: Any, flags: int) -> Expression:
        match opcode:
            case "LITERAL":
                return Characters(charset.literal_set(argument, flags))
            case "NOT_LITERAL":
                return Characters(charset.complement(charset.literal_set(argument, flags)))
            case "ANY":
                return Characters(charset.any_set(flags))
            case "IN":
                return Characters(charset.items_set(tuple(argument), flags))
            case "BRANCH":
                parts = []
                for tree in argument[1]:
                    parts.append(self.sequence(tree, flags))
                return Alternation(tuple(parts))
            case "SUBPATTERN":
                number, added, removed, tree = argument
                body = self.sequence(tree, _combine_flags(flags, added, removed))
                return body if number is None else CapturingGroup(body, number)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, tree = argument
                most = None if high == _parser.MAXREPEAT else int(high)
                return Repeat(self.sequence(tree, flags), int(low), most, _MODES[opcode])
            case "ATOMIC_GROUP":
                return Atomic(self.sequence(argument, flags))
            case "ASSERT" | "ASSERT_NOT":
                direction, tree = argument
                return Look(self.sequence(tree, flags), opcode == "ASSERT", direction > 0)
            case "AT":
                is_multiline, is_ascii = bool(flags & re.MULTILINE), bool(flags & re.ASCII)
                return Anchor(_ANCHORS[str(argument)], is_multiline, is_ascii)
            case "GROUPREF":
                width = self._widths[argument]
                kept = flags & (re.IGNORECASE | re.ASCII) if flags & re.IGNORECASE else 0
                return BackReference(argument, width[0] if width else 0, kept)
            case "GROUPREF_EXISTS":
                group, present, absent = argument
                then = self.sequence(present, flags)
                return Conditional(
                    group, then, self.sequence(absent, flags) if absent else EMPTY_TEXT
                )
            case "FAILURE":
                return NOTHING
        raise ValueError(f"re's parser made a node {opcode} that is not known")


def name_features(pattern: str, flags: int) -> str:
    r"""Return the names of what looks around or keeps its match, in order; empty if nothing does.

    >>> name_features(r"(?:a|b(?!c))+$", 0)
    'the look-ahead (?!…) and the anchor $'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        expression = read_python(pattern, flags)
    names = list(dict.fromkeys(filter(None, map(_name_feature, walk(expression)))))
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _name_feature(node: Expression) -> str | None:
    match node:
        case Anchor(kind):
            return f"the {_ANCHOR_NAMES[kind]}"
        case Look(_, positive, ahead):
            where, behind = ("ahead", "") if ahead else ("behind", "<")
            return f"the look-{where} (?{behind}{'=' if positive else '!'}…)"
        case Atomic():
            return "the atomic group (?>…)"
        case Repeat(mode=regular.POSSESSIVE):
            return "a possessive quantifier"
    return None


def name_not_plain(pattern: str) -> str | None:
    """Return the first thing that makes a match depend on more than the bytes that it reads.

    That is more than the text that is matched, or the order in which it is tried.

    Raises:
        re.error, OverflowError, RecursionError: ``re`` does not read the pattern.
    """
    for node in walk(read_python(pattern)):
        if isinstance(node, BackReference):
            return "a back-reference"
        if isinstance(node, Conditional):
            return "a conditional"
        if name := _name_feature(node):
            return name
    return None


def refers_back(pattern: str, flags: int = 0) -> bool:
    if not _MAY_REFER.search(pattern):  # most patterns
        return False
    return any(isinstance(node, BackReference) for node in walk(read_python(pattern, flags)))


def looks_around(pattern: str, flags: int) -> bool:
    return any(isinstance(node, Look | Anchor) for node in walk(read_python(pattern, flags)))


def check_conditionals(terminal: str, pattern: str, flags: int) -> None:
    """Check that no conditional asks for a group by its number, as in ``(a)?(?(1)b|c)``.

    Where patterns are joined to one, as in Lark's lexers, the number is another one. The tree has
    numbers for names, too: those that stay when a group is put before were written as numbers.
    """
    if "(?(" not in pattern:  # most have none; parsing twice takes a while
        return
    alone, after_a_group = (
        [node.group for node in walk(read_python(text, flags)) if isinstance(node, Conditional)]
        for text in (pattern, f"()(?:{pattern})")
    )
    for group, moved in zip(alone, after_a_group, strict=True):
        if group == moved:
            raise UnsupportedTerminalError(
                terminal,
                f"conditional on group {group} by its number, which changes where patterns are "
                "joined to one",
                Phrase.NAME_THE_GROUP,
            )
