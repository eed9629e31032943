import pytest

from maskc.runtime.schema.machine.unfinished import read_unfinished
from maskc.runtime.schema.plan.values import read_value

ONE, TWO = read_value(b"1"), read_value(b"2")


def test_what_is_open_is_read_from_the_outside():
    read = read_unfinished(b'{"a": [1, {"b": "x', inside=True)
    outer, array, inner = read.open
    assert (outer.members, outer.key) == ({}, "a")
    assert (array.values, array.keys) == ([ONE], None)
    assert (inner.members, inner.key) == ({}, "b")
    assert read.rest == b"x"


def test_what_is_closed_is_a_value_of_what_it_stands_in():
    read = read_unfinished(b'{"a": {"b": [1]}, "c" : 2 ', inside=False)
    assert read.open[0].members == {"a": read_value(b'{"b": [1]}'), "c": TWO}
    assert read.open[0].key is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [(b'["', b""), (b'["a\\"', b'a\\"'), (b"[1, 12", b"12"), (b'{"a": tr', b"tr"), (b'{"a', b"a")],
)
def test_what_is_under_way_is_left(text, rest):
    assert read_unfinished(text, inside=True).rest == rest


def test_a_number_that_has_ended_is_an_item():
    assert read_unfinished(b"[1, 2 ", inside=False).open[0].values == [ONE, TWO]
