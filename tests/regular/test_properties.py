import re

import pytest
import regex

from maskc.errors import GrammarError
from maskc.frontends.notations import read_pattern
from maskc.regular.charset import every_character, find_category, find_property, write_properties

SOME = "aZé5٧_-ßǅαЖ中😀©®\u0301\u200d\u00a0 \t\x00\u0378"


def test_long_and_short_names_are_the_same_category():
    assert find_category("Lu") == find_category("Uppercase_Letter") == find_category("gc=Lu")
    assert find_category("Sm") == find_category("Math_Symbol")


def test_a_category_has_its_characters():
    found = find_category("Nd")
    inside = [any(low <= c <= high for low, high in found) for c in (0x37, 0x0667, 0x41)]
    assert inside == [True, True, False]


@pytest.mark.parametrize(
    "name", ["Script=Latin", "sc=Grek", "scx=Deva", "Alphabetic", "Emoji", "Extended_Pictographic"]
)
def test_scripts_and_binary_properties_are_those_of_the_package_regex(name):
    judge = regex.compile(rf"\p{{{name}}}")
    found = find_property(name)
    inside = [any(low <= ord(c) <= high for low, high in found) for c in SOME]
    assert inside == [judge.match(c) is not None for c in SOME]
    assert sum(high - low + 1 for low, high in found) == sum(
        map(len, regex.findall(rf"\p{{{name}}}+", every_character()))
    )


@pytest.mark.parametrize("name", ["Latin", "latin", "Script=Nowhere", "gc=Any", ""])
def test_names_that_ecma_262_has_not_are_no_properties(name):
    assert find_property(name) is None


@pytest.mark.parametrize(
    ("pattern", "judged"),
    [
        (r"\p{Lu}", r"\p{Lu}"),
        (r"\pL", r"\p{L}"),
        (r"\P{L}", r"\P{L}"),
        (r"\p{^L}", r"\P{L}"),
        (r"[\p{Nd}_\-]", r"[\p{Nd}_\-]"),
        (r"[^\p{Alphabetic}\d]", r"[^\p{Alphabetic}\d]"),
        (r"[]\p{Lu}]", r"[\]\p{Lu}]"),
        (r"[^]\P{Lu}a]", r"[^\]\P{Lu}a]"),
        (r"\\p{2}", r"\\p{2}"),
        (r"[\]\p{Lu}]", r"[\]\p{Lu}]"),
    ],
)
def test_a_property_in_a_pattern_is_a_set(pattern, judged):
    written = re.compile(write_properties(pattern))
    for text in [*SOME, "]", r"\pp", "^"]:
        wanted = regex.fullmatch(judged, text) is not None
        assert (written.fullmatch(text) is not None) == wanted, text


def test_a_pattern_without_properties_is_left_as_it_is():
    for pattern in (r"[a-c]\d+", r"\\P[[]", "[:alpha:]"):
        assert write_properties(pattern) == pattern


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        ("[[:alpha:]]+", r"the POSIX class \[:alpha:\], which re reads as single characters"),
        ("[a[:^digit:]]", r"the POSIX class \[:\^digit:\]"),
        (r"\p{Latin}", "the property Latin, which is not known; write one of ECMA-262"),
        (r"[\P{Any}]", "is not a character of a text"),
    ],
)
def test_what_re_would_read_otherwise_is_refused(pattern, fact):
    with pytest.raises(GrammarError, match=fact):
        read_pattern(pattern)
