import json

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.reader import MAX_DEPTH, read_schema


class Order:
    @classmethod
    def model_json_schema(cls):
        return {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    "given", [Order, Order.model_json_schema(), json.dumps(Order.model_json_schema())]
)
def test_a_class_a_mapping_and_a_text_are_one(given):
    assert read_schema(given) == {"type": "object", "required": ["a"]}


def test_a_pydantic_class_is_read():
    pydantic = pytest.importorskip("pydantic")
    made = pydantic.create_model("Order", amount=(int, pydantic.Field(ge=1)))
    assert read_schema(made)["properties"]["amount"] == {
        "minimum": 1,
        "title": "Amount",
        "type": "integer",
    }


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "is neither an object nor a Boolean"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ('{"a": NaN}', "has NaN"),
        ("{", "is not JSON"),
        ({"a": object()}, "is not JSON"),
        ({"minimum": 10**4500}, "has a number of more than 4,000 digits"),
        (b"\xff", "is not UTF-8 at byte 0"),
        ('{"a":' * (MAX_DEPTH + 2) + "{}" + "}" * (MAX_DEPTH + 2), "nested deeper"),
    ],
)
def test_what_is_no_schema_is_refused(given, reason):
    with pytest.raises(SchemaError, match=reason):
        read_schema(given)


@pytest.mark.parametrize(
    "schema", ['{"const": "\\ud800"}', {"title": "\udfff"}, {"properties": {"\ud800": True}}]
)
def test_half_of_a_surrogate_pair_is_refused(schema):
    with pytest.raises(SchemaError, match="half of a surrogate pair"):
        read_schema(schema)
