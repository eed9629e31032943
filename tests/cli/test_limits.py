import resource

import click
import pytest
from click.testing import CliRunner

from maskc.cli.limits import limit_options, part_limit_option, run_alone
from maskc.errors import LimitError
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


def test_the_address_space_is_bounded_while_the_work_goes_on():
    before = resource.getrlimit(resource.RLIMIT_AS)
    inside = run_alone(lambda: resource.getrlimit(resource.RLIMIT_AS), Limits())
    assert inside[0] != before[0]
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_one_allocation_beyond_the_bound_fails_at_once():
    with pytest.raises(LimitError, match="MB of memory"):
        run_alone(lambda: bytearray(1 << 40), Limits(bytes=100 * MEGABYTE))
