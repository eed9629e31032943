"""Compile what a file holds, write the artifact, and say so: the same for schemas, tags and tools.

Example: ``save_compiled(work, "tag.llama3.maskc", print_link, …)`` prints the artifact's size.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import maskc
from maskc.artifact.files import check_writable
from maskc.artifact.model import Contents
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.runtime.borrowing import open_table
from maskc.work.alone import run_alone


class Show(Protocol):
    """Prints what was written, for people."""

    def __call__(self, path: str, n_bytes: int, header: dict[str, Any], *, seconds: float) -> None:
        """Print it."""


def check_target(target: str, kit: str | None) -> None:
    """Check what can be told before any work: that the artifact can be written, and its kit read.

    Args:
        target: where the artifact goes.
        kit: path of the kit to which it leaves its vocabulary; ``None``: it has it.

    Raises:
        MaskcError: the file cannot be written, or the kit is none.
    """
    check_writable(target)
    if kit is not None:
        open_table(kit)


def save_compiled(
    work: Callable[[], Contents],
    target: str,
    show: Show,
    *,
    kit: str | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Compile, write the artifact and report.

    Args:
        work: returns what is compiled.
        target: where the artifact goes.
        show: prints the report, unless it is JSON.
        kit: see :func:`check_target`.
        as_json: whether the report is JSON.
        limits: what the work may take.
    """
    began = time.perf_counter()
    contents = run_alone(work, limits)
    seconds = time.perf_counter() - began
    maskc.Artifact(contents).save(target, kit=kit)
    n_bytes = Path(target).stat().st_size
    if as_json:
        print_json({"path": target, "n_bytes": n_bytes, "seconds": seconds})
    else:
        show(target, n_bytes, contents.header, seconds=seconds)
