"""A formula of one type as alternatives, each a conjunction of atoms."""

import json

import jsonschema
import pytest

from maskc.errors import SchemaError
from maskc.jsonschema import alternatives
from maskc.jsonschema.alternatives import Alternatives
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT
from tests.jsonschema.texts import accepts, build_machine


def find(space, formula, type_="string"):
    return Alternatives(space).find(formula, type_, "/a")


def test_branches_that_differ_in_a_constant_are_not_multiplied():
    space = Space()
    key = ("names", frozenset(["kind"]))
    branches = [
        space.both([space.some(key, space.true), space.all(key, space.values([("string", name)]))])
        for name in "abcdefgh"
    ]
    assert len(find(space, space.make("one", tuple(branches)), "object")) == len(branches)


def test_too_many_ways_are_refused_where_they_are_asked(monkeypatch):
    monkeypatch.setattr(alternatives, "MAX_ALTERNATIVES", 3)
    space = Space()
    clauses = [
        space.either([space.make("string", 2 * n, True), space.make("string", 2 * n + 1, True)])
        for n in range(3)
    ]
    with pytest.raises(SchemaError) as caught:
        find(space, space.both(clauses))
    assert caught.value.pointer == "/a"


def test_branches_beside_one_without_the_constant_are_not_multiplied():
    space = Space()
    kind = ("names", frozenset(["kind"]))
    branches = [
        space.both(
            [
                space.some(kind, space.true),
                space.all(kind, space.values([("string", name)])),
                space.some(("names", frozenset([f"{name}1"])), space.true),
                space.some(("names", frozenset([f"{name}2"])), space.true),
            ]
        )
        for name in "abcdefgh"
    ]
    branches.append(space.some(("names", frozenset(["free"])), space.true))
    # Without looking at the kind first they are 3 to the power of 8.
    assert len(find(space, space.make("one", tuple(branches)), "object")) < 40


def test_branches_that_differ_in_the_key_they_require_are_not_multiplied():
    space = Space()
    branches = []
    for name in "abcdefghijkl":
        key = ("names", frozenset([name]))
        fits = space.values([("string", name)])
        branches.append(space.both([space.some(key, space.true), space.all(key, fits)]))
    # A branch fails if its key is missing, or has another value: that is one way, not two.
    assert len(find(space, space.make("one", tuple(branches)), "object")) == len(branches)


def differ(n, **keywords):
    """Return objects of which exactly one of so many schemas holds, each with a name of its own."""
    branches = [
        {"properties": {f"p{k}": {"type": "null"}, f"q{k}": {"type": "null"}}, **keywords}
        for k in range(n)
    ]
    return {"type": "object", "oneOf": branches}


def test_an_object_that_fits_one_of_many_schemas_has_one_alternative_for_each():
    """Each of the eight others fails by one of two members: 9 · 2⁸ ways, and nine with wishes."""
    machine = build_machine(differ(9))
    objects = [{}, {"p1": 1}, {f"p{k}": 1 for k in range(1, 9)}, {f"q{k}": 1 for k in range(9)}]
    assert [accepts(machine, json.dumps(held)) for held in objects] == [False, False, True, False]


def test_branches_that_fail_without_their_key_or_by_a_member_are_not_multiplied():
    """Seven others fail by one of three keys each, and that one is missing adds no alternative."""
    space = Space()
    branches = []
    for n in range(8):
        own, first, second = (("names", frozenset([f"{name}{n}"])) for name in "kpq")
        parts = [space.some(own, space.true), space.all(own, space.types(BIT["string"]))]
        parts += [space.all(keys, space.types(BIT["null"])) for keys in (first, second)]
        branches.append(space.both(parts))
    assert len(find(space, space.make("one", tuple(branches)), "object")) == len(branches)


def test_patterns_that_exclude_each_other_tell_branches_apart():
    branches = [
        {
            "required": ["id"],
            "properties": {"id": {"type": "string", "pattern": f"^{name}:.+"}, name: {}, "x": kind},
            "additionalProperties": False,
        }
        for name in ("npm", "gem", "cargo", "pypi", "opam", "nuget", "golang")
        for kind in ({"type": "string"}, {"type": "array", "items": {"const": name}})
    ]
    machine = build_machine({"type": "object", "oneOf": branches})
    held = {"id": "npm:a", "npm": 1, "x": ["npm"]}
    assert accepts(machine, json.dumps(held))
    assert not accepts(machine, json.dumps({**held, "gem": 1}))
    assert not accepts(machine, json.dumps({"id": "npm:a"}))  # two of the branches hold


def test_what_all_branches_refer_to_tells_none_apart():
    """Each branch fails by its own members alone, not by those of what it refers to."""
    base = {"properties": {f"b{n}": {"type": "integer"} for n in range(6)}, "required": ["b0"]}
    own = [{"properties": {name: {"type": "null"}}, "required": [name]} for name in "abcdefghi"]
    branches = [{"allOf": [{"$ref": "#/$defs/base"}, branch]} for branch in own]
    schema = {"$defs": {"base": base}, "type": "object", "oneOf": branches}
    machine, validator = build_machine(schema), jsonschema.Draft202012Validator(schema)
    for held in ({"b0": 1}, {"b0": 1, "a": None}, {"b0": 1, "a": None, "c": None}, {"a": None}):
        assert accepts(machine, json.dumps(held)) == validator.is_valid(held), held


def test_a_required_constant_tells_a_hundred_branches_apart():
    """They are not negated: with each other's twenty members that took over 100,000 steps."""
    base = {"properties": {"id": {"type": "string"}}, "required": ["id"]}
    branches = [
        {
            "allOf": [
                base,
                {
                    "properties": {
                        "kind": {"const": n},
                        **{f"p{k}": {"type": "string", "minLength": n} for k in range(20)},
                    },
                    "required": ["kind"],
                },
            ]
        }
        for n in range(127)
    ]
    machine = build_machine({"type": "object", "oneOf": branches})
    texts = ['{"id":"a","kind":2,"p1":"abc"}', '{"id":"a","kind":3,"p1":"ab"}', '{"id":"a"}']
    assert [accepts(machine, text) for text in texts] == [True, False, False]


def test_a_constant_whose_key_is_required_beside_the_branches_tells_them_apart():
    """They are not negated: with each other's twenty members that took over 100,000 steps."""
    branches = [
        {
            "properties": {
                "kind": {"const": n},
                **{f"p{k}": {"type": "string", "minLength": n} for k in range(20)},
            }
        }
        for n in range(250)
    ]
    machine = build_machine({"type": "object", "required": ["kind"], "oneOf": branches})
    texts = ['{"kind":2,"p1":"abc"}', '{"kind":3,"p1":"ab"}', '{"kind":250}', '{"p1":"abc"}']
    assert [accepts(machine, text) for text in texts] == [True, False, False, False]


@pytest.mark.parametrize("second", [{"const": 2}, {"enum": [1, 2]}, {"type": "integer"}, {}])
@pytest.mark.parametrize("kind", [{}, {"enum": [1, 2]}, {"const": 2}])
def test_a_key_that_is_required_beside_branches_makes_none_of_them_more(second, kind):
    schema = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": kind},
        "oneOf": [
            {"properties": {"kind": {"const": 1}, "a": {"type": "null"}}},
            {"properties": {"kind": second}, "required": ["b"]},
        ],
    }
    machine = build_machine(schema)
    judge = jsonschema.Draft202012Validator(schema)
    for value in (1, 2, 3, "x"):
        for more in ({}, {"a": None}, {"a": 1}, {"b": 1}, {"a": None, "b": 1}, {"a": 1, "b": 1}):
            given = {"kind": value, **more}
            assert accepts(machine, json.dumps(given)) == judge.is_valid(given), given


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"enum": [1, 2]}, {"enum": [2, 3]}, {1: True, 2: False, 3: True}),
        ({"const": 1}, {"type": "integer"}, {1: False, 2: True, "a": False}),
        ({"const": 1}, {"type": "integer", "enum": [2, "a"]}, {1: True, 2: True, "a": False}),
    ],
)
def test_branches_that_have_a_constant_in_common_exclude_it(first, second, expected):
    branches = [{"properties": {"kind": fits}, "required": ["kind"]} for fits in (first, second)]
    machine = build_machine({"type": "object", "oneOf": branches})
    for kind, is_valid in expected.items():
        assert accepts(machine, json.dumps({"kind": kind})) == is_valid, kind


def test_a_constant_that_is_not_required_tells_no_branches_apart():
    branches = [{"properties": {"kind": {"const": n}}, "minProperties": 1} for n in range(3)]
    machine = build_machine({"type": "object", "oneOf": branches})
    assert [accepts(machine, text) for text in ('{"kind":1}', '{"x":1}')] == [True, False]
