"""What ``maskc bench`` measured: the times, the floors, garbage collection, the slowest fills.

It reads the report as the plain dictionary that ``--json`` prints: see
:meth:`maskc.bench.model.BenchReport.to_dict`. Times are microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from maskc.report.render import format_count, make_console, make_facts, make_table

FIGURES = ("p50", "mean", "p90", "p99", "max")
PASSES = {"first": "cold, first 10,000 tokens", "cold": "cold", "warm": "warm"}
FLOORS = {
    "clock": "two readings of the clock",
    "hot": "copy one row",
    "in order": "copy the rows in order",
    "or of 50": "OR of 50 rows",
}


def print_bench(report: Mapping[str, Any]) -> None:
    """Print it on standard output."""
    console = make_console()
    console.print(make_facts(_list_facts(report)))
    columns = ("", *FIGURES)
    title = "Microseconds a token"
    console.print(make_table(f"\n{title}", columns, list_times(report), numbers=FIGURES))
    console.print(make_table("Floors", columns, list_floors(report), numbers=FIGURES))
    console.print("Garbage collection, which is off above", style="bold")
    console.print(make_facts(_list_collections(report)))
    console.print("\nThe slowest fills", style="bold")
    for number, slow in enumerate(report["slowest"], 1):
        times = f"cold {slow['cold_us']:,.1f}, warm {slow['warm_us']:,.1f}"
        console.print(Text(f"  {number}. {slow['file']}:{slow['line']}: {times}"))
        console.print(make_facts(_list_slow(slow)))


def list_times(report: Mapping[str, Any]) -> list[Sequence[str]]:
    """Return a row for each of fill, accept and step of each pass."""
    return [
        (f"{PASSES[name]}: {what}", *_format_figures(figures))
        for name, kinds in report["passes"].items()
        for what, figures in kinds.items()
    ]


def list_floors(report: Mapping[str, Any]) -> list[Sequence[str]]:
    """Return a row for each floor."""
    return [
        (FLOORS.get(name, name), *_format_figures(figures))
        for name, figures in report["floors"].items()
    ]


def _list_facts(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [
        ("artifact", report["artifact"]),
        ("tokenizer", f"{report['tokenizer']}, {format_count(report['vocab_size'])} ids"),
        ("documents", format_count(report["documents"])),
        ("tokens", format_count(report["tokens"])),
        ("distinct masks", format_count(report["masks"])),
    ]
    if report["skipped"]:
        facts.append(("skipped", f"{format_count(report['skipped'])} files that are no such text"))
    if report["refused"]:
        refused = f"{format_count(report['refused'])} documents, timed up to their illegal token"
        facts.append(("refused", refused))
    return facts


def _list_collections(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            f"  {name}",
            f"{format_count(c['n_runs'])} runs add {c['per_token_us']:.2f} to the mean step; "
            f"the longest takes {c['longest_us']:,.0f}",
        )
        for name, c in report["collections"].items()
    ]


def _list_slow(slow: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("    before", repr(slow["before"])),
        ("    token", repr(slow["token"])),
        ("    after", repr(slow["after"])),
    ]


def _format_figures(figures: Mapping[str, float]) -> list[str]:
    return [f"{figures[name]:,.2f}" if name in figures else "–" for name in FIGURES]
