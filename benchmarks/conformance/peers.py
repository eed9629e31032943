"""Ask llguidance and xgrammar for their verdicts on a grammar and its texts.

Each runs in a process of its own that is killed after ``LIMIT_S`` seconds: some grammars take them
very long, and some make them crash. It is given the grammar's text as it is. Both begin at a rule
``start`` and have no option for another: a grammar that begins elsewhere gets one line more,
``start: NAME``. The process prints a line of JSON for each thing that is known, at once:
whether the grammar is loaded, then whether each text is taken. What a killed process had said by
then counts; texts that it did not come to are counted as open.
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

from benchmarks.conformance.texts import Text
from benchmarks.engines import RefusedError, read_engine
from benchmarks.workloads import ROOT

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
    if start != "start":
        grammar += f"\nstart: {start}\n"
    with tempfile.TemporaryDirectory() as folder:
        request = Path(folder) / "request.json"
        asked = {"grammar": grammar, "texts": [text.tokens for text in texts]}
        request.write_text(json.dumps(asked), encoding="utf-8")
        facts, end = _run(name, request, Path(folder))
    if not facts or facts[0] is not True:
        return {"loads": False, "why": _shorten(facts[0]) if facts else end}
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
    command = [sys.executable, "-m", "benchmarks.conformance.peers", name, str(request)]
    with output.open("w") as out, errors.open("w") as err:
        try:
            status = subprocess.run(  # noqa: S603 - our own arguments
                command, stdout=out, stderr=err, cwd=ROOT, timeout=LIMIT_S, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
    # What was being written when the process ended is no line.
    facts = [json.loads(line) for line in output.read_text().split("\n")[:-1]]
    if status is None:
        return facts, f"no answer within {LIMIT_S} s"
    if status < 0:
        return facts, f"killed by signal {-status}"
    lines = errors.read_text(errors="replace").strip().splitlines()
    return facts, _shorten(lines[-1]) if status and lines else f"exit status {status}"


def _shorten(message: str) -> str:
    """Return the first line of a peer's message, without the place in its own source."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
    line = re.sub(r"\[[\d:]+\] \S+: ", "", line)
    return line if len(line) <= 100 else line[:97] + "…"


def main() -> None:
    """Be a peer: load the grammar, judge the texts, and tell."""
    name, request = sys.argv[1:]
    asked = json.loads(Path(request).read_text(encoding="utf-8"))
    try:
        start = read_engine(name).compile("lark", asked["grammar"])
        start()
    except RefusedError as error:
        print(json.dumps(str(error)), flush=True)
        return
    print("true", flush=True)
    for tokens in asked["texts"]:
        session = start()
        taken = all(map(session.accept, tokens)) and bool(session.may_end())
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    main()
