"""How items differ, and which of them may still come."""

from maskc.runtime.schema.arrays import ArrayRule
from maskc.runtime.schema.rules import ArrayEntry, Place, Split
from maskc.runtime.schema.values import read_value

ONE, TWO, OTHER = (read_value(text) for text in (b"1", b"2", b'"x"'))


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
