"""Tables of pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def format_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()
) -> list[str]:
    """Return a table in Markdown; a row with fewer cells is filled up, and numbers stand right."""
    rule = "|".join("---:" if column in numbers else "---" for column in columns)
    lines = [f"| {' | '.join(columns)} |", f"|{rule}|"]
    for row in rows:
        lines.append(f"| {' | '.join([*row, *[''] * (len(columns) - len(row))])} |")
    return lines
