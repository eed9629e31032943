"""Options that are written once and come as one argument."""

import click
from click.testing import CliRunner

from maskc.cli.options import gather

OPTIONS = {"low": click.option("--low", default=1), "high": click.option("--high", default=9)}


def test_a_group_of_options_comes_as_one_value():
    @click.command()
    @gather("bounds", lambda low, high: (low, high), OPTIONS)
    @click.option("--name")
    def command(bounds, name):
        click.echo(f"{bounds} {name}")

    assert CliRunner().invoke(command, ["--high", "3", "--name", "x"]).output == "(1, 3) x\n"


def test_options_stand_in_the_help_in_the_order_of_the_group():
    @click.command()
    @click.option("--first")
    @gather("bounds", dict, OPTIONS)
    @click.option("--last")
    def command(first, bounds, last):
        """Nothing."""

    assert [option.name for option in command.params] == ["first", "low", "high", "last"]
