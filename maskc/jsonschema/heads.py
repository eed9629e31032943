r"""Patterns that begin with the same characters in every match: ``^title_(?:[a-z]{2}|…)$``.

Names with a language at their end, say, are many patterns with one *rest*. The automaton of a rest
is built once, and that of each pattern is its *head*, a chain of states, before it.

Example: of ``^title_[a-z]+$`` the head is ``title``, and the rest is the pattern ``^_[a-z]+$``.

Limits: a look-behind could ask for what stands before the rest, so such patterns have no head.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from maskc.jsonschema.exploring import (
    MAX_STATES,
    NONE,
    TooLargeError,
    find_default,
    merge_starts,
)
from maskc.regular import Anchor, Characters, Expression
from maskc.regular import Sequence as Parts
from maskc.regular.charset import MAX_CODE_POINT
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

_SIGNS: Final = r"\\^$.|?*+()\[\]{}"
_CHARACTER: Final = rf"(?:[^{_SIGNS}]|\\[{_SIGNS}/-])"
# The start with open groups, the head, and the first character of the rest.
_HEAD: Final = re.compile(rf"(\^(?:\((?:\?:)?)*)({_CHARACTER}+)({_CHARACTER})(?![*+?{{])")
_ESCAPE: Final = re.compile(r"\\(.)")


def flatten(node: Expression) -> Iterator[Expression]:
    """Yield the parts of a sequence, and of those in it; an expression that is none as it is."""
    if isinstance(node, Parts):
        for part in node.parts:
            yield from flatten(part)
    else:
        yield node


def cut_head(text: str) -> tuple[str, str] | None:
    """Return characters that a pattern may begin with, and the pattern without them.

    The pattern matches what that one does after these, if that one :func:`begins_with_character`.

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


def begins_with_character(node: Expression) -> bool:
    """Return whether a match begins at the start of a string, with a character that is known."""
    parts = flatten(node)
    first, second = next(parts, None), next(parts, None)
    return first == Anchor("^") and isinstance(second, Characters) and _is_one(second)


def _is_one(part: Characters) -> bool:
    return len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]


def prepend(head: str, rest: CharDfa) -> CharDfa | None:
    """Return the minimal automaton of the strings of one after a head.

    Args:
        rest: minimal.

    Returns:
        ``None`` if the last state of the head were one of the rest's.

    Raises:
        TooLargeError: it has too many states.
    """
    codes = [ord(character) for character in head]
    if rest is NONE:
        return rest
    return None if _has_last(rest, codes[-1]) else _prepend(codes, rest)


def _has_last(rest: CharDfa, code: int) -> bool:
    """Return whether a state of the rest is what the head's last one is."""
    for row, default, label in zip(rest.rows, rest.defaults, rest.labels, strict=True):
        if label == NO_LABEL and default == DEAD:
            live = [kind for kind, target in row.items() if target != DEAD]
            if len(live) == 1 and row[live[0]] == rest.start:
                return rest.ranges_of(live) == [(code, code + 1)]
    return False


def _prepend(head: Sequence[int], rest: CharDfa) -> CharDfa:
    n, codes = len(head), set(head)
    if n + rest.n_states > MAX_STATES:
        raise TooLargeError
    starts = merge_starts([rest.starts, [*codes], [code + 1 for code in codes - {MAX_CODE_POINT}]])
    # Each class of the rest, without the head's characters, and each of these.
    kinds = [
        (rest.classes[bisect_right(rest.starts, low) - 1], low if low in codes else -1)
        for low in starts
    ]
    number_of = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    finer = dict[int, list[int]]()
    kind_of = dict[int, int]()
    for (own, code), number in number_of.items():
        finer.setdefault(own, []).append(number)
        kind_of[code] = number
    shifted = [DEAD, *range(n + 1, n + len(rest.labels))]
    chain = [{kind_of[code]: state} for state, code in enumerate(head, 2)]
    rows, defaults = [{}, *chain], [DEAD] * (n + 1)
    for given, other in zip(rest.rows[1:], rest.defaults[1:], strict=True):
        row = [shifted[other]] * len(number_of)
        for own, target in given.items():
            for kind in finer[own]:
                row[kind] = shifted[target]
        default = find_default(row)
        defaults.append(default)
        rows.append({kind: target for kind, target in enumerate(row) if target != default})
    return CharDfa(
        starts,
        [number_of[kind] for kind in kinds],
        defaults,
        rows,
        [*[NO_LABEL] * (n + 1), *rest.labels[1:]],
        1,
    )
