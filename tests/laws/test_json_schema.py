"""A text is legal iff its value is valid, what is legal can be finished, and masks are exact."""

import json

import jsonschema
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab.vocabulary import TokenizerTokens, build_vocabulary
from tests.examples import examples
from tests.jsonschema.texts import accepts, build_machine, count_legal, find_end, read
from tests.laws.dense.judges import write_words
from tests.runtime.schema.vocabularies import TEXTS

NAMES = st.sampled_from(["a", "b", "ab"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from(["", "a", "ab", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)
COUNTS = st.integers(0, 3)
SIMPLE = st.one_of(
    st.just({}),
    st.booleans(),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["null", "boolean", "integer", "string", "array", "object"])}
    ),
    st.fixed_dictionaries({"const": VALUES}),
    st.fixed_dictionaries({"enum": st.lists(VALUES, min_size=1, max_size=3)}),
    st.fixed_dictionaries({}, optional={"minimum": COUNTS, "exclusiveMaximum": COUNTS}),
    st.fixed_dictionaries({"multipleOf": st.integers(1, 3)}),
    st.fixed_dictionaries({}, optional={"minLength": COUNTS, "maxLength": COUNTS}),
    st.fixed_dictionaries({"pattern": st.sampled_from(["^a", "b$", "^(ab)*$", "a.?b"])}),
    st.fixed_dictionaries({}, optional={"minItems": COUNTS, "maxItems": COUNTS}),
    st.fixed_dictionaries({}, optional={"minProperties": COUNTS, "maxProperties": COUNTS}),
    st.fixed_dictionaries({"required": st.lists(NAMES, max_size=2, unique=True)}),
    st.just({"type": "array", "items": {"type": ["string", "integer"]}, "uniqueItems": True}),
)


def combine(inner):
    return st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(NAMES, inner, max_size=2),
                "patternProperties": st.dictionaries(
                    st.sampled_from(["^a", "b"]), inner, max_size=1
                ),
                "additionalProperties": inner,
                "propertyNames": inner,
            },
        ),
        st.fixed_dictionaries(
            {},
            optional={
                "prefixItems": st.lists(inner, min_size=1, max_size=2),
                "items": inner,
                "contains": inner,
                "maxContains": COUNTS,
            },
        ),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner}),
        st.fixed_dictionaries({"dependentSchemas": st.dictionaries(NAMES, inner, max_size=1)}),
        st.tuples(st.sampled_from(["allOf", "anyOf", "oneOf"]), inner, inner).map(
            lambda parts: {
                parts[0]: [{"properties": {"a": parts[1]}, "required": ["a"]}, {}],
                "unevaluatedProperties": parts[2],
            }
        ),
        st.tuples(inner, inner, inner).map(
            lambda parts: {
                "if": {"properties": {"a": parts[0]}, "required": ["a"]},
                "then": {"properties": {"b": parts[1]}},
                "else": {"patternProperties": {"b": True}},
                "unevaluatedProperties": parts[2],
            }
        ),
        st.tuples(inner, inner, inner).map(
            lambda parts: {
                "anyOf": [{"prefixItems": [parts[0]]}, {"contains": parts[1]}],
                "unevaluatedItems": parts[2],
            }
        ),
    )


SCHEMAS = st.recursive(SIMPLE, combine, max_leaves=5)


def build(schema):
    """Return the machine of a schema, ``None`` if it is refused."""
    try:
        return build_machine(schema)
    except SchemaError:
        return None


@settings(deadline=None)
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=6), st.booleans())
def test_a_text_is_accepted_iff_its_value_is_valid(schema, values, pretty):
    machine = build(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for value in values:
        text = json.dumps(value, indent=2 if pretty else None)
        valid = validator.is_valid(value)
        if machine is not None:
            assert accepts(machine, text) == valid, (schema, text)


@settings(deadline=None)
@given(SCHEMAS, st.lists(VALUES, min_size=4, max_size=12))
def test_a_schema_that_nothing_fits_has_no_valid_value(schema, values):
    try:
        build_machine(schema)
    except SchemaError as error:
        if error.reason == "fits no value":
            validator = jsonschema.Draft202012Validator(schema)
            assert not any(map(validator.is_valid, values)), schema


@examples(60)
@given(SCHEMAS, VALUES, st.data())
def test_what_is_legal_can_be_finished(schema, value, data):
    machine = build(schema)
    assume(machine is not None)
    text = json.dumps(value)
    prefix = text[: data.draw(st.integers(0, count_legal(machine, text)))]
    legal = read(machine, prefix)
    end = find_end(machine, legal)
    if end is None:
        return  # too far to search for, but no dead end so far
    finished = json.loads(prefix + end.decode())
    assert jsonschema.Draft202012Validator(schema).is_valid(finished), (schema, prefix, end)


TOKENS = (*TEXTS, b"aa")
SOME = [*TOKENS[:256], b',"', b'": ', b"}]"]
DENSE = sorted(word.encode() for word in write_words('{}[]":,ab1 ', 3) if word)
# Artifacts of one vocabulary share what they know of it, and where tokens are bytes none of them
# reads a key.
VOCABULARIES = [
    (tokens, build_vocabulary("small", TokenizerTokens((*tokens, None), (len(tokens),))))
    for tokens in (TOKENS, SOME, TOKENS[:256], DENSE)
]
# What artifacts share lives as long as one of them.
KEPT = [maskc.Artifact(compile_schema({}, vocabulary)) for _, vocabulary in VOCABULARIES]


@examples(90)
@given(SCHEMAS, VALUES, st.sampled_from(VOCABULARIES), st.data())
def test_masks_are_the_tokens_that_the_machine_reads(schema, value, tokens_and_vocabulary, data):
    tokens, vocabulary = tokens_and_vocabulary
    try:
        artifact = maskc.Artifact(compile_schema(schema, vocabulary))
    except SchemaError:
        assume(False)
    text = json.dumps(value).encode()
    matcher = artifact.matcher()
    cut = data.draw(st.integers(0, len(text)))
    for byte in text[:cut]:
        if not matcher.accept_bytes(bytes([byte])):
            break
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: artifact.vocab_size]
    wanted = [matcher.fork().accept_bytes(token) for token in tokens]
    assert legal[:-1].astype(bool).tolist() == wanted, (schema, text[:cut])
    assert bool(legal[-1]) == matcher.is_accepting
    number = matcher.mask_id()
    assert np.array_equal(artifact.mask_table()[number], bitmask[0])


KINDS = {"integer": 7, "string": "ab", "array": [], "object": {"a": 1}, "null": None}


@st.composite
def records(draw):
    """Return the schema of an object with few names and no others, and a value of it."""
    kinds = draw(st.dictionaries(st.sampled_from(["a", "b", "ab", "c"]), st.sampled_from([*KINDS])))
    required = [name for name in kinds if draw(st.booleans())]
    value = {n: KINDS[kind] for n, kind in kinds.items() if n in required or draw(st.booleans())}
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in kinds.items()},
        "required": required,
        "additionalProperties": draw(st.booleans()),
    }
    return schema, value


@examples(60)
@given(records(), st.sampled_from(VOCABULARIES))
def test_masks_of_records_are_the_tokens_that_are_taken(record, tokens_and_vocabulary):
    """Position by position, beside other records of the vocabulary."""
    (schema, value), (tokens, vocabulary) = record, tokens_and_vocabulary
    matcher = maskc.Artifact(compile_schema(schema, vocabulary)).matcher()
    bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)
    for byte in json.dumps(value).encode():
        matcher.fill_bitmask(bitmask, 0)
        legal = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")[: len(tokens)]
        wanted = [matcher.fork().accept_bytes(token) for token in tokens]
        assert legal.astype(bool).tolist() == wanted, (schema, value)
        assert matcher.accept_bytes(bytes([byte]))
