"""After any token, how many tokens finish a JSON text at most?

A token leaves some of the levels that are open, each with no more to come than before, opens others
with its brackets, and ends inside of a string, a key or a number. So what finishes the text after
it is bounded: by what the open levels must still have, by the most that one level must have for
each bracket of the token, and by the most that one string, key or number must have. In bytes, and a
byte is a token.

Example: of a schema whose largest object must have 40 bytes, after ``{"a": [`` and with 300 tokens
left every token is legal that is legal without a limit.
"""

from __future__ import annotations

import re

from maskc.runtime.budget.strings import ShortStrings
from maskc.runtime.budget.values import MOST_NODES, ShortValues, list_unknown
from maskc.runtime.effort import spend
from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    FIRST,
    KEY,
    NEXT,
    OBJECT,
    PARENTS,
    SERIAL,
    STATE,
    Configuration,
    Node,
    read_members,
)
from maskc.runtime.schema.numbers.numbers import Numbers
from maskc.runtime.schema.plan.custom import CustomRule
from maskc.runtime.schema.plan.objects import ObjectRule
from maskc.runtime.schema.plan.plan import Plan
from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.tries.tokens import TokenIndex
from maskc.runtime.schema.tries.trie import ROOT

# Two braces that open need a key between them.
_OPENING = re.compile(rb"\[|\{(?![ \t\r\n]*\{)")
_WRITTEN = (*range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF5))
_ESCAPE_BYTES = 12  # of one that has begun, of two surrogates
_OTHER_CHARACTERS = 8  # that tell a key from all that were there, and 95 ** 8 of them do not fit
_SPELLING_BYTES = 24  # of a number: signs, a point, an exponent


class Slack:
    """Bounds of what finishes the texts of one plan after any token.

    Args:
        plan: of the schema.
        values: its short texts.
        index: the tokens.
    """

    def __init__(self, plan: Plan, values: ShortValues, index: TokenIndex) -> None:
        self._plan, self._values = plan, values
        self._frames: dict[int, int | None] = {}  # by the serial of a node
        known: tuple[bool, int] | None = index.shared.get("openings")
        if known is None:
            known = (_writes_all(index), max(map(count_openings, index.texts), default=0))
            index.shared.keep("openings", known)
        writes_all, self._n_openings = known
        self._bound = self._find_bound() if writes_all else None

    def most(self, here: Configuration) -> int | None:
        """Return how many tokens finish a text after any token; ``None``: unknown."""
        if self._bound is None:
            return None
        of_level, of_leaf = self._bound
        most = 0
        for node in here.nodes:
            n_bytes = self._measure(node)
            if n_bytes is None:
                return None
            most = max(most, n_bytes)
        return 1 + most + self._n_openings * of_level + of_leaf

    def _measure(self, top: Node) -> int | None:
        """Return how many bytes finish the levels that are open, whatever the alternatives."""
        known = self._frames
        if len(known) > MOST_NODES:
            known.clear()
        for node in list_unknown(top, known):
            spend(2)
            below = [known[parent[SERIAL]] for parent in node[PARENTS]]
            own = self._measure_level(node)
            if own is None or any(n is None for n in below):
                known[node[SERIAL]] = None
            else:
                known[node[SERIAL]] = own + max((n for n in below if n is not None), default=0)
        return known[top[SERIAL]]

    def _measure_level(self, node: Node) -> int | None:
        kind = node[STATE][0]
        if kind == KEY:
            rule = self._plan.objects[node[STATE][1]]
            text = self._values.finish_object(rule, read_members(node[STATE]), NEXT)
        elif kind in (OBJECT, ARRAY):
            text = self._values.own(node)
        else:
            return 0
        return None if text is None else len(text)

    def _find_bound(self) -> tuple[int, int] | None:
        """Return the bytes that one more level needs at most, and what is open on top of all."""
        plan, values = self._plan, self._values
        texts = [values.value(position) for position in range(len(plan.positions))]
        if any(text is None for text in texts):
            return None
        most = max((len(text) for text in texts if text is not None), default=0)
        strings = values.strings
        keys = [_measure_key(rule, strings) for rule in plan.objects]
        if any(isinstance(rule, CustomRule) for rule in plan.strings):
            return None
        leaves = [5, most + 2, *(_measure_string(rule, strings) for rule in plan.strings)]
        levels = [2]
        for n_bytes in map(_measure_number, plan.numbers):
            if n_bytes is None:
                return None
            leaves.append(n_bytes)
        for rule, key in zip(plan.objects, keys, strict=True):
            text = values.finish_object(rule, rule.start, FIRST)
            if key is None or text is None:
                return None
            leaves.append(key + most + 4)
            levels.append(1 + len(text) + rule.low * (key + most + 4))
        for entry in plan.arrays:
            if entry.rule.counters or entry.unique is not None or entry.repeats:
                return None
            levels.append(2 + entry.rule.low * (most + 1))
        return max(levels), max(leaves)


def count_openings(text: bytes) -> int:
    """Return how many brackets of a token open something, at most.

    >>> count_openings(b'[{"a":{'), count_openings(b"{{{")
    (3, 1)
    """
    return len(_OPENING.findall(text))


def _writes_all(index: TokenIndex) -> bool:
    """Return whether each byte of UTF-8 is a token."""
    trie = index.tokens
    nodes = (trie.child(ROOT, byte) for byte in _WRITTEN)
    return all(node >= 0 and trie.n_ending[node] for node in nodes)


def _measure_string(rule: StringRule, strings: ShortStrings) -> int:
    """Return how many bytes an open string needs at most, its quote included."""
    if rule.is_any:
        return rule.low + _ESCAPE_BYTES + 1
    dfa = rule.body.dfa
    if rule.low:
        # Of all strings that are long enough the shortest goes through no state twice after that.
        n_characters = rule.low + dfa.n_states
    else:
        n_characters = max(map(dfa.nearest, range(dfa.n_states)))
    return n_characters * strings.widest(dfa) + _ESCAPE_BYTES + 1


def _measure_key(rule: ObjectRule, strings: ShortStrings) -> int | None:
    """Return how many bytes an open key needs at most, its quote included; ``None``: unknown.

    Where patterns say which keys there are, the shortest may all be there already.
    """
    if rule.n_wishes or rule.is_scarce or rule.may_run_out or rule.high is not None:
        return None
    if rule.has_classes and not rule.is_flat:
        return None
    # The automaton is a tree of the names, and a sink.
    dfa = rule.dfa
    depth, todo = {dfa.start: 0}, [dfa.start]
    for state in todo:
        for target in dfa.successors(state):
            if target not in depth:
                depth[target] = depth[state] + 1
                todo.append(target)
    n_characters = max(depth.values()) + _OTHER_CHARACTERS
    return n_characters * strings.widest(dfa) + _ESCAPE_BYTES + 1


def _measure_number(numbers: Numbers) -> int | None:
    """Return how many bytes an open number needs at most; ``None``: unknown."""
    rule = numbers.rule
    if rule.not_multiples or rule.multiple not in (None, 1) or rule.values is not None:
        return None
    bounds = [bound for bound in (rule.low, rule.high) if bound is not None]
    n_digits = sum(len(str(abs(b.numerator))) + len(str(b.denominator)) for b in bounds)
    return 2 * n_digits + len(rule.excluded) + _SPELLING_BYTES
