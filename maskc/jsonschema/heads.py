r"""Patterns that begin with the same characters in every match: ``^title_(?:[a-z]{2}|…)$``.

Names with a language at their end, say, are many patterns with one *tail*. The automaton of a tail
is built once, and that of each pattern is its *head*, a chain of states, before it.

Example: of ``^ab[0-9]+$`` the head is ``ab`` and the tail ``[0-9]+``.

Limits: no assertion is in the tail, as it could ask for what stands before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from maskc.jsonschema.exploring import MAX_STATES, NONE, TooLargeError, merge_starts
from maskc.jsonschema.threads import build_automaton
from maskc.regular.charset import MAX_CODE_POINT
from maskc.regular.tree import Anchor, Characters, Expression, Look, walk
from maskc.regular.tree import Sequence as Parts
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa

# What is built of small tails, for all schemas of a process.
_tails: dict[Expression, CharDfa] = {}
_MOST_TAILS, _MOST_STATES = 32, 512


def flatten(node: Expression) -> Iterator[Expression]:
    """Yield the parts of a sequence, and of those in it; an expression that is none as it is."""
    if isinstance(node, Parts):
        for part in node.parts:
            yield from flatten(part)
    else:
        yield node


def build_with_head(node: Expression) -> CharDfa | None:
    """Return the minimal automaton of a pattern that has a head, ``None`` for others.

    Raises:
        TooLargeError: it has too many states, or takes too many steps.
    """
    parts = list(flatten(node))
    if len(parts) < 3 or parts[0] != Anchor("^") or parts.pop() != Anchor("$"):
        return None
    del parts[0]
    head = list[int]()
    for part in parts:
        if not isinstance(part, Characters) or not _is_one(part):
            break
        head.append(part.ranges[0][0])
    tail = Parts(tuple(parts[len(head) :]))
    if not head or any(isinstance(part, Anchor | Look) for part in walk(tail)):
        return None
    found = _tails.get(tail)
    if found is None:
        found = build_automaton(tail)
        if found.n_states <= _MOST_STATES:
            if len(_tails) >= _MOST_TAILS:
                _tails.clear()
            _tails[tail] = found
    if found is NONE or _has_last(found, head[-1]):
        return found if found is NONE else None
    return _prepend(head, found)


def _is_one(part: Characters) -> bool:
    return len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]


def _has_last(tail: CharDfa, code: int) -> bool:
    """Return whether a state of the tail is what the head's last one is: they would be one."""
    for row, default, label in zip(tail.rows, tail.defaults, tail.labels, strict=True):
        if label == NO_LABEL and default == DEAD:
            live = [kind for kind, target in row.items() if target != DEAD]
            if len(live) == 1 and row[live[0]] == tail.start:
                return tail.ranges_of(live) == [(code, code + 1)]
    return False


def _prepend(head: Sequence[int], tail: CharDfa) -> CharDfa:
    n, codes = len(head), set(head)
    if n + tail.n_states > MAX_STATES:
        raise TooLargeError
    starts = merge_starts([tail.starts, [*codes], [code + 1 for code in codes - {MAX_CODE_POINT}]])
    # Each class of the tail, without the head's characters, and each of these.
    kinds = [
        (tail.classes[bisect_right(tail.starts, low) - 1], low if low in codes else -1)
        for low in starts
    ]
    number_of = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    finer = dict[int, list[int]]()
    kind_of = dict[int, int]()
    for (own, code), number in number_of.items():
        finer.setdefault(own, []).append(number)
        kind_of[code] = number
    shifted = [DEAD, *range(n + 1, n + len(tail.labels))]
    chain = [{kind_of[code]: state} for state, code in enumerate(head, 2)]
    rows = [
        {kind: shifted[target] for own, target in row.items() for kind in finer[own]}
        for row in tail.rows[1:]
    ]
    return CharDfa(
        starts,
        [number_of[kind] for kind in kinds],
        [*[DEAD] * (n + 1), *(shifted[target] for target in tail.defaults[1:])],
        [{}, *chain, *rows],
        [*[NO_LABEL] * (n + 1), *tail.labels[1:]],
        1,
    )
