from maskc.jsonschema.keywords import list_spots
from maskc.lint import unsatisfiable
from maskc.lint.unsatisfiable import find_unsatisfiable, may_have


def lost(schema):
    return [f.place.name for f in find_unsatisfiable(schema, list(list_spots(schema)), {})]


def test_keywords_that_contradict_each_other_are_found():
    assert lost({"properties": {"a": {"minimum": 5, "maximum": 3, "type": "number"}}}) == [
        "/properties/a"
    ]


def test_what_would_fit_if_an_inner_one_did_is_not_reported():
    schema = {"type": "array", "minItems": 1, "items": {"type": "null", "const": 1}}
    assert lost(schema) == ["/items"]


def test_a_branch_is_asked_with_what_stands_beside_it():
    schema = {"type": "string", "anyOf": [{"type": "number", "minimum": 1}, {"maxLength": 9}]}
    assert lost(schema) == ["/anyOf/0"]


def test_references_are_followed():
    schema = {
        "$defs": {"a": {"type": "null"}},
        "allOf": [{"$ref": "#/$defs/a"}, {"type": "string"}],
    }
    assert lost(schema) == ["#"]


def test_a_subschema_that_is_false_is_meant_so():
    assert lost({"properties": {"a": False}, "anyOf": [False, {}]}) == []


def test_pointers_with_signs_are_found():
    assert lost({"properties": {"a/b %": {"type": "null", "const": 1}}}) == ["/properties/a~1b %"]


def test_more_subschemas_than_are_asked_are_told(monkeypatch):
    monkeypatch.setattr(unsatisfiable, "MAX_ASKED", 1)
    schema = {"items": {}}
    (found,) = find_unsatisfiable(schema, list(list_spots(schema)), {})
    assert found.severity.value == "note"


def test_a_key_may_be_there_whatever_else_is_required():
    schema = {"required": ["b"], "properties": {"b": False, "a": {}}}
    (spot, *_) = list_spots(schema)
    assert may_have(schema, spot, {}, "a")
    assert not may_have(schema, spot, {}, "b")
