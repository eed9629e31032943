"""What an artifact of a structural tag or of tools says about itself."""

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

_TITLES = {"structural-tag": "structural tag", "tools": "tools"}


def print_link(
    path: str, n_bytes: int, header: Mapping[str, Any], *, seconds: float | None = None
) -> None:
    """Print what a tag or tools were compiled to on standard output."""
    console = make_console()
    console.print(make_facts(list_facts(path, n_bytes, header)))
    if seconds is not None:
        console.print(f"in {format_seconds(seconds)}")


def list_facts(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an artifact was made from."""
    grammar, tokenizer, link = header["grammar"], header["tokenizer"], header["link"]
    settings = [f"{name} {_format(value)}" for name, value in link["settings"].items()]
    parts = [f"{format_count(n)} {name}" for name, n in link["counts"].items() if n]
    return [
        ("artifact", path),
        ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
        ("written by", f"maskc {header['maskc']}, format {header['format']}"),
        (_TITLES[grammar["dialect"]], grammar["name"]),
        *[("settings", ", ".join(settings))] * bool(settings),
        ("parts", ", ".join(parts)),
        ("special tokens", ", ".join(link["tokens"]) or "none"),
        ("hash", grammar["sha256"]),
        ("tokenizer", tokenizer["name"]),
        ("vocabulary", f"{format_count(tokenizer['vocab_size'])} ids"),
        ("fingerprint", tokenizer["fingerprint"]),
    ]


def _format(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def describe_link(
    path: str, n_bytes: int, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, Any]:
    """Return it for ``--json``, with the structural tag."""
    text = arrays["link_source"].tobytes().decode(errors="replace")
    try:
        tag = json.loads(text)
    except (ValueError, RecursionError):
        tag = text  # whoever forged it
    return {"path": path, "n_bytes": n_bytes, "header": dict(header), "tag": tag}
