r"""A terminal's regular expression, written out for the ``regex`` package.

Lark matches with ``re``; only ``regex`` can say whether a match ran into the end of the text
(*partial* matching). So that both mean the same, a pattern is parsed by ``re``'s own parser and
written anew: each atom as the plain set of its representatives (:mod:`maskc.verify.characters`),
each anchor as a look-around, without categories, flags and groups. It is matched against
canonical text. ``$`` becomes a look-ahead, so that it reads on where a text may go on.

Limits: back-references are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from maskc.errors import UnsupportedTerminalError
from maskc.verify.characters import Atom, CharacterClasses

# CPython's parser has no public name.
_parser = cast(Any, re)._parser  # noqa: SLF001
combine_flags = cast(Any, re)._compiler._combine_flags  # noqa: SLF001

_FLAGS_OF_ATOMS = re.ASCII | re.IGNORECASE | re.DOTALL
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_LINE_BREAK: Atom = (r"\n", 0)


class ParsedTerminal:
    """A parsed terminal."""

    def __init__(self, name: str, text: str, flags: int) -> None:
        self.regex = re.compile(text, flags)
        parsed = _parser.parse(text, flags)
        # tree, flags: syntax tree of re, and the flags at its top
        self.tree: list[Any] = list(parsed)
        self.flags: int = parsed.state.flags
        nodes = list(_walk(self.tree, self.flags))
        if any(opcode == "GROUPREF" for opcode, _, _ in nodes):
            raise UnsupportedTerminalError(
                name, "a back-reference is not regular", "write the terminal without it"
            )
        # numbers of the groups that conditionals ask for
        self.tested = frozenset(
            argument[0] for opcode, argument, _ in nodes if opcode == "GROUPREF_EXISTS"
        )

    def atoms(self) -> Iterator[Atom]:
        """Yield every atom the pattern looks through; word and line atoms for its anchors."""
        for opcode, argument, flags in _walk(self.tree, self.flags):
            if opcode in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
                yield atom_of(opcode, argument, flags)
            elif opcode == "AT":
                yield from (_word(flags), _LINE_BREAK)

    def write(self, characters: CharacterClasses, *, is_relaxed: bool = False) -> str:
        """Return the pattern for canonical text; relaxed: without conditions on what follows."""
        return _Writer(characters, self.tested, is_relaxed).sequence(self.tree, self.flags)


def _walk(tree: Any, flags: int) -> Iterator[tuple[str, Any, int]]:
    for opcode, argument in tree:
        name = str(opcode)
        yield name, argument, flags
        is_group = name == "SUBPATTERN"
        inner_flags = combine_flags(flags, argument[1], argument[2]) if is_group else flags
        for inner in _inner(name, argument):
            yield from _walk(inner, inner_flags)


def _inner(opcode: str, argument: Any) -> list[Any]:
    if opcode == "BRANCH":
        return list(argument[1])
    if opcode == "SUBPATTERN":
        return [argument[3]]
    if opcode in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return [argument[2]]
    if opcode in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    if opcode == "ATOMIC_GROUP":
        return [argument]
    if opcode == "GROUPREF_EXISTS":
        return [tree for tree in argument[1:] if tree is not None]
    return []


def atom_of(opcode: str, argument: Any, flags: int) -> Atom:
    """Return what a node of ``re``'s syntax tree that reads one character looks for."""
    flags &= _FLAGS_OF_ATOMS
    if opcode == "ANY":
        return (".", flags)
    if opcode == "LITERAL":
        return (re.escape(chr(argument)), flags)
    if opcode == "NOT_LITERAL":
        return (f"[^{re.escape(chr(argument))}]", flags)
    parts = []
    for item, value in argument:
        match str(item):
            case "NEGATE":
                parts.append("^")
            case "LITERAL":
                parts.append(re.escape(chr(value)))
            case "RANGE":
                parts.append("-".join(re.escape(chr(end)) for end in value))
            case "CATEGORY":
                parts.append(_CATEGORIES[str(value)])
    return ("[" + "".join(parts) + "]", flags)


def _word(flags: int) -> Atom:
    return (r"\w", flags & re.ASCII)


class _Writer:
    def __init__(
        self,
        characters: CharacterClasses,
        tested: frozenset[int],
        is_relaxed: bool,  # noqa: FBT001
    ) -> None:
        self.characters, self.tested, self.is_relaxed = characters, tested, is_relaxed

    def sequence(self, tree: Any, flags: int) -> str:
        return "".join(self.node(str(opcode), argument, flags) for opcode, argument in tree)

    def node(self, opcode: str, argument: Any, flags: int) -> str:
        match opcode:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self.set(atom_of(opcode, argument, flags))
            case "BRANCH":
                return "(?:" + "|".join(self.sequence(b, flags) for b in argument[1]) + ")"
            case "SUBPATTERN":
                group, added, removed, tree = argument
                head = f"(?P<g{group}>" if group in self.tested else "(?:"
                return f"{head}{self.sequence(tree, combine_flags(flags, added, removed))})"
            case "GROUPREF_EXISTS":
                group, found, missing = argument
                otherwise = self.sequence(missing, flags) if missing is not None else ""
                return f"(?(g{group}){self.sequence(found, flags)}|{otherwise})"
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, tree = argument
                mode = {"MAX_REPEAT": "", "MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}[opcode]
                upper = "" if high == _parser.MAXREPEAT else str(high)
                # The guard is always true. Without it, `regex` 2026.11 skips the last pass of a
                # loop at the end of the text, as in `(?:b|[b])*` and `(?:[ab]+?)+`.
                guard = f"(?<!{_escape(self.characters.absent)})"
                return f"(?:{guard}{self.sequence(tree, flags)}){{{low},{upper}}}{mode}"
            case "ATOMIC_GROUP":
                return f"(?>{self.sequence(argument, flags)})"
            case "ASSERT" | "ASSERT_NOT":
                direction, tree = argument
                if self.is_relaxed and direction > 0:
                    return ""
                sign = "=" if opcode == "ASSERT" else "!"
                return f"(?{'<' if direction < 0 else ''}{sign}{self.sequence(tree, flags)})"
            case "AT":
                return self.anchor(str(argument), flags)
            case "FAILURE":
                return "(?!)"
        raise ValueError(f"re's parser made a node {opcode} that the oracle does not know")

    def anchor(self, name: str, flags: int) -> str:
        anything, multiline = "(?s:.)", bool(flags & re.MULTILINE)
        line_break, not_line_break = self.set(_LINE_BREAK), self.complement(_LINE_BREAK)
        if name == "AT_BEGINNING" and multiline:
            return f"(?<!{not_line_break})"
        if name.startswith("AT_BEGINNING"):
            return f"(?<!{anything})"
        if self.is_relaxed:
            return ""
        word = self.set(_word(flags))
        match name:
            case "AT_END_STRING":
                return f"(?!{anything})"
            case "AT_END" if multiline:
                return f"(?!{not_line_break})"
            case "AT_END":
                return f"(?!{line_break}{anything}|{not_line_break})"
            case "AT_BOUNDARY":
                return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
            case "AT_NON_BOUNDARY":
                return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
        raise ValueError(f"re's parser made an anchor {name} that the oracle does not know")

    def set(self, atom: Atom) -> str:
        """Return a set that holds the representatives of an atom, and no others.

        It is never negated: ``regex`` 2026.11 merges `[^a]|[^b]` into a set that lacks both.
        """
        return self.ranges(self.characters.members(atom))

    def complement(self, atom: Atom) -> str:
        members = self.characters.members(atom)
        return self.ranges(c for c in self.characters.representatives if c not in members)

    def ranges(self, members: Iterable[str]) -> str:
        # Between two representatives stands no other character of a canonical text.
        everything = sorted(self.characters.representatives)
        index = {c: i for i, c in enumerate(everything)}
        runs: list[list[str]] = []
        for c in sorted(members):
            if runs and index[runs[-1][1]] + 1 == index[c]:
                runs[-1][1] = c
            else:
                runs.append([c, c])
        if not runs:
            return "(?!)"
        return "[" + "".join(f"{_escape(low)}-{_escape(high)}" for low, high in runs) + "]"


def _escape(character: str) -> str:
    if character.isascii() and character.isalnum():
        return character
    return f"\\U{ord(character):08x}"
