"""Numbers as a layout writes them, and choices that do not go together."""

import json

import pytest

from maskc.errors import WrongValueError
from maskc.jsonschema.choices import choose_layout
from tests.jsonschema.texts import accepts, build_machine

PERCENT = {"type": "number", "minimum": 0, "maximum": 100}


@pytest.mark.parametrize(
    ("schema", "text", "accepted"),
    [
        (PERCENT, "1.5", True),
        (PERCENT, "1.0", True),
        (PERCENT, "1", True),
        (PERCENT, "1.50", False),
        (PERCENT, "1.00", False),
        (PERCENT, "5e-1", False),
        (PERCENT, "99." + "3" * 17, True),
        (PERCENT, "99." + "3" * 18, False),
        (PERCENT, "0." + "0" * 5_000, False),
        ({"type": "integer"}, "9007199254740993123456789", True),
        ({"type": "integer"}, "15.0", False),
        ('{"const": 0.1234567890123456789012}', "0.1234567890123456789012", True),
        ({"type": "array", "items": PERCENT, "uniqueItems": True}, "[1,1.0]", False),
        ({"type": "array", "items": PERCENT, "uniqueItems": True}, "[1.0,1.5]", True),
    ],
)
def test_a_plain_style_writes_numbers_as_models_do(schema, text, accepted):
    assert accepts(build_machine(schema, layout=choose_layout("plain")), text) is accepted


@pytest.mark.parametrize(
    ("schema", "text", "accepted"),
    [
        ({"type": "number"}, "6.02e23", True),
        ({"type": "integer"}, "-1.5E+3", True),
        ({"type": "integer"}, "1.55e1", False),
        ({"const": 1500}, "1.5e3", True),
        ({"enum": [0.15, 2]}, "15.00e-2", True),
        ({"type": "integer", "maximum": 100}, "1e3", False),
        ({"multipleOf": 0.25, "type": "number"}, "1275e-2", True),
        ({"multipleOf": 0.25, "type": "number"}, "1276e-2", False),
    ],
)
def test_any_number_counts_by_its_value(schema, text, accepted):
    assert accepts(build_machine(schema, layout=choose_layout(numbers="any")), text) is accepted


@pytest.mark.parametrize("text", ["", "a\x7f", "é", "ß😀", 'a"\\/', "\t\x01", "中文"])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "string", "maxLength": 4},
        {"enum": ["", "a\x7f", "é", "ß😀", 'a"\\/', "\t\x01", "中文"]},
        {"type": "string", "pattern": "^[^b]*$", "minLength": 0},
    ],
)
def test_ascii_escapes_are_those_of_json_dumps(schema, text):
    machine = build_machine(schema, layout=choose_layout(escapes="ascii"))
    assert accepts(machine, json.dumps(text))
    assert accepts(machine, json.dumps(text, ensure_ascii=False)) is text.isascii()
    assert not accepts(machine, '"\\u0061"')
    keys = build_machine({"type": "object"}, layout=choose_layout(escapes="ascii"))
    assert accepts(keys, json.dumps({text: 1}))
    assert accepts(keys, json.dumps({text: 1}, ensure_ascii=False)) is text.isascii()


def test_single_choices_win_over_the_style():
    layout = choose_layout("plain", digits=3)
    assert (layout.numbers, layout.digits) == ("short", 3)
    assert choose_layout("plain", numbers="any").digits is None


@pytest.mark.parametrize(
    ("text", "legal_in"),
    [
        ("1.55", "usual plain short any"),
        ("1.550", "usual plain any"),
        ("1.555", ""),
        ("155e-2", "usual any"),
        ("1555e-3", ""),
        ("15.5e-1", "usual any"),
        ("2e9", "usual any"),
        ("1.555e1", "any"),
        ("1.5555e1", ""),
        ("1.555e2", "any"),
    ],
)
@pytest.mark.parametrize("numbers", ["usual", "plain", "short", "any"])
def test_digits_bound_the_fraction_of_a_value_however_it_is_written(text, legal_in, numbers):
    layout = choose_layout(numbers=numbers, digits=2)
    machine = build_machine({"type": "number"}, layout=layout)
    assert accepts(machine, text) is (numbers in legal_in.split())


@pytest.mark.parametrize(
    ("choices", "fact"),
    [
        ({"numbers": "short", "digits": 0}, "digits is 0; give 1 to 4,000"),
        ({"digits": -1}, "digits is -1; give 1 to 4,000"),
        ({"numbers": "digits"}, "numbers is 'digits'"),
    ],
)
def test_choices_that_do_not_go_together_are_refused(choices, fact):
    with pytest.raises(WrongValueError, match=fact):
        choose_layout(**choices)
