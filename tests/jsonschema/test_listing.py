import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.building import PositionBuilder
from maskc.jsonschema.compiling import lower
from maskc.jsonschema.drafts import Satisfying
from maskc.jsonschema.listing import MAX_VALUES, ValueListing
from maskc.runtime.schema.plan import JsonLayout


def listing_of(schema):
    lowering, formula = lower(schema, {})
    builder = PositionBuilder(lowering.space, JsonLayout(), lowering.pointers)
    root = builder.add(formula, "")
    builder.finish()
    return builder.drafts[root], ValueListing(
        builder.drafts, Satisfying(builder.drafts, JsonLayout())
    )


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


def test_arrays_whose_items_differ_are_listed():
    draft, listing = listing_of(
        {"type": "array", "uniqueItems": True, "items": {"type": "boolean"}}
    )
    assert len(listing.values(draft)) == 5


def test_items_differ_if_there_are_enough_of_them():
    for n_items, may_differ in ((2, True), (3, False)):
        draft, listing = listing_of(
            {
                "type": "array",
                "uniqueItems": True,
                "minItems": n_items,
                "items": {
                    "type": "object",
                    "properties": {"a": {"type": "null"}},
                    "additionalProperties": False,
                },
            }
        )
        (array,) = draft.parts
        rule = Satisfying([], JsonLayout()).bare_rule(array, listing.fit)
        assert listing.may_differ(array, rule) is may_differ


def test_an_array_of_too_many_items_of_one_kind_is_refused():
    draft, listing = listing_of(
        {"type": "array", "items": {"type": "null"}, "minItems": 2_000, "maxItems": 2_000}
    )
    with pytest.raises(SchemaError, match="more than 1,000 items"):
        listing.values(draft)
