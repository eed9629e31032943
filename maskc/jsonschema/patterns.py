"""A regular expression of ECMA-262 as an automaton over characters.

``pattern`` is searched for, not anchored. A pattern without look-aheads and word boundaries is an
automaton of positions (:mod:`maskc.jsonschema.glushkov`), any other one of threads
(:mod:`maskc.jsonschema.threads`).

Example: ``^ab|ac`` accepts ``abx`` and ``xac``.
"""

from __future__ import annotations

from collections.abc import Hashable

from maskc.errors import FormatError
from maskc.jsonschema.charsets import CharSet
from maskc.jsonschema.exploring import TooLargeError, explore, merge_starts
from maskc.jsonschema.glushkov import LookError, build_simple
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
from maskc.jsonschema.threads import BEFORE, Matcher, State
from maskc.runtime.schema.strings.characters import NO_LABEL, CharDfa

# An automaton, and the lengths of the strings that it is about.
Bounded = tuple[CharDfa, int, int | None]
# What is built of small patterns, for all schemas of a process.
_known: dict[tuple[str, bool], list[Bounded]] = {}
_MOST_KNOWN = 128
_MOST_KEPT = 512  # characters and states of one


def build_pattern(text: str) -> CharDfa:
    """Return the automaton of the strings in which a pattern is found.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: the automaton is too large.
    """
    ((dfa, _, _),) = _find(text, by_length=False)
    return dfa


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


def split_pattern(text: str) -> list[Bounded]:
    """Return automata with the lengths of their strings: in which a pattern is found is of one.

    A count in a pattern is a state for each pass; a length costs nothing.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: an automaton is too large.
    """
    return _find(text, by_length=True)


def _find(text: str, *, by_length: bool) -> list[Bounded]:
    found = _known.get((text, by_length))
    if found is None:
        node = shorten(parse_pattern(text))
        parts = split_lengths(node) if by_length else [(node, 0, None)]
        found = [(_build(part, anchored=False), low, high) for part, low, high in parts]
        if len(text) + sum(dfa.n_states for dfa, _, _ in found) <= _MOST_KEPT:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[text, by_length] = found
    return found


def _build(node: Node, *, anchored: bool) -> CharDfa:
    check_counts(node)
    parts = (node,) if anchored else (ANYTHING, node, ANYTHING)
    try:
        return build_simple(Sequence(parts))
    except LookError:
        return _build_looking(parts)


def _build_looking(parts: tuple[Node, ...]) -> CharDfa:
    """Return the automaton of a pattern that looks at what is around it."""
    sets: set[CharSet] = set()
    words = _collect(Sequence(parts), sets)
    every = sorted(sets, key=lambda characters: characters.ranges)
    if words:
        every.append(WORD)
    starts = merge_starts(characters.starts for characters in every)
    matcher = Matcher()
    first: State = frozenset([(frozenset([matcher.list_of(parts)]), frozenset())])

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
