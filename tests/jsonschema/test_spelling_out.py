import pytest

from maskc.jsonschema.clauses import spell_out
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import freeze, holds_number
from tests.jsonschema.texts import accepts, build_machine

DRAFT4 = "http://json-schema.org/draft-04/schema#"
ONE = {"type": "integer", "minimum": 1, "maximum": 1}
LISTS = {"type": "array", "maxItems": 1}


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"enum": [[1]], "items": {"type": "integer"}}, ["[1]"], ["[1.0]", "[]"]),
        ({"enum": [[1], []], "not": {"items": {"type": "integer"}}}, ["[1.0]"], ["[1]", "[]"]),
        (
            {"enum": [{"a": [1]}, {"b": 1}], "properties": {"a": {"items": ONE}}},
            ['{"a":[1]}', '{"b":1.0}'],
            ['{"a":[1.0]}', '{"a":[1],"b":1}'],
        ),
        (
            {"oneOf": [{"enum": [[1]]}, {"items": {"type": "integer"}}], **LISTS},
            ["[1.0]", "[2]", "[]"],
            ["[1]", "[2.0]"],
        ),
        (
            {"items": {**LISTS, "items": ONE}, "uniqueItems": True},
            ["[[1],[]]", "[[]]"],
            ["[[1.0]]", "[[1],[1]]"],
        ),
        (
            {"items": {**LISTS, "items": {"enum": [1, 2], "not": ONE}}, "uniqueItems": True},
            ["[[1.0],[2]]", "[[2.0],[1.00]]"],
            ["[[1]]", "[[1.0],[1.00]]"],
        ),
        (
            {
                "items": {
                    "type": "object",
                    "properties": {"a": ONE, "b": {"type": "null"}},
                    "additionalProperties": False,
                },
                "uniqueItems": True,
            },
            ['[{"a":1},{"b":null},{}]'],
            ['[{"a":1.0}]', '[{"a":1},{"a":1}]'],
        ),
    ],
)
def test_in_draft_4_a_listed_number_is_an_integer_as_it_is_written(schema, valid, invalid):
    machine = build_machine({"$schema": DRAFT4, "type": ["array", "object"], **schema})
    assert [text for text in valid if not accepts(machine, text)] == []
    assert [text for text in invalid if accepts(machine, text)] == []


def test_a_number_may_stand_deep_inside_a_value():
    assert holds_number(freeze({"a": [[1]]}))
    assert not holds_number(freeze({"1": ["1", None, True]}))


@pytest.mark.parametrize("raw", [[], [1, ["a"]], {}, {"a": 1, "b": [None]}])
def test_what_a_value_asks_holds_of_it_alone(raw):
    space = Space()
    formula = spell_out(space, freeze(raw))
    values = [[], [1], [1, ["a"]], [1, ["a"], 2], {}, {"a": 1}, {"a": 1, "b": [None]}, 1]
    assert [v for v in values if space.holds(formula, freeze(v))] == [raw]
