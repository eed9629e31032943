"""Items that must differ, of kinds that can be used up, against all values that they may have."""

import itertools
import json

import pytest

from maskc.runtime.schema.plan import JsonLayout
from tests.jsonschema.texts import accepts, build_machine, count_legal, read

SMALL = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "b": {"enum": [None, 1]}},
    "additionalProperties": False,
}
# More than are told apart by listing them.
MANY = {"type": "array", "items": {"enum": list(range(9))}, "minItems": 2, "maxItems": 2}


def unique(items, **more):
    return {"type": "array", "items": items, "uniqueItems": True, **more}


@pytest.mark.parametrize(
    ("items", "equal"),
    [
        (SMALL, ('{"a": true, "b": 1}', '{"b": 1.0, "\\u0061": true}')),
        (MANY, ("[1, 2]", "[1.0, 2e0]")),
        ({}, ('{"x": [1, {"y": "\\u0061"}]}', '{"x": [1.0, {"y": "a"}]}')),
        ({"type": "object"}, ("{}", "{ }")),
    ],
)
def test_equal_items_are_refused_however_they_are_written(items, equal):
    machine = build_machine(unique(items))
    assert accepts(machine, f"[{equal[0]}]")
    assert not accepts(machine, f"[{', '.join(equal)}]")


def test_what_can_only_become_an_item_that_was_there_is_illegal():
    machine = build_machine(unique(SMALL))
    before = read(machine, '[{"a": true, "b": 1}, {"b": 1')
    assert read(machine, ', "a": f', before) is not None
    assert read(machine, ', "a": t', before) is None
    assert read(machine, "}", before) is not None


def test_a_pair_of_many_is_illegal_where_it_was_there():
    machine = build_machine(unique(MANY))
    assert read(machine, "[[1, 2], [1, 3") is not None
    assert read(machine, "[[1, 2], [1, ") is not None
    assert read(machine, "[[1, 2], [1, 2") is None


def test_no_item_is_begun_when_all_were_there():
    machine = build_machine(unique(MANY))
    pairs = [list(pair) for pair in itertools.product(range(9), repeat=2)]
    assert read(machine, json.dumps(pairs[:-1])[:-1] + ",") is not None
    assert accepts(machine, json.dumps(pairs))
    assert read(machine, json.dumps(pairs)[:-1] + ",") is None


def test_an_item_leaves_those_after_it_what_they_need():
    string = {"type": "string", "pattern": "^[a-z]$|^[a-z][a-z]$"}
    schema = unique({"enum": ["a", "b"]}, prefixItems=[string], minItems=3)
    machine = build_machine(schema)
    assert accepts(machine, '["c", "a", "b"]')
    assert read(machine, '["a"') is None
    assert read(machine, '["a') is not None


def test_arrays_inside_arrays_are_compared_at_both_levels():
    machine = build_machine(unique(unique({"type": "boolean"}, minItems=2)))
    assert read(machine, "[[true, f") is not None
    assert read(machine, "[[true, t") is None
    assert read(machine, "[[true, false], [f") is not None
    assert read(machine, "[[true, false], [t") is None


@pytest.mark.parametrize(
    ("text", "valid"), [("[1, 1.0]", True), ("[1, 2]", False), ("[]", False), ("[1, 2, 2]", True)]
)
def test_two_items_are_equal_where_they_must_not_all_differ(text, valid):
    machine = build_machine({"type": "array", "not": {"uniqueItems": True}})
    assert accepts(machine, text) is valid


def test_the_last_item_must_be_one_that_was_there_if_two_must_be_equal():
    schema = {"type": "array", "items": SMALL, "maxItems": 2, "not": {"uniqueItems": True}}
    machine = build_machine(schema)
    before = read(machine, '[{"a": true, "b": 1}, {')
    assert read(machine, '"b": 1, "a": t', before) is not None
    assert read(machine, '"b": 1, "a": f', before) is None
    assert read(machine, '"b": n', before) is None
    assert read(machine, "}", before) is None


LETTERS = {"type": "array", "items": {"enum": ["a", "b", "c", "d"]}, "uniqueItems": True}


@pytest.mark.parametrize(
    ("more", "text", "n_legal"),
    [
        # Two items are c and d; the third is the last, and has to be a or b.
        ({"contains": {"enum": ["a", "b"]}, "maxItems": 3}, '["c","d","c"', 10),
        ({"contains": {"enum": ["a", "b"]}, "maxItems": 3}, '["c","d","b"]', 13),
        ({"contains": {"enum": ["a", "b"]}, "minContains": 2, "maxItems": 3}, '["c","d"', 6),
        ({"contains": {"enum": ["a", "b"]}, "maxContains": 1, "minItems": 3}, '["a","b"', 6),
        # b and c are needed, and b is the only one of a and b that may come.
        (
            {
                "contains": {"enum": ["a", "b"]},
                "maxContains": 1,
                "allOf": [{"contains": {"enum": ["b", "c"]}, "minContains": 2}],
            },
            '["d","a"',
            6,
        ),
        # The second item has to be a, so the first is b.
        (
            {
                "prefixItems": [{"enum": ["a", "b"]}],
                "items": {"enum": ["a"]},
                "contains": {"enum": ["a"]},
                "minItems": 2,
            },
            '["a"',
            2,
        ),
        # There is no other need than that of two counted items.
        (
            {
                "prefixItems": [{"enum": ["a", "b"]}],
                "items": {"enum": ["a"]},
                "contains": {"enum": ["a", "b"]},
                "minContains": 2,
            },
            '["a"',
            2,
        ),
        # Both a and b are needed later.
        *(
            (
                {
                    "prefixItems": [{"enum": ["a", "b", "c"]}],
                    "items": {"enum": ["a", "b"]},
                    "contains": {"enum": ["a", "b"]},
                    "minItems": 3,
                },
                f'["{first}"',
                2,
            )
            for first in "ab"
        ),
        # Two counters need an item each.
        (
            {"contains": {"enum": ["a"]}, "allOf": [{"contains": {"enum": ["b"]}}]},
            '["c","a","b"]',
            13,
        ),
        # The first two items are not counted, and have to come before those that are.
        (
            {
                "prefixItems": [{"enum": ["c"]}, {"enum": ["d"]}],
                "items": {"enum": ["a"]},
                "contains": {"enum": ["a"]},
            },
            '["c","d","a"]',
            13,
        ),
        # Two of three items need not be counted.
        (
            {"items": {"type": "string"}, "contains": {"enum": ["a", "b"]}, "minItems": 3},
            '["c","a","d"]',
            13,
        ),
        # Strings are never used up, but a and b are both needed.
        (
            {
                "items": {"type": "string"},
                "contains": {"enum": ["a", "b"]},
                "minContains": 2,
                "maxItems": 3,
            },
            '["a","c","a"',
            10,
        ),
    ],
)
def test_what_is_left_of_counted_items_is_enough(more, text, n_legal):
    machine = build_machine({**LETTERS, **more}, layout=JsonLayout(blanks="compact"))
    assert count_legal(machine, text) == n_legal
