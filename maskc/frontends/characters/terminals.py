"""Which pattern has an expression, so that each of its texts is its own first match?

Lark's ``dynamic_complete`` tries a text alone, and finds it only if the first match of the pattern
is all of it. An expression that ``re`` reads so is written as it is; any other one, and one in
which a text has several paths, is written again from its minimal automaton.

Example: ``a|ab`` becomes ``ab?``; ``(?:aa)*|(?:aaa)*`` becomes what
:mod:`maskc.frontends.characters.longest` shows.
"""

from __future__ import annotations

from maskc.frontends.characters.automaton import build_dfa
from maskc.frontends.characters.expressions import (
    NOTHING,
    Characters,
    Choice,
    Expression,
    Sequence,
    measure,
)
from maskc.frontends.characters.longest import write_longest
from maskc.frontends.characters.patterns import write_pattern
from maskc.frontends.characters.positions import Positions, TooLargeError, drop_empty, examine


def write_terminal(expression: Expression) -> str | None:
    """Return the pattern of an expression's texts but the empty one, each its own first match.

    Nothing but the empty text has the empty pattern; ``None``: there is none of reasonable size.
    """
    try:
        body = drop_empty(expression)
    except TooLargeError:
        return None
    if body == NOTHING:
        return ""
    as_it_is = None
    if isinstance(body, Choice) and all(isinstance(p, Characters | Sequence) for p in body.parts):
        # A list of words is found in full if none comes after its own beginning.
        body = Choice(tuple(sorted(body.parts, key=measure, reverse=True)))
    try:
        found, ambiguous = examine(Positions(body))
        if found:
            as_it_is = write_pattern(body)
            if not ambiguous:
                return as_it_is
    except TooLargeError:
        pass
    # From its automaton a text has one path: `re` never tries another one in vain.
    try:
        return write_pattern(write_longest(build_dfa(body)))
    except TooLargeError:
        return as_it_is
