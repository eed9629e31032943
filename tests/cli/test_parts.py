"""What commands share: options, limits, grammars, bars, signals, saving."""

import io
import os
import signal

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from maskc.cli.operands import LarkOptions
from maskc.cli.options import LIMITS, PART_LIMIT, gather
from maskc.cli.signals import Terminated, quit_at_once, raise_exceptions, status_of
from maskc.limits import MEGABYTE, Limits
from maskc.report import render
from maskc.report.render import show_parts, show_progress

OPTIONS = {"low": click.option("--low", default=1), "high": click.option("--high", default=9)}


def test_a_group_of_options_comes_as_one_value_and_stands_in_its_order_in_the_help():
    @click.command()
    @click.option("--first")
    @gather("bounds", lambda low, high: (low, high), OPTIONS)
    @click.option("--last")
    def command(first, bounds, last):
        click.echo(f"{first} {bounds} {last}")

    said = CliRunner().invoke(command, ["--high", "3", "--last", "x"]).output
    assert said == "None (1, 3) x\n"
    assert [option.name for option in command.params] == ["first", "low", "high", "last"]


@click.command()
@PART_LIMIT
@LIMITS
def show(part_seconds, limits):
    click.echo(f"{part_seconds:g} {limits.seconds:g} {limits.bytes} {limits.text} {limits.work}")


def shown(*arguments):
    return CliRunner().invoke(show, arguments)


def test_the_defaults_are_those_of_the_library_and_each_option_raises_one_bound():
    default = Limits()
    expected = f"300 {default.seconds:g} {default.bytes} {default.text} {default.work}\n"
    assert shown().output == expected
    options = ("--time-limit=1.5", "--memory-limit=2", "--text-limit=3", "--work-limit=4")
    assert shown(*options, "--part-limit=5").output == f"5 1.5 {2 * MEGABYTE} 3 4\n"
    for option in ("--time-limit", "--memory-limit", "--part-limit"):
        assert shown(f"{option}=0").exit_code == 2


@pytest.fixture
def terminal(monkeypatch):
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100)
    monkeypatch.setattr(render, "make_console", lambda **_: console)
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
        # Their number can change.
        update("nailing", 0, 4)
    last = terminal.getvalue().split("working")[-1]
    assert "4/14" in last
    assert "4/10" in last.partition("sawing")[2]
    assert "0/4" in last.partition("nailing")[2]


@pytest.fixture(autouse=True)
def handlers():
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_while_a_command_runs_both_signals_are_exceptions():
    raise_exceptions()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for listen in (raise_exceptions, quit_at_once):
        listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_before_and_after_a_command_an_interrupt_ends_the_process_with_a_line(capfd):
    pid = os.fork()
    if not pid:
        quit_at_once()
        signal.raise_signal(signal.SIGINT)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert capfd.readouterr().err == "maskc: interrupted\n"


@pytest.mark.parametrize(
    ("interrupt", "status", "told"),
    [(KeyboardInterrupt(), 130, "interrupted"), (Terminated(), 143, "terminated")],
)
def test_the_exit_status_says_which_it_was(capfd, interrupt, status, told):
    assert status_of(interrupt) == status
    assert capfd.readouterr().err == f"maskc: {told}\n"


TEXT = '// maskc: start=one\none: "1"\ntwo: "2"\n'


def test_terminals_are_narrowed_where_they_play_a_role():
    source = LarkOptions(terminal=("one.ONE=1+",)).load(TEXT)
    assert [(role.title, role.pattern) for role in source.roles] == [("one.ONE", "1+")]


def test_a_terminal_that_is_given_wins_over_the_style(tmp_path):
    style = tmp_path / "house.toml"
    style.write_text('[roles]\n"one.ONE" = "1"\n"two.TWO" = "2+"\n')
    source = LarkOptions(style=str(style), terminal=("one.ONE=1+",)).load(TEXT)
    assert [(role.title, role.pattern) for role in source.roles] == [
        ("one.ONE", "1+"),
        ("two.TWO", "2+"),
    ]


def test_options_are_given_if_one_of_them_is():
    assert LarkOptions(style="python").is_given
    assert LarkOptions(terminal=("one.ONE=1+",)).is_given
    assert not LarkOptions().is_given
    assert LarkOptions(lexer="basic").is_given
