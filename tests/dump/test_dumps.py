"""Dumps of stages are those that were reviewed; how debts, bytes and long texts are shown."""

import pytest

from maskc.dump import OF_LANGUAGE, dump_production_debts, dump_table_debts, limit_lines
from maskc.dump.rows import format_byte, format_bytes, format_tokens
from maskc.errors import StageError
from tests.dump.golden import FOLDER, GRAMMARS, dump_grammar_file, golden_of
from tests.languages import language_of


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda path: path.stem)
def test_every_stage_of_a_grammar_is_what_was_reviewed(grammar):
    assert dump_grammar_file(grammar) == golden_of(grammar).read_text(encoding="utf-8")


def test_every_reviewed_text_has_its_grammar():
    texts = {path.stem for path in FOLDER.glob("*.txt")}
    assert texts == {path.stem for path in GRAMMARS}


NESTED = 'start: "a" start "b" | "c"\n'


def test_productions_read_places_to_return_to():
    lines = list(dump_production_debts(language_of(NESTED)))
    assert "A C: always" in lines
    assert "C A: never" in lines
    at = lines.index("C B: depends")
    assert lines[at + 2] == "  0 --start ::= … .--> 1"
    assert "  1 --Z0--> refused" in lines[at:]


def test_a_table_reads_its_states_below_the_one_on_top():
    lines = list(dump_table_debts(language_of(NESTED)))
    at = lines.index("state 6, B B: depends")
    assert lines[at + 1 : at + 5] == [
        "  start 0",
        "  0 --state 6--> 1",
        "  1 --state 2--> refused",
        "  1 --state 5--> taken",
    ]
    # What no stack takes is left out.
    assert not any("never" in line for line in lines)


def test_a_general_table_is_read_below_the_top():
    language = language_of(NESTED, parser="earley")
    lines = list(dump_table_debts(language))
    at = lines.index("state 4, B B: depends")
    assert lines[at + 1 : at + 6] == [
        "  start 0",
        "  0 --state 0--> refused",
        "  0 --state 3--> 1",
        "  1 --state 0--> refused",
        "  1 --state 3--> taken",
    ]


def test_bytes_and_tokens_are_shown_so_that_they_can_be_read():
    assert [format_byte(b) for b in (0, 10, 32, 65, 0xC3)] == ["\\x00", "\\n", "' '", "A", "\\xc3"]
    # Three bytes in a row are a range, and two are not.
    shown = [format_bytes(given) for given in (b"abc", b"ab", range(256))]
    assert shown == ["a-c", "a b", "any byte"]
    assert format_tokens([b"a", b"b", b"c"], limit=2) == "'a' 'b' and 1 more"
    assert format_tokens([b"\xc3", None], limit=8) == "b'\\xc3' no text"


def test_lines_beyond_the_limit_are_counted_with_what_shows_them_all():
    assert list(limit_lines(iter("abcde"), 2)) == ["a", "b", "… 3 more lines; --lines 5"]
    assert list(limit_lines(iter("ab"), 2)) == ["a", "b"]


def test_a_stage_that_a_grammar_does_not_have_names_the_one_to_ask_for():
    language = language_of('start: "a"\n')
    with pytest.raises(StageError) as refused:
        OF_LANGUAGE["productions"](language)
    assert refused.value.instead == "grammar"
