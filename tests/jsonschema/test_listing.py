import pytest

from maskc.jsonschema.building import Builder
from maskc.jsonschema.compiling import lower_schema
from maskc.jsonschema.listing import MAX_VALUES, Listing
from maskc.jsonschema.satisfying import Satisfying
from maskc.runtime.schema.plan import Layout


def listing_of(schema):
    lowering, formula = lower_schema(schema, resources={}, assert_formats=True, ordered=False)
    builder = Builder(lowering.space, Layout(), lowering.pointers)
    root = builder.add(formula, "")
    builder.finish()
    return builder.drafts[root], Listing(builder.drafts, Satisfying(builder.drafts, Layout()))


@pytest.mark.parametrize(
    ("schema", "n_values"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 3}, 3),
        ({"enum": ["a", 1, None, [1]]}, 4),
        ({"type": "boolean"}, 2),
        ({"type": "string", "pattern": "^[ab]$"}, 2),
        ({"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, 3),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "null"}},
                "additionalProperties": False,
            },
            2,
        ),
    ],
)
def test_few_values_are_listed(schema, n_values):
    draft, listing = listing_of(schema)
    assert len(listing.values(draft)) == n_values


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "integer", "minimum": 0},
        {"type": "integer", "minimum": 0, "maximum": MAX_VALUES},
        {"type": "object"},
        {"type": "array", "items": {"type": "null"}},
    ],
)
def test_many_values_are_not(schema):
    draft, listing = listing_of(schema)
    assert listing.values(draft) is None


def test_an_array_is_open_if_an_item_can_always_be_added():
    for schema, is_open in (({"type": "array"}, True), ({"type": "array", "maxItems": 9}, False)):
        draft, listing = listing_of(schema)
        assert listing.is_open_array(draft.arrays[0]) is is_open
