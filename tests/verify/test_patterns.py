import re

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import UnsupportedTerminalError
from maskc.verify.characters import CharacterClasses
from maskc.verify.patterns import ParsedTerminal

PATTERNS = [
    r"a+b?",
    r"[^a]*?b",
    r"(?i:ab)|c\d",
    r"\bab\b",
    r"^a$",
    r"(?m:^a$)",
    r"(?s:.)b",
    r"(?=ab)a",
    r"(?<!a)b",
    r"(?>a|ab)c",
    r"(a)?(?(1)b|c)",
    r"a{2,3}+b",
]


def rewrite(text):
    pattern = ParsedTerminal("A", text, 0)
    characters = CharacterClasses(pattern.atoms())
    return pattern, characters, regex.compile(pattern.write(characters))


WRITTEN = {text: rewrite(text) for text in PATTERNS}


@given(st.sampled_from(PATTERNS), st.text("abcABC1\n é", max_size=6))
@example(r"^a$", "a\n")
@example(r"\bab\b", "abé")
def test_a_pattern_that_is_written_anew_matches_as_re_does(text, subject):
    pattern, characters, written = WRITTEN[text]
    expected, found = pattern.regex.match(subject), written.match(characters.canonical(subject))
    assert (found and found.span()) == (expected and expected.span())


def test_flags_of_a_part_take_the_place_of_those_around_it():
    pattern = ParsedTerminal("A", r"(?u:\w)s", re.ASCII | re.IGNORECASE)
    characters = CharacterClasses(pattern.atoms())
    written = regex.compile(pattern.write(characters))
    for subject in ("és", "éS", "é\u017f", "!s"):
        found = written.match(characters.canonical(subject))
        assert bool(found) == bool(pattern.regex.match(subject))


def test_a_back_reference_is_refused_by_name():
    with pytest.raises(UnsupportedTerminalError, match="terminal A: a back-reference"):
        ParsedTerminal("A", r"(a)\1", 0)


def test_flags_of_the_lexer_count():
    assert ParsedTerminal("A", "a", re.IGNORECASE).regex.match("A")
