"""What an artifact of a JSON Schema says about itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from maskc.report.origin import list_origin, print_origin

_CHOICES = ("key_order", "blanks", "escapes", "numbers")


def print_schema(
    path: str, n_bytes: int, header: Mapping[str, Any], *, seconds: float | None = None
) -> None:
    """Print what a schema was compiled to on standard output."""
    print_origin(list_facts(path, n_bytes, header), seconds)


def list_facts(path: str, n_bytes: int, header: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an artifact was made from."""
    source = [
        ("JSON Schema", header["grammar"]["name"]),
        ("layout", describe_layout(header)),
        ("formats", ", ".join([header["schema_formats"], *header.get("registered_formats", ())])),
    ]
    return list_origin(path, n_bytes, header, source)


def describe_layout(header: Mapping[str, Any]) -> str:
    """Return how the texts of a schema are laid out."""
    layout = header["schema_layout"]
    return ", ".join(f"{name.replace('_', ' ')} {layout[name]}" for name in _CHOICES)


def describe_schema(
    path: str, n_bytes: int, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, Any]:
    """Return it for ``--json``."""
    plan = json.loads(arrays["schema_plan"].tobytes())
    counts = {name: len(part) for name, part in plan.items() if isinstance(part, list)}
    return {"path": path, "n_bytes": n_bytes, "header": dict(header), "counts": counts}
