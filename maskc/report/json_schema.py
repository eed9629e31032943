"""What an artifact of a JSON Schema says about itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.report.render import (
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
)

_CHOICES = ("key_order", "blanks", "escapes", "numbers")


def print_schema(
    path: str, n_bytes: int, header: Mapping[str, Any], *, seconds: float | None = None
) -> None:
    """Print what a schema was compiled to on standard output."""
    console = make_console()
    console.print(make_facts(list_facts(path, n_bytes, header)))
    if seconds is not None:
        console.print(f"in {format_seconds(seconds)}")


def list_facts(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an artifact was made from."""
    grammar, tokenizer, layout = header["grammar"], header["tokenizer"], header["schema_layout"]
    return [
        ("artifact", path),
        ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        ("JSON Schema", grammar["name"]),
        ("layout", ", ".join(f"{name.replace('_', ' ')} {layout[name]}" for name in _CHOICES)),
        ("formats", header["schema_formats"]),
        ("hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        ("vocabulary", f"{format_count(tokenizer['vocab_size'])} ids"),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def describe_schema(
    path: str, n_bytes: int, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, Any]:
    """Return it for ``--json``."""
    plan = json.loads(arrays["schema_plan"].tobytes())
    counts = {name: len(part) for name, part in plan.items() if isinstance(part, list)}
    return {"path": path, "n_bytes": n_bytes, "header": dict(header), "counts": counts}
