"""Bars on a terminal, nothing elsewhere."""

import io

import pytest
from rich.console import Console

from maskc.cli import progress
from maskc.cli.progress import show_parts, show_progress


@pytest.fixture
def terminal(monkeypatch):
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    monkeypatch.setattr(progress, "make_console", lambda **_: console)
    return written


@pytest.mark.parametrize("show", [show_parts, show_progress])
def test_nobody_is_told_where_nobody_watches(show, capfd):
    with show("working") as update:
        assert update is None
    assert capfd.readouterr() == ("", "")


def test_there_is_a_bar_for_each_thing_and_one_for_all(terminal):
    with show_parts("working") as update:
        update("sawing", 3, 10)
        update("nailing", 0, 5)
        update("sawing", 4, 10)
    last = terminal.getvalue().split("working")[-1]
    assert "4/15" in last
    assert "4/10" in last.partition("sawing")[2]
    assert "0/5" in last.partition("nailing")[2]


def test_a_number_of_parts_can_change(terminal):
    with show_parts("working") as update:
        update("sawing", 0, 10)
        update("sawing", 3, 7)
    assert "3/7" in terminal.getvalue().split("sawing")[-1]
