"""``maskc build``, ``kit`` and ``spelling``: files for many constraints, made ahead.

``build`` makes the artifacts that a ``maskc.toml`` asks for, those that are out of date; the others
a tokenizer's part of every constraint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.build.config import load_config
from maskc.cli import options as opt
from maskc.cli.operands import VocabularyOptions, vocabulary_options
from maskc.files import check_writable
from maskc.report import (
    Fact,
    Facts,
    Lines,
    Report,
    format_count,
    format_file,
    format_seconds,
    format_size,
)
from maskc.report.compile import describe_added
from maskc.report.render import show, show_parts
from maskc.vocab.registry import format_name

if TYPE_CHECKING:
    from maskc.build.building import BuildReport

_WRITTEN = "Print the result as JSON."


def _read_shard(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Return the number of a part, from 1, and how many there are."""
    number, slash, n_shards = value.partition("/")
    if not slash or not number.isdecimal() or not n_shards.isdecimal():
        raise click.BadParameter(
            f"{value!r} is not of the form I/N, such as 1/4", context, parameter
        )
    if not 1 <= int(number) <= int(n_shards):
        reason = f"{value!r}: no such part; write I/N with I from 1 to N"
        raise click.BadParameter(reason, context, parameter)
    return int(number), int(n_shards)


@opt.command(
    "build",
    "Build the artifacts of a maskc.toml.",
    click.argument("config", default="maskc.toml"),
    opt.flag("--check", "Build nothing; exit status 1 if an artifact is out of date."),
    click.option(
        "--shard",
        callback=_read_shard,
        default="1/1",
        metavar="I/N",
        help="Build part I of N, for several machines.",
    ),
    opt.jobs("Number of processes; the files do not depend on it."),
    opt.EXECUTOR,
    opt.json("Print the result as JSON."),
)
def build_command(
    config: str,
    *,
    check: bool,
    shard: tuple[int, int],
    jobs: int,
    executor: str | None,
    as_json: bool,
) -> opt.Outcome:
    """Build the artifacts of CONFIG that are out of date.

    CONFIG lists grammars and tokenizers; default: maskc.toml in this folder. An artifact is out of
    date if its grammar, an imported text, a setting, the tokenizer or the version of maskc has
    changed, or if its file was damaged. manifest.json lists all artifacts.
    """
    from maskc.build.building import check_build, run_build

    wanted = load_config(config)
    if check:
        report = check_build(wanted, shard)
        show(Report(report.to_dict(), [Lines(_say_check(report))]), as_json=as_json)
        return 1 if report.out_of_date else 0
    with show_parts("building") as bar:

        def progress(file: str, n_done: int, n_files: int) -> None:
            if bar is not None:
                bar("files", n_done, n_files)
            elif not as_json:
                click.echo(f"{n_done}/{n_files} {file}")

        report = run_build(wanted, shard=shard, jobs=jobs, executor=executor, progress=progress)
    said = Lines(_say_build(report, str(wanted.output)))
    show(Report(report.to_dict(), [said]), as_json=as_json)
    for file, error in report.failed.items():
        click.echo(f"maskc: {file}: {' '.join(str(error).split())}", err=True)
    return 2 if report.failed else 0


def _say_check(report: BuildReport) -> Iterator[str]:
    yield from (f"{file}: {reason}" for file, reason in report.out_of_date.items())
    yield from _say_left_over(report)
    n_old, n_current = len(report.out_of_date), len(report.current)
    yield f"{format_count(n_old)} out of date, {format_count(n_current)} up to date"


def _say_build(report: BuildReport, output: str) -> Iterator[str]:
    for file, n_bytes in sorted(report.built.items()):
        yield f"{file}: {format_size(n_bytes)}; {report.out_of_date[file]}"
    yield from _say_left_over(report)
    counts = (len(report.built), len(report.current), len(report.failed))
    built, current, failed = map(format_count, counts)
    yield f"{output}: {built} built, {current} up to date, {failed} failed"


def _say_left_over(report: BuildReport) -> Iterator[str]:
    for file in report.left_over:
        yield f"{file}: maskc.toml no longer lists it; delete it"


@opt.command(
    "kit",
    "Write the kit of a tokenizer, for constraints of requests.",
    vocabulary_options,
    opt.word("--output", "FILE", "Output file.  [default: NAME.kit]", "-o"),
    as_json=_WRITTEN,
)
def kit_command(vocabulary: VocabularyOptions, output: str | None) -> opt.Outcome:
    """Write the kit of a tokenizer: a file with everything that depends only on the tokenizer.

    A server loads the kit with maskc.load_kit and compiles the constraints of requests with it:
    JSON Schemas, choices, patterns, grammars, tools, artifacts, and sequences and repetitions of
    these.
    """
    from maskc.kit.file import make_kit, save_kit

    target = output or f"{vocabulary.name}.kit"
    check_writable(target)
    found = vocabulary.load()

    def write() -> tuple[int, Mapping[str, Any], list[Fact]]:
        kit, added = make_kit(found), found.describe_added()
        facts = [
            ("tokenizer", found.name),
            ("vocabulary", f"{format_count(kit.vocab_size)} ids"),
            *describe_added(added),
            ("fingerprint", kit.fingerprint),
        ]
        of_kit = {"vocab_size": kit.vocab_size, "fingerprint": kit.fingerprint, **added}
        return save_kit(kit, target), of_kit, facts

    return _report("kit", target, write)


@opt.command(
    "spelling",
    "Write the tables for canonical tokens of a tokenizer.",
    opt.word("--tokenizer", "NAME", "Name or path, as for compile.", "-t", required=True),
    opt.word("--output", "FILE", "Output file.  [default: NAME.spelling]", "-o"),
    as_json=_WRITTEN,
)
def spelling_command(tokenizer: str, output: str | None) -> opt.Outcome:
    """Write tables that tell which token sequences a tokenizer produces.

    With them, maskc.canonical makes matchers that allow only the tokens that the tokenizer itself
    would write. This takes some seconds.
    """
    target = output or f"{format_name(tokenizer).replace('/', '-')}.spelling"
    check_writable(target)

    def write() -> tuple[int, Mapping[str, Any], list[Fact]]:
        spelling = maskc.compile_spelling(tokenizer)
        counts = spelling.count()
        facts = [
            ("tokenizer", format_name(tokenizer)),
            ("merges", format_count(counts["n_merges"])),
            ("nodes of the chunk automaton", format_count(counts["n_nodes"])),
            ("canonical tokens", format_count(counts["n_written"])),
            ("of these only as whole chunks", format_count(counts["n_alone"])),
        ]
        return spelling.save(target), counts, facts

    return _report("spelling", target, write)


def _report(
    what: str, target: str, write: Callable[[], tuple[int, Mapping[str, Any], list[Fact]]]
) -> Report:
    began = time.perf_counter()
    n_bytes, more, facts = write()
    seconds = time.perf_counter() - began
    shown = Facts([(what, target), ("size", format_file(n_bytes)), *facts])
    data = {"path": target, "n_bytes": n_bytes, "seconds": seconds, **more}
    return Report(data, [shown, Lines([f"in {format_seconds(seconds)}"])])
