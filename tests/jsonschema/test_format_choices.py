"""Formats that are asserted, annotate, or stand for others, by name."""

import pytest

from maskc.errors import WrongTypeError, WrongValueError
from maskc.jobs import read_schema_job
from maskc.jsonschema.choices import choose_formats
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import build_byte_table, build_vocabulary

VOCABULARY = build_vocabulary("bytes", build_byte_table())
AWARE, NAIVE = '"2024-02-29T12:00:00Z"', '"2024-02-29T12:00:00.5"'


def accepts(text, schema, **options):
    job = read_schema_job(schema, **options)
    matcher = Artifact(job.compile(VOCABULARY, Limits())[0]).matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


@pytest.mark.parametrize(
    ("formats", "text", "accepted"),
    [
        ("assert", AWARE, True),
        ("assert", NAIVE, False),
        ({"date-time": "annotate"}, '"x"', True),
        ({"uri": "annotate"}, '"x"', False),
        ("date-time=annotate", '"x"', True),
        ({"date-time": "date-time-local"}, NAIVE, True),
        ({"date-time": "date-time-local"}, AWARE, False),
        ({"date-time": "date"}, '"2024-02-29"', True),
    ],
)
def test_a_format_is_read_as_its_name_says(formats, text, accepted):
    schema = {"type": "string", "format": "date-time"}
    assert accepts(text, schema, formats=formats) is accepted


def test_only_formats_change_and_not_values_or_numbers():
    value = '{"format":"date-time"}'
    formats = {"date-time": "annotate"}
    assert accepts(value, f'{{"const": {value}}}', formats=formats)
    assert not accepts('{"format":1}', f'{{"const": {value}}}', formats=formats)
    exact = '{"const": 0.1234567890123456789012}'
    assert accepts("0.1234567890123456789012", exact, formats=formats)
    assert accepts('{"format":1}', {"properties": {"format": {"type": "integer"}}}, formats=formats)


def test_resources_are_read_so_too():
    schema, resources = {"$ref": "urn:a"}, {"urn:a": {"type": "string", "format": "date"}}
    assert accepts('"x"', schema, resources=resources, formats={"date": "annotate"})


@pytest.mark.parametrize(
    ("formats", "error", "fact"),
    [
        ("maybe", WrongValueError, "give assert or annotate"),
        ({"datetime": "annotate"}, WrongValueError, "'datetime', which is not a format"),
        ({"date": "never"}, WrongValueError, "give assert, annotate or another format"),
        ({"date": 1}, WrongTypeError, "maps names of formats to texts"),
    ],
)
def test_what_is_no_choice_of_formats_is_refused(formats, error, fact):
    with pytest.raises(error, match=fact):
        choose_formats(formats)


@pytest.mark.parametrize(
    ("schema", "text", "accepted"),
    [
        ({"type": "string", "nullable": True}, "null", True),
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True}, "3", False),
        ({"type": "integer", "minimum": 3, "exclusiveMinimum": True}, "4", True),
        ({"properties": {"a": {"type": "integer", "nullable": True}}}, '{"a":null}', True),
        ('{"type": "number", "multipleOf": 0.10}', "0.3", True),
    ],
)
def test_a_schema_of_openapi_is_read_without_its_document(schema, text, accepted):
    assert accepts(text, schema, dialect="openapi") is accepted


def test_there_is_no_other_dialect():
    with pytest.raises(WrongValueError, match="dialect is 'draft4'; give openapi"):
        read_schema_job({}, dialect="draft4")
