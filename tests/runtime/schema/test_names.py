"""Keys of objects that take any other key: their masks are those of reading every token."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

import maskc
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.schema.scans.class_tries import closing_tokens_at
from tests.examples import examples
from tests.runtime.schema.test_masks import mask, read_by_token
from tests.runtime.schema.vocabularies import VOCABULARY, build_index

NAMES = st.sampled_from(["", "a", "ab", "abc", "x", "é", 'a"', "1"])
KINDS = st.sampled_from(
    [
        {"type": "integer"},
        {"const": None},
        {"type": "string"},
        {"type": "array"},
        {"properties": {"a": {"type": "integer"}}},
        True,
        False,
    ]
)
VALUES = st.sampled_from([12, None, "a", [1], {"a": 12}])


@examples(15)
@given(
    names=st.dictionaries(NAMES, KINDS, min_size=1, max_size=4),
    others=KINDS,
    most=st.none() | st.integers(1, 3),
    value=st.dictionaries(NAMES | st.text("abé1", max_size=3), VALUES, max_size=3),
)
@example({"a": True}, {"type": "integer"}, None, {"ab": 12, "b": 12, "abc": 12})
@example({"ab": {"type": "string"}}, True, 2, {"a": 12, "ab": "a"})
@example({"a": {"type": "integer"}, "": True}, {"const": None}, None, {"": 1, "x": None, "a": 12})
@example({"ab": False, "xb": False, "a": {"type": "null"}}, True, None, {"a": None, "xb": 1})
@example({"": False, "é": {"type": "integer"}}, True, 2, {"a": 12, "é": 1})
def test_every_mask_of_a_key_is_what_the_machine_reads(names, others, most, value):
    schema = {"type": "object", "properties": names, "additionalProperties": others}
    if most is not None:
        schema["maxProperties"] = most
    matcher = maskc.Artifact(compile_schema(schema, VOCABULARY)).matcher()
    for byte in json.dumps(value, ensure_ascii=False).encode():
        assert mask(matcher) == read_by_token(matcher)
        if not matcher.accept_bytes(bytes([byte])):
            break


def test_many_tokens_after_a_quote_are_found_likewise():
    texts = [b'"' + b"," * n for n in range(150)]
    index = build_index(tuple(texts))
    quote = closing_tokens_at(index, (int(index.quote_nodes[0]),))
    wanted = {b",", b",,,"}
    bits = sum(1 << index.suffixes.texts[:].index(rest) for rest in wanted)
    found = {index.texts[n][1:] for n in quote.with_suffixes(index, bits).tolist()}
    assert found == wanted
