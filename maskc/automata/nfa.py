r"""A regular expression of ``re`` as a byte-level NFA with ordered alternatives.

CPython's own parser gives the syntax tree, so the syntax is ``re``'s by construction. Nodes:

- ``Char(root, next)`` reads one character of a set (:mod:`maskc.automata.utf8`);
- ``Split(targets)`` tries its targets in order: greedy and lazy differ only in that order;
- ``Look(ahead, positive, start, next)`` is a look-around; anchors and ``\b`` are rewritten
  to look-arounds, e.g. ``$`` to "not followed by ``\n`` and a character, nor by another one";
- ``Accept(label)``.

Refused, because no finite automaton follows them: back-references and conditionals on groups.
Refused too: atomic groups and possessive quantifiers, and look-arounds inside a look-behind.

Example: ``a*?b`` is ``0: Split(2, 1)  1: Char(a) → 0  2: Char(b) → 3  3: Accept``.

Source: Thompson 1968 (doi:10.1145/363347.363387), ordered as in Cox, *Regular Expression
Matching: the Virtual Machine Approach*, 2009.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from maskc.automata import charset
from maskc.automata.charset import CodePoints
from maskc.automata.utf8 import Utf8Nodes
from maskc.errors import LimitError, UnsupportedTerminalError

# CPython's parser has no public name; its tree is documented nowhere but in its source.
_parser = cast(Any, re)._parser  # noqa: SLF001

MAX_NODES = 400_000
_WORD = r"\w"


@dataclass(frozen=True, slots=True)
class Char:
    """Reads one character: enter ``root``, continue at ``next`` behind its last byte."""

    root: int
    next: int


@dataclass(slots=True)
class Split:
    """Tries ``targets`` in order.

    ``leave`` is set for the head of an unbounded repetition: coming back there without having
    read a character, ``re`` does not repeat again but goes on behind the repetition.
    """

    targets: list[int]
    leave: int | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """Goes to ``next`` if ``start`` matches (or does not) here; behind: by its number."""

    ahead: bool
    positive: bool
    start: int
    next: int


@dataclass(frozen=True, slots=True)
class Accept:
    """The end of the pattern labelled ``label``."""

    label: int


Node = Char | Split | Look | Accept


class Nfa:
    """All patterns of one scanner in one arena.

    Attributes:
        nodes: the arena.
        utf8: the byte tries of its sets.
        behinds: start node of each look-behind's own NFA; ``Look.start`` indexes it.
        behind_of: number of each look-behind by its syntax tree.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.utf8 = Utf8Nodes()
        self.behinds: list[int] = []
        self.behind_of: dict[str, int] = {}

    def add(self, node: Node) -> int:
        """Append a node and return its number."""
        if len(self.nodes) >= MAX_NODES:
            raise LimitError("automaton nodes", MAX_NODES, "shorten the repetitions of terminals")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def add_pattern(self, terminal: str, pattern: str, flags: int, label: int) -> int:
        """Return the start node of a pattern that ends in ``Accept(label)``.

        Raises:
            UnsupportedTerminalError: it uses what is not regular.
            LimitError: its repetitions need more than ``MAX_NODES`` nodes.
        """
        tree = _parser.parse(pattern, flags)
        lowering = _Lowering(self, terminal, in_behind=False)
        return lowering.sequence(list(tree), tree.state.flags, self.add(Accept(label)))

    def char(self, code_points: CodePoints, following: int) -> int:
        """Return a node that reads one of the code points and goes on."""
        if not code_points:
            return self.add(Split([]))
        return self.add(Char(self.utf8.root(code_points), following))


class _Lowering:
    """Lowers a syntax tree back to front: each method gets the node that follows."""

    def __init__(self, nfa: Nfa, terminal: str, *, in_behind: bool) -> None:
        self.nfa, self.terminal, self.in_behind = nfa, terminal, in_behind

    def sequence(self, tree: list[tuple[Any, Any]], flags: int, following: int) -> int:
        for opcode, argument in reversed(tree):
            following = self.node(str(opcode), argument, flags, following)
        return following

    def node(self, opcode: str, argument: Any, flags: int, following: int) -> int:
        match opcode:
            case "LITERAL":
                return self.nfa.char(charset.literal_set(argument, flags), following)
            case "NOT_LITERAL":
                excluded = charset.literal_set(argument, flags)
                return self.nfa.char(charset.complement(excluded), following)
            case "ANY":
                dot_all = bool(flags & re.DOTALL)
                return self.nfa.char(
                    charset.class_set("." if not dot_all else "(?s:.)", 0), following
                )
            case "IN":
                return self.nfa.char(charset.items_set(argument, flags), following)
            case "BRANCH":
                starts = [self.sequence(list(b), flags, following) for b in argument[1]]
                return self.nfa.add(Split(starts))
            case "SUBPATTERN":
                _, added, removed, tree = argument
                return self.sequence(list(tree), (flags | added) & ~removed, following)
            case "MAX_REPEAT" | "MIN_REPEAT":
                return self.repeat(argument, flags, following, greedy=opcode == "MAX_REPEAT")
            case "ASSERT" | "ASSERT_NOT":
                direction, tree = argument
                positive = opcode == "ASSERT"
                if direction < 0:
                    return self.behind(list(tree), flags, following, positive=positive)
                return self.ahead(list(tree), flags, following, positive=positive)
            case "AT":
                return self.anchor(str(argument), flags, following)
            case "FAILURE":
                return self.nfa.add(Split([]))
            case "GROUPREF":
                raise self.refused(f"back-reference to group {argument}", "is not regular")
            case "GROUPREF_EXISTS":
                raise self.refused("conditional on a group", "is not regular")
            case "ATOMIC_GROUP" | "POSSESSIVE_REPEAT":
                raise self.refused("atomic group or possessive quantifier", "is not supported")
        raise self.refused(f"regular-expression construct {opcode}", "is not supported")

    def refused(self, construct: str, why: str) -> UnsupportedTerminalError:
        return UnsupportedTerminalError(
            self.terminal, f"{construct} {why}", "write the terminal without it"
        )

    def repeat(self, argument: Any, flags: int, following: int, *, greedy: bool) -> int:
        low, high, tree = argument
        tree = list(tree)

        def ordered(body: int) -> list[int]:
            return [body, following] if greedy else [following, body]

        if high == _parser.MAXREPEAT:
            loop = Split([], leave=following)
            start = self.nfa.add(loop)
            loop.targets = ordered(self.sequence(tree, flags, start))
        else:
            start = following
            for _ in range(high - low):
                start = self.nfa.add(Split(ordered(self.sequence(tree, flags, start))))
        for _ in range(low):
            start = self.sequence(tree, flags, start)
        return start

    def ahead(self, tree: list[Any], flags: int, following: int, *, positive: bool) -> int:
        if self.in_behind:
            raise self.refused("look-ahead inside a look-behind", "is not supported")
        start = self.sequence(tree, flags, self.nfa.add(Accept(0)))
        return self.nfa.add(Look(True, positive, start, following))

    def behind(self, tree: list[Any], flags: int, following: int, *, positive: bool) -> int:
        if self.in_behind:
            raise self.refused("look-behind inside a look-behind", "is not supported")
        key = f"{flags & (re.I | re.A | re.S | re.M)}:{tree!r}"
        if key not in self.nfa.behind_of:
            lowering = _Lowering(self.nfa, self.terminal, in_behind=True)
            start = lowering.sequence(tree, flags, self.nfa.add(Accept(0)))
            self.nfa.behind_of[key] = len(self.nfa.behinds)
            self.nfa.behinds.append(start)
        return self.nfa.add(Look(False, positive, self.nfa.behind_of[key], following))

    def anchor(self, name: str, flags: int, following: int) -> int:
        """Rewrite an anchor to look-arounds over the trees ``re`` itself parses for them."""
        multiline = bool(flags & re.MULTILINE)
        word_flags = flags & re.ASCII
        if name in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            inside = r"[^\n]" if multiline and name == "AT_BEGINNING" else r"[\s\S]"
            return self._look(f"(?<!{inside})", 0, following)
        if name == "AT_END_STRING":
            return self._look(r"(?![\s\S])", 0, following)
        if name == "AT_END":
            return self._look(r"(?![^\n])" if multiline else r"(?!\n[\s\S]|[^\n])", 0, following)
        if name == "AT_BOUNDARY":
            return self._look(
                rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))", word_flags, following
            )
        if name == "AT_NON_BOUNDARY":
            return self._look(
                rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))", word_flags, following
            )
        raise self.refused(f"anchor {name}", "is not supported")

    def _look(self, pattern: str, flags: int, following: int) -> int:
        tree = _parser.parse(pattern, flags)
        return self.sequence(list(tree), tree.state.flags, following)
