"""Texts to choose from on the command line: a file with one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from maskc.cli.input import read_input
from maskc.cli.saving import Saving, save_compiled
from maskc.cli.tokenizer import VocabularyOptions
from maskc.errors import UnreadableFileError
from maskc.files import read_bounded
from maskc.limits import Limits

if TYPE_CHECKING:
    from maskc.report.compile import Compilation

MAX_BYTES = 64_000_000


def compile_choices_file(
    path: str, options: VocabularyOptions, saving: Saving, limits: Limits
) -> Compilation:
    """Compile the choice of one line of a file, write the artifact, and return what it is.

    Args:
        path: of the file; ``-`` is standard input. Empty lines are left out.
        options: the tokenizer, and how its tokens are taken.
        saving: where the artifact goes.
        limits: what it may take.
    """
    from maskc.kit.artifacts import compile_choices

    name = "choices" if path == "-" else Path(path).name
    target = saving.place(Path(name).stem, options.name)
    saving.check(target)
    words = read_choices(path)
    vocabulary = options.load()
    return save_compiled(
        lambda: compile_choices(words, vocabulary, name=name), target, saving, limits
    )


def read_choices(path: str) -> list[str]:
    """Return the lines of a file that are not empty; ``-`` is standard input.

    Raises:
        ClickException: it cannot be read, is not UTF-8, or has no line.
    """
    try:
        data = read_input(MAX_BYTES, "file") if path == "-" else read_bounded(path, MAX_BYTES)
    except UnreadableFileError as error:
        raise click.ClickException(f"{path}: {error.reason}; give a file of texts") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise click.ClickException(f"{path}:{line}: is not UTF-8; save it as UTF-8") from None
    # Only line breaks end a line: a text may have any other character of Unicode.
    found = [line for line in text.replace("\r\n", "\n").split("\n") if line]
    if not found:
        raise click.ClickException(f"{path}: has no line with a text; write one a line")
    return found
