"""Steps, as tables."""

import io

import pytest
from rich.console import Console

from maskc.pipeline import PassRecord
from maskc.report.render import format_lexemes, make_bar
from maskc.report.streamlining import format_change, list_steps, make_pass_costs
from tests.report.example import HEADER, TIMINGS


def rendered(table):
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return [line.split() for line in console.file.getvalue().splitlines()]


def test_a_step_has_its_time_where_it_is_known():
    steps = list_steps(HEADER, TIMINGS)
    assert [(step.step, step.seconds) for step in steps[:2]] == [("raw", 2.5), ("closings", None)]
    assert [step.seconds for step in list_steps(HEADER, None)] == [None] * 6


def test_a_pass_has_rows_before_and_after_and_what_it_cost():
    names = ["grammar", *(f"streamline {step['step']}" for step in HEADER["streamlining"])]
    passes = [PassRecord(name, 0.25, 0.125, 88.0) for name in names]
    lines = rendered(make_pass_costs(passes, list_steps(HEADER, None)))
    cost = ["125.0", "ms", "88", "MiB"]
    assert ["grammar", *cost] in lines
    assert ["streamline", "raw", "1,200", *cost] in lines
    assert ["streamline", "closings", "1,200", "1,300", "1.08", "×", "more", *cost] in lines
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


def test_lexemes_that_are_text_are_shown_as_text():
    assert format_lexemes("é'\t".encode()) == '"é\'\\t"'
    assert format_lexemes(b"\xc3") == r"b'\xc3'"
