from maskc.explain import causes
from maskc.explain.causes import find_causes
from tests.jsonschema.texts import build_machine, read

SCHEMA = {
    "properties": {"a": {"type": "string", "maxLength": 1}, "b": False},
    "required": ["a"],
    "additionalProperties": False,
}


def forbid(schema, text):
    def is_legal(schema):
        return read(build_machine(schema), text) is not None

    return find_causes(schema, is_legal)


def alone(schema, text):
    return {keyword.pointer: keyword.value for keyword in forbid(schema, text).alone}


def test_a_keyword_that_forbids_by_itself_is_named():
    assert alone(SCHEMA, '{"a":1') == {"/properties/a/type": "string"}
    assert alone(SCHEMA, '{"a":"xy') == {"/properties/a/maxLength": 1}
    assert alone(SCHEMA, "{}") == {"/required": ["a"]}


def test_a_subschema_that_is_false_is_named():
    assert alone({"properties": {"b": False}}, '{"b"') == {"/properties/b": False}


def test_all_that_forbid_together_are_named():
    schema = {"allOf": [{"type": "string"}, {"type": "string"}], "type": "string"}
    found = forbid(schema, "1")
    assert found.alone == ()
    assert {keyword.pointer for keyword in found.together} == {
        "/allOf/0/type",
        "/allOf/1/type",
        "/type",
    }


def test_only_those_that_must_go_are_named_together():
    schema = {"allOf": [{"type": "string"}, {"minimum": 3}], "maxLength": 3, "enum": ["a", "b"]}
    found = forbid(schema, "-")
    assert {keyword.pointer for keyword in found.together} == {
        "/allOf/0/type",
        "/allOf/1/minimum",
        "/enum",
    }


def test_the_innermost_keywords_are_named():
    schema = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert set(alone(schema, "1")) == {"/anyOf/0/type", "/anyOf/1/type"}


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
