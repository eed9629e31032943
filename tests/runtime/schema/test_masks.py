"""A mask that is read from what is remembered equals one that is found anew."""

import json

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.schema.machine.nodes import KEY
from maskc.runtime.schema.numbers.spellings import SPELLINGS
from maskc.runtime.schema.plan import JsonLayout
from maskc.runtime.schema.strings import ESCAPES
from maskc.runtime.step_budget import count_taken, one_mask
from tests.examples import examples
from tests.laws.test_json_schema import SCHEMAS, VALUES
from tests.runtime.schema.vocabularies import TEXTS, VOCABULARY

LAYOUTS = st.builds(
    JsonLayout,
    key_order=st.sampled_from(["any", "schema"]),
    blanks=st.sampled_from(["bounded", "compact", "any"]),
    escapes=st.sampled_from(ESCAPES),
    numbers=st.sampled_from(SPELLINGS),
)
UNIQUE = {"type": "array", "items": {"type": ["string", "integer"]}, "uniqueItems": True}
DISTINCT_OBJECTS = {"type": "array", "items": {"type": "object"}, "uniqueItems": True}
FEW_KEYS = {"propertyNames": {"enum": ["a", "ab"]}, "minProperties": 2}


def mask(matcher):
    bitmask = maskc.allocate_bitmask(1, VOCABULARY.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    return legal[: VOCABULARY.vocab_size].astype(bool).tolist()


def read_by_token(matcher):
    legal = [matcher.fork().accept_bytes(text) for text in TEXTS]
    return [*legal, matcher.is_accepting]


@examples(8)
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=3), LAYOUTS, st.sampled_from([None, 1]))
@example(UNIQUE, [["", 1], ["a", "ab"]], JsonLayout(blanks="any"), 3)
@example(FEW_KEYS, [{"a": 1, "ab": 2}], JsonLayout(), None)
@example({"items": {"pattern": "^[^b]*$"}}, [["", "a", "é"]], JsonLayout(escapes="minimal"), None)
@example({}, [["", "é", {"é": 1}]], JsonLayout(escapes="ascii"), None)
@example(
    {"items": {"type": "string", "maxLength": 2}, "uniqueItems": True},
    [["a", "ab"]],
    JsonLayout(),
    None,
)
@example(
    {"patternProperties": {"^(a|cd.*)$": {}}, "additionalProperties": False},
    [{"a": 1, "cd": {"a": 1}}],
    JsonLayout(),
    None,
)
@example(
    {
        "patternProperties": {"^[ab]$": {}, "^(a|xx)$": {"type": "integer"}},
        "additionalProperties": False,
        "minProperties": 2,
    },
    [{"a": 1, "b": 2}],
    JsonLayout(),
    None,
)
@example({"properties": {"a": {}}, "maxProperties": 2}, [{"b": 1, "a": {"a": 2}}], JsonLayout(), 1)
@example(  # the same object ends by itself, and as an item that must be another one
    {"properties": {"a": {"type": "object"}, "b": DISTINCT_OBJECTS}},
    [{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}],
    JsonLayout(),
    None,
)
def test_every_mask_of_a_text_is_what_the_machine_reads(schema, values, layout, indent):
    try:
        contents = compile_schema(schema, VOCABULARY, layout=layout)
    except SchemaError:
        assume(False)
    kept, forgetful = maskc.Artifact(contents), maskc.Artifact(contents, cache_bytes=0)
    for value in values:
        matchers = kept.matcher(), forgetful.matcher()
        for byte in json.dumps(value, indent=indent).encode():
            found = mask(matchers[0])
            assert found == mask(matchers[1])
            assert found == read_by_token(matchers[0])
            taken = [matcher.accept_bytes(bytes([byte])) for matcher in matchers]
            if not all(taken):
                break


RUN_OUT = [
    {"propertyNames": {"pattern": "^[ab]{1,2}$"}},
    {"propertyNames": {"pattern": '^[abé\\\\"]$'}, "minProperties": 3},
    {"patternProperties": {"^(a|cd.*)$": {}, "^b{1,2}$": {}}, "additionalProperties": False},
    {
        "patternProperties": {"^[ab]$": {}, "^(a|aa|ab|x)$": {"type": "integer"}},
        "additionalProperties": False,
    },
    {"propertyNames": {"pattern": "^[ab]{0,3}$"}, "maxProperties": 9},
]
WRITTEN = {"a": ["a", "\\u0061"], "b": ["b", "\\u0062"], "é": ["é", "\\u00E9"]}


@examples(10)
@given(st.sampled_from(RUN_OUT), st.randoms(use_true_random=False))
def test_masks_where_keys_run_out_are_what_the_machine_reads(schema, draw):
    matcher = maskc.Artifact(compile_schema(schema, VOCABULARY)).matcher()
    keys = ["", "a", "b", "aa", "ab", "ba", "bb", "aaa", "aab", "é", "cd", "x", '\\"', "\\\\"]
    draw.shuffle(keys)
    assert matcher.accept_bytes(b"{")
    for key in keys:
        written = "".join(draw.choice(WRITTEN.get(c, [c])) for c in key)
        for byte in f'"{written}":1,'.encode():
            assert mask(matcher) == read_by_token(matcher)
            before = matcher.fork()
            if not matcher.accept_bytes(bytes([byte])):
                break
        else:
            continue
        # Another key instead, if this one may not come.
        while before._hypotheses[0].nodes[0][1][0] == KEY:
            before.rollback(1)
        matcher = before
    assert mask(matcher) == read_by_token(matcher)


def test_a_key_takes_the_same_steps_however_many_were_there():
    schema = {"propertyNames": {"pattern": "^[a-z0-9]{1,5}$"}}
    matcher = maskc.Artifact(compile_schema(schema, VOCABULARY)).matcher()
    names = [f"{a}{b}{c}" for a in "bcd" for b in "0123456789" for c in "abcdefgh"]
    assert matcher.accept_bytes(b"{")
    taken = []
    for name in names:
        before = count_taken()
        with one_mask(10**9):
            for byte in f'"{name}":1,'.encode():
                mask(matcher)
                assert matcher.accept_bytes(bytes([byte]))
        taken.append(count_taken() - before)
    # The keys that were there are looked for among those that a token ends, one step each.
    assert taken[-1] - taken[40] <= 2 * len(names)
    assert taken[-1] <= 1_500


@pytest.mark.parametrize(
    ("schema", "before", "legal", "illegal"),
    [
        ({"maxLength": 3}, b'"ab', b'x"', b"ab"),
        ({"properties": {"ab": {"type": "null"}}}, b'{"a', b"ab", b'":1,"a":'),
        ({"properties": {"a": {"type": "null"}}}, b'{"', b'ab"', b'a":1,"a'),
        ({"patternProperties": {"^x": {"type": "string"}}}, b'{"', b'a":1,"a', b'x":1}'),
        ({"items": {"maximum": 12}}, b"[", b"12", b"null,"),
        ({"maximum": 99, "multipleOf": 1}, b"", b"12", b"123"),
        ({"type": "array", "maxItems": 1}, b"[1", b"]", b","),
    ],
)
def test_a_token_is_legal_as_the_keyword_has_it(schema, before, legal, illegal):
    matcher = maskc.Artifact(compile_schema(schema, VOCABULARY)).matcher()
    assert matcher.accept_bytes(before)
    found = mask(matcher)
    assert found[TEXTS.index(legal)]
    assert illegal not in TEXTS or not found[TEXTS.index(illegal)]


def test_equal_states_in_different_stacks_have_one_mask():
    artifact = maskc.Artifact(compile_schema({}, VOCABULARY))
    one, other = artifact.matcher(), artifact.matcher()
    assert one.accept_bytes(b'[[[{"a": "x')
    assert other.accept_bytes(b'[[[{"b": 1, "c": [], "a": "yz')
    assert one.mask_id() == other.mask_id()


def test_the_values_of_an_array_are_counted_with_each_item():
    artifact = maskc.Artifact(compile_schema(UNIQUE, VOCABULARY))
    matcher = artifact.matcher()
    assert matcher.accept_bytes(f"[{','.join(map(str, range(200)))}".encode())
    # The sets of 1, 2, … 199 values.
    assert artifact.machine.budget._charged > 40 * 199 * 200 // 2


def test_what_is_remembered_stays_within_the_budget():
    artifact = maskc.Artifact(compile_schema({}, VOCABULARY), cache_bytes=20_000)
    matcher = artifact.matcher()
    text = json.dumps([{f"k{n}": [n, {"x": str(n)}]} for n in range(12)]).encode()
    for byte in text:
        mask(matcher)
        assert matcher.accept_bytes(bytes([byte]))
    assert artifact.machine.budget._charged <= 20_000
