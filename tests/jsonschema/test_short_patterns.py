"""``regex`` for keys and beside lengths: each string is a pattern; meta-schemas compile by it."""

import random

import pytest
from jsonschema.validators import Draft7Validator, Draft202012Validator

from maskc.errors import SchemaError
from maskc.formats import REGEX, reader_of
from maskc.jsonschema.formats import build_patterns
from tests.jsonschema.texts import accepts_value, build_machine


def is_pattern(text):
    reader = reader_of(REGEX)
    state = reader.start()
    for character in text:
        state = state and reader.step(state, character)
    return state is not None and reader.may_end(state)


@pytest.mark.parametrize(
    ("text", "is_short"),
    [
        ("^x-", True),
        (r"^[a-zA-Z0-9\.\-_]+$", True),
        ("^(/[^/]*)+$", True),
        (r"^\$defs|(?!a)b{2,10}?", True),
        ("[^]|[]|[a-]|[-a]", True),
        ("((a))", True),
        ("(((a)))", False),
        ("(?<n>a)", False),
        (r"(a)\1", False),
        ("a{2,1}", False),
        ("[z-a]", False),
        ("(a", False),
        ("a**", False),
    ],
)
def test_a_pattern_is_short_without_names_and_deep_groups(text, is_short):
    dfa = build_patterns()
    assert (dfa.labels[dfa.read(text)] >= 0) is is_short
    assert is_pattern(text) or not is_short


@pytest.mark.parametrize("seed", range(4))
def test_each_random_short_pattern_is_a_pattern(seed):
    dfa, source = build_patterns(), random.Random(seed)
    ranges = {}
    for low, high, kind in zip(dfa.starts, [*dfa.starts[1:], 0x3000], dfa.classes, strict=True):
        ranges.setdefault(kind, []).append((low, high - 1))
    for _ in range(30):
        text, state = "", dfa.start
        while len(text) < 40 and (dfa.labels[state] < 0 or source.random() > 0.05):
            row, default = dfa.rows[state], dfa.defaults[state]
            live = [kind for kind in ranges if row.get(kind, default)]
            text += chr(source.choice(source.choice(ranges[source.choice(live)])))
            state = dfa.step(state, ord(text[-1]))
        assert is_pattern(text) or dfa.labels[state] < 0, text


SCHEMAS = [
    {},
    True,
    {"type": "object", "properties": {"a": {"minLength": 3}}, "required": ["a"]},
    {"patternProperties": {"^x-": {"type": "string"}}},
    {"patternProperties": {"^(x": {"type": "string"}}},
    {"type": "text"},
    {"required": "a"},
    {"items": {"maximum": "3"}},
    {"anyOf": []},
    {"$ref": "#/definitions/a", "definitions": {"a": {"enum": [1, "a"]}}},
    {"allOf": [{"not": {"minLength": -1}}]},
]


@pytest.mark.parametrize(
    ("uri", "judge"),
    [
        ("http://json-schema.org/draft-07/schema#", Draft7Validator),
        pytest.param(
            "https://json-schema.org/draft/2020-12/schema",
            Draft202012Validator,
            marks=pytest.mark.costly,
        ),
    ],
)
def test_a_schema_that_embeds_a_meta_schema_takes_schemas(uri, judge):
    machine = build_machine({"properties": {"schema": {"$ref": uri}}, "required": ["schema"]})
    checker = judge(judge.META_SCHEMA, format_checker=judge.FORMAT_CHECKER)
    for schema in SCHEMAS:
        assert accepts_value(machine, {"schema": schema}) == checker.is_valid(schema), schema


def test_the_reader_reads_values_and_short_patterns_are_keys_or_have_a_length():
    machine = build_machine({"format": "regex", "type": "string"})
    assert accepts_value(machine, "(((a)))")
    machine = build_machine({"format": "regex", "type": "string", "maxLength": 5})
    assert [accepts_value(machine, t) for t in ("((a))", "(((a)))", "(a")] == [True, False, False]
    machine = build_machine({"propertyNames": {"format": "regex"}})
    assert [accepts_value(machine, {t: 1}) for t in ("^a$", "(a")] == [True, False]


def test_a_negated_pattern_is_refused():
    with pytest.raises(SchemaError, match="format is regex beside a pattern or a length, negated"):
        build_machine({"not": {"format": "regex"}})
