"""The layouts of JSON texts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.verify.json_judge import BlankLayout, read_json, write_value
from maskc.verify.mask_texts import MaskDrawer

SPELLED = '{"\\u0061"\n:[1.0e1 ,{} ,[\t]], "b":"\\/"}'
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
        (
            BlankLayout.INDENTED,
            '{\n  "a": [\n    10,\n    {},\n    []\n  ],\n  "b": "/"\n}',
        ),
    ],
)
def test_layouts(layout, text):
    assert write_value(read_json(SPELLED), layout) == text


@pytest.mark.parametrize(
    ("number", "spelled"),
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
def test_numbers_keep_their_value(number, spelled):
    assert write_value(read_json(number)) == spelled


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
