"""A progress bar on standard error, where a person can see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from maskc.report.render import make_console


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[str, float], None] | None]:
    """Yield a function that takes what is being done and the fraction done, 0 to 1.

    It is ``None`` where standard error is not a terminal: nobody watches.
    """
    console = make_console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0)

        def update(what: str, fraction: float) -> None:
            bar.update(task, description=f"{title}: {what}", completed=fraction)

        yield update
