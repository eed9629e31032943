r"""What a pattern has that looks at more than the characters it matches.

Names for messages, as its author wrote them: look-arounds, anchors, word boundaries, and groups
that keep what they first matched or are asked for.

Example: ``a(?!b)\b`` has "the look-ahead (?!…)" and "the word boundary \b".
"""

from __future__ import annotations

import re
import warnings

from maskc.errors import UnsupportedTerminalError
from maskc.regular import tree
from maskc.regular.python import read_python
from maskc.regular.tree import (
    Anchor,
    Atomic,
    BackReference,
    Conditional,
    Expression,
    Look,
    Repeat,
    walk,
)
from maskc.wording import Phrase

_MAY_REFER = re.compile(r"\\[1-9]|\(\?P=")
_ANCHORS = {"^": "anchor ^", "$": "anchor $", "A": r"anchor \A", "Z": r"anchor \Z"}
_ANCHORS |= {"b": r"word boundary \b", "B": r"word boundary \B"}
_ATOMIC, _POSSESSIVE = "the atomic group (?>…)", "a possessive quantifier"


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
            return f"the {_ANCHORS[kind]}"
        case Look(_, positive, ahead):
            where, behind = ("ahead", "") if ahead else ("behind", "<")
            return f"the look-{where} (?{behind}{'=' if positive else '!'}…)"
        case Atomic():
            return _ATOMIC
        case Repeat(mode=tree.POSSESSIVE):
            return _POSSESSIVE
    return None


def name_not_plain(pattern: str) -> str | None:
    """Return the first thing that makes a match depend on more than the bytes that it reads.

    That is more than the text that is matched, or the order in which it is tried.

    Raises:
        re.error, OverflowError, RecursionError: ``re`` does not read the pattern.
    """
    for node in walk(read_python(pattern)):
        match node:
            case Look():
                return "a look-around"
            case Anchor():
                return r"^, $ or \b"
            case BackReference():
                return "a back-reference"
            case Conditional():
                return "a conditional"
            case Atomic():
                return "an atomic group"
            case Repeat(mode=tree.POSSESSIVE):
                return _POSSESSIVE
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
