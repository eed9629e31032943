"""Honest schemas with huge numbers cost what their digits cost, or are refused by name."""

import json
from decimal import Decimal

import pytest

import maskc
from maskc.cli.main import run
from maskc.errors import SchemaError
from maskc.jsonschema.values import to_fraction
from maskc.runtime.schema.numbers import magnitudes
from maskc.runtime.schema.numbers.numbers import Numbers
from maskc.runtime.schema.numbers.sides import Rule

TEMPLATES = [
    {"low": "1e{n}"},
    {"high": "1e-{n}"},
    {"multiple": "1e{n}"},
    {"multiple": "7e-{n}", "high": "1e{n}"},
    {"low": "1e{n}", "multiple": "4e3"},
]


def count_steps(monkeypatch, template, n):
    """Return how many powers are computed while each byte is tried after each prefix of a text."""
    rule = Rule(**{name: to_fraction(Decimal(text.format(n=n))) for name, text in template.items()})
    numbers = Numbers(rule, exponents=True)
    calls = []
    with monkeypatch.context() as patch:
        for name in ("power_beyond", "power_over", "ceil_scaled"):
            plain = getattr(magnitudes, name)

            def counting(*args, plain=plain, **options):
                calls.append(plain)
                return plain(*args, **options)

            patch.setattr(magnitudes, name, counting)
        state = numbers.start
        for byte in b"12345":
            for other in b"-+.eE0123456789":
                numbers.step(state, other)
            if (after := numbers.step(state, byte)) is None:
                break
            state = after
    return len(calls)


@pytest.mark.parametrize("template", TEMPLATES, ids=str)
def test_larger_exponents_cost_no_more_steps(monkeypatch, template):
    few, many = (count_steps(monkeypatch, template, n) for n in (50, 5_000))
    assert many <= 3 * few + 100


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"minimum": 1e5001}', "minimum has a number beyond 10 to the power of 5,000"),
        ('{"items": {"maxLength": 1e400}}', "maxLength is more than 1,000,000,000,000"),
        ('{"multipleOf": -1e5000}', "multipleOf is not positive"),
    ],
)
def test_what_is_beyond_a_bound_is_refused_by_name(schema, said):
    with pytest.raises(SchemaError, match=said) as caught:
        maskc.compile_json_schema(schema, tokenizer="bytes")
    assert caught.value.pointer == ("/items" if "items" in schema else "")


def test_factors_without_a_common_multiple_of_some_length_are_refused():
    factors = [{"multipleOf": 10**3990 + n} for n in range(12)]
    schema = {"properties": {"n": {"type": "integer", "allOf": factors}}}
    with pytest.raises(SchemaError, match="multiple of all has more than 30,000 digits") as caught:
        maskc.compile_json_schema(schema, tokenizer="bytes")
    assert caught.value.pointer == "/properties/n"


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ('{"const": 1e5000}', {"1e5000": True, "10e4999": True, "1e4999": False}),
        ('{"multipleOf": 1e-5000}', {"3": True, "7e-5000": True, "7e-5001": False}),
        ('{"multipleOf": 1e5000}', {"3e5000": True, "0": True, "1e4999": False}),
        ('{"minimum": 1e5000}', {"1e5000": True, "9e4999": False, "1e99999": True}),
        (
            '{"uniqueItems": true, "items": {"enum": [1e5000, 1, [1e-5000]]}}',
            {"[1e5000,1]": True, "[1,1e5000,[1e-5000]]": True, "[1e5000,10e4999]": False},
        ),
    ],
)
def test_huge_numbers_are_compared_exactly(schema, texts):
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes")
    assert json.loads(artifact.header["grammar"]["text"], parse_float=str) == json.loads(
        schema, parse_float=lambda text: text.replace("1e5", "1E+5").replace("1e-5", "1E-5")
    )
    for text, valid in texts.items():
        matcher = artifact.matcher()
        assert (matcher.accept_bytes(text.encode()) and matcher.is_accepting) == valid, text


def test_verify_judges_numbers_exactly_and_says_which_it_does_not_read(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.json").write_text("0.3")
    for name, schema, status in (
        ("cents", '{"type": "number", "multipleOf": 0.01, "maximum": 3}', 0),
        ("huge", '{"multipleOf": 1e-5000}', 2),
    ):
        maskc.compile_json_schema(schema, tokenizer="bytes").save(f"{name}.maskc")
        options = ["--corpus", "three.json", "--texts", "3", "--max-tokens", "8"]
        assert run(["verify", f"{name}.maskc", *options]) == status, name
    assert "has a number of more than 4,000 digits" in capsys.readouterr().err
