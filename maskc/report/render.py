"""The look of everything that is printed: consoles, tables, and numbers for a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

PIPE_WIDTH = 100


class _Console(Console):
    """A console whose reader may go away, which the command answers for, not Rich."""

    def on_broken_pipe(self) -> None:
        """Raise what is being handled; Rich would end the process with status 1."""
        raise BrokenPipeError


def make_console(*, stderr: bool = False) -> Console:
    """Return a console that prints names as they are: no markup, no emoji, no guessed colours."""
    stream = sys.stderr if stderr else sys.stdout
    return _Console(
        file=stream,
        markup=False,
        emoji=False,
        highlight=False,
        width=None if stream.isatty() else PIPE_WIDTH,
    )


def make_facts(facts: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and values, without lines; long values wrap."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    return table


def make_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Collection[str] = (),
) -> Table:
    """Return a table; ``numbers`` names the columns that line up on the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in numbers else "left",
            no_wrap=column in numbers,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def print_json(value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def make_bar(value: float, largest: float, width: int) -> str:
    """Return a bar of blocks for a value, to an eighth of a block; ``largest`` fills the width.

    >>> make_bar(8, 8, 4), make_bar(3, 8, 4), make_bar(0, 8, 4)
    ('████', '█▌', '')
    >>> make_bar(1, 1000, 4)  # something is not nothing
    '▏'
    """
    if value <= 0 or largest <= 0:
        return ""
    whole, eighths = divmod(max(1, round(8 * width * min(1, value / largest))), 8)
    return "█" * whole + "▏▎▍▌▋▊▉"[eighths - 1 : eighths] * bool(eighths)


def format_lexemes(lexemes: bytes) -> str:
    r"""Return lexemes as a literal: on one line, in quotes.

    >>> print(format_lexemes(bytes([97, 10])), format_lexemes(bytes([195])))
    'a\n' b'\xc3'
    """
    try:
        return repr(lexemes.decode())
    except UnicodeDecodeError:
        return repr(lexemes)


def format_count(number: int) -> str:
    """Return a whole number with its thousands apart.

    >>> format_count(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def format_size(n_bytes: int) -> str:
    """Return a size in bytes in the unit that suits it.

    >>> format_size(999), format_size(20_400_000)
    ('999 B', '20.40 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} B"
    value, unit = n_bytes / 1000, "kB"
    for larger in ("MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.2f} {unit}"


def format_seconds(seconds: float) -> str:
    """Return a duration in the unit that suits it.

    >>> format_seconds(0.0042), format_seconds(3.21), format_seconds(75)
    ('4.2 ms', '3.2 s', '1 min 15 s')
    """
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
