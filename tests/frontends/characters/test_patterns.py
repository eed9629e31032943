"""Expressions as patterns that ``re`` reads back."""

import re

import pytest

from maskc.automata.charset import ANY
from maskc.frontends.characters import patterns
from maskc.frontends.characters.expressions import Characters, choice, literal, repeat, sequence
from maskc.frontends.characters.patterns import write_class, write_pattern
from maskc.frontends.characters.positions import TooLargeError

ODD = r'.^$*+?{}[]\|()/"&~#- '


def test_every_character_stands_for_itself():
    assert re.fullmatch(write_pattern(literal(ODD)), ODD)
    for character in ODD:
        ranges = tuple(sorted({(ord(character),) * 2, (0x4E00, 0x4E01)}))
        assert re.fullmatch(write_class(ranges), character)
        assert not re.fullmatch(write_class(ranges), "x")


def test_a_set_is_written_by_what_it_lacks_if_that_is_shorter():
    assert write_class(((0, 96), (98, 0xD7FF), (0xE000, 0x10FFFF))) == "[^a]"
    assert write_class(ANY) == r"[\s\S]"


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [
        (0, 1, "?"),
        (0, None, "*"),
        (1, None, "+"),
        (3, 3, "{3}"),
        (2, None, "{2,}"),
        (2, 5, "{2,5}"),
    ],
)
def test_counts_are_those_of_re(low, high, count):
    assert write_pattern(repeat(literal("a"), low, high)) == f"a{count}"
    assert write_pattern(repeat(literal("ab"), low, high)) == f"(?:ab){count}"


def test_a_run_of_one_set_is_counted():
    digit = Characters(((48, 57),))
    assert write_pattern(sequence(digit, digit, digit)) == "[0-9]{3}"
    assert write_pattern(choice(literal("ab"), literal("cd"))) == "(?:ab|cd)"


def test_too_long_a_pattern_is_refused(monkeypatch):
    monkeypatch.setattr(patterns, "MAX_LENGTH", 5)
    with pytest.raises(TooLargeError):
        write_pattern(literal("abcdef"))
