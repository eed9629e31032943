"""Items that must differ, or of which two must be equal: a prefix is legal iff a valid text has it.

Items have few values, so that what is left of them can be tried: all of them, with their keys in
every order, are put after what has been read, and ``jsonschema`` judges the whole.
"""

import itertools
import json

import jsonschema
import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.schema.plan import JsonLayout
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples
from tests.jsonschema.texts import build_machine
from tests.laws.test_json_schema import TOKENS

PLAIN = JsonLayout(blanks="compact", escapes="minimal", numbers="plain")
MORE = (
    b'":true}',
    b'":true},{"',
    b"},{",
    b'{"a":true',
    b"true}",
    b"],[",
    b'},{"a":true}',
    b'b":1}',
)
MORE_TOKENS = list(dict.fromkeys([*TOKENS, *MORE, b"true", b"false", b"true]", b'{"\\u00', b"1}"]))
VOCABULARY = build_vocabulary("pairs", TokenizerTokens((*MORE_TOKENS, None), (len(MORE_TOKENS),)))

SCALARS = st.sampled_from(
    [{"type": "boolean"}, {"enum": [None, 1]}, {"const": 1}, {"enum": ["a", "ab"]}]
)


WANTED = [{"const": 1}, {"enum": [None, "a", True]}, {"type": "boolean"}, {"maxProperties": 0}]


def combine(inner):
    names = st.sampled_from(["a", "b"])
    return st.one_of(
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(names, inner, min_size=1, max_size=2),
                "additionalProperties": st.just(False),
            },
            optional={"required": st.just(["a"]), "maxProperties": st.just(1)},
        ),
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner, "maxItems": st.just(2)},
            optional={
                "uniqueItems": st.just(True),
                "minItems": st.just(1),
                "contains": st.sampled_from(WANTED),
            },
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=2, max_size=2)}),
    )


ITEMS = st.recursive(SCALARS, combine, max_leaves=3)
ARRAYS = st.fixed_dictionaries(
    {"type": st.just("array"), "items": ITEMS, "maxItems": st.integers(1, 3)},
    optional={"minItems": st.integers(0, 3)},
)
COUNTED = st.fixed_dictionaries(
    {"uniqueItems": st.just(True), "contains": st.sampled_from(WANTED)},
    optional={
        "minContains": st.integers(0, 2),
        "maxContains": st.integers(0, 2),
        "prefixItems": st.lists(SCALARS, min_size=1, max_size=2),
        "not": st.sampled_from(WANTED).map(lambda schema: {"items": schema}),
        "allOf": st.tuples(
            st.fixed_dictionaries(
                {"contains": st.sampled_from(WANTED), "minContains": st.integers(1, 2)}
            )
        ),
    },
)
ASKED = st.one_of(st.sampled_from([{"uniqueItems": True}, {"not": {"uniqueItems": True}}]), COUNTED)


def spell(value):
    """Return the ways to write a value, by the order of its keys."""
    if isinstance(value, dict):
        found = []
        for members in itertools.permutations(value.items()):
            parts = [[f"{json.dumps(k)}:{text}" for text in spell(v)] for k, v in members]
            found += [f"{{{','.join(chosen)}}}" for chosen in itertools.product(*parts)]
        return found
    if isinstance(value, list):
        return [f"[{','.join(chosen)}]" for chosen in itertools.product(*map(spell, value))]
    return [json.dumps(value)]


def list_values(schema):
    """Return the values of the schema of an item, each once."""
    found = []
    if "anyOf" in schema:
        found = [value for inner in schema["anyOf"] for value in list_values(inner)]
    elif "properties" in schema:
        columns = [
            [(), *((name, value) for value in list_values(inner))]
            for name, inner in schema["properties"].items()
        ]
        found = [dict(filter(None, chosen)) for chosen in itertools.product(*columns)]
    elif "items" in schema:
        items = list_values(schema["items"])
        found = [list(c) for n in range(3) for c in itertools.product(items, repeat=n)]
    else:
        found = schema.get("enum", [schema.get("const", True), schema.get("const", False)])
    validator = jsonschema.Draft202012Validator(schema)
    return list({json.dumps(v, sort_keys=True): v for v in found if validator.is_valid(v)}.values())


def list_texts(schema):
    """Return all valid texts, by the values of their items."""
    values = list_values({"anyOf": [schema["items"], *schema.get("prefixItems", [])]})
    assume(len(values) <= 9)
    validator = jsonschema.Draft202012Validator(schema)
    found = []
    for n in range(schema["maxItems"] + 1):
        found += [list(c) for c in itertools.product(values, repeat=n)]
    assume(len(found) <= 400)
    valid = [value for value in found if validator.is_valid(value)]
    texts = [text for value in valid for text in spell(value)]
    assume(len(texts) <= 4_000)
    return texts


@examples(25)
@given(ARRAYS, ASKED, st.data())
def test_a_prefix_is_legal_iff_a_valid_text_begins_so(array, asked, data):
    schema = {**array, **asked}
    texts = list_texts(schema)
    if not texts:
        with pytest.raises(SchemaError, match="fits no value"):
            build_machine(schema, layout=PLAIN)
        return
    machine = build_machine(schema, layout=PLAIN)
    chosen = data.draw(st.sampled_from(texts))
    prefix = chosen[: data.draw(st.integers(0, len(chosen)))]
    here = machine.start()[0]
    for n, byte in enumerate(prefix.encode()):
        legal = {text[n] for text in texts if text.startswith(prefix[:n]) and len(text) > n}
        taken = {chr(b) for b in range(128) if machine.read(here, b) is not None}
        assert legal <= taken, (schema, prefix[:n])
        # Numbers have more spellings than one.
        assert taken - legal <= {"."}, (schema, prefix[:n])
        here = machine.read(here, byte)


REPEATED = {"type": "object", "properties": {"a": {"items": {"type": "boolean"}}}}


@examples(4)
@example({"items": {**REPEATED, "additionalProperties": False}}, {"uniqueItems": True}, None)
@given(ARRAYS, ASKED, st.data())
def test_masks_are_the_tokens_that_the_machine_reads(array, asked, data):
    try:
        artifact = maskc.Artifact(compile_schema({**array, **asked}, VOCABULARY))
    except SchemaError:
        assume(False)
    matcher, bitmask = artifact.matcher(), maskc.allocate_bitmask(1, artifact.vocab_size)
    if data is None:
        assert matcher.accept_bytes(b'[{"\\u0061":[]},{"a":[true]},{"a":')
    for _ in range(1 if data is None else 5):
        matcher.fill_bitmask(bitmask, 0)
        legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
        wanted = [matcher.fork().accept_bytes(token) for token in MORE_TOKENS]
        assert legal[: len(wanted)].astype(bool).tolist() == wanted, (array, asked)
        tokens = [n for n, is_legal in enumerate(wanted) if is_legal and MORE_TOKENS[n].strip()]
        if not tokens or data is None:
            assert tokens or matcher.is_accepting
            return
        assert matcher.accept_token(data.draw(st.sampled_from(tokens)))
