"""The judge reads JSON, with exact numbers, and writes it in each layout."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.verify.json_judge import (
    BlankLayout,
    Judge,
    NotJsonError,
    NotJudgedError,
    keeps_layout,
    read_json,
    write_value,
)
from maskc.verify.mask_texts import MaskDrawer


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "NaN", '"\\ud800"', "[" * 9])
def test_what_is_not_json_is_not_read(text):
    with pytest.raises(NotJsonError):
        read_json(text)


def test_a_number_is_read_exactly_and_written_as_it_was():
    assert read_json("[0.1, 1e2, -2.50]") == [Fraction(1, 10), 100, Fraction(-5, 2)]
    assert write_value(read_json('{"a": [0.1, -2.50, null]}')) == '{"a":[0.1,-2.5,null]}'


@pytest.mark.parametrize(
    ("text", "told"), [("[" * 100_000 + "]" * 100_000, "nested deeper"), ("1e5000", "4,000")]
)
def test_what_is_nested_too_deep_or_has_too_many_digits_is_not_judged(text, told):
    with pytest.raises(NotJudgedError, match=told):
        read_json(text)


def test_a_multiple_is_judged_without_rounding():
    artifact = maskc.compile_json_schema({"multipleOf": 0.1}, tokenizer="bytes")
    judge = Judge(artifact)
    assert judge.judge(read_json("0.3"))
    assert not judge.judge(read_json("0.35"))
    assert judge.is_complete


@pytest.mark.parametrize(
    ("schema", "layout"),
    [
        ({"format": "date"}, {}),
        ({"type": "number"}, {"digits": 2}),
        ({"type": "number"}, {"numbers": "plain"}),
        ({"type": "object"}, {"key_order": "schema"}),
    ],
)
def test_with_formats_and_in_some_layouts_it_is_judged_in_one_direction(schema, layout):
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes", **layout)
    assert not Judge(artifact).is_complete


WRITTEN = '{"\\u0061"\n:[1.0e1 ,{} ,[\t]], "b":"\\/"}'
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (BlankLayout.COMPACT, '{"a":[10,{},[]],"b":"/"}'),
        (BlankLayout.SPACED, '{"a": [10, {}, []], "b": "/"}'),
        (BlankLayout.INDENTED, '{\n  "a": [\n    10,\n    {},\n    []\n  ],\n  "b": "/"\n}'),
    ],
)
def test_layouts(layout, text):
    assert write_value(read_json(WRITTEN), layout) == text


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("-0.0", "0"),
        ("1e3", "1000"),
        ("1.50E-2", "0.015"),
        ("1E+400", "1e400"),
        ("31E00000000000000000", "31"),
        ("-2.5e-00000000000000001", "-0.25"),
        ("-1.5e-30", "-15e-31"),
        ("12345678901234567890.10", "12345678901234567890.1"),
    ],
)
def test_numbers_keep_their_value(number, written):
    assert write_value(read_json(number)) == written


@given(value=VALUES, layout=st.sampled_from(BlankLayout))
def test_a_layout_changes_no_value(value, layout):
    value = read_json(json.dumps(value))
    assert read_json(write_value(value, layout)) == value


def test_what_is_not_legal_in_a_layout_stays_as_it_was():
    schema = {"type": "array", "items": {"type": "integer"}, "minItems": 2}
    compact, usual = (
        MaskDrawer(maskc.compile_json_schema(schema, tokenizer="bytes", blanks=blanks))
        for blanks in ("compact", "any")
    )
    for number in range(12):
        assert not set(compact.draw_text(1, number, 10).text) & set(" \n")
    assert any("\n" in usual.draw_text(1, number, 10).text for number in range(12))


@pytest.mark.parametrize(
    ("text", "layout", "kept"),
    [
        ('["\\u0061", "b"]', {"escapes": "minimal"}, None),
        ('["\\u0061", "b"]', {"escapes": "any"}, True),
        ('["é"]', {"escapes": "ascii"}, False),
        ("[1e3, 2]", {"numbers": "usual"}, None),
        ("[1e3, 2]", {"numbers": "plain"}, False),
        ("[1, 2]", {"blanks": "compact"}, False),
        ("[1,\n        2]", {"blanks": "bounded"}, True),
        ("[1,\n         2]", {"blanks": "bounded"}, False),
    ],
)
def test_a_text_keeps_a_layout_or_is_not_judged(text, layout, kept):
    free = {"blanks": "any", "escapes": "any", "numbers": "any"}
    assert keeps_layout(text, free | layout) is kept
