"""What is asked where a node stands, in terms that other artifacts would use, too.

Most of what schemas ask of a value is asked by many: any string, an integer, a list of strings, any
JSON. What is legal there depends on the tokenizer alone, so it is found once for all artifacts. A
rule's numbers are those of its plan; its *content* is what the numbers stand for, and a position
that is being described is named by how far up it is.

Only small rules are described: large ones are seldom asked for by two schemas.

Example: ``{"type": "array", "items": {"type": "string"}}`` has one content, wherever it stands.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

from maskc.runtime.schema.machine.nodes import (
    AFTER,
    ARRAY,
    COLON,
    END,
    LITERAL,
    NUMBER,
    OBJECT,
    STRING,
    VALUE,
    State,
)
from maskc.runtime.schema.masks.outlines import Outline, Outlines
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.tries.tokens import Shared

_MOST_RULES = 24  # that are described together
_MOST_STATES = 200  # of an automaton of keys
_DESCRIPTION_BYTES = 2_000
_UP = "up"
# In the place of an object's rule, where no text goes on in a key: all objects are alike.
ANY_RULE = -1
Key = tuple[int, int]
_numbers = itertools.count()


class Contents:
    """Describes the states of one plan.

    In ``shared`` descriptions get the same number in all artifacts.
    """

    def __init__(self, plan: Plan, outlines: Outlines, shared: Shared) -> None:
        self._plan, self._outlines, self._shared = plan, outlines, shared
        self._layout = self._number((plan.layout,))
        self._known: dict[Key, int] = {}
        self._left = 0  # rules that may still be described

    def of(self, state: State) -> Hashable | None:
        """Return what tells a state from others of all artifacts, ``None`` if that is too long.

        An object's is as :class:`maskc.runtime.schema.masks.parts.Parts` summarises it.
        """
        kind = state[0]
        found: int
        if kind == LITERAL or kind == END and len(state) == 1:
            return (self._layout, *state)
        if kind in (VALUE, COLON):
            found = self._content(VALUE, state[1])
            return (self._layout, kind, found) if found >= 0 else None
        if kind == OBJECT and state[1] == ANY_RULE:
            return (self._layout, *state)
        if kind == OBJECT:
            rule = self._plan.objects[state[1]]
            # Where a key opens without a brace or a comma, names are seldom those of others.
            if state[2] != AFTER or rule.is_scarce or rule.may_run_out:
                return None
            outline = self._outline(state[1], state[4], may_come=state[3])
            if outline is None or any(o.named or o.classed for o in outline):
                return None
            # No text of the vocabulary may open a key at all: then there is no outline to say it.
            return (self._layout, kind, state[3], state[5], self._number(outline))
        is_new = kind == STRING and state[2] == self._plan.strings[state[1]].body.start
        is_new = is_new and state[3] == self._plan.strings[state[1]].begin
        if is_new or kind in (NUMBER, ARRAY):
            found = self._content(kind, state[1])
            more = state[3:] if kind == STRING else state[2:]  # states of bodies have no order
            return (self._layout, kind, found, *more) if found >= 0 else None
        return None

    def _content(self, kind: int, number: int) -> int:
        """Return the number of what a rule says, -1 if that is too much."""
        key = (kind, number)
        found = self._known.get(key)
        if found is None:
            self._left = _MOST_RULES
            term = self._describe(key, ())
            found = self._known[key] = -1 if self._left < 0 else self._number(term)
        return found

    def _describe(self, key: Key, above: tuple[Key, ...]) -> tuple[Any, ...]:
        """Return what a rule says; nothing of use once too many were asked for."""
        if key in above:
            return (_UP, len(above) - above.index(key))
        self._left -= 1
        if self._left < 0:
            return ()
        kind, number = key
        plan, path = self._plan, (*above, key)
        if kind == STRING:
            return self._string(number)
        if kind == NUMBER:
            return (self._number(plan.numbers[number].identity),)
        if kind == ARRAY:
            return self._array(number, path)
        if kind == OBJECT:
            return self._object(number, path)
        position = plan.positions[number]
        return (
            position.literals,
            self._describe_all(STRING, position.strings, path),
            self._describe_all(NUMBER, position.numbers, path),
            self._describe_all(ARRAY, position.arrays, path),
            self._describe_all(OBJECT, position.objects, path),
        )

    def _describe_all(
        self, kind: int, numbers: tuple[int, ...], path: tuple[Key, ...]
    ) -> tuple[Any, ...]:
        if not numbers:
            return ()
        self._left -= len(numbers) // _MOST_RULES
        return tuple([self._describe((kind, n), path) for n in numbers[:_MOST_RULES]])

    def _string(self, number: int) -> tuple[Any, ...]:
        rule = self._plan.strings[number]
        dfa = rule.body.dfa
        if dfa.n_states > _MOST_STATES:
            self._left = -1
            return ()
        return b"" if dfa.is_universal else dfa.digest, rule.low, rule.high

    def _array(self, number: int, path: tuple[Key, ...]) -> tuple[Any, ...]:
        entry = self._plan.arrays[number]
        rule = entry.rule
        for _, options in rule.pieces:
            self._left -= len(options)
        if entry.unique is not None or entry.repeats or self._left < 0:
            self._left = -1
            return ()
        pieces: list[Any] = []
        for start, options in rule.pieces:
            pieces.append(start)
            pieces += [(bits, self._describe((VALUE, child), path)) for bits, child in options]
        return tuple(pieces), rule.low, rule.high, tuple(rule.counters)

    def _outline(self, number: int, labels: int, *, may_come: bool) -> tuple[Outline, ...] | None:
        rule = self._plan.objects[number]
        if rule.is_scarce or rule.may_run_out:
            return None
        return self._outlines.outline(number, labels, may_come=may_come)

    def _object(self, number: int, path: tuple[Key, ...]) -> tuple[Any, ...]:
        rule = self._plan.objects[number]
        labels = rule.open_labels(rule.start)
        outline = self._outline(number, labels, may_come=labels > 0)
        if outline is not None:
            return (labels > 0, rule.can_close(rule.start), *outline)
        self._left -= sum(map(len, rule.options))
        if rule.dfa.n_states > _MOST_STATES or self._left < 0:
            self._left = -1
            return ()
        options = tuple(
            tuple((d, self._describe((VALUE, child), path)) for d, child in found)
            for found in rule.options
        )
        asked = (rule.required, rule.low, rule.high, rule.n_wishes, rule.ordered)
        return rule.dfa.digest, rule.n_names, options, asked

    def _number(self, term: tuple[Any, ...]) -> int:
        """Return the number of a description, one that no other has ever had."""
        key = ("content", term)
        found: int | None = self._shared.get(key)
        if found is None:
            found = next(_numbers)
            self._shared.put(key, found, _DESCRIPTION_BYTES)
        return found
