"""Compile what a command was given, write the artifact, and say so: the same for all kinds.

Example: ``save_compiled(work, "tag.llama3.maskc", saving, limits)`` returns what was written.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import maskc
from maskc.artifact.files import check_writable
from maskc.artifact.model import Contents
from maskc.cli.options import gather
from maskc.limits import Limits
from maskc.runtime.borrowing import open_table
from maskc.work.alone import run_alone

if TYPE_CHECKING:
    from maskc.report.compile import Compilation


@dataclass(frozen=True, slots=True)
class Saving:
    """Where artifacts go, and how that is said.

    Attributes:
        output: where; ``None``: in this folder, named after the source and the tokenizer.
        kit: path of the kit to which they leave their vocabulary; ``None``: they have it.
        as_json: whether the report is JSON.
        verbose: whether it is all of the report.
        quiet: whether there is none.
    """

    output: str | None = None
    kit: str | None = None
    as_json: bool = False
    verbose: bool = False
    quiet: bool = False

    def place(self, stem: str, tokenizer: str) -> str:
        """Return where an artifact goes, by what source and tokenizer are called."""
        return self.output or f"{stem}.{tokenizer}.maskc"

    def check(self, target: str) -> None:
        """Check what can be told before any work: that the file can be written, the kit read.

        Raises:
            MaskcError: the file cannot be written, or the kit is none.
        """
        check_writable(target)
        if self.kit is not None:
            open_table(self.kit)


saving_options = gather(
    "saving",
    Saving,
    {
        "output": click.option(
            "-o",
            "--output",
            metavar="PATH",
            help="Default: GRAMMAR.TOKENIZER.maskc in this folder; regex.TOKENIZER.maskc with "
            "--regex.",
        ),
        "kit": click.option(
            "--kit",
            metavar="FILE",
            help="Leave the vocabulary to this kit, which must be there when the artifact is "
            "loaded.",
        ),
        "as_json": click.option(
            "--json", "as_json", is_flag=True, help="Print the report as JSON."
        ),
        "verbose": click.option(
            "-v", "--verbose", is_flag=True, help="Print what each pass cost and left."
        ),
        "quiet": click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
    },
)


def save_compiled(
    work: Callable[[], Contents], target: str, saving: Saving, limits: Limits
) -> Compilation:
    """Compile, write the artifact, and return what it is.

    Args:
        work: returns what is compiled.
        target: where the artifact goes.
        saving: whether a kit keeps its vocabulary.
        limits: what the work may take.
    """
    from maskc.report.compile import Compilation

    began = time.perf_counter()
    contents = run_alone(work, limits)
    seconds = time.perf_counter() - began
    maskc.Artifact(contents).save(target, kit=saving.kit)
    return Compilation(target, Path(target).stat().st_size, contents.header, seconds)
