"""What the syntax tree that ``re`` makes of a pattern says of the pattern.

Whether it refers back, looks around or asks for a group, and which texts it matches if they are
few, or some of them: as sets, since in which order ``re`` tries them a tree does not say. What asks
about the text around it, or may read any character, is not listed.

Example: ``"{3}|'{3}`` matches two texts, and ``=*`` without end; the first of its texts are
nothing, ``=`` and ``==``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from maskc.automata.nfa import tested_groups, walk_tree
from maskc.errors import UnsupportedTerminalError
from maskc.wording import Phrase

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001

_MAY_REFER = re.compile(r"\\[1-9]|\(\?P=")
# What depends on more than the text that is matched, or on the order in which it is tried.
_NOT_PLAIN = {
    "ASSERT": "a look-around",
    "ASSERT_NOT": "a look-around",
    "AT": r"^, $ or \b",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a conditional",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive quantifier",
}
LONGEST = 100  # characters of a text that is listed
_N_SAMPLES = 3
_MORE_PASSES = 2  # of a repetition without end, for samples
_OF_CATEGORY = {"CATEGORY_WORD": "a", "CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " "}
_WORDS = ("EOF", "EOT", "END")  # what a name before a text may be, as in a shell


def refers_back(pattern: str, flags: int = 0) -> bool:
    if not _MAY_REFER.search(pattern):  # most patterns
        return False
    return any(opcode == "GROUPREF" for opcode, _ in walk_tree(_parser.parse(pattern, flags)))


def looks_around(pattern: str, flags: int) -> bool:
    found = {opcode for opcode, _ in walk_tree(_parser.parse(pattern, flags))}
    return not found.isdisjoint({"ASSERT", "ASSERT_NOT", "AT"})


def name_not_plain(pattern: str) -> str | None:
    """Return the first thing that makes a match depend on more than the bytes that it reads.

    Raises:
        re.error, OverflowError, RecursionError: ``re`` does not read the pattern.
    """
    opcodes = (opcode for opcode, _ in walk_tree(_parser.parse(pattern)))
    return next((_NOT_PLAIN[opcode] for opcode in opcodes if opcode in _NOT_PLAIN), None)


def check_conditionals(terminal: str, pattern: str, flags: int) -> None:
    """Check that no conditional asks for a group by its number, as in ``(a)?(?(1)b|c)``.

    Where patterns are joined to one, as in Lark's lexers, the number is another one. The tree has
    numbers for names, too: those that stay when a group is put before were written as numbers.
    """
    if "(?(" not in pattern:  # most have none; parsing twice takes a while
        return
    alone, after_a_group = (
        list(tested_groups(_parser.parse(text, flags))) for text in (pattern, f"()(?:{pattern})")
    )
    for group, moved in zip(alone, after_a_group, strict=True):
        if group == moved:
            raise UnsupportedTerminalError(
                terminal,
                f"conditional on group {group} by its number, which is another one where patterns "
                "are joined to one",
                Phrase.NAME_THE_GROUP,
            )


class _TooManyError(Exception):
    """The texts are not listed."""


def list_texts(pattern: str, flags: int, most: int) -> list[str] | None:
    """Return the texts that ``re.fullmatch`` takes, sorted; ``None`` if they are not listed.

    Args:
        pattern: a part of a pattern, which stands by itself.
        flags: of ``re``; where case is ignored, one text stands for all that differ in case.
        most: how many texts there may be.
    """
    lister = _Lister(flags, most, passes=None)
    try:
        found = lister.list_tree(_parser.parse(pattern, flags))
    except _TooManyError:
        return None
    return _keep_matched(pattern, flags, found)


def sample_texts(pattern: str, flags: int) -> list[str]:
    """Return a few of the texts that ``re.fullmatch`` takes; none, if none was found."""
    words = [word for word in _WORDS if re.fullmatch(pattern, word, flags)]
    if words:
        return words
    lister = _Lister(flags, 1000, passes=_MORE_PASSES)
    try:
        found = lister.list_tree(_parser.parse(pattern, flags))
    except _TooManyError:
        return []
    matched = _keep_matched(pattern, flags, found)
    return sorted(matched, key=lambda text: (len(text), text))[:_N_SAMPLES]


def _keep_matched(pattern: str, flags: int, texts: Iterable[str]) -> list[str]:
    """Return those that are matched: atomic groups match less than is listed."""
    if flags & re.IGNORECASE:
        texts = {text.lower() for text in texts}
    return sorted(text for text in texts if re.fullmatch(pattern, text, flags))


class _Lister:
    """Lists what trees match, as sets of texts.

    With ``passes``, what has no end is repeated so often beyond its least, and one character stands
    for a class; without, all texts are listed.
    """

    def __init__(self, flags: int, most: int, passes: int | None) -> None:
        self._folds = bool(flags & re.IGNORECASE)
        self._most, self._passes = most, passes

    def list_tree(self, tree: Any) -> set[str]:
        found = {""}
        for opcode, argument in tree:
            found = self._join(found, self._list_one(str(opcode), argument))
        return found

    def _list_one(self, opcode: str, argument: Any) -> set[str]:
        match opcode:
            case "LITERAL":
                return {self._write(argument)}
            case "IN":
                return self._list_class(argument)
            case "BRANCH":
                return self._check(set().union(*map(self.list_tree, argument[1])))
            case "SUBPATTERN":
                _, added, removed, tree = argument
                # A text that stands for others in a part of the group alone is not written so.
                if self._passes is None and (added | removed) & re.IGNORECASE:
                    raise _TooManyError
                return self.list_tree(tree)
            case "ATOMIC_GROUP":
                return self.list_tree(argument)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(*argument)
        raise _TooManyError

    def _repeat(self, least: int, most: int, tree: Any) -> set[str]:
        one = self.list_tree(tree)
        if one == {""}:
            return one
        if self._passes is not None:
            most = min(most, least + self._passes)
        if most > LONGEST:
            raise _TooManyError
        found: set[str] = set()
        passes = {""}
        for n in range(most + 1):
            if n >= least:
                found = self._check(found | passes)
            if n < most:
                passes = self._join(passes, one)
        return found

    def _list_class(self, items: Any) -> set[str]:
        found: set[str] = set()
        for opcode, argument in items:
            match str(opcode):
                case "LITERAL":
                    found.add(self._write(argument))
                case "RANGE" if argument[1] - argument[0] <= self._most:
                    found |= {self._write(n) for n in range(argument[0], argument[1] + 1)}
                case _ if self._passes is None:
                    raise _TooManyError
                case "RANGE":
                    found.add(self._write(argument[0]))
                case "CATEGORY" if str(argument) in _OF_CATEGORY:
                    found.add(_OF_CATEGORY[str(argument)])
                case _:
                    raise _TooManyError
        return {min(found)} if found and self._passes is not None else self._check(found)

    def _write(self, code_point: int) -> str:
        return chr(code_point).lower() if self._folds else chr(code_point)

    def _join(self, before: set[str], after: set[str]) -> set[str]:
        if len(before) * len(after) > self._most**2:
            raise _TooManyError
        return self._check({one + other for one in before for other in after})

    def _check(self, found: set[str]) -> set[str]:
        if len(found) > self._most or any(len(text) > LONGEST for text in found):
            raise _TooManyError
        return found
