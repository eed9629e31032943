r"""A regular expression of ``re`` as a byte-level NFA with ordered alternatives.

CPython's own parser gives the syntax tree, so the syntax is ``re``'s by construction. Nodes:

- ``Char(root, next)`` reads one character of a set (:mod:`maskc.automata.utf8`);
- ``Split(targets)`` tries its targets in order: greedy and lazy differ only in that order;
- ``LookAround(ahead, positive, start, next)`` asks what stands here; anchors and ``\b`` are
  rewritten to look-arounds, e.g. ``$`` to "not followed by ``\n`` and a character, nor by another
  one";
- ``Mark`` and ``Test`` say where a group is entered, left and asked for by a conditional; they
  are gone when a pattern is complete (:mod:`maskc.automata.groups`);
- ``Accept(label)``.

A repetition is left when a pass through its body has read nothing, as in ``re``. An atomic group
``(?>X)`` keeps the first match of ``X`` whatever follows. Paths through ``X`` are tried in the
order of their choices; so a path is the first that matches iff at each choice none of the earlier
ones could have been continued to the end of ``X``. That is a negative look-ahead: ``(?>a|ab|c)`` is
``a|(?!a)ab|(?!a|ab)c``, and in ``(?>a*)b`` the choice to leave the loop counts only if no ``a``
follows. A possessive quantifier is an atomic group whose passes are atomic too.

Refused, because no finite automaton follows them: back-references.

Example: ``a*?b`` is ``0: Split(2, 1)  1: Char(a) → 0  2: Char(b) → 3  3: Accept``.

Source: Thompson 1968 (doi:10.1145/363347.363387), ordered as in Cox, *Regular Expression
Matching: the Virtual Machine Approach*, 2009.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, cast

from maskc.automata import charset
from maskc.automata.groups import resolve_groups
from maskc.automata.nodes import (
    Accept,
    Arena,
    LookAround,
    Mark,
    Split,
    Test,
    targets_of,
    with_targets,
)
from maskc.automata.words import add_words, read_words
from maskc.budget import at, quote_symbol
from maskc.errors import UnsupportedTerminalError
from maskc.wording import Phrase

# CPython's parser has no public name; its tree is documented nowhere but in its source.
_parser = cast(Any, re)._parser  # noqa: SLF001
_combine_flags = cast(Any, re)._compiler._combine_flags  # noqa: SLF001

_ANCHORS = {
    "AT_BEGINNING": r"(?<![\s\S])",
    "AT_BEGINNING_STRING": r"(?<![\s\S])",
    "AT_BEGINNING_LINE": r"(?<![^\n])",
    "AT_END": r"(?!\n[\s\S]|[^\n])",
    "AT_END_STRING": r"(?![\s\S])",
    "AT_END_LINE": r"(?![^\n])",
    "AT_BOUNDARY": r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))",
    "AT_NON_BOUNDARY": r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",
}
_OF_LINES = {"AT_BEGINNING": "AT_BEGINNING_LINE", "AT_END": "AT_END_LINE"}


class Nfa(Arena):
    """All patterns of one scanner in one arena."""

    def add_pattern(self, terminal: str, pattern: str, flags: int, label: int) -> int:
        """Return the start node of a pattern that ends in ``Accept(label)``.

        Raises:
            UnsupportedTerminalError: it uses what is not regular.
            LimitError: its repetitions need more than ``MAX_NFA_NODES`` nodes.
        """
        at(lambda: f"pass scanner, {quote_symbol('terminal', terminal[:40])}")
        words = None if flags & re.IGNORECASE else read_words(pattern)
        if words:
            return self.add(Split(add_words(self, words, self.add(Accept(label)))))
        tree = _parser.parse(pattern, flags)
        lowering = _Lowering(self, terminal, frozenset(tested_groups(tree)))
        start = lowering.sequence(list(tree), tree.state.flags, self.add(Accept(label)))
        return resolve_groups(self, terminal, start) if lowering.tested else start


class _Lowering:
    """Lowers a syntax tree back to front: each method gets the node that follows."""

    def __init__(self, nfa: Nfa, terminal: str, tested: frozenset[int]) -> None:
        self.nfa, self.terminal, self.tested = nfa, terminal, tested

    def sequence(self, tree: list[tuple[Any, Any]], flags: int, following: int) -> int:
        for opcode, argument in reversed(tree):
            following = self.node(str(opcode), argument, flags, following)
        return following

    def node(self, opcode: str, argument: Any, flags: int, following: int) -> int:
        """Return the start of a node of the tree, which goes on with what follows it."""
        match opcode:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                return self.nfa.char(read_set(opcode, argument, flags), following)
            case "BRANCH":
                return self.nfa.add(Split(self.branches(argument[1], flags, following)))
            case "SUBPATTERN":
                return self.group(argument, flags, following)
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, tree = argument
                greedy = opcode == "MAX_REPEAT"
                return self.repeat(low, high, [*tree], flags, following, greedy=greedy)
            case "ASSERT" | "ASSERT_NOT":
                direction, tree = argument
                positive = opcode == "ASSERT"
                if direction < 0:
                    return self.look_behind(list(tree), flags, following, positive=positive)
                return self.ahead(list(tree), flags, following, positive=positive)
            case "AT":
                return self.anchor(str(argument), flags, following)
            case "FAILURE":
                return self.nfa.add(Split([]))
            case "GROUPREF":
                construct = f"back-reference to group {argument} is not regular"
                raise UnsupportedTerminalError(self.terminal, construct, Phrase.WRITE_WITHOUT)
            case "GROUPREF_EXISTS":
                return self.conditional(argument, flags, following)
            case "ATOMIC_GROUP":
                return self.atomic([*argument], flags, following)
            case "POSSESSIVE_REPEAT":
                return self.possessive(argument, flags, following)
        raise self.refused(f"regular-expression construct {opcode}", "is not supported")

    def group(self, argument: Any, flags: int, following: int) -> int:
        """Return the start of a group with its own flags, marked if a conditional asks for it."""
        number, added, removed, tree = argument
        inner = _combine_flags(flags, added, removed)
        if number not in self.tested:
            return self.sequence(list(tree), inner, following)
        following = self.nfa.add(Mark(number, True, following))
        return self.nfa.add(Mark(number, False, self.sequence(list(tree), inner, following)))

    def conditional(self, argument: Any, flags: int, following: int) -> int:
        group, present, absent = argument
        then = self.sequence([*present], flags, following)
        return self.nfa.add(Test(group, then, self.sequence([*(absent or ())], flags, following)))

    def possessive(self, argument: Any, flags: int, following: int) -> int:
        low, high, tree = argument
        for group in self.tested.intersection(_captures(tree)):
            # A path that fails leaves its group set, after a pass that set a later one.
            raise self.refused(
                f"conditional on group {group} inside a possessive quantifier",
                "depends in CPython on paths that failed",
            )
        passes = [(_parser.ATOMIC_GROUP, tree)]
        start = self.repeat(low, high, passes, flags, following, greedy=True)
        return seal(self.nfa, start, following)

    def branches(self, alternatives: Any, flags: int, following: int) -> list[int]:
        """Return where alternatives begin; neighbours that are plain words become one trie."""
        starts: list[int] = []
        for plain, group in groupby(alternatives, key=lambda tree: _is_plain(tree, flags)):
            trees = list(group)
            if plain and len(trees) > 1:
                words = [[code_point for _, code_point in tree] for tree in trees]
                starts += add_words(self.nfa, words, following)
            else:
                starts += [self.sequence(list(tree), flags, following) for tree in trees]
        return starts

    def refused(self, construct: str, why: str) -> UnsupportedTerminalError:
        return UnsupportedTerminalError(self.terminal, f"{construct} {why}", Phrase.WRITE_WITHOUT)

    def repeat(
        self, low: int, high: int, tree: list[Any], flags: int, following: int, *, greedy: bool
    ) -> int:
        loop = self.nfa.n_loops
        self.nfa.n_loops += 1

        def ordered(body: int) -> list[int]:
            return [body, following] if greedy else [following, body]

        if high == _parser.MAXREPEAT:
            head = Split([], loop, following)
            start = self.nfa.add(head)
            head.targets = ordered(self.sequence(tree, flags, start))
        else:
            start = following
            for _ in range(high - low):
                body = self.sequence(tree, flags, start)
                start = self.nfa.add(Split(ordered(body), loop, following))
        for _ in range(low):
            start = self.sequence(tree, flags, start)
        return start

    def atomic(self, tree: list[Any], flags: int, following: int) -> int:
        return seal(self.nfa, self.sequence(tree, flags, following), following)

    def ahead(self, tree: list[Any], flags: int, following: int, *, positive: bool) -> int:
        return self.nfa.add(LookAround(True, positive, self.body(tree, flags), following))

    def look_behind(self, tree: list[Any], flags: int, following: int, *, positive: bool) -> int:
        if self.tested:  # it may depend on groups: numbered when they are resolved
            return self.nfa.add(LookAround(False, positive, self.body(tree, flags), following))
        key = f"{flags & (re.I | re.A | re.S | re.M)}:{tree!r}"
        if key not in self.nfa.look_behind_of:
            start = self.body(tree, flags)
            self.nfa.look_behind_of[key] = len(self.nfa.look_behinds)
            self.nfa.look_behinds.append(start)
        return self.nfa.add(LookAround(False, positive, self.nfa.look_behind_of[key], following))

    def body(self, tree: list[Any], flags: int) -> int:
        """Return the start of a look-around's own NFA."""
        end = self.nfa.add(Accept(0))
        if self.tested:  # which groups have matched after it is up to its first match
            return self.atomic(tree, flags, end)
        return self.sequence(tree, flags, end)

    def anchor(self, name: str, flags: int, following: int) -> int:
        """Rewrite an anchor to look-arounds over the trees ``re`` itself parses for them."""
        if flags & re.MULTILINE:
            name = _OF_LINES.get(name, name)
        if name not in _ANCHORS:
            raise self.refused(f"anchor {name}", "is not supported")
        word_flags = flags & re.ASCII if name.endswith("BOUNDARY") else 0
        return self._look(_ANCHORS[name], word_flags, following)

    def _look(self, pattern: str, flags: int, following: int) -> int:
        tree = _parser.parse(pattern, flags)
        return self.sequence(list(tree), tree.state.flags, following)


def seal(arena: Arena, start: int, following: int) -> int:
    """Make the nodes from ``start`` to ``following`` an atomic group; return its start.

    Each choice gets the same choices in a copy of the group with an end of its own; so each atomic
    group doubles what stands inside it.
    """
    copy_of = {following: arena.add(Accept(0))}
    inside: list[int] = []
    pending = [start]
    while pending:
        number = pending.pop()
        if number not in copy_of:
            copy_of[number] = arena.add(arena.nodes[number])
            inside.append(number)
            pending += targets_of(arena.nodes[number])
    for number in inside:
        node = arena.nodes[number]
        arena.nodes[copy_of[number]] = with_targets(node, [copy_of[t] for t in targets_of(node)])
    for number in inside:
        node = arena.nodes[number]
        # Where a group inside this one has chosen, nothing is left to choose.
        if isinstance(node, Split) and not node.rivals:
            node.rivals = tuple(copy_of[target] for target in node.targets)
    return start


def tested_groups(tree: Any) -> Iterator[int]:
    """Yield the group of each conditional in a syntax tree of ``re``, in the order of the text."""
    return (argument[0] for opcode, argument in walk_tree(tree) if opcode == "GROUPREF_EXISTS")


def _captures(tree: Any) -> Iterator[int | None]:
    return (argument[0] for opcode, argument in walk_tree(tree) if opcode == "SUBPATTERN")


def walk_tree(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items of a syntax tree of ``re``, at any depth, each before those inside it."""
    for opcode, argument in tree:
        yield str(opcode), argument
        for inner in _inner_trees(str(opcode), argument):
            yield from walk_tree(inner)


def _inner_trees(opcode: str, argument: Any) -> list[Any]:
    match opcode:
        case "BRANCH":
            return list(argument[1])
        case "SUBPATTERN":
            return [argument[3]]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [argument[2]]
        case "ASSERT" | "ASSERT_NOT":
            return [argument[1]]
        case "ATOMIC_GROUP":
            return [argument]
        case "GROUPREF_EXISTS":
            return [tree for tree in argument[1:] if tree is not None]
    return []


def read_set(opcode: str, argument: Any, flags: int) -> charset.CodePoints:
    """Return the characters that a node of one character reads."""
    match opcode:
        case "LITERAL":
            return charset.literal_set(argument, flags)
        case "NOT_LITERAL":
            return charset.complement(charset.literal_set(argument, flags))
        case "ANY":
            return charset.any_set(flags)
    return charset.items_set(argument, flags)


def _is_plain(tree: Any, flags: int) -> bool:
    return not flags & re.IGNORECASE and all(str(opcode) == "LITERAL" for opcode, _ in tree)
