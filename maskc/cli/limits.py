"""The options by which a command's bounds are raised."""

from __future__ import annotations

import click

from maskc.cli.options import SECONDS, gather
from maskc.limits import MEGABYTE, Limits

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
            type=SECONDS,
            default=_DEFAULT.seconds,
            metavar="SECONDS",
            help="Processor time that the grammar may take.",
            show_default=True,
        ),
        "memory_limit": click.option(
            "--memory-limit",
            type=click.IntRange(1),
            default=_DEFAULT.bytes // MEGABYTE,
            metavar="MB",
            help="Memory that the grammar may take.",
            show_default=True,
        ),
        "text_limit": click.option(
            "--text-limit",
            type=click.IntRange(1),
            default=_DEFAULT.text,
            metavar="CHARACTERS",
            help="Size of the grammar with what it imports.",
            show_default=True,
        ),
        "work_limit": click.option(
            "--work-limit",
            type=click.IntRange(1),
            default=_DEFAULT.work,
            metavar="SYMBOLS",
            help="Symbols in the rules, written out by Lark.",
            show_default=True,
        ),
    },
)

part_limit_option = click.option(
    "--part-limit",
    "part_seconds",
    type=SECONDS,
    default=300.0,
    metavar="SECONDS",
    help="Time that Lark may take for one part of the work: a file, or a few texts.",
)
