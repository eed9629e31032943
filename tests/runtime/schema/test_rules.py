"""How items differ, and which of them may still come."""

import itertools

import pytest

from maskc.runtime.schema.plan.rules import StringRule
from maskc.runtime.schema.plan.values import read_value
from maskc.runtime.schema.strings import Body
from maskc.runtime.schema.strings.texts import build_texts

ONE, TWO, OTHER = (read_value(text) for text in (b"1", b"2", b'"x"'))


@pytest.mark.parametrize(("low", "high"), [(0, None), (0, 2), (2, None)])
def test_a_prefix_can_become_another_string_if_there_is_one(low, high):
    words = ["a", "ab", "abc", "b", "bd"]
    body = Body(build_texts(words, [0] * len(words)), escapes="any")
    rule = StringRule(body, low, high)
    fitting = {w for w in words if low <= len(w) <= (high or 3)}
    for n in range(len(words) + 1):
        for texts in itertools.combinations([*words, "x"], n):
            for prefix in ["", "a", "ab", "b"]:
                others = {w for w in fitting if w.startswith(prefix)} - set(texts)
                state = rule.body.dfa.read(prefix)
                found = rule.has_other(state, rule.cap(len(prefix)), prefix, sorted(texts))
                assert found == bool(others)
