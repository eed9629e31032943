"""What comes through standard input, which commands call ``-``.

Example: ``printf '[1' | maskc explain json.llama3.maskc --text -``.
"""

from __future__ import annotations

import sys

import click

from maskc.cli.options import Decorator

_MAX_TEXT_BYTES = 1 << 20


def read_input(most_bytes: int, what: str) -> bytes:
    """Return what standard input holds, which is called what the sentence of a refusal calls it.

    Raises:
        ClickException: there is more of it, or it cannot be read.
    """
    if sys.stdin is None:
        raise click.ClickException(f"-: standard input is closed; give the {what} through it")
    try:
        text = sys.stdin.buffer.read(most_bytes + 1)
    except OSError as error:
        raise click.ClickException(f"-: {error.strerror}; give the {what} through it") from None
    if len(text) > most_bytes:
        raise click.ClickException(f"-: is larger than {most_bytes:,} bytes; give a smaller {what}")
    return text


def text_option(what: str, *, default: str | None = None) -> Decorator:
    """Return the option ``--text`` that gives a text, as the bytes that it is written in.

    Args:
        what: the text is, for the help.
        default: the text if none is given; ``None``: one must be.
    """
    return click.option(
        "--text",
        **({"required": True} if default is None else {"default": default}),
        callback=lambda _context, _option, text: _read_text(text),
        metavar="TEXT",
        help=f"{what} - is all of standard input.",
    )


def _read_text(text: str) -> bytes:
    if text == "-":
        return read_input(_MAX_TEXT_BYTES, "text")
    return text.encode(errors="surrogateescape")
