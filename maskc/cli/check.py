"""``maskc check``: are these files texts of a grammar?"""

from __future__ import annotations

from functools import partial

import click

from maskc.cli.input import read_input
from maskc.cli.options import Opened, json_option, limit_options, sourced_artifact_options
from maskc.files import read_bounded
from maskc.limits import Limits
from maskc.report.render import format_count, print_json
from maskc.work.alone import run_alone

MAX_BYTES = 64_000_000


@click.command("check", short_help="Are these files texts of a grammar?")
@sourced_artifact_options
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@json_option("Print the results as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status says it.")
@limit_options
def check_command(
    opened: Opened, files: tuple[str, ...], *, as_json: bool, quiet: bool, limits: Limits
) -> None:
    """Check that each FILE is a text that the masks of ARTIFACT allow; - is standard input.

    Where one is not, prints FILE:LINE:COLUMN, what is wrong there and what was expected. A line
    break at the end of a file may be there or not. Exit status 1 if a file is wrong. The limits
    are those of one file.
    """
    if quiet and as_json:
        raise click.UsageError("Print one of --quiet and --json.")
    from maskc.explain.checking import find_problem
    from maskc.report.check import say_problem, to_dict

    found, n_wrong = [], 0
    for name in files:
        text = read_input(MAX_BYTES, "text") if name == "-" else read_bounded(name, MAX_BYTES)
        work = partial(find_problem, opened.artifact, text, opened.resources)
        problem = run_alone(work, limits)
        n_wrong += problem is not None
        if as_json:
            found.append(to_dict(name, problem, text))
        elif problem is not None and not quiet:
            click.echo(say_problem(name, problem, text))
    if as_json:
        print_json(found)
    elif not quiet:
        right = f"{format_count(len(files) - n_wrong)} of {format_count(len(files))}"
        click.echo(f"{right} files are right", err=True)
    click.get_current_context().exit(1 if n_wrong else 0)
