"""The options by which a command's bounds are raised, and the system's own bound on memory.

A command has its process to itself. So, as well as the budget, the address space is bounded while a
grammar is worked on: a single allocation in C that would go beyond the limit fails at once.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from maskc.budget import run_bounded
from maskc.cli.options import gather
from maskc.limits import MEGABYTE, Limits

T = TypeVar("T")

_DEFAULT = Limits()


def _make_limits(
    *, time_limit: float, memory_limit: int, text_limit: int, work_limit: int
) -> Limits:
    return Limits(
        seconds=time_limit, bytes=memory_limit * MEGABYTE, text=text_limit, work=work_limit
    )


# The limits of a command; they come as its argument ``limits``.
limit_options = gather(
    "limits",
    _make_limits,
    {
        "time_limit": click.option(
            "--time-limit",
            type=click.FloatRange(0, min_open=True),
            default=_DEFAULT.seconds,
            metavar="SECONDS",
            help=f"Processor time that the grammar may take.  [default: {_DEFAULT.seconds:g}]",
        ),
        "memory_limit": click.option(
            "--memory-limit",
            type=click.IntRange(1),
            default=_DEFAULT.bytes // MEGABYTE,
            metavar="MB",
            help=f"Memory that the grammar may take.  [default: {_DEFAULT.bytes // MEGABYTE}]",
        ),
        "text_limit": click.option(
            "--text-limit",
            type=click.IntRange(1),
            default=_DEFAULT.text,
            metavar="CHARACTERS",
            help=f"Size of the grammar with what it imports.  [default: {_DEFAULT.text}]",
        ),
        "work_limit": click.option(
            "--work-limit",
            type=click.IntRange(1),
            default=_DEFAULT.work,
            metavar="SYMBOLS",
            help=f"Symbols in the rules, written out by Lark.  [default: {_DEFAULT.work}]",
        ),
    },
)

part_limit_option = click.option(
    "--part-limit",
    "part_seconds",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="Time that Lark may take for one part of the work: a file, or a few texts.",
)


def run_alone(work: Callable[[], T], limits: Limits) -> T:
    """Return what the work returns; the process does nothing else meanwhile.

    Raises:
        LimitError: a limit was reached.
    """

    def bounded() -> T:
        with _bound_address_space(limits.bytes):
            return work()

    return run_bounded(bounded, limits)


@contextmanager
def _bound_address_space(n_bytes: int) -> Iterator[None]:
    try:
        with open("/proc/self/statm", "rb") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [bound for bound in before if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([taken + n_bytes, *bounds]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
