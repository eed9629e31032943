"""Progress bars on standard error, where a person can see them: ``None`` where nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maskc.report.render import make_console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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
    """Yield a function that takes what is being done, how many parts are done, and of how many.

    There is a bar for each thing that is being done, and one for all.
    """
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
