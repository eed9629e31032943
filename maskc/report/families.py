"""Families of models, and how they write calls of tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from maskc.report.render import make_console, make_table


def print_families(families: Mapping[str, Sequence[str]]) -> None:
    """Print all families with their models."""
    rows = [(name, ", ".join(models)) for name, models in families.items()]
    make_console().print(make_table("", ("family", "models"), rows))


def format_family(name: str, models: Sequence[str], tag: Mapping[str, Any], example: str) -> str:
    """Return one family: an example of a call, and the structural tag that it is of."""
    return "\n\n".join(
        [
            f"{name}: {', '.join(models)}",
            "A call of get_weather:",
            example,
            "Its structural tag, where the model may call or not:",
            json.dumps(tag, indent=2, ensure_ascii=False),
        ]
    )
