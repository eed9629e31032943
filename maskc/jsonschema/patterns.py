"""A regular expression of ECMA-262 as an automaton over characters.

``pattern`` is searched for, not anchored. A pattern without look-aheads and word boundaries is an
automaton of positions (:mod:`maskc.jsonschema.thompson`), any other one of threads
(:mod:`maskc.jsonschema.threads`).

Example: ``^ab|ac`` accepts ``abx`` and ``xac``.
"""

from __future__ import annotations

from collections.abc import Hashable

from maskc.errors import FormatError
from maskc.jsonschema.charsets import CharSet
from maskc.jsonschema.exploring import TooLargeError, explore, merge_starts
from maskc.jsonschema.repeats import check_counts, shorten, split_lengths
from maskc.jsonschema.syntax import (
    ANYTHING,
    WORD,
    Assertion,
    Choice,
    Look,
    Node,
    PatternError,
    Repeat,
    Sequence,
    Set,
    parse_pattern,
)
from maskc.jsonschema.thompson import build_simple
from maskc.jsonschema.threads import BEFORE, Matcher, State
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa


def build_pattern(text: str) -> CharDfa:
    """Return the automaton of the strings in which a pattern is found.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: the automaton is too large.
    """
    return _build(shorten(parse_pattern(text)), anchored=False)


def build_whole(text: str) -> CharDfa:
    """Return the automaton of the strings that a pattern matches from start to end."""
    return _build(parse_pattern(text), anchored=True)


def whole(text: str) -> str:
    """Return the pattern that matches the strings that a pattern matches from start to end."""
    return f"^(?:{text})$"


def check_pattern(name: str, text: str) -> None:
    """Check the pattern of a format.

    Raises:
        FormatError: it is no pattern, not regular, or too large.
    """
    try:
        parse_pattern(text)  # which may be no pattern by itself
        split_pattern(whole(text))
    except PatternError as error:
        raise FormatError(name, f"its pattern {text!r} {error}", "write another one") from None
    except (TooLargeError, RecursionError):
        problem = f"its pattern {text!r} makes too large an automaton"
        raise FormatError(name, problem, "write a simpler one") from None


def split_pattern(text: str) -> list[tuple[CharDfa, int, int | None]]:
    """Return automata with the lengths of their strings: in which a pattern is found is of one.

    A count in a pattern is a state for each pass; a length costs nothing.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: an automaton is too large.
    """
    return [
        (_build(node, anchored=False), low, high)
        for node, low, high in split_lengths(shorten(parse_pattern(text)))
    ]


def _build(node: Node, *, anchored: bool) -> CharDfa:
    check_counts(node)
    sets: set[CharSet] = set()
    words = _collect(node, sets)
    if not words and not _looks(node):
        parts = (node,) if anchored else (ANYTHING, node, ANYTHING)
        return build_simple(Sequence(parts), sorted(sets, key=lambda s: s.ranges))
    cuts = [characters.starts for characters in sets]
    if words:
        cuts.append(WORD.starts)
    starts = merge_starts(cuts)
    around: tuple[Node, ...] = (node,) if anchored else (ANYTHING, node, ANYTHING)
    matcher = Matcher()
    whole = matcher.list_of(around)
    first: State = frozenset([(frozenset([whole]), frozenset())])

    def step(state: Hashable, character: int) -> Hashable:
        if not isinstance(state, tuple):
            raise TypeError
        threads, before = state
        after = matcher.advance(threads, before, character)
        kind = (character if words and character in WORD else 0) and 97
        return (after, kind) if after else None

    def label(state: Hashable) -> int:
        if not isinstance(state, tuple):
            raise TypeError
        return 0 if matcher.ends(state[0], state[1]) else NO_LABEL

    every = sorted(sets, key=lambda characters: characters.ranges)
    if words:
        every.append(WORD)
    kinds = [tuple(low in characters for characters in every) for low in starts]
    return explore(starts, (first, BEFORE), step, label, kinds)


def _collect(node: Node, sets: set[CharSet]) -> bool:
    """Add the sets of a tree; return whether it asks for word boundaries."""
    match node:
        case Set(characters):
            sets.add(characters)
        case Sequence(parts) | Choice(parts):
            found = [_collect(part, sets) for part in parts]
            return True in found
        case Repeat(body) | Look(body):
            return _collect(body, sets)
        case Assertion(kind):
            return kind in "bB"
    return False


def _looks(node: Node) -> bool:
    match node:
        case Sequence(parts) | Choice(parts):
            return any(_looks(part) for part in parts)
        case Repeat(body):
            return _looks(body)
    return isinstance(node, Look)
