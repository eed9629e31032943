import click
import pytest
from click.testing import CliRunner

from maskc.cli.limits import limit_options, part_limit_option
from maskc.limits import MEGABYTE, Limits


@click.command()
@part_limit_option
@limit_options
def show(part_seconds, limits):
    click.echo(f"{part_seconds:g} {limits.seconds:g} {limits.bytes} {limits.text} {limits.work}")


def shown(*arguments):
    return CliRunner().invoke(show, arguments)


def test_the_defaults_are_those_of_the_library():
    default = Limits()
    expected = f"300 {default.seconds:g} {default.bytes} {default.text} {default.work}\n"
    assert shown().output == expected


def test_each_option_raises_one_bound():
    options = ("--time-limit=1.5", "--memory-limit=2", "--text-limit=3", "--work-limit=4")
    assert shown(*options, "--part-limit=5").output == f"5 1.5 {2 * MEGABYTE} 3 4\n"


@pytest.mark.parametrize("option", ["--time-limit", "--memory-limit", "--part-limit"])
def test_a_bound_of_nothing_is_refused(option):
    assert shown(f"{option}=0").exit_code == 2


@pytest.mark.parametrize("seconds", ["nan", "-nan", "-inf", "0", "x", ""])
@pytest.mark.parametrize("option", ["--time-limit", "--part-limit"])
def test_what_is_no_number_of_seconds_is_refused(refusal, artifact, option, seconds):
    assert option in refusal("generate", artifact, option, seconds)
