r"""The pattern of an expression, in which each text is its own first match.

Lark's ``dynamic_complete`` tries a text alone, and finds it only if the first match of the pattern
is all of it. An expression that ``re`` reads so is written as it is; any other one, and one in
which a text has several paths, is written again from its minimal automaton, by first returns: a
path from state ``q`` to an end is a number of returns to ``q``, then a path that leaves ``q`` for
good. An automaton has one path a text, no first return begins with another one, and what leaves
``q`` begins with a character. So ``(?:returns)*(?:leaving)?``, greedy, tries the longest text
first: a round more is longer than any way of leaving before it.

Example: ``a|ab`` becomes ``ab?``; an even number, or a multiple of three, of ``a`` is
``(?:aaaaaa)*(?:aa(?:a(?:a)?)?)?``, and not ``(?:aa)*|(?:aaa)*``, which never reads ``aaa``.

The size can be exponential in the number of states; beyond a bound we do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby

from maskc import regular
from maskc.frontends.characters.automaton import (
    ExpressionPositions,
    ExpressionTooLargeError,
    build_dfa,
    drop_empty,
    examine,
    read_moves,
)
from maskc.grammar.sets import find_reachable
from maskc.regular import (
    EMPTY_TEXT,
    GREEDY,
    LAZY,
    MAX_NESTED,
    NOTHING,
    POSSESSIVE,
    Alternation,
    Anchor,
    Atomic,
    CapturingGroup,
    Characters,
    Expression,
    Look,
    Repeat,
    choice,
    measure,
    nesting,
    repeat,
    sequence,
)
from maskc.regular.charset import ANY, CodePoints, class_set, complement
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

MAX_CALLS, MAX_DEPTH = 5_000, 150
MAX_LENGTH = 40_000

_MANY = 8  # ranges of a class that may have a name
_MODES = {GREEDY: "", LAZY: "?", POSSESSIVE: "+"}
_SPECIAL = frozenset(r".^$*+?{}[]\|()/")
_SPECIAL_IN_CLASS = frozenset(r"]\^-[&~|/")

States = frozenset[int]


def write_longest(dfa: CharDfa) -> Expression:
    """Return an expression of the automaton's texts, each of which is its own first match.

    Raises:
        ExpressionTooLargeError: it would be too large.
    """
    if dfa.start == DEAD:
        return NOTHING
    moves = [read_moves(dfa, state) for state in range(len(dfa.rows))]
    return _Writer(dfa, moves).reach(dfa.start, None, frozenset(range(len(moves))), 0)


class _Writer:
    def __init__(self, dfa: CharDfa, moves: list[dict[int, CodePoints]]) -> None:
        self.moves, self.labels = moves, dfa.labels
        self.into: list[set[int]] = [set() for _ in moves]
        for state, targets in enumerate(moves):
            for target in targets:
                self.into[target].add(state)
        self.calls = 0
        self._loops = cache(self._find_loop)

    def reach(self, state: int, goal: int | None, allowed: States, depth: int) -> Expression:
        """Return the texts from a state to the goal, another one, over the allowed states.

        With ``None`` for a goal, to any end.
        """
        self.calls += 1
        if self.calls > MAX_CALLS or depth > MAX_DEPTH:
            raise ExpressionTooLargeError
        step = self._step(state, goal, allowed - {state}, depth)
        if goal is None and self.labels[state] != NO_LABEL:
            step = choice(step, EMPTY_TEXT)
        loop = self._loops(state, allowed)
        around = self._step(state, state, loop - {state}, depth) if loop else EMPTY_TEXT
        return sequence(repeat(around, 0, None), step)

    def _step(self, state: int, goal: int | None, allowed: States, depth: int) -> Expression:
        return choice(
            *(
                Characters(ranges)
                if target == goal
                else sequence(Characters(ranges), self.reach(target, goal, allowed, depth + 1))
                for target, ranges in self.moves[state].items()
                if target == goal or target in allowed
            )
        )

    def _find_loop(self, state: int, allowed: States) -> States:
        ahead = _reach(state, self.moves, allowed)
        return _reach(state, self.into, ahead) if state in ahead else frozenset()


def _reach(state: int, edges: Sequence[Iterable[int]], allowed: States) -> States:
    def list_targets(state: int) -> list[int]:
        return [target for target in edges[state] if target in allowed]

    return frozenset(find_reachable(list_targets(state), list_targets))


def write_pattern(expression: Expression) -> str:
    """Return the pattern of an expression without references.

    Raises:
        ExpressionTooLargeError: it is too long, or nested too deep for ``re``.
    """
    if nesting(expression) > MAX_NESTED:
        raise ExpressionTooLargeError
    pattern = write_part(expression)
    if len(pattern) > MAX_LENGTH:
        raise ExpressionTooLargeError
    return pattern


def write_class(ranges: CodePoints) -> str:
    """Return the pattern of one character of a set.

    >>> write_class(((97, 99), (120, 120))), write_class(((45, 45),))
    ('[a-cx]', '-')
    """
    if ranges == ANY:
        return r"[\s\S]"
    if len(ranges) >= _MANY and ranges in _named_classes():
        return _named_classes()[ranges]
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _write_character(ranges[0][0], _SPECIAL)
    others = complement(ranges)
    if len(others) < len(ranges) or ranges[-1][1] == ANY[-1][1]:
        return f"[^{_write_ranges(others)}]"
    return f"[{_write_ranges(ranges)}]"


@cache
def _named_classes() -> dict[CodePoints, str]:
    return {class_set(name, 0): name for name in (r"\w", r"\W", r"\d", r"\D", r"\s", r"\S")}


def write_part(expression: Expression) -> str:
    """Return the pattern of an expression that names no rule, without flags for all of it."""
    match expression:
        case Characters(()) | Alternation(()):
            return "(?!)"
        case Characters(ranges):
            return write_class(ranges)
        case regular.Sequence(parts):
            return "".join(_write_run(p, len(list(run))) for p, run in groupby(parts))
        case Alternation(parts):
            return f"(?:{'|'.join(map(write_part, parts))})"
        case Repeat(body, low, high, mode):
            inner = write_part(body)
            if not isinstance(body, Characters | Alternation):
                inner = f"(?:{inner})"
            return inner + _write_count(low, high) + _MODES[mode]
        case CapturingGroup(body):
            return f"(?:{write_part(body)})"
        case Atomic(body):
            return f"(?>{write_part(body)})"
        case Look(body, positive, ahead):
            return f"(?{'' if ahead else '<'}{'=' if positive else '!'}{write_part(body)})"
        case Anchor(kind, is_multiline, is_ascii):
            written = kind if kind in "^$" else f"\\{kind}"
            flag = "m" * (is_multiline and kind in "^$") + "a" * (is_ascii and kind in "bB")
            return f"(?{flag}:{written})" if flag else written
    raise ValueError("a regular expression names no rule")


def _write_run(part: Expression, length: int) -> str:
    written = write_part(part)
    if length > 2 and isinstance(part, Characters) and len(written) > 1:
        return f"{written}{{{length}}}"
    return written * length


def _write_count(low: int, high: int | None) -> str:
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}
    if (low, high) in short:
        return short[low, high]
    if low == high:
        return f"{{{low}}}"
    return f"{{{low},{'' if high is None else high}}}"


def _write_ranges(ranges: CodePoints) -> str:
    written = []
    for low, high in ranges:
        written.append(_write_character(low, _SPECIAL_IN_CLASS))
        if high > low:
            written.append("-" if high > low + 1 else "")
            written.append(_write_character(high, _SPECIAL_IN_CLASS))
    return "".join(written)


def _write_character(code_point: int, special: frozenset[str]) -> str:
    character = chr(code_point)
    return f"\\{character}" if character in special else character


def write_terminal(expression: Expression) -> str | None:
    """Return the pattern of an expression's texts but the empty one, each its own first match.

    Nothing but the empty text has the empty pattern; ``None``: there is none of reasonable size.
    """
    try:
        body = drop_empty(expression)
    except ExpressionTooLargeError:
        return None
    if body == NOTHING:
        return ""
    as_it_is = None
    if isinstance(body, Alternation) and all(
        isinstance(p, Characters | regular.Sequence) for p in body.parts
    ):
        # A list of words is found in full if none comes after its own beginning.
        body = Alternation(tuple(sorted(body.parts, key=measure, reverse=True)))
    try:
        found, ambiguous = examine(ExpressionPositions(body))
        if found:
            as_it_is = write_pattern(body)
            if not ambiguous:
                return as_it_is
    except ExpressionTooLargeError:
        pass
    # From its automaton a text has one path: `re` never tries another one in vain.
    try:
        return write_pattern(write_longest(build_dfa(body)))
    except ExpressionTooLargeError:
        return as_it_is
