"""``maskc check``, ``explain``, ``generate``, ``play`` and ``bench``: texts of an artifact."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import click

import maskc
from maskc.bounded import run_dedicated
from maskc.cli import options as opt
from maskc.cli.input import read_input
from maskc.files import read_bounded
from maskc.limits import Limits
from maskc.report import Block, Facts, Lines, Report, Section, Table, format_count
from maskc.report.render import print_json, print_report

_MAX_BYTES = 64_000_000
_MOST_SHOWN = 12  # rules that no text holds
_DRAWN_LENGTH = 400  # of a text to time, in tokens or lexemes


@opt.command(
    "check",
    "Check files against an artifact.",
    click.argument("source", metavar="ARTIFACT|GRAMMAR"),
    opt.START,
    opt.RESOURCES,
    click.argument("files", nargs=-1, required=True, metavar="FILE..."),
    opt.json("Print the results as JSON."),
    opt.flag("-q", "Print nothing; the exit status tells the result.", "--quiet"),
    opt.LIMITS,
)
def check_command(
    source: str,
    start: str | None,
    resources: tuple[str, ...],
    files: tuple[str, ...],
    *,
    as_json: bool,
    quiet: bool,
    limits: Limits,
) -> opt.Outcome:
    """Check that ARTIFACT accepts each FILE; - is standard input.

    A grammar's file or name, or a file .schema.json, works in place of an artifact.
    For a wrong file, print FILE:LINE:COLUMN, the error and what was expected; the exit status is
    then 1. A line break at the end of a file is optional. The limits apply to each file.
    """
    if quiet and as_json:
        raise click.UsageError("Give --quiet or --json, not both.")
    from maskc.explain import find_problem
    from maskc.report.explain import report_files

    found = []
    with opt.open_source(source, start, resources, limits) as opened:
        for name in files:
            text = read_input(_MAX_BYTES, "text") if name == "-" else read_bounded(name, _MAX_BYTES)
            work = partial(find_problem, opened.artifact, text, opened.resources)
            found.append((name, run_dedicated(work, limits), text))
            if not as_json and not quiet:
                print_report(report_files(found[-1:]))
    n_wrong = sum(problem is not None for _, problem, _ in found)
    if as_json:
        print_json(report_files(found).data)
    elif not quiet:
        right = f"{format_count(len(files) - n_wrong)} of {format_count(len(files))}"
        click.echo(f"{right} files are right", err=True)
    return 1 if n_wrong else 0


@opt.command(
    "explain",
    "Explain which tokens are legal after a text, and why.",
    opt.SOURCED,
    opt.text("The text so far;"),
    opt.word("--token", "ID|TEXT", "Also explain whether this token is legal."),
    opt.flag("--heat", "Also show how many tokens were legal at each token of the text."),
    opt.flag("--all", "Show all legal tokens, not only the first of each terminal.", "show_all"),
    opt.LIMITS,
    as_json="Print everything as JSON.",
)
def explain_command(
    opened: opt.OpenedArtifact,
    *,
    text: bytes,
    token: str | None,
    heat: bool,
    show_all: bool,
    limits: Limits,
) -> opt.Outcome:
    r"""Explain which tokens ARTIFACT allows after a text, and why.

    --token takes an id or a text with Python's escapes. Digits are an id, in quotes a text; b'\xc3'
    is a token of bytes that are no characters.
    """
    from maskc.explain import measure_heat, parse_token
    from maskc.report.explain import MOST_TOKENS, report_explanation

    artifact, explain = opened.artifact, opened.kind.explain
    try:
        asked = parse_token(token) if token is not None else None
        explanation = run_dedicated(
            lambda: explain(artifact, text, asked, opened.resources), limits
        )
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    warmths = run_dedicated(lambda: measure_heat(artifact, text), limits) if heat else ()
    return report_explanation(explanation, warmths, None if show_all else MOST_TOKENS)


@opt.command(
    "generate",
    "Print random texts of a grammar.",
    click.argument("source", metavar="ARTIFACT|GRAMMAR"),
    opt.START,
    opt.RESOURCES,
    opt.count("--count", 1, "Number of texts."),
    opt.count("--max-tokens", 400, "Approximate maximum length; a lexeme counts as one."),
    opt.seed("Seed of the random choices."),
    opt.flag("--unreached", "Also list the alternatives of rules that no text used."),
    opt.json("Print them as JSON."),
    opt.PART_LIMIT,
    opt.LIMITS,
    defaults=True,
)
def generate_command(
    source: str,
    *,
    start: str | None,
    resources: tuple[str, ...],
    count: int,
    max_tokens: int,
    seed: int,
    unreached: bool,
    as_json: bool,
    part_seconds: float,
    limits: Limits,
) -> opt.Outcome:
    """Print random texts that the grammar of ARTIFACT accepts.

    A grammar's file or name, or a file .schema.json, works in place of an artifact.
    Texts are drawn by the rules of the grammar, each alternative in its turn. Each is printed
    exactly, in UTF-8 (of a grammar of bytes, its bytes), with a line break after it if it does not
    end in one. Exit status 1 if a text cannot be finished.
    """
    from maskc.verify.generation import DrawingProcess

    found = []
    with opt.open_source(source, start, resources, limits) as opened:
        if unreached and not opened.kind.has_rules:
            raise click.UsageError("--unreached is for grammars only; leave it out.")
        encoding = opened.kind.encoding(opened.artifact.header)
        with DrawingProcess(opened.path, opened.start, part_seconds, limits, source) as drawing:
            for text in drawing.draw(count, max_tokens, seed):
                found.append(text)
                if not as_json:
                    _write(text.text, encoding)
                if text.problem is not None:
                    click.echo(f"maskc: {source}: {text.problem}", err=True)
            rules = frozenset[int]().union(*(text.rules for text in found))
            others = drawing.list_unreached(rules) if unreached else None
    if as_json:
        print_json([text.to_dict() for text in found])
    if others is not None:
        click.echo(_say_reached(*others), err=True)
    return int(any(text.problem is not None for text in found))


def _say_reached(n_rules: int, others: tuple[str, ...]) -> str:
    said = f"{format_count(n_rules - len(others))} of {format_count(n_rules)} alternatives reached"
    if not others:
        return said
    shown = [f"\n  {rule}" for rule in others[:_MOST_SHOWN]]
    more = len(others) - _MOST_SHOWN
    return f"{said}; not:{''.join(shown)}" + (f"\n  and {more} more" if more > 0 else "")


def _write(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()


@opt.command(
    "play",
    "Try an artifact in the browser.",
    opt.SOURCED,
    click.option(
        "--port",
        type=click.IntRange(0, 65_535),
        default=0,
        metavar="N",
        help="Port; default: a free one.",
    ),
    opt.flag("--no-browser", "Only print the address of the page."),
)
def play_command(opened: opt.OpenedArtifact, *, port: int, no_browser: bool) -> None:
    """Serve a page to try ARTIFACT in the browser; Ctrl-C ends it.

    While you type, the page shows which tokens may come next, by terminal, how many were legal at
    each position so far, and where and why a text becomes illegal. The page is served on this
    machine only, and loads nothing from elsewhere.
    """
    import webbrowser

    from maskc.play import PlayServer, answer

    header = opened.artifact.header
    title = f"{header['grammar']['name']} for {header['tokenizer']['name']}"
    give = partial(answer, opened.artifact, resources=opened.resources)
    with PlayServer(give, title, port) as server:
        click.echo(f"{server.url} (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(server.url)
        server.serve_forever()


@opt.command(
    "bench",
    "Time an artifact on texts.",
    click.argument("artifact"),
    opt.CORPUS,
    # The defaults are those of BenchOptions, which a test compares: importing it loads Lark.
    opt.count("--files", 60, "Files to walk, or texts to draw."),
    opt.count("--max-bytes", 100_000, "Maximum size of a file."),
    opt.FOUND_TOKENIZER,
    opt.PART_LIMIT,
    opt.LIMITS,
    as_json="Print the report as JSON.",
    defaults=True,
)
def bench_command(
    artifact: str,
    corpus: tuple[str, ...],
    files: int,
    max_bytes: int,
    tokenizer: str | None,
    part_seconds: float,
    limits: Limits,
) -> opt.Outcome:
    """Measure ARTIFACT on texts, token by token, beside the cost of copying the same masks.

    fill writes a mask, accept takes the next token, step is both. cold is the first pass after
    loading, warm the second. Garbage collection is off; its cost is reported separately.
    """
    from maskc.bench import BenchOptions, run_bench
    from maskc.cli.operands import check_tokenizer
    from maskc.verify.generation import DrawingProcess

    # No progress bar: its thread would be in the times.
    options = BenchOptions(files=files, max_bytes=max_bytes, tokenizer=tokenizer)
    loaded = maskc.load(artifact)
    if tokenizer is not None:
        check_tokenizer(artifact, loaded, tokenizer)
    drawn: list[str] = []
    if not corpus:
        with DrawingProcess(artifact, None, part_seconds, limits) as drawing:
            texts = drawing.draw(files, _DRAWN_LENGTH, seed=0)
            drawn = [text.text for text in texts if text.problem is None]
    return report_bench(run_bench(artifact, corpus, options, drawn))


_FIGURES = ("p50", "mean", "p90", "p99", "max")
_COLUMNS = ("", *_FIGURES)
_PASSES = {"first": "cold, first 10,000 tokens", "cold": "cold", "warm": "warm"}
_FLOORS = {
    "clock": "two readings of the clock",
    "hot": "copy one row",
    "in order": "copy the rows in order",
    "or of 50": "OR of 50 rows",
}


def report_bench(measured: Mapping[str, Any]) -> Report:
    return Report(measured, _list_blocks(measured))


def _list_blocks(measured: Mapping[str, Any]) -> Iterator[Block | Section]:
    yield Facts(_list_facts(measured))
    times = {
        f"{_PASSES[name]}: {what}": figures
        for name, kinds in measured["passes"].items()
        for what, figures in kinds.items()
    }
    yield _tabulate("\nMicroseconds a token", times)
    floors = {_FLOORS.get(name, name): figures for name, figures in measured["floors"].items()}
    yield _tabulate("Floors", floors)
    collections = [
        (
            f"  {name}",
            f"{format_count(c['n_runs'])} runs add {c['per_token_us']:.2f} to the mean step; "
            f"the longest takes {c['longest_us']:,.0f}",
        )
        for name, c in measured["collections"].items()
    ]
    yield Section("Garbage collection, which is off above", [Facts(collections)])
    slowest: list[Block] = []
    for number, slow in enumerate(measured["slowest"], 1):
        times_of = f"cold {slow['cold_us']:,.1f}, warm {slow['warm_us']:,.1f}"
        slowest.append(Lines([f"  {number}. {slow['file']}:{slow['line']}: {times_of}"]))
        parts = ("before", "token", "after")
        slowest.append(Facts([(f"    {part}", repr(slow[part])) for part in parts]))
    yield Section("The slowest fills", slowest)


def _tabulate(title: str, times: Mapping[str, Mapping[str, float]]) -> Table:
    rows = [
        (what, *(f"{figures[f]:,.2f}" if f in figures else "–" for f in _FIGURES))
        for what, figures in times.items()
    ]
    return Table(title, _COLUMNS, rows, _FIGURES)


def _list_facts(measured: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [
        ("artifact", measured["artifact"]),
        ("tokenizer", f"{measured['tokenizer']}, {format_count(measured['vocab_size'])} ids"),
        ("documents", format_count(measured["documents"])),
        ("tokens", format_count(measured["tokens"])),
        ("distinct masks", format_count(measured["masks"])),
    ]
    skipped, refused = format_count(measured["skipped"]), format_count(measured["refused"])
    if measured["skipped"]:
        facts.append(("skipped", f"{skipped} files that are not texts of the grammar"))
    if measured["refused"]:
        facts.append(("refused", f"{refused} documents, timed up to their illegal token"))
    return facts
