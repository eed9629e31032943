import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.characters import CharacterClasses
from maskc.verify.oracle import TextReader, build_probe
from maskc.verify.patterns import ParsedTerminal
from maskc.verify.steps import ParserSteps


@pytest.fixture(scope="module")
def reader():
    text = 'start: (NAME | "is" | NUMBER ";")*\nNAME: /[a-z]\\w*/\nNUMBER: /\\d+(\\.\\d+)?/\n'
    return TextReader(ParserSteps(build_lark(load_source(text + '%ignore " "\n'))))


def read(reader, text):
    return reader.readings(reader.steps.start, text, 0)


def test_an_open_lexeme_goes_on_whatever_follows(reader):
    """So ``is`` is never split off."""
    found = read(reader, "isinst")
    assert {r.name for r in found if r.terminal is not None} == {"NAME"}
    assert {r.start for r in found} == {0, 6}


def test_a_lexeme_that_may_be_a_keyword_is_read_as_both(reader):
    assert {r.name for r in read(reader, "i") if r.terminal is not None} == {"NAME", "IS"}


def test_what_may_end_before_the_end_is_read_as_ended_too(reader):
    """Behind ``1.`` the number may go on, or have been 1; a point is in no terminal."""
    assert {(r.start, r.terminal) for r in read(reader, "1.")} == {(0, "NUMBER")}


def test_a_text_that_no_terminal_goes_on_with_is_refuted(reader):
    assert read(reader, "a .") == []


def test_a_text_that_the_parser_refuses_is_refuted(reader):
    assert read(reader, "1 a ") == []


def test_a_lexeme_is_settled_if_nothing_that_follows_changes_it(reader):
    start = reader.steps.start
    canonical = reader.canonical("ab c")
    assert reader.is_settled(start, canonical, 0)
    assert not reader.is_settled(start, canonical, 3)


@pytest.mark.parametrize(
    ("text", "is_relaxed"),
    [("a(?=b)", True), ("a$", True), (r"a\b", True), ("^a", False), ("(?<=b)a", False)],
)
def test_only_a_pattern_that_looks_ahead_is_relaxed(text, is_relaxed):
    pattern = ParsedTerminal("A", text, 0)
    probe = build_probe(pattern, CharacterClasses(pattern.atoms()))
    assert (probe.relaxed is not None) == is_relaxed
