"""pattern and format as formulas."""

import pytest

from maskc.errors import SchemaError
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import BIT
from maskc.jsonschema.keywords import DEFAULT
from maskc.jsonschema.locations import SchemaLocation
from maskc.jsonschema.strings import StringKeywords


def lower(schema, *, assert_formats=True):
    space = Space()
    keywords = StringKeywords(space, assert_formats=assert_formats, formats={})
    return space, list(keywords.lower(SchemaLocation(schema, None, "/a", DEFAULT)))


def test_a_pattern_of_counted_characters_is_a_length():
    space, (found,) = lower({"pattern": "^.{1,4000}$"})
    assert {part.kind for part in found.args[0]} == {"string", "length"}
    assert sum(len(dfa.labels) for dfa in space.dfas) < 10


def test_a_pattern_of_few_strings_is_their_values():
    space, (found,) = lower({"pattern": "^(PUT|GET)$"})
    values = space.values([("string", "GET"), ("string", "PUT")])
    assert space.both([found, space.types(BIT["string"])]) is values


def test_a_pattern_of_few_strings_asks_nothing_of_other_types():
    space, (found,) = lower({"pattern": "^a{2}$"})
    assert space.holds(found, ("null",))
    assert not space.holds(found, ("string", "a"))


def test_a_pattern_is_built_once():
    space = Space()
    keywords = StringKeywords(space, assert_formats=True, formats={})
    location = SchemaLocation({"pattern": "a|b"}, None, "", DEFAULT)
    assert list(keywords.lower(location)) == list(keywords.lower(location))
    assert len(space.dfas) == 1


def test_a_format_that_is_an_annotation_asks_nothing():
    assert lower({"format": "date"}, assert_formats=False)[1] == []


@pytest.mark.parametrize(
    ("schema", "keyword"), [({"pattern": r"(a)\1"}, "pattern"), ({"format": 3}, "format")]
)
def test_what_cannot_be_lowered_is_named(schema, keyword):
    with pytest.raises(SchemaError) as caught:
        lower(schema)
    assert (caught.value.pointer, caught.value.keyword) == ("/a", keyword)
