"""How items differ, and which of them may still come."""

import itertools

import pytest

from maskc.runtime.schema.plan.arrays import ArrayRule
from maskc.runtime.schema.plan.rules import ArrayEntry, Place, Split, StringRule
from maskc.runtime.schema.plan.values import read_value
from maskc.runtime.schema.strings.strings import Body
from maskc.runtime.schema.strings.texts import build_texts

ONE, TWO, OTHER = (read_value(text) for text in (b"1", b"2", b'"x"'))


@pytest.mark.parametrize(("low", "high"), [(0, None), (0, 2), (2, None)])
def test_a_prefix_can_become_another_string_if_there_is_one(low, high):
    words = ["a", "ab", "abc", "b", "bd"]
    body = Body(build_texts(words, [0] * len(words)), minimal=False)
    rule = StringRule(body, low, high)
    fitting = {w for w in words if low <= len(w) <= (high or 3)}
    for n in range(len(words) + 1):
        for texts in itertools.combinations([*words, "x"], n):
            for prefix in ["", "a", "ab", "b"]:
                others = {w for w in fitting if w.startswith(prefix)} - set(texts)
                state = rule.body.dfa.read(prefix)
                found = rule.has_other(state, rule.cap(len(prefix)), prefix, sorted(texts))
                assert found == bool(others)


def entry(low=0, high=None, values=(ONE, TWO), endless=-1):
    rule = ArrayRule([(0, [(0, 7)])], low, high, [])
    return ArrayEntry(rule, {7: Split(endless, tuple((v, n) for n, v in enumerate(values)))})


def after(n_items, *values):
    return Place(n_items, (), frozenset(values))


def test_a_value_that_was_there_is_no_way_on():
    found = entry()
    assert [child for _, child in found.enter(found.start)] == [0, 1]
    assert [child for _, child in found.enter(after(1, ONE))] == [1]


def test_an_item_may_not_be_one_that_others_cannot_do_without():
    rule = ArrayRule([(0, [(0, 7)]), (1, [(0, 8)])], 3, None, [])
    found = ArrayEntry(rule, {7: Split(3, ()), 8: Split(-1, ((ONE, 0), (TWO, 1)))})
    assert found.barred(after(1)) == {ONE, TWO}
    assert found.add(after(1), ONE) is None
    assert found.add(after(1), OTHER) == after(1, OTHER)


def test_two_items_must_be_equal_where_that_is_asked():
    rule = ArrayRule([(0, [(0, 7)])], 2, 3, [])
    found = ArrayEntry(rule, None, repeats=True)
    assert not found.may_close(after(2, ONE, TWO))
    assert found.add(after(3, ONE, TWO), OTHER) is None
    ended = found.add(after(3, ONE, TWO), ONE)
    assert ended.values is None
    assert found.may_close(ended)
    assert found.only(after(3, ONE)) == {ONE}
    assert found.only(after(2, ONE)) is None
