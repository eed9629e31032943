import pytest

from maskc.runtime.schema.plan.values import number_value, read_value


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (b"1", b"1.0"),
        (b"100", b"1e2"),
        (b"0", b"-0.0"),
        (b'"a"', b'"\\u0061"'),
        (b'{"a":1,"b":[2]}', b'{ "b" : [2.0], "a" : 1 }'),
        (b"-15e-1", b"-1.5"),
    ],
)
def test_equal_values_are_equal_however_they_are_written(left, right):
    assert read_value(left) == read_value(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [(b"1", b"true"), (b"0", b"false"), (b'"1"', b"1"), (b"[1,2]", b"[2,1]"), (b"[]", b"{}")],
)
def test_different_values_differ(left, right):
    assert read_value(left) != read_value(right)


def test_a_value_nested_100000_deep_is_read():
    assert read_value(b"[" * 100_000 + b"]" * 100_000)[0] == "array"


def test_an_exponent_of_any_size_is_read():
    assert number_value("1e99999999999999999999") == number_value("10e99999999999999999998")
