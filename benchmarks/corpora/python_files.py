"""Which Python would a model write in one answer? Files of the standard library, 1 to 20 KB."""

from __future__ import annotations

import sysconfig
from pathlib import Path

N_FILES, MIN_BYTES, MAX_BYTES = 60, 1_000, 20_000


def find_files() -> list[tuple[str, str]]:
    """Return names and texts of the first ``N_FILES`` modules at the top, by name."""
    folder = Path(sysconfig.get_path("stdlib"))
    paths = [p for p in sorted(folder.glob("*.py")) if MIN_BYTES <= p.stat().st_size <= MAX_BYTES]
    return [(path.name, path.read_text(encoding="utf-8")) for path in paths[:N_FILES]]
