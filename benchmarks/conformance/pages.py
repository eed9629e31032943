"""Write the results of a conformance run into pages, between their marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.conformance.peers import NAMES
from tests.wild.page import replace

Result = Mapping[str, Any]
Report = Mapping[str, Result]


def count_differences(result: Result) -> int:
    """Return how often maskc and what it is held against differ, in all experiments."""
    experiments = result["verified"]["experiments"] if "verified" in result else ()
    return sum(len(e["failures"]) for e in experiments) + result.get("differing", 0)


def is_right(result: Result) -> bool:
    """Return whether a grammar is compiled and verified, and nothing differs."""
    return "error" not in result and result["verified"]["ok"] and not count_differences(result)


def write_figures(page: Path, report: Report) -> None:
    """Write the tables of sizes and of verdicts."""
    replace(page, "grammars", format_figures(report))
    replace(page, "verdicts", format_verdicts(report))


def write_needs(page: Path, report: Report) -> None:
    """Write the table of what published grammars need, and of what was checked on them."""
    replace(page, "grammars", format_needs(report))


def format_figures(report: Report) -> list[str]:
    """Return the table of sizes, of what was checked, and of differences."""
    columns = (
        *("grammar", "terminals", "productions", "LALR states", "compile, s", "artifact, MB"),
        *("rows before streamlining", "rows after", "corpus files", "corpus tokens walked"),
        *("oracle comparisons", "differences"),
    )
    rows = []
    for name, result in report.items():
        if "error" in result:
            rows.append((name, [result["error"]]))
            continue
        counts, of = result["counts"], _by_name(result)
        raw, walked = of["raw store"], of["corpus"]
        cells = [f"{counts[key]:,}" for key in ("terminals", "productions", "lalr_states")]
        cells += [f"{result['seconds']:.1f}", f"{result['n_bytes'] / 1e6:.1f}"]
        numbers = (raw["rows of the raw store"], raw["rows"], walked["files"])
        numbers += (walked.get("tokens", 0), of["oracle"]["comparisons"], count_differences(result))
        rows.append((name, [*cells, *(f"{number:,}" for number in numbers)]))
    return _format(columns, "---:", rows)


def format_verdicts(report: Report) -> list[str]:
    """Return the table of who loads a grammar, and how verdicts differ from Lark's."""
    done = {name: result for name, result in report.items() if "texts" in result}
    asked = {
        name: [r["peers"][name] for r in done.values() if name in r["peers"]] for name in NAMES
    }
    titles = [f"{name} {found[0]['version']}" if found else name for name, found in asked.items()]
    rows = []
    for name, result in done.items():
        texts, peers = result["texts"], result["peers"]
        cells = [f"{texts['positive']}", f"{texts['negative']}", f"{result['differing']}"]
        rows.append((name, [*cells, *(format_peer(peers.get(peer)) for peer in NAMES)]))
    columns = ("grammar", "texts that Lark parses", "that it refuses", "maskc", *titles)
    lines = [*_format(columns, "---:", rows), ""]
    for name, found in asked.items():
        loaded = [f for f in found if f["loads"]]
        n_agreeing = sum(not f["refused"] + f["accepted"] + f["open"] for f in loaded)
        if found:
            lines.append(
                f"{name} loads {len(loaded)} of {len(found)}, and agrees with Lark on every text "
                f"in {n_agreeing} of them."
            )
    return lines


def format_peer(found: Result | None) -> str:
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
        needs = f"`{' '.join(result['needs'])}`" if result["needs"] else ""
        if "error" in result:
            rows.append((name, [needs, result["error"]]))
            continue
        of = _by_name(result)
        walked, mutated = of["corpus"], of["mutation"]
        refused, n_tokens = walked.get("files that Lark refuses", 0), walked.get("tokens", 0)
        cells = [needs, f"{walked['files']}, {refused}, {n_tokens:,}"]
        cells += [f"{of['generation']['texts']}", f"{of['segmentation']['bytes']:,} bytes"]
        cells += [f"{mutated['mutated texts']}, {mutated['that Lark parses']}"]
        rows.append((name, [*cells, f"{count_differences(result)}"]))
    return _format(columns, "---:", rows)


def _format(
    columns: Sequence[str], align: str, rows: Sequence[tuple[str, Sequence[str]]]
) -> list[str]:
    """Return a table; a row with fewer cells is filled up."""
    lines = [f"| {' | '.join(columns)} |", "|---|" + f"{align}|" * (len(columns) - 1)]
    for name, cells in rows:
        filled = [f"`{name}`", *cells, *[""] * (len(columns) - 1 - len(cells))]
        lines.append(f"| {' | '.join(filled)} |")
    return lines


def _by_name(result: Result) -> dict[str, Result]:
    return {e["name"]: e["counts"] for e in result["verified"]["experiments"]}
