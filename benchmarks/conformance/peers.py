"""What do llguidance and xgrammar make of a grammar, and of the same texts?

Each runs in a process of its own (:mod:`benchmarks.conformance.peer`) that is killed after
``LIMIT_S`` seconds: some grammars take them very long, and some make them crash. What a killed
process had said by then counts; texts that it did not come to are counted as open.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.conformance.corpora import ROOT
from benchmarks.conformance.texts import Text

NAMES = ("llguidance", "xgrammar")
LIMIT_S = 120


def find_peers() -> dict[str, str]:
    """Return the peers that are installed, each with its version."""
    found = {}
    for name in NAMES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def ask_peer(name: str, grammar: str, start: str, texts: Sequence[Text]) -> dict[str, Any]:
    """Return whether a peer loads a grammar, and how its verdicts differ from Lark's.

    ``refused`` counts texts that Lark parses, ``accepted`` those that it refuses; ``open`` those
    without a verdict, because the process ended before, as ``why`` says.
    """
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder) / "request.json"
        request.write_text(
            json.dumps({"grammar": grammar, "start": start, "texts": [t.tokens for t in texts]}),
            encoding="utf-8",
        )
        facts, end = _run(name, request, Path(folder))
    if not facts:
        return {"loads": False, "why": end}
    if not facts[0]["loads"]:
        return {"loads": False, "why": shorten(facts[0]["why"])}
    verdicts = facts[1:]
    pairs = list(zip(texts, verdicts, strict=False))
    return {
        "loads": True,
        "refused": sum(text.is_positive and not verdict for text, verdict in pairs),
        "accepted": sum(verdict and not text.is_positive for text, verdict in pairs),
        "open": len(texts) - len(verdicts),
        "why": end if len(verdicts) < len(texts) else "",
    }


def _run(name: str, request: Path, folder: Path) -> tuple[list[Any], str]:
    """Return the lines of a peer's process, and how it ended."""
    output, errors = folder / "output", folder / "errors"
    command = [sys.executable, "-m", "benchmarks.conformance.peer", name, str(request)]
    with output.open("w") as out, errors.open("w") as err:
        try:
            done = subprocess.run(  # noqa: S603 - our own arguments
                command, stdout=out, stderr=err, cwd=ROOT, timeout=LIMIT_S, check=False
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = None
    # What was being written when the process ended is no line.
    facts = [json.loads(line) for line in output.read_text().split("\n")[:-1]]
    if status is None:
        return facts, f"no answer within {LIMIT_S} s"
    if status < 0:
        return facts, f"killed by signal {-status}"
    lines = errors.read_text(errors="replace").strip().splitlines()
    return facts, shorten(lines[-1]) if status and lines else f"exit status {status}"


def shorten(message: str) -> str:
    r"""Return the first line of a peer's message, without what was read and without its place.

    >>> shorten("[13:03:07] /project/cpp/x.cc:106: Lark error at line 9, column 1: no\n%import")
    'Lark error at line 9, column 1: no'
    """
    line = next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
    line = re.sub(r"\[[\d:]+\] \S+: ", "", line)
    return line if len(line) <= 100 else line[:97] + "…"
