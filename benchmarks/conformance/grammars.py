"""Compiles and verifies every published grammar and every one of ours, beside two other engines.

Usage: python -m benchmarks.conformance.grammars REPORT [--page FILE] [--needs FILE]
    [--only WORD …]

Each grammar is compiled for llama3 and verified in the six experiments of ``maskc verify``; then
Lark's verdicts on texts of it and near it are held against maskc's, llguidance's and xgrammar's,
where those are installed (``make peers``). REPORT is a JSON file, written after each grammar. With
``--only``, grammars whose name has one of the words are done, and the others stay in the report as
an earlier run left them. The pages get tables of all that the report holds: ``--page`` the
figures, ``--needs`` what a published grammar needs beside its text.

The exit status is 1 if a grammar in the report does not compile, or something differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.conformance import pages
from benchmarks.conformance.catalogue import ENTRIES, Entry
from benchmarks.conformance.corpora import ROOT
from benchmarks.conformance.peers import ask_peer, find_peers
from benchmarks.conformance.texts import judge_texts
from maskc.runtime.artifact import load

TOKENIZER = "llama3"
AMOUNTS = {
    "--files": 40,
    "--texts": 10,
    "--max-tokens": 150,
    "--positions": 100,
    "--stretches": 40,
    "--mutations": 100,
    "--raw-positions": 300,
}


class CommandError(Exception):
    """A command of maskc's did not do what it should."""


def main() -> None:
    """Examine the grammars asked for and write the report and the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--page", type=Path, help="gets the figures")
    parser.add_argument("--needs", type=Path, help="gets what published grammars need")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="parts of names")
    arguments = parser.parse_args()
    entries = [e for e in ENTRIES if any(word in e.name for word in arguments.only)]
    if not entries:
        parser.error(f"no grammar has {' or '.join(arguments.only)} in its name")
    known = json.loads(arguments.report.read_text()) if arguments.report.is_file() else {}
    begin = time.perf_counter()
    for number, entry in enumerate(entries, 1):
        with tempfile.TemporaryDirectory() as folder:
            known[entry.name] = result = examine(entry, Path(folder))
        report = {e.name: known[e.name] for e in ENTRIES if e.name in known}
        arguments.report.write_text(json.dumps(report, indent=1) + "\n")
        seconds = time.perf_counter() - begin
        what = result.get("error") or f"{pages.count_differences(result)} differences"
        print(f"{seconds:5.0f} s  {number}/{len(entries)}  {entry.name}: {what}", flush=True)
    if arguments.page:
        pages.write_figures(arguments.page, report)
    if arguments.needs:
        pages.write_needs(arguments.needs, report)
    bad = [name for name, result in report.items() if not pages.is_right(result)]
    if bad:
        sys.exit(f"not right: {', '.join(bad)}")


def examine(entry: Entry, folder: Path) -> dict[str, Any]:
    """Return what is found out about a grammar; ``error`` says why there is no more."""
    result: dict[str, Any] = {"ours": entry.is_ours, "needs": entry.options}
    artifact, texts = folder / "artifact.maskc", folder / "texts"
    texts.mkdir()
    corpus = lay_out_corpus(entry, texts)
    try:
        result |= compile_grammar(entry, artifact)
        result["verified"] = run_maskc(
            "verify",
            str(artifact),
            "--allow-refused",  # texts that are none of the grammar's are among them on purpose
            *(word for path in corpus for word in ("--corpus", path)),
            *(word for option, amount in AMOUNTS.items() for word in (option, str(amount))),
        )
    except CommandError as error:
        return {**result, "error": str(error)}
    return {**result, **compare_verdicts(entry, artifact, corpus)}


def lay_out_corpus(entry: Entry, folder: Path) -> list[str]:
    """Return the paths of a grammar's texts; those written for this check go to a folder."""
    for number, text in enumerate(entry.texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return [str(path) for path in entry.files] + ([str(folder)] if entry.texts else [])


def compare_verdicts(entry: Entry, artifact: Path, corpus: Sequence[str]) -> dict[str, Any]:
    """Return how verdicts on texts differ from Lark's: maskc's, and those of the peers."""
    judged = judge_texts(artifact, corpus)
    n_positive = sum(text.is_positive for text in judged)
    grammar = entry.path.read_text(encoding="utf-8")
    start = load(artifact).header["grammar"]["start"]
    return {
        "texts": {"positive": n_positive, "negative": len(judged) - n_positive},
        "differing": sum(text.is_accepted != text.is_positive for text in judged),
        "peers": {
            name: {"version": version, **ask_peer(name, grammar, start, judged)}
            for name, version in find_peers().items()
        },
    }


def compile_grammar(entry: Entry, artifact: Path) -> dict[str, Any]:
    """Return the sizes of an artifact and the seconds that its passes took."""
    compiled = run_maskc(
        *("compile", str(entry.path), "--tokenizer", TOKENIZER, "--output", str(artifact)),
        *entry.options,
    )
    return {
        "counts": compiled["counts"],
        "n_bytes": compiled["n_bytes"],
        "seconds": sum(done["seconds"] for done in compiled["passes"]),
    }


def run_maskc(*arguments: str) -> dict[str, Any]:
    """Return what a command of maskc prints as JSON.

    Raises:
        CommandError: it printed none.
    """
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "maskc", *arguments, "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    try:
        found = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise CommandError(lines[-1].removeprefix("maskc: ")) from None
    return dict(found)


if __name__ == "__main__":
    main()
