"""Numbers, tables of steps, and what a terminal is called."""

import io

import pytest
from rich.console import Console

from maskc.compiler.pipeline import PassRecord
from maskc.report import Facts, Table, format_count, format_seconds, format_size, make_bar
from maskc.report.compile import format_change, list_steps, tabulate_passes
from maskc.report.internals import list_texts, make_chips, name_unnamed, rebuild_grammar
from maskc.report.render import PIPE_WIDTH, make_console, make_facts, make_table, print_json
from maskc.vocab.vocabulary import quote_bytes
from tests.report.example import HEADER, TIMINGS


def written(renderable):
    console = Console(file=io.StringIO(), width=60, markup=False, highlight=False)
    console.print(renderable)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("write", "given", "text"),
    [
        (format_size, 0, "0 B"),
        (format_size, 999, "999 B"),
        (format_size, 1000, "1.00 kB"),
        (format_size, 999_994, "999.99 kB"),
        (format_size, 20_400_000, "20.40 MB"),
        (format_size, 1_000_000_000, "1.00 GB"),
        (format_size, 5_000_000_000_000, "5000.00 GB"),
        (format_seconds, 0, "0.0 ms"),
        (format_seconds, 0.0042, "4.2 ms"),
        (format_seconds, 1, "1.0 s"),
        (format_seconds, 59.9, "59.9 s"),
        (format_seconds, 60, "1 min 0 s"),
        (format_count, 0, "0"),
        (format_count, 999, "999"),
        (format_count, 1_000_000, "1,000,000"),
        (quote_bytes, "é'\t".encode(), '"é\'\\t"'),
        (quote_bytes, b"\xc3", r"b'\xc3'"),
    ],
)
def test_a_value_is_written_in_the_unit_that_suits_it(write, given, text):
    assert write(given) == text


def test_numbers_line_up_on_the_right_and_words_on_the_left():
    table = make_table(Table("", ("name", "rows"), [("a", "1"), ("bcde", "10")], ("rows",)))
    assert written(table)[-3:-1] == ["  a         1", "  bcde     10"]


def test_a_cell_with_markup_is_printed_as_it_is():
    assert any("[red]x" in line for line in written(make_table(Table("", ("a",), [("[red]x",)]))))


def test_a_long_fact_wraps_and_loses_nothing():
    lines = written(make_facts(Facts([("hash", "0123456789" * 8)])))
    assert "".join(line.removeprefix("hash").strip() for line in lines) == "0123456789" * 8


def test_a_pipe_has_a_fixed_width(monkeypatch):
    """The size of a terminal elsewhere must not change what a program reads."""
    monkeypatch.setenv("COLUMNS", "20")
    assert make_console().width == PIPE_WIDTH


def test_json_is_one_document_on_a_line_of_its_own(capsys):
    print_json({"name": "é\udcff"})
    assert capsys.readouterr().out == '{\n  "name": "\\u00e9\\udcff"\n}\n'


def rendered(table):
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_a_step_has_its_time_where_it_is_known():
    steps = list_steps(HEADER, TIMINGS)
    assert [(step.step, step.seconds) for step in steps[:2]] == [
        ("raw", 2.5),
        ("open lexemes", None),
    ]
    assert [step.seconds for step in list_steps(HEADER, ())] == [None] * 6


def test_a_pass_has_rows_before_and_after_and_what_it_cost():
    names = ["grammar", *(f"streamline {step['step']}" for step in HEADER["streamlining"])]
    passes = [PassRecord(name, 0.25, 0.125, 88.0) for name in names]
    lines = rendered(make_table(tabulate_passes(passes, list_steps(HEADER, ()))))
    cost = ["125.0", "ms", "88", "MiB"]
    assert ["grammar", *cost] in lines
    assert ["streamline", "raw", "1,200", *cost] in lines
    assert ["streamline", "open", "lexemes", "1,200", "1,300", "1.08", "×", "more", *cost] in lines
    assert ["streamline", "follow", "1,000", "1,000", *cost] in lines


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [(0, 0, ""), (0, 3, "3 more"), (3, 0, "none left"), (3, 2, "1.50 × fewer")],
)
def test_a_change_is_a_factor(before, after, text):
    assert format_change(before, after) == text


@pytest.mark.parametrize(
    ("value", "largest", "bar"),
    [(0, 0, ""), (0, 9, ""), (9, 9, "███"), (1, 10_000, "▏"), (5, 10, "█▌")],
)
def test_a_bar_is_as_long_as_its_value(value, largest, bar):
    assert make_bar(value, largest, 3) == bar


TEXTS = {"__ANON_1": '"+="', "__ANON_11": '"-="', "PLUS": '"+"'}


def test_the_texts_are_those_of_string_terminals():
    assert list_texts(rebuild_grammar(HEADER)) == {
        "COMMA": '","',
        "LSQB": '"["',
        "RSQB": '"]"',
        "__ANON_0": '"+="',
        "__ANON_1": '"-="',
    }


def test_a_postlex_is_not_imported():
    """An artifact may come from anywhere, and importing a module runs it."""
    header = {"grammar": {**HEADER["grammar"], "postlex": "no.such.module:Thing"}}
    assert rebuild_grammar(header) is not None


def test_a_grammar_that_lark_refuses_is_none():
    assert rebuild_grammar({"grammar": {**HEADER["grammar"], "text": "start: ("}}) is None
    assert list_texts(None) == {}


@pytest.mark.parametrize(
    ("sequence", "text"),
    [
        (["PLUS", "__ANON_1"], 'PLUS "+="'),
        (["__ANON_2"], "__ANON_2"),
        (["open: NAME | __ANON_11"], 'open: NAME | "-="'),
        (["an ignored lexeme", "open: anything"], "an ignored lexeme open: anything"),
    ],
)
def test_terminals_that_lark_had_to_name_are_called_by_their_texts(sequence, text):
    assert str(make_chips(sequence, TEXTS)) == text


def test_names_in_a_sentence_are_whole():
    assert name_unnamed("__ANON_11 ends __ANON_1", TEXTS) == '"-=" ends "+="'
