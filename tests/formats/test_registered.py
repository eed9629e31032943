"""What a format is registered as, and what is refused by its name."""

import pickle

import pytest

import maskc
from maskc.errors import FormatError
from maskc.formats import STANDARD, judge_of, registered
from maskc.jsonschema.formats import NAMES

E164 = r"\+[1-9][0-9]{1,14}"


def test_a_pattern_is_registered_by_name():
    maskc.register_format("e164", pattern=E164)
    assert registered() == {"e164": E164}


def test_the_same_format_may_be_registered_again():
    maskc.register_format("e164", pattern=E164)
    maskc.register_format("e164", pattern=E164)
    with pytest.raises(FormatError, match="format e164: is registered already, as another one"):
        maskc.register_format("e164", pattern="[0-9]+")


def test_the_names_of_the_standard_are_taken():
    assert set(STANDARD) == set(NAMES)
    with pytest.raises(FormatError, match="format uuid: is a format of the standard"):
        maskc.register_format("uuid", pattern="a")


@pytest.mark.parametrize("name", ["", "a\nb", "\ud800", "a" * 101, 7, None])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(FormatError, match="is not a name"):
        maskc.register_format(name, pattern="a")


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "has no pattern"),
        (None, "has neither a pattern nor a reader"),
        (7, "has no pattern"),
        ("(", "its pattern '\\('"),
        ("a)|(b", "its pattern 'a\\)|"),
        (r"(a)\1", "its pattern"),
        ("(?:a?){9000}(?:[ab]*a[ab]{15})", "its pattern .*"),
    ],
)
def test_a_pattern_that_cannot_be_compiled_is_refused_by_the_name_of_the_format(pattern, problem):
    with pytest.raises(FormatError, match=f"format x: {problem}"):
        maskc.register_format("x", pattern=pattern)
    assert not registered()


def test_a_judge_that_fails_is_named():
    maskc.register_format("x", pattern="a+", judge=lambda text: text.missing)
    with pytest.raises(FormatError, match="format x: its judge raises AttributeError"):
        judge_of("x")("a")


def test_the_error_survives_pickling():
    error = FormatError("a\n", "is not a name", "give one")
    assert str(pickle.loads(pickle.dumps(error))) == "format a\\n: is not a name; give one"
