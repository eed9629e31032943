"""The judge reads JSON, with exact numbers."""

from fractions import Fraction

import pytest

import maskc
from maskc.verify.json_judge import Judge, NotJsonError, NotJudgedError, read_json, write_value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "NaN", '"\\ud800"', "[" * 9])
def test_what_is_not_json_is_not_read(text):
    with pytest.raises(NotJsonError):
        read_json(text)


def test_what_is_nested_too_deep_is_not_judged():
    with pytest.raises(NotJudgedError, match="nested deeper"):
        read_json("[" * 100_000 + "]" * 100_000)


def test_a_number_is_read_exactly_and_written_as_it_was():
    assert read_json("[0.1, 1e2, -2.50]") == [Fraction(1, 10), 100, Fraction(-5, 2)]
    assert write_value(read_json('{"a": [0.1, -2.50, null]}')) == '{"a":[0.1,-2.5,null]}'


def test_a_number_of_too_many_digits_is_not_judged():
    with pytest.raises(NotJudgedError, match="4,000"):
        read_json("1e5000")


def test_a_multiple_is_judged_without_rounding():
    artifact = maskc.compile_json_schema({"multipleOf": 0.1}, tokenizer="bytes")
    judge = Judge(artifact)
    assert judge.judge(read_json("0.3"))
    assert not judge.judge(read_json("0.35"))
    assert judge.is_complete


def test_a_schema_with_formats_is_judged_in_one_direction():
    artifact = maskc.compile_json_schema({"format": "date"}, tokenizer="bytes")
    assert not Judge(artifact).is_complete
