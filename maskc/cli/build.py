"""``maskc build``: the artifacts that a ``maskc.toml`` asks for, those that are out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from maskc.build.config import load_config
from maskc.cli.options import executor_option, jobs_option, json_option
from maskc.cli.progress import show_parts
from maskc.report.formats import format_count, format_size
from maskc.report.render import print_json

if TYPE_CHECKING:
    from maskc.build.building import BuildReport


def _read_shard(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Return the number of a part, from 1, and how many there are."""
    number, slash, n_shards = value.partition("/")
    if not slash or not number.isdecimal() or not n_shards.isdecimal():
        raise click.BadParameter(f"{value!r} is not of the form I/N, as 1/4", context, parameter)
    if not 1 <= int(number) <= int(n_shards):
        reason = f"{value!r}: there is no such part; write I/N with I from 1 to N"
        raise click.BadParameter(reason, context, parameter)
    return int(number), int(n_shards)


@click.command("build", short_help="Make the artifacts of a maskc.toml.")
@click.argument("config", default="maskc.toml")
@click.option("--check", is_flag=True, help="Make nothing; exit status 1 if something is old.")
@click.option(
    "--shard",
    callback=_read_shard,
    default="1/1",
    metavar="I/N",
    help="Make the I-th of N parts; each file is in one part. For several machines.",
)
@jobs_option("Processes; the files do not depend on it.")
@executor_option
@json_option("Print what was done as JSON.")
def build_command(
    config: str,
    *,
    check: bool,
    shard: tuple[int, int],
    jobs: int,
    executor: str | None,
    as_json: bool,
) -> None:
    """Make the artifacts that CONFIG asks for, where they are out of date.

    CONFIG names grammars and tokenizers; it is maskc.toml of this folder by default. An artifact is
    out of date if its grammar, a text that this imports, a setting, the tokenizer or the version of
    maskc has changed, or if its file was damaged. manifest.json lists what was built.
    """
    from maskc.build.building import check_build, run_build

    wanted = load_config(config)
    context = click.get_current_context()
    if check:
        report = check_build(wanted, shard)
        if as_json:
            print_json(report.to_dict())
        else:
            _show_check(report)
        context.exit(1 if report.out_of_date else 0)
    with show_parts("building") as bar:

        def progress(file: str, n_done: int, n_files: int) -> None:
            if bar is not None:
                bar("files", n_done, n_files)
            elif not as_json:
                click.echo(f"{n_done}/{n_files} {file}")

        report = run_build(wanted, shard=shard, jobs=jobs, executor=executor, progress=progress)
    if as_json:
        print_json(report.to_dict())
    else:
        _show_build(report, str(wanted.output))
    for file, error in report.failed.items():
        click.echo(f"maskc: {file}: {' '.join(str(error).split())}", err=True)
    context.exit(2 if report.failed else 0)


def _show_check(report: BuildReport) -> None:
    for file, reason in report.out_of_date.items():
        click.echo(f"{file}: {reason}")
    _show_left_over(report)
    n_old, n_current = len(report.out_of_date), len(report.current)
    click.echo(f"{format_count(n_old)} out of date, {format_count(n_current)} up to date")


def _show_build(report: BuildReport, output: str) -> None:
    for file, n_bytes in sorted(report.built.items()):
        click.echo(f"{file}: {format_size(n_bytes)}; {report.out_of_date[file]}")
    _show_left_over(report)
    counts = (len(report.built), len(report.current), len(report.failed))
    built, current, failed = map(format_count, counts)
    click.echo(f"{output}: {built} built, {current} up to date, {failed} failed")


def _show_left_over(report: BuildReport) -> None:
    for file in report.left_over:
        click.echo(f"{file}: nothing asks for it any more; delete it")
