"""How the results of a workload are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskc.bench.figures import FIGURES
from maskc.report.render import make_console, make_table

FLOOR = "in order"  # the masks of the pass are copied, one after the other
PASSES = {"first": "cold, first 10,000", "cold": "cold", "warm": "warm"}


def print_workload(name: str, report: Mapping[str, Any]) -> None:
    """Print the times of all engines, the ratios, and the floors."""
    console = make_console()
    console.print(f"{name}: {report['documents']} documents, {report['tokens']:,} tokens")
    console.print(f"  {report['about']}")
    compile_ = report["compile"]
    console.print(
        f"  maskc compiles it in {compile_['seconds']:.1f} s with {compile_['peak_mb']:,.0f} MiB, "
        f"to {compile_['mb']:.2f} MB"
    )
    for engine, found in report["engines"].items():
        console.print(f"  {_describe(engine, found, report)}")
    columns = ("microseconds", *FIGURES, "p50 ÷ floor", "× mean", "× p99")
    rows: list[Sequence[str]] = []
    floors = report["engines"]["maskc"].get("floors", {})
    floor = floors.get(FLOOR, {}).get("p50", 0.0)
    for engine, found in report["engines"].items():
        for which, kinds in found.get("passes", {}).items():
            if which == "first" and engine != "maskc":
                continue
            for what, figures in kinds.items():
                ratio = found["ratios"].get(which, {}).get(what, {})
                title = f"{engine} {PASSES[which]} {what}"
                rows.append(_row(title, engine, figures, ratio, floor))
    rows += [_row(f"floor: {name}", "maskc", found, {}, floor) for name, found in floors.items()]
    console.print(make_table("", columns, rows, numbers=columns[1:]))


def _row(
    title: str,
    engine: str,
    figures: Mapping[str, float],
    ratio: Mapping[str, float],
    floor: float,
) -> Sequence[str]:
    times = [f"{figures[figure]:,.2f}" if figure in figures else "–" for figure in FIGURES]
    # The median is what other work on the machine disturbs least: it compares two runs.
    times.append(f"{figures['p50'] / floor:,.2f}" if floor and "p50" in figures else "")
    shown = engine != "maskc"
    ratios = [f"{ratio[f]:,.1f}" if shown and f in ratio else "" for f in ("mean", "p99")]
    return (title, *times, *ratios)


def _describe(engine: str, found: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    if "failed" in found:
        return f"{engine} failed: {found['failed']}"
    text = f"{found['engine']}: loads in {found['load_ms']:,.1f} ms, {found['peak_mb']:,.0f} MiB"
    if found["refused"]:
        text += f"; refuses {found['refused']} of {found['begun']} documents"
    if found["out_of_time"]:
        text += f"; out of time after {found['tokens']:,} of {report['tokens']:,} tokens"
    if "masks" in found:
        text += f"; {found['masks']:,} distinct masks"
    for name, collected in found.get("collections", {}).items():
        text += (
            f"; garbage collection adds {collected['per_token_us']:.2f} us to a {name} step, "
            f"at most {collected['longest_us']:,.0f} us at once"
        )
    return text
