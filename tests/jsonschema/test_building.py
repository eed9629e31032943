"""What is asked of each name, where many are."""

import jsonschema
import pytest

from tests.jsonschema.texts import accepts_value, build_machine

NAMED = {
    "properties": {"a": {"type": "string"}, "b": {"minimum": 3}},
    "patternProperties": {"^a": {"minLength": 2}, "b$": {"type": "integer"}},
    "additionalProperties": {"type": "null"},
}


@pytest.mark.parametrize(
    "value",
    [
        {"a": "xy"},
        {"a": "x"},
        {"b": 4},
        {"b": 2},
        {"b": 3.5},
        {"ab": 1},
        {"ab": "x"},
        {"c": None},
        {"c": 1},
    ],
)
def test_a_member_has_to_fit_all_that_names_and_patterns_ask(value):
    valid = jsonschema.Draft202012Validator(NAMED).is_valid(value)
    assert accepts_value(build_machine(NAMED), value) == valid


def test_sixty_branches_each_ask_for_a_name():
    machine = build_machine(
        {
            "allOf": [
                {"properties": {f"p{n}": {"const": n}}, "required": [f"p{n}"]} for n in range(60)
            ]
        }
    )
    value = {f"p{n}": n for n in range(60)}
    assert accepts_value(machine, value)
    assert not accepts_value(machine, {**value, "p7": 8})


def test_an_enum_of_many_numbers_takes_each_of_them():
    machine = build_machine({"enum": [*range(-300, 300), 0.5]})
    assert [accepts_value(machine, value) for value in (-300, 299, 0.5, 300, 1.5)] == [
        *(True, True, True),
        *(False, False),
    ]
