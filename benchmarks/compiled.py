"""An artifact of a grammar that comes with maskc, compiled in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.workloads import ROOT, TOKENIZER, WORKLOADS


@contextmanager
def compile_bundled(name: str) -> Iterator[Path]:
    """Yield the path of an artifact, which is there for the block."""
    grammar = ROOT / "grammars" / f"{name}.lark"
    if not grammar.exists():
        grammar = WORKLOADS[name].grammar
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.maskc"
        subprocess.run(  # noqa: S603 - our own arguments
            [
                *(sys.executable, "-m", "maskc.cli", "compile"),
                *(str(grammar), "--tokenizer", TOKENIZER),
                *("-o", str(path), "--json"),
            ],
            check=True,
            capture_output=True,
            cwd=ROOT,
        )
        yield path
