import pytest

from maskc.errors import TagError
from maskc.tags.parsing import MAX_CHARACTERS, parse_json, parse_tag


def test_a_text_is_parsed_and_a_mapping_is_itself():
    tag = {"format": {"type": "any_text"}}
    assert parse_tag(tag) is tag
    assert parse_tag('{"format": {"type": "any_text"}}') == tag
    assert parse_tag(b'{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "it is no JSON"),
        ("[]", "it is no JSON object"),
        (3, "it is no JSON object"),
        ("[" * 200_000, "nested too deep"),
        (" " * (MAX_CHARACTERS + 1), "8,388,608 characters"),
    ],
)
def test_what_is_no_tag_is_refused(given, told):
    with pytest.raises(TagError, match=told):
        parse_tag(given)


def test_what_is_no_text_is_left_to_the_reader():
    assert parse_json([1], "/tools") == [1]
    with pytest.raises(TagError, match="/tools"):
        parse_json("[", "/tools")
