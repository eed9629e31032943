from maskc.jsonschema.keywords import is_known, leave_out, list_subschemas


def pointers(schema):
    return [spot.pointer for spot in list_subschemas(schema)]


def test_subschemas_are_found_as_they_are_written():
    schema = {"properties": {"a/b": {"items": True}}, "anyOf": [{}, False], "enum": [{"not": {}}]}
    assert pointers(schema) == [
        "",
        "/properties/a~1b",
        "/properties/a~1b/items",
        "/anyOf/0",
        "/anyOf/1",
    ]


def test_a_keyword_of_another_dialect_leads_nowhere():
    assert pointers(
        {"prefixItems": [{}], "$schema": "http://json-schema.org/draft-07/schema#"}
    ) == [""]
    assert pointers({"items": [{}]}) == [""]


def test_nothing_counts_beside_a_reference_in_draft_7():
    schema = {"$ref": "#", "items": {}, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert pointers(schema) == [""]


def test_unknown_keywords_are_those_of_no_dialect_or_another():
    (spot,) = list_subschemas({"type": "object", "hint": 1, "dependencies": {}})
    assert spot.unknown == ["hint", "dependencies"]
    assert is_known("dependencies", 7)


def test_what_is_negated_is_known():
    found = {
        spot.pointer: spot.is_negated
        for spot in list_subschemas({"not": {"items": {}}, "items": {}})
    }
    assert found == {"": False, "/not": True, "/not/items": True, "/items": False}


def test_a_changed_document_shares_the_rest():
    schema = {"allOf": [{"type": "null"}, {"items": False, "not": {}}]}
    changed = leave_out(schema, [("allOf", 1, "not")], [("allOf", 1, "items")])
    assert changed == {"allOf": [{"type": "null"}, {"items": True}]}
    assert changed["allOf"][0] is schema["allOf"][0]


def test_a_keyword_inside_one_that_has_gone_goes_with_it():
    assert leave_out({"not": {"type": "null"}}, [("not", "type"), ("not",)]) == {}
