"""The texts of an expression, listed where they are few; some of them, where they are many."""

import pytest

from maskc.frontends.characters.automaton import list_texts, sample_texts
from maskc.regular.python import read_python


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
    assert list_texts(read_python(pattern), 10) == texts


@pytest.mark.parametrize("pattern", ["a*", "[a-z]{3}", "a{0,99}"])
def test_many_texts_are_not_listed(pattern):
    assert list_texts(read_python(pattern), 10) is None


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [("=*", ["", "=", "=="]), (r"\d+", ["0", "00", "000"]), ("(?!)", []), ("[xyz]y?", ["x", "xy"])],
)
def test_samples_are_short_and_good_to_read(pattern, texts):
    expression = read_python(pattern) if pattern != "(?!)" else read_python("[^\\s\\S]")
    assert sample_texts(expression, 3) == texts
