"""Which code points one character of a pattern matches: what ``re`` says."""

import re

import pytest

from maskc.automata.charset import (
    ANY,
    any_set,
    cased_characters,
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


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII])
@pytest.mark.parametrize(
    "pattern",
    [
        "[a-c]",
        "[^a-c]",
        "[KkſſIı]",
        r"[\w.-]",
        r"[^\W\d_]",
        r"[\s\S]",
        "[\u0345\u03b9\u1e9eß]",
        "[\ud7f0-\ue010]",
        "[\U00010400-\U0001045f]",
    ],
)
def test_a_parsed_bracket_matches_what_re_matches(pattern, flags):
    ((_, items),) = re._parser.parse(pattern)
    assert items_set(items, flags) == class_set(pattern, flags)


@pytest.mark.parametrize("character", "kKsſıİßẞ\u0345é.1\ud800")
def test_a_literal_matches_what_re_matches_where_case_is_ignored(character):
    for flags in (re.IGNORECASE, re.IGNORECASE | re.ASCII):
        assert literal_set(ord(character), flags) == class_set(re.escape(character), flags)


def test_a_dot_matches_line_breaks_only_where_it_is_told_to():
    assert any_set(0) == class_set(".", 0)
    assert any_set(re.DOTALL) == ANY


def test_a_character_without_cases_and_another_one_never_match_each_other():
    cased = cased_characters()
    # The blocks of alphabets; elsewhere are ideographs, symbols and what is not assigned.
    blocks = [(0, 0x3000), (0xA640, 0xAC00), (0xFB00, 0xFF60), (0x10400, 0x10D00)]
    others = [chr(n) for low, high in blocks for n in range(low, high) if chr(n) not in cased]
    either = re.compile(f"[{re.escape(cased)}]", re.IGNORECASE)
    assert not [character for character in others if either.fullmatch(character)]
    either = re.compile(f"[{re.escape(''.join(others))}]", re.IGNORECASE)
    assert not [character for character in cased if either.fullmatch(character)]
