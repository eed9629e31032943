import pytest

from maskc.runtime.schema.plan.values import read_value
from tests.jsonschema.texts import build_machine

PAIRS = {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2}
SMALL = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "b": {"enum": [None, 1]}},
    "required": ["a"],
    "additionalProperties": False,
}
OF_SMALL = ["", ', "b": null', ', "b": 1.0']


def has_other(schema, texts):
    machine = build_machine(schema)
    values = [read_value(text.encode()) for text in texts]
    return machine.distinct.choices.has_other(machine.plan.root, values)


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"type": ["boolean", "null"]}, ["true", "false", "null"]),
        ({"enum": ["a", 1, []]}, ['"a"', "1.0", "[]"]),
        ({"type": "string", "pattern": "^[ab]$"}, ['"a"', '"b"']),
        (PAIRS, ["[true,true]", "[true,false]", "[false,true]", "[false,false]"]),
        (SMALL, [f'{{"a": {a}{b}}}' for a in ("true", "false") for b in OF_SMALL]),
        ({**PAIRS, "uniqueItems": True}, ["[true,false]", "[false,true]"]),
    ],
)
def test_all_values_have_no_other_and_all_but_one_have(schema, texts):
    assert not has_other(schema, [*texts, "12", '"zz"', '{"zz": 1}'])
    for text in texts:
        assert has_other(schema, [t for t in texts if t != text])


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"a": true}', True),
        ('{"b": 1, "a": false}', True),
        ('{"b": 1}', False),
        ('{"a": 1}', False),
        ('{"a": true, "c": 1}', False),
        ("[]", False),
    ],
)
def test_a_value_fits_if_its_members_do(text, fits):
    machine = build_machine(SMALL)
    assert machine.distinct.choices.fits(machine.plan.root, read_value(text.encode())) is fits


@pytest.mark.parametrize(
    ("text", "fits"), [("[1, 1.0]", True), ("[1, 2]", False), ("[1]", False), ("[1, 2, 1]", True)]
)
def test_an_array_of_which_two_items_must_be_equal_fits_if_two_are(text, fits):
    machine = build_machine({"type": "array", "not": {"uniqueItems": True}})
    assert machine.distinct.choices.fits(machine.plan.root, read_value(text.encode())) is fits
