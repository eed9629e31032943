"""What an artifact of a structural tag or of tools says about itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.report.origin import list_origin, print_origin
from maskc.report.render import format_count

_TITLES = {"structural-tag": "structural tag", "tools": "tools", "choices": "choices"}


def print_link(
    path: str, n_bytes: int, header: Mapping[str, Any], *, seconds: float | None = None
) -> None:
    """Print what a tag or tools were compiled to on standard output."""
    print_origin(list_facts(path, n_bytes, header), seconds)


def list_facts(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an artifact was made from."""
    grammar, link = header["grammar"], header["link"]
    settings = [f"{name} {_format(value)}" for name, value in link["settings"].items()]
    source = [
        (_TITLES[grammar["dialect"]], grammar["name"]),
        *[("settings", ", ".join(settings))] * bool(settings),
        ("parts", describe_parts(header)),
        ("special tokens", ", ".join(link["tokens"]) or "none"),
    ]
    return list_origin(path, n_bytes, header, source)


def describe_parts(header: Mapping[str, Any]) -> str:
    """Return how many parts of each kind there are."""
    counts = header["link"]["counts"]
    return ", ".join(f"{format_count(n)} {name}" for name, n in counts.items() if n)


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
