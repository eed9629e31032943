import pytest

import maskc
from maskc.errors import SchemaError
from maskc.explain.questions import parse_token
from maskc.explain.schemas import explain_schema

SCHEMA = {"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object"}


def explain(text, token=None, schema=SCHEMA, resources=None, **layout):
    artifact = maskc.compile_json_schema(
        schema, tokenizer="bytes", resources=resources or {}, **layout
    )
    asked = None if token is None else parse_token(token)
    return explain_schema(artifact, text.encode(), asked, resources)


def test_what_may_come_next_is_told():
    found = explain('{"a": 1')
    assert (found.may_end, found.forced, found.death) == (False, b"", None)
    assert b"," in found.examples


def test_a_token_is_forbidden_by_a_keyword():
    verdict = explain('{"a": ', '"').token
    assert not verdict.is_legal
    (keyword,) = verdict.death.causes.alone
    assert (keyword.pointer, keyword.value) == ("/properties/a/type", "integer")


def test_a_token_dies_at_its_first_bad_byte():
    refusal = explain('{"a": ', "1.5").token.death
    assert (refusal.offset, refusal.byte) == (2, ord("5"))


def test_a_legal_token_has_no_refusal():
    verdict = explain('{"a": ', "'1'").token
    assert (verdict.is_legal, verdict.death) == (True, None)


def test_the_layout_forbids_by_the_name_of_the_choice():
    refusal = explain("{", "b' '", blanks="compact").token.death
    assert (refusal.layout, refusal.causes) == (("blanks=compact",), None)


def test_what_is_no_json_is_forbidden_by_every_schema():
    refusal = explain('{"a": 1', ":").token.death
    assert (refusal.layout, refusal.causes) == ((), None)


def test_a_text_that_is_illegal_is_explained_itself():
    found = explain("[")
    assert (found.death.offset, found.n_legal) == (0, 0)
    assert [keyword.pointer for keyword in found.death.causes.alone] == ["/type"]


def test_documents_that_a_schema_refers_to_must_be_given():
    resources = {"urn:other": {"type": "null"}}
    schema = {"$ref": "urn:other"}
    assert explain("", "'1'", schema, resources).token.death.causes.alone[0].pointer == "/$ref"
    artifact = maskc.compile_json_schema(schema, tokenizer="bytes", resources=resources)
    with pytest.raises(SchemaError, match="give the document"):
        explain_schema(artifact, b"", parse_token("'1'"))
