"""The layouts of JSON texts."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.verify.json_layout import BlankLayout, lay_out
from maskc.verify.mask_texts import MaskDrawer, SchemaDrawer

SPELLED = '{"\\u0061"\n:[1.0e1 ,{} ,[\t]], "b":"\\/\\ud800"}'
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (BlankLayout.COMPACT, '{"a":[10,{},[]],"b":"/\\ud800"}'),
        (BlankLayout.SPACED, '{"a": [10, {}, []], "b": "/\\ud800"}'),
        (
            BlankLayout.INDENTED,
            '{\n  "a": [\n    10,\n    {},\n    []\n  ],\n  "b": "/\\ud800"\n}',
        ),
    ],
)
def test_layouts(layout, text):
    assert lay_out(SPELLED, layout) == text


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        ("-0.0", "-0"),
        ("1e3", "1000"),
        ("1.50E-2", "0.015"),
        ("1E+400", "1E+400"),
        ("31E00000000000000000", "31"),
        ("-2.5e-00000000000000001", "-0.25"),
        ("1e9999999999999999999999", "1e9999999999999999999999"),
        ("12345678901234567890.10", "12345678901234567890.10"),
    ],
)
def test_numbers_keep_their_value(number, spelled):
    assert lay_out(number, BlankLayout.COMPACT) == spelled


@given(value=VALUES, layout=st.sampled_from(BlankLayout), indent=st.sampled_from([None, 1]))
def test_a_layout_changes_no_value(value, layout, indent):
    text = json.dumps(value, indent=indent)
    read = {"parse_int": Fraction, "parse_float": Fraction}
    assert json.loads(lay_out(text, layout), **read) == json.loads(text, **read)


def test_what_is_not_legal_in_a_layout_stays_as_it_was():
    artifact = maskc.compile_json_schema(
        {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        tokenizer="bytes",
        blanks="compact",
    )
    plain, laid_out = MaskDrawer(artifact), SchemaDrawer(artifact)
    for number in range(12):
        text, other = (drawer.draw_text(1, number, 10) for drawer in (plain, laid_out))
        assert text.problem == other.problem
        matcher = artifact.matcher()
        assert matcher.accept_text(other.text)
        assert matcher.is_accepting
        assert json.loads(other.text) == json.loads(text.text)
