"""Fields of a structural tag: what each must be, and the place that is named if it is not."""

import pytest

from maskc.errors import TagError
from maskc.tags import fields


@pytest.mark.parametrize(
    ("read", "given", "expected"),
    [
        (fields.read_text, "a", "a"),
        (fields.read_texts, ["a", "b"], ["a", "b"]),
        (fields.read_flag, True, True),
        (fields.read_flag, None, False),
        (fields.read_count, 3, 3),
        (fields.read_count, None, None),
        (fields.read_items, [1, 2], [("/format/x/0", 1), ("/format/x/1", 2)]),
    ],
)
def test_a_field_is_read_as_what_it_must_be(read, given, expected):
    assert read({"x": given}, "/format", "x") == expected


@pytest.mark.parametrize(
    ("read", "given", "place"),
    [
        (fields.read_text, None, "/format/x"),
        (fields.read_text, "\ud800", "/format/x"),
        (fields.read_texts, "a", "/format/x"),
        (fields.read_texts, ["a", 1], "/format/x/1"),
        (fields.read_texts, ["a", ""], "/format/x/1"),
        (fields.read_flag, 1, "/format/x"),
        (fields.read_count, True, "/format/x"),
        (fields.read_count, -1, "/format/x"),
        (fields.read_count, fields.MOST + 1, "/format/x"),
        (fields.read_items, [], "/format/x"),
    ],
)
def test_anything_else_is_refused_with_its_place(read, given, place):
    with pytest.raises(TagError) as caught:
        read({"x": given}, "/format", "x")
    assert caught.value.pointer == place


def test_rules_are_pairs():
    rules = [["a", {}], ["b", {}]]
    expected = [("/rules/0", ("a", {})), ("/rules/1", ("b", {}))]
    assert fields.read_pairs({"rules": rules}, "") == expected
    with pytest.raises(TagError, match="/rules/1"):
        fields.read_pairs({"rules": [["a", {}], ["b"]]}, "")


@pytest.mark.parametrize("triggers", [[], [""], ["ab", "a"], ["b", "a", "bc"]])
def test_triggers_differ_and_none_begins_another(triggers):
    with pytest.raises(TagError):
        fields.check_triggers(triggers, "/format")


def test_equal_triggers_are_one():
    fields.check_triggers(["a", "a", "b"], "/format")
