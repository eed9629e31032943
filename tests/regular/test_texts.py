"""The texts of a pattern, listed where they are few."""

import re

import pytest

from maskc.regular import matching
from maskc.regular.python import read_python


def list_texts(pattern, flags):
    return matching.list_texts(read_python(pattern, flags), f"(?:{pattern})", flags, 10)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("a{1,3}", ["a", "aa", "aaa"]),
        ("a{2}", ["aa"]),
        ("(?:ab|c)?", ["", "ab", "c"]),
        ("(?:[ab]c){0,2}", ["", "ac", "acac", "acbc", "bc", "bcac", "bcbc"]),
    ],
)
def test_few_texts_are_listed(pattern, texts):
    assert list_texts(pattern, 0) == texts


@pytest.mark.parametrize("pattern", ["a*", "[a-z]{3}", "a{0,99}", r"\ba"])
def test_many_texts_and_those_beside_assertions_are_not_listed(pattern):
    assert list_texts(pattern, 0) is None


def test_of_letters_that_differ_in_case_one_stands_for_both():
    assert list_texts("[Aa]b", re.IGNORECASE) in (["ab"], ["Ab"], ["AB"])
