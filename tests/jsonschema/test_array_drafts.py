"""What is asked of an array, and where what asks too much of it stands."""

import pytest

from maskc.errors import SchemaError
from tests.jsonschema.texts import build_machine

HUGE = 1_000_000_000
NULLS = {"contains": {"type": "null"}}


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({**NULLS, "minContains": HUGE}, "minContains"),
        ({**NULLS, "maxContains": HUGE}, "maxContains"),
        ({**NULLS, "minItems": HUGE}, "minItems"),
        ({**NULLS, "maxItems": HUGE}, "maxItems"),
        ({**NULLS, "maxContains": HUGE, "minItems": 3 * HUGE}, "minItems"),
        ({"not": {**NULLS, "minContains": HUGE}}, "contains"),
    ],
)
def test_a_count_that_is_too_large_is_named_where_it_stands(schema, keyword):
    nested = {"properties": {"a/b": {"allOf": [schema]}}}
    with pytest.raises(SchemaError) as caught:
        build_machine(nested)
    found = (caught.value.pointer, caught.value.keyword)
    assert found == ("/properties/a~1b/allOf/0", keyword)
    assert "lower the number" in str(caught.value)


@pytest.mark.parametrize(
    "keyword", ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
)
def test_a_count_beyond_what_a_plan_holds_is_named_where_it_stands(keyword):
    with pytest.raises(SchemaError) as caught:
        build_machine({"properties": {"a": {keyword: 10**13}}})
    assert (caught.value.pointer, caught.value.keyword) == ("/properties/a", keyword)
