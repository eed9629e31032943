import pytest

from maskc.integrations.compile_costs import is_cheap_pattern, is_cheap_schema


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"type": "object", "properties": {"a": {"type": "integer", "maximum": 100}}}',
        '{"enum": ["not at all", 1.5]}',
    ],
)
def test_short_plain_schemas_are_cheap(text):
    assert is_cheap_schema(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"pattern": "a"}',
        '{"p\\u0061ttern": "a"}',
        '{"maximum": 1e400}',
        '{"maxLength": 10000000}',
        '{"items": {"not": {}}}',
        " " * 2_000,
    ],
)
def test_what_can_be_dear_is_not(text):
    assert not is_cheap_schema(text)


@pytest.mark.parametrize("text", ["[ab]{3}-[0-9]", "a*b+", "x{2,}", r"\d+"])
def test_short_plain_patterns_are_cheap(text):
    assert is_cheap_pattern(text)


@pytest.mark.parametrize("text", ["a{100}", "(a{9}){9}", "(?=a)b", "a" * 65, "a{"])
def test_patterns_that_count_twice_or_look_around_are_not(text):
    assert not is_cheap_pattern(text)
