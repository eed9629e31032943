"""Sentences of errors can be written anywhere, whatever a request brought."""

import pickle

import pytest

from maskc.errors import SchemaError, TagError
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary

HOSTILE = "a\n\ud800\u2028\x1b[31m"


@pytest.mark.parametrize(
    "error",
    [
        SchemaError(f"/{HOSTILE}", HOSTILE, f"is {HOSTILE}", "write another"),
        TagError(f"/{HOSTILE}", f"is {HOSTILE}", "write another"),
    ],
)
def test_what_cannot_be_printed_is_an_escape(error):
    text = str(pickle.loads(pickle.dumps(error)))
    assert text.isprintable()
    assert text.encode()
    assert r"/a\n\ud800\u2028\x1b[31m" in text
    assert error.pointer == f"/{HOSTILE}"


def test_letters_of_all_scripts_are_shown_as_they_are():
    assert str(TagError("/é/工/😀", "is none", "x")).startswith("structural tag at /é/工/😀: is")


def test_what_is_very_long_is_shown_by_its_ends():
    text = str(SchemaError("/b" + "k" * 100_000 + "/e", "", "is none", "write another"))
    assert len(text) < 500
    assert text.startswith("schema at /bkkk")
    assert text.endswith("kkk/e: is none; write another")


def test_a_property_with_a_hostile_name_is_refused_in_one_line():
    schema = {"type": "object", "properties": {HOSTILE * 300: {"maxLength": -1}}}
    with pytest.raises(SchemaError) as refused:
        make_kit(load_vocabulary("bytes")).json_schema(schema)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 1_500
