"""The renderers of a report for a terminal, by rich, and for a program, as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from maskc.report import (
    Block,
    Facts,
    Heat,
    Lines,
    Report,
    Section,
    Table,
    format_count,
    make_bar,
    show_token,
    warmth_of,
)

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PIPE_WIDTH = 100
_BAR_WIDTH = 30
# Background of a token, by how many tokens were legal there.
_STYLES = ("", "on grey23", "on navy_blue", "on dark_blue", "on blue3", "on dodger_blue3")


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


def show(report: Report, *, as_json: bool = False) -> None:
    """Print a report on standard output."""
    if as_json:
        print_json(report.data)
    else:
        print_report(report)


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def print_report(report: Report) -> None:
    """Print a report for a person on standard output."""
    console, is_first = make_console(), True
    for block in report.blocks:
        if not isinstance(block, Section):
            _print(console, render_block(block))
            is_first = False
            continue
        inner = [shown for part in block.blocks for shown in render_block(part)]
        if inner:
            _print(console, [*[Text()] * (not is_first), Text(block.title, "bold"), *inner])
            is_first = False


def _print(console: Console, shown: Any) -> None:
    for one in shown:
        console.print(one, soft_wrap=isinstance(one, Text))


def render_block(block: Block) -> Iterator[RenderableType]:
    match block:
        case Lines():
            for line in block.lines:
                yield Text(line) if isinstance(line, str) else Text.assemble(*line)
        case Facts():
            yield make_facts(block)
        case Table() if not block.fold:
            yield make_table(block)
        case Heat():
            yield Text("Tokens of the text, each with the number of tokens that were legal there")
            shown = Text("  ")
            for token, n_legal in block.tokens:
                shown.append(show_token(token), _STYLES[warmth_of(n_legal)])
                shown.append(f"{format_count(n_legal)} ", "dim")
            yield shown


def make_facts(facts: Facts) -> RichTable:
    table = RichTable.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.pairs:
        table.add_row(Text(name), Text(value))
    return table


def make_table(table: Table) -> RichTable:
    shown = RichTable(
        title=table.title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    kept = [n for n, name in enumerate(table.columns) if name not in table.of_page]
    for number in kept:
        name = table.columns[number]
        is_number = name in table.numbers
        justify: Any = "right" if is_number else "left"
        shown.add_column(name, justify=justify, no_wrap=is_number, overflow="fold")
    if table.bars:
        shown.add_column("")
    largest = max((bar.value for bar in table.bars), default=0)
    for number, row in enumerate(table.rows[: table.most]):
        cells = [Text(str(row[n])) for n in kept]
        if table.bars:
            cells.append(Text(make_bar(table.bars[number].value, largest, _BAR_WIDTH)))
        shown.add_row(*cells)
    return shown


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[str, float], None] | None]:
    """Yield a function that takes what is being done and the fraction done, 0 to 1."""
    with _open_bars(counts_parts=False) as bars:
        if bars is None:
            yield None
            return
        task = bars.add_task(title, total=1.0)
        yield lambda what, fraction: bars.update(
            task, description=f"{title}: {what}", completed=fraction
        )


@contextmanager
def show_parts(title: str) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a function that takes what is done, how many parts of it are, and of how many."""
    with _open_bars(counts_parts=True) as bars:
        if bars is None:
            yield None
            return
        everything = bars.add_task(title, total=0)
        tasks: dict[str, TaskID] = {}
        counts: dict[str, tuple[int, int]] = {}

        def update(what: str, n_done: int, n_parts: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(f"  {what}", total=n_parts)
            bars.update(tasks[what], completed=n_done, total=n_parts)
            counts[what] = (n_done, n_parts)
            done, parts = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
            bars.update(everything, completed=done, total=parts)

        yield update


@contextmanager
def _open_bars(*, counts_parts: bool) -> Iterator[Progress | None]:
    console = make_console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    count = [MofNCompleteColumn()] * counts_parts
    columns = (TextColumn("{task.description}"), BarColumn(), *count, TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        yield bars
