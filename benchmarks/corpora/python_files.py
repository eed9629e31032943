"""Which Python would a model write in one answer? Files of the standard library, 1 to 20 KB."""

from __future__ import annotations

import sysconfig
from pathlib import Path

N_FILES, MIN_BYTES, MAX_BYTES = 60, 1_000, 20_000


def find_files() -> list[tuple[str, str]]:
    """Return names and texts of the first ``N_FILES`` modules at the top, by name."""
    return _read(_list_modules(MAX_BYTES)[:N_FILES])


def find_others() -> list[tuple[str, str]]:
    """Return names and texts of all other modules at the top, to three times that size."""
    taken = _list_modules(MAX_BYTES)[:N_FILES]
    return _read([path for path in _list_modules(3 * MAX_BYTES) if path not in taken])


def _list_modules(max_bytes: int) -> list[Path]:
    folder = Path(sysconfig.get_path("stdlib"))
    return [p for p in sorted(folder.glob("*.py")) if MIN_BYTES <= p.stat().st_size <= max_bytes]


def _read(paths: list[Path]) -> list[tuple[str, str]]:
    return [(path.name, path.read_text(encoding="utf-8")) for path in paths]
