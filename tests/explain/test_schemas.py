"""What forbids a text or a token of a JSON Schema."""

import pytest

import maskc
from maskc.errors import SchemaError
from maskc.explain import causes, parse_token
from maskc.explain.causes import find_causes
from tests.compiled import explain
from tests.jsonschema.texts import build_machine, read

INTEGERS = {"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object"}


def ask(text, token=None, schema=INTEGERS, resources=None, **layout):
    artifact = maskc.compile_json_schema(
        schema, tokenizer="bytes", resources=resources or {}, **layout
    )
    asked = None if token is None else parse_token(token)
    return explain(artifact, text.encode(), asked, resources)


def test_what_may_come_next_is_told():
    found = ask('{"a": 1')
    assert (found.may_end, found.forced, found.death) == (False, b"", None)
    assert b"," in found.tokens


def test_a_token_is_forbidden_by_a_keyword():
    verdict = ask('{"a": ', '"').token
    assert not verdict.is_legal
    (keyword,) = verdict.death.causes.alone
    assert (keyword.pointer, keyword.value) == ("/properties/a/type", "integer")


def test_a_token_dies_at_its_first_bad_byte_or_not():
    refusal = ask('{"a": ', "1.5").token.death
    assert (refusal.offset, refusal.byte) == (2, ord("5"))
    verdict = ask('{"a": ', "'1'").token
    assert (verdict.is_legal, verdict.death) == (True, None)


@pytest.mark.parametrize(
    ("text", "token", "layout", "named"),
    [
        ("{", "b' '", {"blanks": "compact"}, ("blanks=compact",)),
        # What is no JSON is forbidden by every schema.
        ('{"a": 1', ":", {}, ()),
    ],
)
def test_the_layout_forbids_by_the_name_of_the_choice(text, token, layout, named):
    refusal = ask(text, token, **layout).token.death
    assert (refusal.layout, refusal.causes) == (named, None)


def test_a_text_that_is_illegal_is_explained_itself():
    found = ask("[")
    assert (found.death.offset, found.n_legal) == (0, 5)
    assert [keyword.pointer for keyword in found.death.causes.alone] == ["/type"]


def test_documents_that_a_schema_refers_to_must_be_given():
    resources = {"urn:other": {"type": "null"}}
    schema = {"$ref": "urn:other"}
    assert ask("", "'1'", schema, resources).token.death.causes.alone[0].pointer == "/$ref"
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes", resources=resources)
    with pytest.raises(SchemaError, match="give the document"):
        explain(artifact, b"", parse_token("'1'"))


SCHEMA = {
    "properties": {"a": {"type": "string", "maxLength": 1}, "b": False},
    "required": ["a"],
    "additionalProperties": False,
}


def forbid(schema, text):
    def is_legal(schema):
        return read(build_machine(schema), text) is not None

    return find_causes(schema, is_legal)


@pytest.mark.parametrize(
    ("schema", "text", "found"),
    [
        (SCHEMA, '{"a":1', {"/properties/a/type": "string"}),
        (SCHEMA, '{"a":"xy', {"/properties/a/maxLength": 1}),
        (SCHEMA, "{}", {"/required": ["a"]}),
        # A subschema that is false; the innermost keywords.
        ({"properties": {"b": False}}, '{"b"', {"/properties/b": False}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "1",
            {"/anyOf/0/type": "string", "/anyOf/1/type": "null"},
        ),
    ],
)
def test_keywords_that_forbid_by_themselves_are_named(schema, text, found):
    causes = forbid(schema, text)
    assert {keyword.pointer: keyword.value for keyword in causes.alone} == found
    assert causes.together == ()


@pytest.mark.parametrize(
    ("schema", "text", "pointers"),
    [
        (
            {"allOf": [{"type": "string"}, {"type": "string"}], "type": "string"},
            "1",
            {"/allOf/0/type", "/allOf/1/type", "/type"},
        ),
        # Only those that must go.
        (
            {"allOf": [{"type": "string"}, {"minimum": 3}], "maxLength": 3, "enum": ["a", "b"]},
            "-",
            {"/allOf/0/type", "/allOf/1/minimum", "/enum"},
        ),
    ],
)
def test_all_that_forbid_together_are_named(schema, text, pointers):
    found = forbid(schema, text)
    assert found.alone == ()
    assert {keyword.pointer for keyword in found.together} == pointers


def test_what_no_schema_allows_has_no_cause():
    assert forbid(SCHEMA, "{,") is None


def test_a_schema_is_tried_so_many_times_only(monkeypatch):
    monkeypatch.setattr(causes, "MAX_TRIES", 50)
    schema = {"allOf": [{"type": "string"} for _ in range(50)]}
    tried = []

    def is_legal(schema):
        tried.append(schema)
        return schema is True or "allOf" in schema and not any(schema["allOf"])

    assert not find_causes(schema, is_legal).is_complete
    assert len(tried) <= 51
