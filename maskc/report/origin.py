"""What an artifact of a JSON Schema, of a structural tag or of tools says about itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from maskc.report.render import (
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
)

Fact = tuple[str, str]


def list_origin(
    path: str, n_bytes: int, header: Mapping[str, Any], source: Iterable[Fact]
) -> list[Fact]:
    """Return what an artifact was made from.

    Args:
        path: of the file.
        n_bytes: its size.
        header: of the artifact.
        source: what is said of its source: the kind with the name first.
    """
    grammar, tokenizer = header["grammar"], header["tokenizer"]
    return [
        ("artifact", path),
        ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        *source,
        ("hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        ("vocabulary", f"{format_count(tokenizer['vocab_size'])} ids"),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def print_origin(facts: Iterable[Fact], seconds: float | None) -> None:
    """Print facts on standard output, and what it took to compile, if that is known."""
    console = make_console()
    console.print(make_facts(list(facts)))
    if seconds is not None:
        console.print(f"in {format_seconds(seconds)}")
