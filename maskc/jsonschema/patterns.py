r"""A regular expression of ECMA-262 as an automaton over characters, and lengths of strings.

``pattern`` is searched for, not anchored.

A count is a state for each pass when it is written out as an automaton. Two kinds need none:

- What a pattern may still read at its ends may be left to what is around it: ``[a-z]{2,65536}`` is
  found where ``[a-z]{2}`` is found.
- Where all else that is matched from the start of a string to its end has one length, and so has
  a pass, the length of the string says how many passes there were: ``^ab[0-9]{1,65536}$`` is
  ``^ab[0-9]*$`` with a length from 3 to 65,538, and a length is a counter.

Example: ``^(?:[0-9]{2}:){1,999}[0-9]{2}$`` is ``^(?:[0-9]{2}:)*[0-9]{2}$`` with a length from 5 to
2,999.

Names with a language at their end, ``^title_(?:[a-z]{2}|…)$``, are many patterns with one *rest*.
The automaton of a rest is built once, and that of each pattern is its *head*, a chain of states,
before it.

Limits: other counts are written out, up to ``MAX_REPEAT``. A look-behind could ask for what stands
before the rest, so such patterns have no head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from maskc.errors import FormatError
from maskc.jsonschema.automata import prepend
from maskc.jsonschema.exploring import TooLargeError
from maskc.jsonschema.threads import build_automaton
from maskc.regular import (
    EMPTY_TEXT,
    Alternation,
    Anchor,
    Characters,
    Expression,
    Look,
    Repeat,
    Sequence,
)
from maskc.regular.ecma import ANYTHING, PatternError, parse_pattern
from maskc.runtime.schema.strings.characters import CharDfa

MAX_REPEAT = 5_000
# What has no more states when it is written out is written out.
_FEW_STATES = 16

Bounded = tuple[Expression, int, int | None]


def shorten(node: Expression) -> Expression:
    """Return a pattern that is found in the same strings, without counts that make no difference.

    >>> from maskc.regular.ecma import parse_pattern
    >>> shorten(parse_pattern("a{0,9}b{3,9}")) == parse_pattern("b{3}")
    True
    """
    return _shorten(node, first=True, last=True)


def _shorten(node: Expression, *, first: bool, last: bool) -> Expression:
    """Return a part of a pattern; whether anything may stand before it, and after it."""
    match node:
        case Alternation(parts):
            return Alternation(tuple(_shorten(part, first=first, last=last) for part in parts))
        case Repeat(body, least, _) if first or last:
            if least == 0:
                return EMPTY_TEXT
            return body if least == 1 else Repeat(body, least, least)
        case Sequence(parts):
            kept = list(parts)
            if first:
                _shorten_end(kept, 0)
            if last:
                _shorten_end(kept, -1)
            return kept[0] if len(kept) == 1 else Sequence(tuple(kept))
    return node


def _shorten_end(parts: list[Expression], index: int) -> None:
    """Shorten the part at one end, and what comes to stand there where it goes."""
    while parts:
        alone = len(parts) == 1
        parts[index] = _shorten(parts[index], first=index == 0 or alone, last=index == -1 or alone)
        if parts[index] != EMPTY_TEXT:
            return
        del parts[index]


def flatten(node: Expression) -> Iterator[Expression]:
    """Yield the parts of a sequence, and of those in it; an expression that is none as it is."""
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from flatten(part)
    else:
        yield node


def split_lengths(node: Expression) -> list[Bounded]:
    """Return alternatives of a pattern, each with the lengths of the strings that it matches.

    Together they are found in the same strings as the pattern.
    """
    found = [_split(alternative) for alternative in _alternatives(node)]
    bounded = [split for split in found if split[1] or split[2] is not None]
    others = [part for part, low, high in found if not low and high is None]
    if len(others) > 1:
        others = [Alternation(tuple(others))]
    return [*bounded, *((part, 0, None) for part in others)]


def _alternatives(node: Expression) -> Iterator[Expression]:
    """Yield the alternatives of a pattern: also of one between a start and an end."""
    match node:
        case Alternation(parts):
            for part in parts:
                yield from _alternatives(part)
        case Sequence((Anchor("^") as start, Alternation(parts), Anchor("$") as end)):
            for part in parts:
                yield from _alternatives(Sequence((start, *flatten(part), end)))
        case _:
            yield node


def _split(node: Expression) -> Bounded:
    """Return a pattern with a loop that a length counts, and the length; itself if none does."""
    parts = list(flatten(node))
    if len(parts) < 3 or parts[0] != Anchor("^") or parts[-1] != Anchor("$"):
        return node, 0, None
    lengths = [_length(part) for part in parts]
    varying = [n for n, length in enumerate(lengths) if length is None]
    # The longest of those that are counted, if the others have one length.
    index = max(varying or range(len(parts)), key=lambda n: _n_states(parts[n]))
    loop = parts[index]
    if len(varying) > 1 or not isinstance(loop, Repeat):
        return node, 0, None
    once = _length(loop.body)
    is_simple = len(parts) == 3 and isinstance(loop.body, Characters)
    if not once or not (is_simple or _n_states(loop) > _FEW_STATES):
        return node, 0, None
    fixed = sum(length for n, length in enumerate(lengths) if n != index and length is not None)
    parts[index] = Repeat(loop.body, 0, None)
    most = None if loop.high is None else fixed + once * loop.high
    return Sequence(tuple(parts)), fixed + once * loop.low, most


def _n_states(node: Expression) -> int:
    """Return about how many states the passes of a loop have."""
    match node:
        case Repeat(body, least, most):
            return (_length(body) or 0) * (least if most is None else most)
    return 0


def _length(node: Expression) -> int | None:
    """Return the number of characters that a part matches, ``None`` if it is not always one."""
    match node:
        case Characters():
            return 1
        case Sequence(parts):
            lengths = [_length(part) for part in parts]
            return None if None in lengths else sum(n for n in lengths if n is not None)
        case Alternation(parts):
            found = {_length(part) for part in parts}
            return found.pop() if len(found) == 1 else None
        case Repeat(body, least, most):
            length = _length(body)
            return None if length is None or most != least else length * least
    return 0


def check_counts(node: Expression) -> None:
    """Raise an error if something is to be written out too often.

    Raises:
        PatternError: a count is above ``MAX_REPEAT``.
    """
    match node:
        case Sequence(parts) | Alternation(parts):
            for part in parts:
                check_counts(part)
        case Look(body):
            check_counts(body)
        case Repeat(body, least, most):
            count = max(least, most or 0)
            if count > MAX_REPEAT:
                raise PatternError(f"repeats something {count:,} times, more than {MAX_REPEAT:,}")
            check_counts(body)


# An automaton, and the lengths of the strings that it is about.
BoundedDfa = tuple[CharDfa, int, int | None]


class _Built(NamedTuple):
    parts: list[BoundedDfa]
    begins_with_character: bool


# What is built of small patterns, for all schemas of a process.
_known: dict[tuple[str, bool], _Built] = {}
_MOST_KNOWN = 128
_MOST_KEPT = 512  # characters and states of one


def build_pattern(text: str) -> CharDfa:
    """Return the automaton of the strings in which a pattern is found.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: the automaton is too large.
    """
    ((dfa, _, _),) = _find(text, by_length=False).parts
    return dfa


def build_whole(text: str) -> CharDfa:
    """Return the automaton of the strings that a pattern matches from start to end."""
    return _build(parse_pattern(text), anchored=True)


def whole(text: str) -> str:
    """Return the pattern that matches the strings that a pattern matches from start to end."""
    return f"^(?:{text})$"


def check_pattern(name: str, text: str) -> None:
    try:
        parse_pattern(text)  # which may be no pattern by itself
        split_pattern(whole(text))
    except PatternError as error:
        raise FormatError(name, f"its pattern {text!r} {error}", error.remedy) from None
    except (TooLargeError, RecursionError):
        problem = f"its pattern {text!r} makes too large an automaton"
        raise FormatError(name, problem, "write a simpler one") from None


def split_pattern(text: str) -> list[BoundedDfa]:
    """Return automata with the lengths of their strings: in which a pattern is found is of one.

    A count in a pattern is a state for each pass; a length costs nothing.

    Raises:
        PatternError: it is no pattern, or not regular.
        maskc.jsonschema.exploring.TooLargeError: an automaton is too large.
    """
    return _find(text, by_length=True).parts


def _find(text: str, *, by_length: bool) -> _Built:
    found = _known.get((text, by_length))
    if found is None:
        found = _build_after_head(text, by_length=by_length)
        if found is None:
            node = shorten(parse_pattern(text))
            split = split_lengths(node) if by_length else [(node, 0, None)]
            parts = [(_build(part, anchored=False), low, high) for part, low, high in split]
            found = _Built(parts, _begins_with_character(node))
        if len(text) + sum(dfa.n_states for dfa, _, _ in found.parts) <= _MOST_KEPT:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            _known[text, by_length] = found
    return found


_SIGNS = r"\\^$.|?*+()\[\]{}"
_CHARACTER = rf"(?:[^{_SIGNS}]|\\[{_SIGNS}/-])"
# The start with open groups, the head, and the first character of the rest.
_HEAD = re.compile(rf"(\^(?:\((?:\?:)?)*)({_CHARACTER}+)({_CHARACTER})(?![*+?{{])")
_ESCAPE = re.compile(r"\\(.)")


def cut_head(text: str) -> tuple[str, str] | None:
    """Return characters that a pattern may begin with, and the pattern without them.

    The pattern matches what that one does after these, if that one :func:`_begins_with_character`.

    >>> cut_head("^(ab|cd[0-9])$"), cut_head("^(abc[0-9])$")
    (None, ('ab', '^(c[0-9])$'))
    """
    found = _HEAD.match(text)
    if found is None or not text.endswith("$") or "(?<" in text:
        return None
    if text.startswith("|", found.end()):  # of one alternative only
        return None
    start, head, first = found.groups()
    return _ESCAPE.sub(r"\1", head), start + first + text[found.end() :]


def _begins_with_character(node: Expression) -> bool:
    """Return whether a match begins at the start of a string, with a character that is known."""
    parts = flatten(node)
    first, second = next(parts, None), next(parts, None)
    if first != Anchor("^") or not isinstance(second, Characters):
        return False
    return len(second.ranges) == 1 and second.ranges[0][0] == second.ranges[0][1]


def _build_after_head(text: str, *, by_length: bool) -> _Built | None:
    """Return what is built of a pattern's rest, with its head before it, ``None`` without one."""
    cut = cut_head(text)
    if cut is None:
        return None
    head, rest = cut
    built = _find(rest, by_length=by_length)
    if not built.begins_with_character:
        return None
    ((after, low, high),) = built.parts
    dfa = prepend(head, after)
    if dfa is None:
        return None
    if low or high is not None:
        low, high = low + len(head), None if high is None else high + len(head)
    return _Built([(dfa, low, high)], begins_with_character=True)


def _build(node: Expression, *, anchored: bool) -> CharDfa:
    check_counts(node)
    return build_automaton(node if anchored else Sequence((ANYTHING, node, ANYTHING)))
