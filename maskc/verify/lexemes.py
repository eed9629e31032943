r"""Random lexemes of a terminal.

The terminal's pattern is walked as ``re`` parses it: an alternative is drawn, a set gives a
character that people would write, a repetition is short, blanks come by ones. A repetition of
letters is mostly a word. What look-arounds and greedy repetitions make of it is not asked on the
way: what is drawn counts only if ``re`` matches it from start to end.

Limits: where ``_TRIES`` draws do not match, the shortest lexemes that a search finds are taken.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from random import Random
from typing import Any

from maskc.verify.characters import N_CODE_POINTS, Atom
from maskc.verify.patterns import ParsedTerminal, atom_of, combine_flags

WORDS = (
    *("a", "b", "x", "y", "id", "key", "name", "value", "item", "total", "index", "result"),
    *("left", "right", "width", "first", "count2", "get_item", "Point", "isEmpty", "MAX_SIZE"),
)
_TRIES = 12
_MOST_CHARACTERS = 2_000  # of a lexeme
_MORE = "éßñλж中😀"
# How often a character of a kind is drawn, if a set holds some.
_KINDS = (
    (string.ascii_lowercase, 60),
    (string.ascii_uppercase, 8),
    (string.digits, 10),
    (" ", 8),
    (string.punctuation, 8),
    (_MORE, 2),
)
_BLANKS = " \n\t\r\f\v"
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")


class LexemeSearch:
    """The lexemes of one terminal; ``search`` returns short ones, by another way."""

    def __init__(
        self,
        pattern: ParsedTerminal,
        *,
        is_string: bool,  # it is one text, so that its letters are a keyword's
        search: Callable[[], Iterable[str]],
        encoding: str,  # of texts: what has no bytes there is no lexeme
    ) -> None:
        self._pattern, self._is_string, self._search = pattern, is_string, search
        self._last = chr(N_CODE_POINTS[encoding] - 1)

    def draw(self, draw: Random) -> str | None:
        for _ in range(_TRIES):
            writer = _Writer(draw)
            writer.write(self._pattern.tree, self._pattern.flags)
            text = "".join(writer.parts)
            if self._is_string and draw.random() < 0.2:
                text = text.upper()  # of a keyword whose case does not count
            if text and self.matches(text):
                return text
        return draw.choice(self._searched) if self._searched else None

    @cached_property
    def _searched(self) -> tuple[str, ...]:
        return tuple(text for text in self._search() if text)

    def matches(self, text: str) -> bool:
        found = self._pattern.regex.match(text)
        return found is not None and found.end() == len(text) and max(text) <= self._last


class _Writer:
    """Writes one text of a pattern."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self.parts: list[str] = []
        self._n_left = _MOST_CHARACTERS

    def write(self, tree: Any, flags: int) -> None:
        nodes = list(tree)
        for at, (opcode, argument) in enumerate(nodes):
            name = str(opcode)
            word = self._draw_word(nodes[at : at + 2], flags)
            if word:
                self._put(word)
                nodes[at + 1] = ("AT", None)  # it is written
            elif name in _ONE_CHARACTER:
                self._put(self._one(name, argument, flags))
            elif name == "BRANCH":
                self.write(self._draw.choice(argument[1]), flags)
            elif name == "SUBPATTERN":
                _, added, removed, inner = argument
                self.write(inner, combine_flags(flags, added, removed))
            elif name == "ATOMIC_GROUP":
                self.write(argument, flags)
            elif name == "GROUPREF_EXISTS":
                self.write(self._draw.choice([t for t in argument[1:] if t is not None]), flags)
            elif name in _REPEATS:
                low, high, body = argument
                self._repeat(low, high, body, flags)
            # Anchors and look-arounds write nothing.

    def _draw_word(self, nodes: list[Any], flags: int) -> str:
        """Return a word for a set and a repeated one, as in ``[a-z][a-z0-9]*``; mostly, if any."""
        if len(nodes) < 2 or str(nodes[0][0]) != "IN" or str(nodes[1][0]) not in _REPEATS:
            return ""
        low, high, body = nodes[1][1]
        if len(body) != 1 or str(body[0][0]) != "IN" or self._draw.random() < 0.25:
            return ""
        first, rest = (atom_of("IN", node[1], flags) for node in (nodes[0], body[0]))
        words = [
            word
            for word in _words_of(_members_of(rest))
            if word[0] in _members_of(first) and low <= len(word) - 1 <= high
        ]
        return self._draw.choice(words) if words else ""

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._n_left -= len(text)

    def _one(self, name: str, argument: Any, flags: int) -> str:
        if name == "LITERAL":
            return chr(argument)
        kinds = _kinds_of(atom_of(name, argument, flags))
        if not kinds:
            return ""
        (chosen,) = self._draw.choices([k for k, _ in kinds], [weight for _, weight in kinds])
        return self._draw.choice(chosen)

    def _repeat(self, low: int, high: int, body: Any, flags: int) -> None:
        """Write a body some times: mostly words, if there are some of one of its sets."""
        inner = _find_set(body)
        members = frozenset[str]() if inner is None else _members_of(atom_of(*inner, flags))
        if members and members.issubset(_BLANKS):
            count = low + (high > low and self._draw.random() < 0.4)
            blank = "\n" if "\n" in members and self._draw.random() < 0.15 else min(members)
            self._put((" " if " " in members and blank != "\n" else blank) * count)
            return
        if members and self._draw.random() < 0.7:
            text = self._draw_phrase(members)
            if text and low <= len(text) <= int(high):
                self._put(text)
                return
        for count in range(min(int(high), low + _MOST_CHARACTERS)):
            if count >= low and (self._n_left <= 0 or self._draw.random() < 0.4):
                return
            if self._n_left <= -_MOST_CHARACTERS:
                return  # what must come more often is found by the search, or not at all
            self.write(body, flags)

    def _draw_phrase(self, members: frozenset[str]) -> str:
        words = _words_of(members)
        text = self._draw.choice(words) if words else ""
        while words and " " in members and self._draw.random() < 0.4:
            text += " " + self._draw.choice(words)
        return text


def _find_set(body: Any) -> tuple[str, Any] | None:
    r"""Return the first set among the alternatives of a group, as in ``(?:\\.|[^"\\])``."""
    alternatives = [list(body)]
    while alternatives:
        tree = alternatives.pop(0)
        if len(tree) != 1:
            continue
        name, argument = str(tree[0][0]), tree[0][1]
        if name in ("IN", "NOT_LITERAL", "ANY"):
            return name, argument
        if name == "SUBPATTERN":
            alternatives.append(list(argument[3]))
        elif name == "BRANCH":
            alternatives += map(list, argument[1])
        elif name in _REPEATS:
            alternatives.append(list(argument[2]))
    return None


@lru_cache(maxsize=4096)
def _members_of(atom: Atom) -> frozenset[str]:
    return frozenset(character for kind, _ in _kinds_of(atom) for character in kind)


@lru_cache(maxsize=4096)
def _words_of(members: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in WORDS if members.issuperset(word))


@lru_cache(maxsize=4096)
def _kinds_of(atom: Atom) -> tuple[tuple[str, int], ...]:
    pattern = re.compile(*atom)
    kinds = (("".join(filter(pattern.fullmatch, kind)), weight) for kind, weight in _KINDS)
    found = tuple((kind, weight) for kind, weight in kinds if kind)
    if found:
        return found
    others = "".join(filter(pattern.fullmatch, _BLANKS))
    others = others or next(filter(pattern.fullmatch, map(chr, range(0xD800))), "")
    return ((others, 1),) if others else ()
