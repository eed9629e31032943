r"""What a pattern of ECMA-262 matches, ``re`` matches with what is written for it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.verify.ecma import to_python
from maskc.vocab import load_vocabulary


def matches(pattern, text):
    return re.search(to_python(pattern), text) is not None


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"^a$", "a", "a\n"),
        (r"^\d+$", "19", "٣"),
        (r"^\w$", "_", "é"),
        (r"^\W$", "é", "a"),
        (r"^\s$", "\ufeff", "\x1c"),
        (r"^\S$", "\x85", "\xa0"),
        (r"^.$", "\x85", "\u2028"),
        (r"^\ba", "a", "é"),
        (r"\B-\B", "é-", "a-"),
        (r"^[\d\-a]$", "-", "b"),
        (r"^[\w-.]$", "-", "+"),
        (r"^[a-]$", "-", "b"),
        (r"^[--/]$", ".", "+"),
        (r"^[\b]$", "\b", "b"),
        (r"^[^]$", "\n", ""),
        (r"^[]|a$", "a", "]"),
        (r"^[^\D5]$", "4", "5"),
        (r"^\cJ$", "\n", "J"),
        (r"^\x41\u0042\u{43}$", "ABC", "abc"),
        (r"^\ud83d\ude00$", "😀", "\ud83d"),
        (r"^\p{L}\P{L}$", "é1", "11"),
        (r"^\p{gc=Lu}$", "É", "é"),
        (r"^(?<y>a)\/$", "a/", "a\\/"),
        (r"^a{,5}$", "a{,5}", "aaa"),
        (r"^a{2}]}$", "aa]}", "aaa]}"),
        (r"^\0\f\n\r\t\v$", "\0\f\n\r\t\v", "0fnrtv"),
    ],
)
def test_what_a_pattern_matches(pattern, yes, no):
    assert matches(pattern, yes)
    assert not matches(pattern, no)


@pytest.mark.parametrize(
    "pattern", ["[", "[a", "[b-a]", "\\", r"\p{Nothing}", r"\u{110000}", "a**"]
)
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(ValueError, match=r"\w"):
        to_python(pattern)


QUANTIFIED = [*"ab1_-. é\n", *(rf"\{sign}" for sign in "dDwWsS.-/n"), "[a-c]", "[^a]", "[\\w-]"]
QUANTIFIED += ["[^\\s1]", ".", "(?:a|b)", "[]", "[^]", "\\p{L}", "}", "{"]
ALONE = ["^", "$", "(?=a)", "(?!b)", "\\b", "\\B"]
QUANTIFIERS = ["", "", "", "*", "+", "?", "{2}", "{0,2}"]
PARTS = st.one_of(
    st.tuples(st.sampled_from(QUANTIFIED), st.sampled_from(QUANTIFIERS)).map("".join),
    st.sampled_from(ALONE),
)
PATTERNS = st.lists(PARTS, max_size=4).map("".join)
VOCABULARY = load_vocabulary("bytes")


@given(pattern=PATTERNS, texts=st.lists(st.text("ab1_-. é\n\u2028", max_size=4), max_size=8))
def test_it_is_what_an_artifact_takes(pattern, texts):
    try:
        artifact = maskc.Artifact(
            compile_schema({"type": "string", "pattern": pattern}, VOCABULARY)
        )
    except SchemaError:
        return  # it matches nothing, or is no pattern
    for text in texts:
        matcher = artifact.matcher()
        written = "".join(f"\\u{ord(c):04x}" if c < " " else c for c in text)
        is_taken = matcher.accept_bytes(f'"{written}"'.encode()) and matcher.is_accepting
        assert is_taken == matches(pattern, text), text
