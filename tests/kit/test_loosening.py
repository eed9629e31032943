"""Constraints of schemas that cannot be compiled: refused, or made larger with notes."""

import pytest

from maskc.errors import SchemaError, WrongValueError
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.tags.conftest import takes

KIT = make_kit(load_vocabulary("bytes"))
AWKWARD = {"type": "string", "pattern": "(a)\\1", "maxLength": 3}
SCHEMA = {
    "type": "object",
    "properties": {"city": AWKWARD, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "book", "parameters": SCHEMA}}
POINTER = "/tools/0/function/parameters/properties/city"
REASON = "pattern '(a)\\\\1' has a back-reference, which is not supported"


def test_a_schema_is_refused_unless_it_may_be_larger():
    with pytest.raises(SchemaError, match="back-reference"):
        KIT.json_schema(SCHEMA)
    made = KIT.json_schema(SCHEMA, on_unsupported="loosen")
    assert made.notes == (f"schema at /properties/city: read without pattern, since {REASON}",)
    assert takes(made, '{"city": "ab", "days": 1}')
    assert not takes(made, '{"city": "abcd", "days": 1}')
    assert not takes(made, '{"city": "ab", "days": "1"}')
    assert KIT.json_schema(SCHEMA, on_unsupported="loosen").notes == made.notes
    assert KIT.json_schema({}, on_unsupported="loosen").notes == ()


def test_other_documents_may_refer_to_a_schema_so_its_type_alone_is_left():
    other = {"https://a.b/c": {"type": "integer"}}
    made = KIT.json_schema(SCHEMA, resources=other, on_unsupported="loosen")
    assert takes(made, "{}")
    assert not takes(made, "[]")


@pytest.mark.parametrize(
    ("family", "call"),
    [
        (
            "qwen_3",
            '<tool_call>\n{"name": "book", "arguments": {"city": "ab", "days": %s}}\n</tool_call>',
        ),
        (
            "qwen_3_coder",
            "<tool_call>\n<function=book>\n<parameter=city>ab</parameter>"
            "<parameter=days>%s</parameter></function>\n</tool_call>",
        ),
        (
            "cohere",
            '<cofl:tool_calls><cofl:tool_call id="0" name="book"><cofl:value name="city" '
            'type="raw">ab</cofl:value><cofl:value name="days" type="json">%s</cofl:value>'
            "</cofl:tool_call></cofl:tool_calls>",
        ),
    ],
)
def test_one_awkward_field_of_a_tool_does_not_end_the_request(family, call):
    with pytest.raises(SchemaError) as refused:
        KIT.tools([TOOL], family=family)
    assert str(refused.value).startswith(f"schema at {POINTER}: {REASON}, in the tool 'book'; ")
    made = KIT.tools([TOOL], family=family, choice="required", on_unsupported="loosen")
    assert made.notes == (
        f"schema at {POINTER}: read without pattern, since {REASON} (tool 'book')",
    )
    assert takes(made, call % "3")
    assert not takes(made, call % "true")


def test_what_a_style_cannot_write_is_left_out_too():
    tied = {**TOOL["function"], "parameters": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}
    made = KIT.tools([tied], family="qwen_3_coder", on_unsupported="loosen")
    assert made.notes == (
        "schema at /tools/0/parameters: read without anyOf, since anyOf cannot be expressed in the "
        "style qwen_xml (tool 'book')",
    )


def test_a_tag_has_the_notes_of_its_schemas_and_a_whole_those_of_its_parts():
    form = {"type": "json_schema", "json_schema": AWKWARD}
    tag = KIT.structural_tag({"type": "structural_tag", "format": form}, on_unsupported="loosen")
    assert len(tag.notes) == 1
    assert tag.notes[0].startswith("schema at /format/json_schema: read without pattern")
    schema = KIT.json_schema(AWKWARD, on_unsupported="loosen")
    both = (*tag.notes, *schema.notes)
    assert KIT.sequence(tag, schema).notes == KIT.one_of(tag, schema).notes == both
    assert KIT.repeat(schema, 0).notes == schema.notes


def test_what_to_do_with_what_is_not_supported_is_one_of_two():
    with pytest.raises(WrongValueError, match="on_unsupported"):
        KIT.json_schema(SCHEMA, on_unsupported="ignore")
