"""Which code points one character of a pattern matches: what ``re`` says."""

import re

import pytest

from maskc.automata.charset import (
    ANY,
    class_set,
    complement,
    intersect_any,
    items_set,
    literal_set,
)


def holds(ranges, character):
    return any(low <= ord(character) <= high for low, high in ranges)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [(r"\w", 0), (r"\W", re.ASCII), ("[^a-z]", re.IGNORECASE), (".", 0), (r"[\d_]", 0)],
)
def test_a_class_matches_what_re_matches(pattern, flags):
    found = class_set(pattern, flags)
    for character in "aZ09_ \n\tàÀÿĀıK٣\U0001f600":
        assert holds(found, character) == bool(re.fullmatch(pattern, character, flags))


def test_a_literal_matches_its_other_cases_where_case_is_ignored():
    assert literal_set(ord("k"), 0) == ((107, 107),)
    # The Kelvin sign is a k.
    assert literal_set(ord("k"), re.IGNORECASE) == ((75, 75), (107, 107), (0x212A, 0x212A))


def test_surrogates_are_in_no_set():
    assert intersect_any(((0xD7FE, 0xE001),)) == ((0xD7FE, 0xD7FF), (0xE000, 0xE001))
    assert literal_set(0xD800, 0) == ()
    assert class_set("(?s:.)", 0) == ANY


def test_the_complement_of_a_complement_is_the_set():
    for ranges in (((97, 99),), (), ANY, ((0, 10), (0x10FFFF, 0x10FFFF))):
        assert complement(complement(ranges)) == ranges


def test_a_parsed_bracket_is_read_back():
    ((_, items),) = re._parser.parse(r"[^a-c\d]")
    assert items_set(items, 0) == class_set(r"[^a-c\d]", 0)
