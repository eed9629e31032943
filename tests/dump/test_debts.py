"""Debt automata as text."""

from maskc.dump.debts import dump_production_debts, dump_table_debts
from maskc.frontends.source import load_source
from maskc.glr.pipeline import build_general_language
from tests.languages import language_of

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


def test_what_no_stack_takes_is_left_out():
    assert not any("never" in line for line in dump_table_debts(language_of(NESTED)))


def test_a_general_table_is_read_below_the_top():
    language = build_general_language(load_source(NESTED, parser="earley"))
    lines = list(dump_table_debts(language))
    at = lines.index("state 4, B B: depends")
    assert lines[at + 1 : at + 6] == [
        "  start 0",
        "  0 --state 0--> refused",
        "  0 --state 3--> 1",
        "  1 --state 0--> refused",
        "  1 --state 3--> taken",
    ]
