"""Sentences of errors can be written anywhere, whatever a request brought."""

import inspect
import pickle

import pytest

import maskc
from maskc import errors
from maskc.errors import SchemaError, TagError, TokensLeftError
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


def list_errors(kind=errors.MaskcError):
    below = [error for direct in kind.__subclasses__() for error in list_errors(direct)]
    return [kind, *below] if kind.__module__ == "maskc.errors" else below


def make(kind):
    """Return an error with a field of each type that its constructor takes."""
    fields = inspect.signature(kind.__init__).parameters.values()
    known = {"str": "a", "int": 1, "float": 1.5, "bytes": b"a", "tuple[str, ...]": ("a", "b")}
    given = [f for f in fields if f.kind is f.POSITIONAL_OR_KEYWORD and f.name != "self"]
    return kind(*(known[f.annotation.removesuffix(" | None")] for f in given))


@pytest.mark.parametrize("kind", list_errors(), ids=lambda kind: kind.__name__)
def test_an_error_is_made_again_of_its_fields(kind):
    # Refusals that are kept, and threads that wait for one another, raise a copy.
    error = make(kind)
    for copied in (type(error)(*error.args), pickle.loads(pickle.dumps(error))):
        assert str(copied) == str(error)
        assert vars(copied) == vars(error)


@pytest.mark.parametrize("kind", list_errors(), ids=lambda kind: kind.__name__)
def test_every_sentence_is_one_line_and_no_longer_than_a_page(kind):
    hostile = kind(*(HOSTILE * 1_000 if field == "a" else field for field in make(kind).args))
    assert str(hostile).isprintable()
    assert len(str(hostile)) < 22_000


def test_a_wrong_type_is_a_type_error_too():
    with pytest.raises(TypeError, match=r"^a pattern must be a str, not int$"):
        maskc.compile_pattern(1)


def test_a_wrong_value_is_a_value_error_too():
    with pytest.raises(ValueError, match=r"^numbers is 'digits'; give usual, plain, short or any$"):
        maskc.compile_json_schema({}, tokenizer="bytes", numbers="digits")


def test_that_no_completion_is_found_is_said_without_a_number_of_tokens():
    assert str(TokensLeftError(None, None)) == (
        "the search for tokens that finish the text was given up, and found none; "
        "accept more tokens of the text, and ask again"
    )
