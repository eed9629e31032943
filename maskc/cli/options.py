"""Options that several commands take, each written once.

What belongs together comes as one argument: :func:`gather` gives a command a group of options and
hands it the value that they make, for instance ``limits`` of ``--time-limit`` and its like.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import click

Command = Callable[..., None]
Decorator = Callable[[Command], Command]


class _Seconds(click.FloatRange):
    """More than no seconds."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; what is none compares with no bound."""
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return found


SECONDS = _Seconds()


def gather(name: str, make: Callable[..., object], options: Mapping[str, Decorator]) -> Decorator:
    """Return a decorator that gives a command options, and their values as one argument.

    Args:
        name: of that argument.
        make: called with the options' values, by their names; returns the argument.
        options: ``click.option`` decorators by the names of their values, in the order of the help.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gathered(**values: Any) -> None:
            made = make(**{option: values.pop(option) for option in options})
            command(**{name: made}, **values)

        decorated: Command = gathered
        for option in reversed([*options.values()]):
            decorated = option(decorated)
        return decorated

    return decorate


def json_option(what: str = "Print the report as JSON.") -> Decorator:
    """Return the option by which a program reads what a command prints."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def tokenizer_option(what: str) -> Decorator:
    """Return the option that names a tokenizer; the text says what for."""
    return click.option("--tokenizer", metavar="NAME|PATH", help=what)


# Where an artifact names its tokenizer, and the name is of another machine.
found_tokenizer_option = tokenizer_option(
    "Where the tokenizer is, if the artifact's name for it does not find it."
)

corpus_option = click.option(
    "--corpus",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A file or a folder of texts; can be repeated.",
)

start_option = click.option(
    "--start", metavar="RULE", help="One of the artifact's start symbols; default: its first."
)

vocab_size_option = click.option(
    "--vocab-size", type=click.IntRange(1), metavar="N", help="The model's padded vocabulary size."
)

MOST_JOBS = 8  # each process holds Lark's parser, the tokenizer, and masks


def jobs_option(what: str) -> Decorator:
    """Return the option that says how many processes there are; the text says what for."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=None,
        metavar="N",
        show_default=f"one for each core, at most {MOST_JOBS}",
        help=what,
    )


def choose_jobs(given: int | None) -> int:
    """Return how many processes there are: as many as given, else one for each core."""
    if hasattr(os, "sched_getaffinity"):
        n_cores = len(os.sched_getaffinity(0))
    else:
        n_cores = os.cpu_count() or 1
    return given or min(n_cores, MOST_JOBS)


executor_option = click.option(
    "--executor",
    metavar="MODULE:NAME",
    help="A function that returns a concurrent.futures.Executor, to be used in the place of "
    "processes of this machine.",
)
