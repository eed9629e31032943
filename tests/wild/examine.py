"""Does Lark load a grammar, does it compile, is its artifact right, and what did that cost?

Each step runs in a process of its own, with a bound on time and memory:

1. Lark loads it with the project's settings, and its rules derive texts.
2. ``maskc compile`` with the same settings, written as comments at the head of a copy.
3. ``maskc verify`` on the samples, the derived texts and texts generated from the masks.

Example: a grammar with a postlex of the project's own class is *refused*, with the class's words.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.wild.settings import Entry

ROOT = Path(__file__).parents[2]
# *Not loaded*: time or memory ran out before Lark had. *No text*: maskc says that nothing can be
# parsed, and Lark parses none of the derived texts.
STATES = ("Lark refuses it", "not loaded", "differs", "refused", "no text", "compiles", "verified")
_NO_TEXT = "no text at all can be parsed"
AMOUNTS = {
    "--files": 60,
    "--texts": 6,
    "--max-tokens": 60,
    "--positions": 20,
    "--segments": 6,
    "--mutations": 30,
    "--raw-positions": 40,
}
N_DERIVED = 40


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the steps may take.

    Attributes:
        seconds: of the processor for compiling; other steps get this time each by the clock.
        megabytes: of memory, each step.
        tokenizer: what is compiled for.
    """

    seconds: float
    megabytes: int
    tokenizer: str


def examine(entry: Entry, folder: Path, bounds: Bounds) -> dict[str, Any]:
    """Return what became of a grammar; ``state`` is one of ``STATES``.

    Args:
        entry: the grammar.
        folder: an empty one.
        bounds: of each step.
    """
    given = entry.given
    result: dict[str, Any] = {
        "repository": given["repository"],
        "path": given["path"],
        "parser": given["parser"],
        "lexer": given["lexer"] or ("contextual" if given["parser"] == "lalr" else "dynamic"),
    }
    texts = folder / "texts"
    texts.mkdir()
    loaded = _load(entry, texts, bounds)
    if not loaded["loads"]:
        return {**result, "state": loaded["state"], "why": loaded["why"]}
    if entry.postlex_in_words:
        return {**result, "state": "refused", "why": f"postlex: {entry.postlex_in_words}"}
    for path in entry.samples:
        shutil.copy(path, texts / path.name)
    artifact = folder / "artifact.maskc"
    compiled = run_maskc(
        *("compile", str(_lay_out(entry, folder)), "--tokenizer", bounds.tokenizer),
        *("--output", str(artifact), "--time-limit", str(bounds.seconds)),
        *("--memory-limit", str(bounds.megabytes)),
        limit=10 * bounds.seconds,
    )
    result["seconds"] = round(compiled["cpu"], 1)
    if "error" in compiled:
        has_none = _NO_TEXT in compiled["error"] and not loaded["parsed"]
        return {**result, "state": "no text" if has_none else "refused", "why": compiled["error"]}
    result |= {
        "megabytes": round(compiled["n_bytes"] / 1e6, 1),
        "peak": round(max(done["peak_mb"] for done in compiled["passes"])),
        "counts": compiled["counts"],
    }
    return result | _verify(artifact, texts, bounds)


def _load(entry: Entry, texts: Path, bounds: Bounds) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.wild.derive", str(entry.settings), str(texts)]
    done = run_bounded([*command, str(N_DERIVED)], bounds.seconds, bounds.megabytes)
    lines = done["out"].splitlines()
    if not lines:
        return {"loads": False, "state": "not loaded", "why": done["error"]}
    return {
        "parsed": 0,
        "state": STATES[0],
        **{key: value for line in lines for key, value in json.loads(line).items()},
    }


def _lay_out(entry: Entry, folder: Path) -> Path:
    """Return a copy of the grammar with its settings at the head, beside what it imports."""
    copy = folder / "grammar"
    shutil.copytree(entry.grammar.parent, copy)
    grammar = copy / entry.grammar.name
    grammar.write_text(entry.header() + grammar.read_text(encoding="utf-8"), encoding="utf-8")
    return grammar


def _verify(artifact: Path, texts: Path, bounds: Bounds) -> dict[str, Any]:
    """Return the state of a grammar that compiles, and what was compared."""
    if not any(texts.iterdir()):
        (texts / "empty-line.txt").write_text("\n")
    verified = run_maskc(
        *("verify", str(artifact), "--corpus", str(texts), "--allow-refused", "--jobs", "1"),
        *("--part-limit", str(bounds.seconds)),
        *(word for option, amount in AMOUNTS.items() for word in (option, str(amount))),
        limit=4 * bounds.seconds,
    )
    if "error" in verified:
        return {"state": "compiles", "why": f"verify: {verified['error']}"}
    failures = [
        f"{experiment['name']}: {failure}"
        for experiment in verified["experiments"]
        for failure in experiment["failures"]
        # Where Lark parses none of the derived texts, there is nothing to walk.
        if experiment["name"] != "corpus" or "parses" not in str(failure)
    ]
    counts = {e["name"]: e["counts"] for e in verified["experiments"]}
    if failures:
        return {"state": "differs", "why": failures[0][:400], "failures": len(failures)}
    return {"state": "verified", "checked": counts}


def run_maskc(*arguments: str, limit: float) -> dict[str, Any]:
    """Return what a command of maskc prints as JSON; ``error`` if it printed none."""
    command = [sys.executable, "-m", "maskc", *arguments, "--json"]
    done = run_bounded(command, limit, None)
    try:
        return {**json.loads(done["out"]), "cpu": done["cpu"]}
    except ValueError:
        return {"error": done["error"].removeprefix("maskc: "), "cpu": done["cpu"]}


def run_bounded(command: Sequence[str], seconds: float, megabytes: int | None) -> Mapping[str, Any]:
    """Return what a command printed, its last line of errors, and its processor time."""

    def limit() -> None:
        if megabytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    try:
        done = subprocess.run(
            list(command),
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
            timeout=seconds,
            preexec_fn=limit,  # no thread is running
        )
        out, lines = done.stdout, done.stderr.strip().splitlines()
        error = lines[-1] if lines else f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        out = (expired.stdout or b"").decode(errors="replace")
        error = f"no end after {time.perf_counter() - begin:.0f} seconds"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"out": out, "error": error, "cpu": cpu}
