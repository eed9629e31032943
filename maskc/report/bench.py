"""What ``maskc bench`` measured: the times, the floors, garbage collection, the slowest fills.

It reads what :func:`maskc.bench.run_bench` returns. Times are microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from maskc.report.formats import format_count
from maskc.report.model import Block, Facts, Lines, Report, Section, Table

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
