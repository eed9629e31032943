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
import sysconfig
import tempfile
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.conformance.corpora import CORPORA
from benchmarks.conformance.tables import format_table
from benchmarks.conformance.verdicts import PEERS, compare_verdicts
from benchmarks.workloads import ROOT, TOKENIZER
from tests.wild.page import replace

AMOUNTS = {
    "--files": 40,
    "--texts": 10,
    "--max-tokens": 150,
    "--positions": 100,
    "--segments": 40,
    "--mutations": 100,
    "--raw-positions": 300,
}
OURS = ("json", "python", "sql", "c", "lua", "graphql", "toml", "regex", "csv", "lark")
Result = Mapping[str, Any]
Report = Mapping[str, Result]


@dataclass(frozen=True, slots=True)
class Entry:
    """A grammar.

    Attributes:
        name: the path below ``corpora/``, or below the repository if it is ours.
        start, postlex: what it needs beside its text, as options of ``maskc compile``.
        texts: in its language or nearly.
        files: files and folders of texts.
        is_ours: whether it lies in this repository.
    """

    name: str
    start: str = ""
    postlex: str = ""
    texts: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    is_ours: bool = False

    @property
    def path(self) -> Path:
        """Its file."""
        return (ROOT if self.is_ours else CORPORA) / self.name

    @property
    def options(self) -> list[str]:
        """Options of ``maskc compile``."""
        chosen = [("--start", self.start), ("--postlex", self.postlex)]
        return [word for name, value in chosen if value for word in (name, value)]


def list_entries() -> list[Entry]:
    """Return the published grammars (``catalogue.toml``), and ours."""
    library = Path(sysconfig.get_path("stdlib"))
    catalogue = tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text())
    found = []
    for entry in catalogue["published"]:
        parts = [name.partition("/") for name in entry.pop("files", ())]
        files = tuple((library if a == "stdlib" else CORPORA / a) / b for a, _, b in parts)
        texts = tuple(entry.pop("texts", ()))
        found.append(Entry(entry.pop("path"), texts=texts, files=files, **entry))
    for name in OURS:
        texts_of = library if name == "python" else ROOT / "tests/grammars/corpora" / name
        found.append(Entry(f"grammars/{name}.lark", files=(texts_of,), is_ours=True))
    return found


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
    every = list_entries()
    entries = [e for e in every if any(word in e.name for word in arguments.only)]
    if not entries:
        parser.error(f"no grammar has {' or '.join(arguments.only)} in its name")
    known = json.loads(arguments.report.read_text()) if arguments.report.is_file() else {}
    begin = time.perf_counter()
    for number, entry in enumerate(entries, 1):
        with tempfile.TemporaryDirectory() as folder:
            known[entry.name] = result = examine(entry, Path(folder))
        report = {e.name: known[e.name] for e in every if e.name in known}
        arguments.report.write_text(json.dumps(report, indent=1) + "\n")
        seconds = time.perf_counter() - begin
        what = result.get("error") or f"{count_differences(result)} differences"
        print(f"{seconds:5.0f} s  {number}/{len(entries)}  {entry.name}: {what}", flush=True)
    if arguments.page:
        replace(arguments.page, "grammars", format_figures(report))
        replace(arguments.page, "verdicts", format_verdicts(report))
    if arguments.needs:
        replace(arguments.needs, "grammars", format_needs(report))
    bad = [name for name, result in report.items() if not is_right(result)]
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
    grammar = entry.path.read_text(encoding="utf-8")
    return {**result, **compare_verdicts(artifact, grammar, corpus)}


def lay_out_corpus(entry: Entry, folder: Path) -> list[str]:
    """Return the paths of a grammar's texts; those written for this check go to a folder."""
    for number, text in enumerate(entry.texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return [str(path) for path in entry.files] + ([str(folder)] if entry.texts else [])


def compile_grammar(entry: Entry, artifact: Path) -> dict[str, Any]:
    """Return the sizes of an artifact and the seconds that its passes took."""
    compiled = run_maskc(
        *("compile", str(entry.path), "--tokenizer", TOKENIZER, "--output", str(artifact)),
        *entry.options,
    )
    return {
        "counts": compiled["counts"],
        "n_bytes": compiled["n_bytes"],
        "seconds": sum(done["cpu_seconds"] for done in compiled["passes"]),
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


def count_differences(result: Result) -> int:
    """Return how often maskc and what it is held against differ, in all experiments."""
    experiments = result["verified"]["experiments"] if "verified" in result else ()
    return sum(len(e["failures"]) for e in experiments) + result.get("differing", 0)


def is_right(result: Result) -> bool:
    """Return whether a grammar is compiled and verified, and nothing differs."""
    return "error" not in result and result["verified"]["ok"] and not count_differences(result)


def format_figures(report: Report) -> list[str]:
    """Return the table of sizes, of what was checked, and of differences."""
    columns = (
        *(
            "grammar",
            "terminals",
            "productions",
            "LALR states",
            "compile, processor s",
            "artifact, MB",
        ),
        *("rows before streamlining", "rows after", "corpus files", "corpus tokens walked"),
        *("oracle comparisons", "differences"),
    )
    rows = []
    for name, result in report.items():
        cells = [f"`{name}`", result.get("error", "")]
        if "error" not in result:
            counts, of = result["counts"], _by_name(result)
            raw, walked = of["optimisation"], of["corpus"]
            cells[1:] = [f"{counts[key]:,}" for key in ("terminals", "productions", "lalr_states")]
            cells += [f"{result['seconds']:.1f}", f"{result['n_bytes'] / 1e6:.1f}"]
            numbers = (raw["rows before optimisation"], raw["rows"], walked["files"])
            numbers += (walked.get("tokens", 0), of["oracle"]["comparisons"])
            cells += [f"{number:,}" for number in (*numbers, count_differences(result))]
        rows.append(cells)
    return format_table(columns, rows, numbers=columns[1:])


def format_verdicts(report: Report) -> list[str]:
    """Return the table of who loads a grammar, and how verdicts differ from Lark's."""
    done = {name: result for name, result in report.items() if "texts" in result}
    asked = {p: [r["peers"][p] for r in done.values() if p in r["peers"]] for p in PEERS}
    titles = [f"{name} {found[0]['version']}" if found else name for name, found in asked.items()]
    rows = []
    for name, result in done.items():
        cells = [str(result["texts"][kind]) for kind in ("positive", "negative")]
        peers = [_format_peer(result["peers"].get(peer)) for peer in PEERS]
        rows.append([f"`{name}`", *cells, str(result["differing"]), *peers])
    columns = ("grammar", "texts that Lark parses", "that it refuses", "maskc", *titles)
    lines = [*format_table(columns, rows, numbers=columns[1:]), ""]
    for name, found in asked.items():
        loaded = [f for f in found if f["loads"]]
        n_agreeing = sum(not f["refused"] + f["accepted"] + f["open"] for f in loaded)
        if found:
            lines.append(
                f"{name} loads {len(loaded)} of {len(found)}, and agrees with Lark on every text "
                f"in {n_agreeing} of them."
            )
    return lines


def _format_peer(found: Result | None) -> str:
    """Return what a peer makes of a grammar, for a cell of a table."""
    if found is None:
        return "not installed"
    why = f"`{found['why'].replace('|', '¦').replace('`', 'ˋ')}`"
    if not found["loads"]:
        return f"does not load: {why}"
    text = f"{found['refused'] + found['accepted']}"
    if found["refused"] or found["accepted"]:
        text += f" ({found['refused']} refused, {found['accepted']} accepted)"
    return f"{text}; {found['open']} open: {why}" if found["open"] else text


def format_needs(report: Report) -> list[str]:
    """Return the table of what published grammars need, and of what was checked on them."""
    columns = (
        *("grammar", "beside its text", "corpus: files, refused by both, tokens", "generated"),
        *("cut in every way", "mutated, of these still parsed", "differences"),
    )
    rows = []
    for name, result in report.items():
        if result["ours"]:
            continue
        cells = [f"`{name}`", f"`{' '.join(result['needs'])}`" if result["needs"] else ""]
        if "error" in result:
            cells.append(result["error"])
        else:
            of = _by_name(result)
            walked, mutated = of["corpus"], of["mutation"]
            refused = walked.get("files that Lark refuses", 0)
            cells += [f"{walked['files']}, {refused}, {walked.get('tokens', 0):,}"]
            cells += [f"{of['generation']['texts']}", f"{of['segmentation']['bytes']:,} bytes"]
            cells += [f"{mutated['mutated texts']}, {mutated['that Lark parses']}"]
            cells += [f"{count_differences(result)}"]
        rows.append(cells)
    return format_table(columns, rows, numbers=columns[1:])


def _by_name(result: Result) -> dict[str, Result]:
    return {e["name"]: e["counts"] for e in result["verified"]["experiments"]}


if __name__ == "__main__":
    main()
