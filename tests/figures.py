"""How a page says the figures of a row of ``docs/figures.json``: between marks, and not by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MARK = "figures of {}"


def flatten(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """Yield figures under the names of what holds them."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{before}{name}: ")
        else:
            yield f"{before}{name}", value


def format_figures(row: Mapping[str, Any]) -> list[str]:
    """Return where the figures of a row come from, and their table."""
    source = (
        f"`{row['command']}` at {row['commit']}, {row['date']}: {row['machine']}; {row['runtime']}"
    )
    lines = [
        f"| {what} | {value:,} |" if isinstance(value, int) else f"| {what} | {value:,.4g} |"
        for what, value in flatten(row["figures"])
    ]
    return ["", f"{source}.", "", "| | |", "|---|---:|", *lines, ""]
