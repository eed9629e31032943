import pytest

from maskc.jsonschema.syntax import (
    Assertion,
    Choice,
    Look,
    PatternError,
    Repeat,
    Sequence,
    Set,
    parse_pattern,
)


def one(character):
    return Set(parse_pattern(character).characters)


def test_parts_of_a_pattern_are_nodes():
    node = parse_pattern("^a|b{2}")
    assert node == Choice((Sequence((Assertion("^"), one("a"))), Repeat(one("b"), 2, 2)))


def test_a_look_ahead_says_whether_it_must_match():
    assert parse_pattern("(?!a)") == Look(one("a"), positive=False)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a)", "unmatched"),
        ("(?<=a)b", "look-behind"),
        ("(a)\\1", "back-reference"),
        ("\\p{Script=Greek}", "only categories"),
    ],
)
def test_what_is_not_read_is_refused_by_name(pattern, reason):
    with pytest.raises(PatternError, match=reason):
        parse_pattern(pattern)
