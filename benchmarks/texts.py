"""Texts that are timed: drawn from templates (``texts.toml``) by a seed, or files of this Python.

In a template ``<name>`` is one of the name's alternatives, and ``<name*1-4|, >`` one to four of
them with ``, `` between. In texts that are nested deep the alternatives of ``name0`` are taken.
Programs and scripts are for parsing: their names need not mean anything.

Example: of ``{"text": ["<word*2-2| >"], "word": ["a", "b"]}`` a text is ``b a``.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
import re
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

SEED, DEPTH = 2026, 9
_NAME = re.compile(r"<(\w+)(?:\*(\d+)-(\d+)\|([^<>]*))?>")
Named = list[tuple[str, str]]
_TEMPLATES = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
Templates = Mapping[str, Sequence[str]]


def generate(kind: str, n: int) -> Named:
    """Return names and so many texts of a kind, the same on every call."""
    draw = random.Random(SEED)
    return [(f"text-{k}", _expand(_TEMPLATES[kind], "text", draw, 0)) for k in range(n)]


def _expand(templates: Templates, name: str, draw: random.Random, depth: int) -> str:
    is_flat = depth > DEPTH and f"{name}0" in templates
    template = draw.choice(templates[f"{name}0" if is_flat else name])

    def fill(found: re.Match[str]) -> str:
        n = draw.randint(int(found[2]), int(found[3])) if found[2] else 1
        parts = (_expand(templates, found[1], draw, depth + 1) for _ in range(n))
        return (found[4] or "").join(parts)

    return _NAME.sub(fill, template)


def find_json() -> Named:
    """Return 20 small JSON files of installed packages, the first by name."""
    found: Named = []
    files = (f for d in importlib.metadata.distributions() for f in d.files or ())
    for file in sorted(f for f in files if f.suffix == ".json" and ".dist-info" not in str(f)):
        path = Path(str(file.locate()))
        if len(found) == 20 or not path.is_file() or not 200 <= path.stat().st_size <= 20_000:
            continue
        try:
            text = path.read_text(encoding="utf-8")
            json.loads(text)
        except ValueError:
            continue
        found.append((str(file), text.rstrip()))  # no peer takes blanks after the value
    return found


def find_python(*, others: bool = False) -> Named:
    """Return 60 modules at the top of the standard library; all others, to three times the size."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    sizes = {path: path.stat().st_size for path in paths if path.stat().st_size >= 1_000}
    chosen = [path for path, size in sizes.items() if size <= 20_000][:60]
    if others:
        chosen = [path for path, size in sizes.items() if size <= 60_000 and path not in chosen]
    return [(path.name, path.read_text(encoding="utf-8")) for path in chosen]
