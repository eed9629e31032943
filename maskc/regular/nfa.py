r"""A regular expression of ``re`` as a byte-level NFA with ordered alternatives.

It is made of a syntax tree (:mod:`maskc.regular.python`), back to front. Nodes:

- ``Char(root, next)`` reads one character of a set (:mod:`maskc.regular.nodes`);
- ``SplitNode(targets)`` tries its targets in order: greedy and lazy differ only in that order;
- ``LookAround(ahead, positive, start, next)`` asks what stands here; anchors and ``\b`` are
  rewritten to look-arounds, e.g. ``$`` to "not followed by ``\n`` and a character, nor by another
  one";
- ``Mark`` and ``Test`` say where a group is entered, left and asked for by a conditional; they
  are gone when a pattern is complete (:mod:`maskc.regular.groups`);
- ``Accept(label)``.

A repetition is left when a pass through its body has read nothing, as in ``re``. An atomic group
``(?>X)`` keeps the first match of ``X`` whatever follows. Paths through ``X`` are tried in the
order of their choices; so a path is the first that matches iff at each choice none of the earlier
ones could have been continued to the end of ``X``. That is a negative look-ahead: ``(?>a|ab|c)`` is
``a|(?!a)ab|(?!a|ab)c``, and in ``(?>a*)b`` the choice to leave the loop counts only if no ``a``
follows. A possessive quantifier is an atomic group whose passes are atomic too.

Many words in a row go in letter by letter. Words that differ in a letter never both match, so only
their common beginnings and the nodes where a word ends keep an order: ``ab|a|ac`` is
``a(?:b||c)``. The words go into a trie with such an order, which is then added from its leaves on:
equal ends are added once. Of 100,000 names this leaves the nodes of their minimal automaton, and a
lexer state holds a few threads instead of 100,000.

Refused, because no finite automaton follows them: back-references.

Example: ``a*?b`` is ``0: Split(2, 1)  1: Char(a) → 0  2: Char(b) → 3  3: Accept``.

Source: Thompson 1968 (doi:10.1145/363347.363387), ordered as in Cox, *Regular Expression
Matching: the Virtual Machine Approach*, 2009; Daciuk, Mihov, Watson, Watson 2000
(doi:10.1162/089120100561601), where the trie is built first, since the order of ends is part of a
node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from maskc.budget import at, quote_symbol
from maskc.errors import UnsupportedTerminalError
from maskc.regular import (
    LAZY,
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
    walk,
)
from maskc.regular.charset import literal_set
from maskc.regular.groups import resolve_groups
from maskc.regular.nodes import (
    Accept,
    Arena,
    LookAround,
    Mark,
    SplitNode,
    Test,
    targets_of,
    with_targets,
)
from maskc.regular.python import read_python
from maskc.wording import Phrase

_ANCHORS = {
    "^": r"(?<![\s\S])",
    "A": r"(?<![\s\S])",
    "$": r"(?!\n[\s\S]|[^\n])",
    "Z": r"(?![\s\S])",
    "b": r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))",
    "B": r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",
}
_OF_LINES = {"^": r"(?<![^\n])", "$": r"(?![^\n])"}

# Alternatives of characters that stand for themselves, as Lark writes a list of strings: blanks
# and # do not, in a pattern with the flag x.
_ITSELF = r"[^\\.^$*+?{}\[\]|()\s#]|\\[^a-zA-Z0-9\s]"
_WORDS = re.compile(rf"\(\?:((?:{_ITSELF})++(?:\|(?:{_ITSELF})++)++)\)")

# What a node of the trie tries, in order: code point → next node, or a word ends (``None``).
_TrieNode = list[dict[int, int] | None]


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
            return self.add(SplitNode(add_words(self, words, self.add(Accept(label)))))
        tree = read_python(pattern, flags)
        tested = {node.group for node in walk(tree) if isinstance(node, Conditional)}
        start = _Lowering(self, terminal, tested).add(tree, self.add(Accept(label)))
        return resolve_groups(self, terminal, start) if tested else start


class _Lowering:
    """Lowers a syntax tree back to front: each method gets the node that follows."""

    def __init__(self, nfa: Nfa, terminal: str, tested: set[int]) -> None:
        self.nfa, self.terminal, self.tested = nfa, terminal, tested

    def add(self, node: Expression, following: int) -> int:
        """Return the start of a node of the tree, which goes on with what follows it."""
        match node:
            case Characters(ranges):
                return self.nfa.char(ranges, following)
            case Sequence(parts):
                for part in reversed(parts):
                    following = self.add(part, following)
                return following
            case Alternation(parts):
                return self.nfa.add(SplitNode(self.branches(parts, following)))
            case Repeat(mode=mode):
                return (self.possessive if mode == POSSESSIVE else self.repeat)(node, following)
            case CapturingGroup(body, number):
                if number not in self.tested:
                    return self.add(body, following)
                following = self.nfa.add(Mark(number, True, following))
                return self.nfa.add(Mark(number, False, self.add(body, following)))
            case Atomic(body):
                return seal(self.nfa, self.add(body, following), following)
            case Look():
                return self.look(node, following)
            case Anchor(kind, is_multiline, is_ascii):
                pattern = _OF_LINES.get(kind, _ANCHORS[kind]) if is_multiline else _ANCHORS[kind]
                return self.add(read_python(pattern, re.ASCII if is_ascii else 0), following)
            case Conditional(group, present, absent):
                then = self.add(present, following)
                return self.nfa.add(Test(group, then, self.add(absent, following)))
            case BackReference(group):
                raise self.refused(f"back-reference to group {group}", "is not regular")
        raise ValueError("a regular expression names no rule")

    def possessive(self, node: Repeat, following: int) -> int:
        captured = (inner.number for inner in walk(node) if isinstance(inner, CapturingGroup))
        for group in self.tested.intersection(captured):
            # A path that fails leaves its group set, after a pass that set a later one.
            raise self.refused(
                f"conditional on group {group} inside a possessive quantifier",
                "depends in CPython on paths that failed",
            )
        passes = Repeat(Atomic(node.body), node.low, node.high)
        return seal(self.nfa, self.repeat(passes, following), following)

    def branches(self, alternatives: Iterable[Expression], following: int) -> list[int]:
        """Return where alternatives begin; neighbours that are plain words become one trie."""
        starts: list[int] = []
        read = [(part, _read_word(part)) for part in alternatives]
        for is_plain, group in groupby(read, key=lambda found: found[1] is not None):
            parts = list(group)
            if is_plain and len(parts) > 1:
                words = [word for _, word in parts if word is not None]
                starts += add_words(self.nfa, words, following)
            else:
                starts += [self.add(part, following) for part, _ in parts]
        return starts

    def refused(self, construct: str, why: str) -> UnsupportedTerminalError:
        return UnsupportedTerminalError(self.terminal, f"{construct} {why}", Phrase.WRITE_WITHOUT)

    def repeat(self, node: Repeat, following: int) -> int:
        loop = self.nfa.n_loops
        self.nfa.n_loops += 1

        def ordered(body: int) -> list[int]:
            return [following, body] if node.mode == LAZY else [body, following]

        if node.high is None:
            head = SplitNode([], loop, following)
            start = self.nfa.add(head)
            head.targets = ordered(self.add(node.body, start))
        else:
            start = following
            for _ in range(node.high - node.low):
                start = self.nfa.add(
                    SplitNode(ordered(self.add(node.body, start)), loop, following)
                )
        for _ in range(node.low):
            start = self.add(node.body, start)
        return start

    def look(self, look: Look, following: int) -> int:
        if look.ahead or self.tested:
            # A look-behind that may depend on groups is numbered when they are resolved.
            start = self.body(look.body)
        elif look.body in self.nfa.look_behind_of:
            start = self.nfa.look_behind_of[look.body]
        else:
            body = self.body(look.body)
            start = self.nfa.look_behind_of[look.body] = len(self.nfa.look_behinds)
            self.nfa.look_behinds.append(body)
        return self.nfa.add(LookAround(look.ahead, look.positive, start, following))

    def body(self, node: Expression) -> int:
        """Return the start of a look-around's own NFA."""
        end = self.nfa.add(Accept(0))
        # With groups it is up to its first match which of them have matched after it.
        return self.add(Atomic(node) if self.tested else node, end)


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
        if isinstance(node, SplitNode) and not node.rivals:
            node.rivals = tuple(copy_of[target] for target in node.targets)
    return start


def _read_word(node: Expression) -> list[int] | None:
    """Return the code points of an expression that matches one text, ``None`` for others."""
    letters = []
    for part in node.parts if isinstance(node, Sequence) else (node,):
        if not isinstance(part, Characters) or len(part.ranges) != 1:
            return None
        ((low, high),) = part.ranges
        if low != high:
            return None
        letters.append(low)
    return letters


def read_words(pattern: str) -> list[list[int]] | None:
    """Return the words that a pattern lists, as code points; ``None`` if it is no such list.

    ``re`` would read the same; for a hundred thousand words it takes ten seconds.

    >>> read_words("(?:ab|c)"), read_words("(?:a+|c)")
    ([[97, 98], [99]], None)
    """
    found = _WORDS.fullmatch(pattern)
    if found is None:
        return None
    if "\\" not in pattern:
        return [list(map(ord, word)) for word in found[1].split("|")]
    words: list[list[int]] = [[]]
    for letter in re.findall(rf"\||{_ITSELF}", found[1]):
        if letter == "|":
            words.append([])
        else:
            words[-1].append(ord(letter[-1]))
    return words


def add_words(arena: Arena, words: Iterable[Iterable[int]], following: int) -> list[int]:
    """Return the nodes to try in order for one of the words, given as code points."""
    nodes = _build_trie(words)
    splits: dict[tuple[int, ...], int] = {}
    starts: list[list[int]] = [[]] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):  # what follows a node has a larger number
        tried: list[int] = []
        for segment in nodes[number]:
            if segment is None:
                tried.append(following)
                continue
            for code_point, child in sorted(segment.items()):
                targets = starts[child]
                if len(targets) == 1:
                    (after,) = targets
                else:
                    key = tuple(targets)
                    if key not in splits:
                        splits[key] = arena.add(SplitNode(targets))
                    after = splits[key]
                tried.append(arena.char(literal_set(code_point, 0), after))
        starts[number] = tried
    return starts[0]


def _build_trie(words: Iterable[Iterable[int]]) -> list[_TrieNode]:
    nodes: list[_TrieNode] = [[]]
    for word in words:
        here = 0
        for code_point in word:
            node = nodes[here]
            if not node or node[-1] is None:
                node.append({})
            segment = node[-1]
            here = segment.setdefault(code_point, len(nodes)) if segment is not None else 0
            if here == len(nodes):
                nodes.append([])
        # A word that has ended here before is the one that wins.
        if None not in nodes[here]:
            nodes[here].append(None)
    return nodes
