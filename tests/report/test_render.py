"""Numbers and tables for a person."""

import io

import pytest
from rich.console import Console

from maskc.report.render import (
    PIPE_WIDTH,
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
    make_table,
    print_json,
)


def rendered(renderable):
    console = Console(file=io.StringIO(), width=60, markup=False, highlight=False)
    console.print(renderable)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (999_994, "999.99 kB"),
        (20_400_000, "20.40 MB"),
        (1_000_000_000, "1.00 GB"),
        (5_000_000_000_000, "5000.00 GB"),
    ],
)
def test_a_size_is_in_the_unit_that_suits_it(n_bytes, text):
    assert format_size(n_bytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 ms"), (0.0042, "4.2 ms"), (1, "1.0 s"), (59.9, "59.9 s"), (60, "1 min 0 s")],
)
def test_a_duration_is_in_the_unit_that_suits_it(seconds, text):
    assert format_seconds(seconds) == text


def test_thousands_are_apart():
    assert [format_count(n) for n in (0, 999, 1000, 1_000_000)] == [
        "0",
        "999",
        "1,000",
        "1,000,000",
    ]


def test_numbers_line_up_on_the_right_and_words_on_the_left():
    table = make_table("", ("name", "rows"), [("a", "1"), ("bcde", "10")], numbers=("rows",))
    assert rendered(table)[-3:-1] == ["  a         1", "  bcde     10"]


def test_a_cell_with_markup_is_printed_as_it_is():
    assert any("[red]x" in line for line in rendered(make_table("", ("a",), [("[red]x",)])))


def test_a_long_fact_wraps_and_loses_nothing():
    lines = rendered(make_facts([("hash", "0123456789" * 8)]))
    assert "".join(line.removeprefix("hash").strip() for line in lines) == "0123456789" * 8


def test_a_pipe_has_a_fixed_width(monkeypatch):
    """The size of a terminal elsewhere must not change what a program reads."""
    monkeypatch.setenv("COLUMNS", "20")
    assert make_console().width == PIPE_WIDTH


def test_json_is_one_document_on_a_line_of_its_own(capsys):
    print_json({"name": "é\udcff"})
    assert capsys.readouterr().out == '{\n  "name": "\\u00e9\\udcff"\n}\n'
