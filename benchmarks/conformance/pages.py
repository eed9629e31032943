"""How are the results of a conformance run written down?

A page has pairs of marks, and what stands between two of them is replaced by a table; all else is
written by hand and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    head = (
        "| grammar | terminals | productions | LALR states | compile, s | artifact, MB "
        "| rows before streamlining | rows after | corpus files | corpus tokens walked "
        "| oracle comparisons | differences |"
    )
    lines = [head, "|---|" + "---:|" * 11]
    for name, result in report.items():
        if "error" in result:
            lines.append(f"| `{name}` | {result['error']} |" + " |" * 10)
            continue
        counts, of = result["counts"], _by_name(result)
        cells = [
            f"`{name}`",
            *(f"{counts[key]:,}" for key in ("terminals", "productions", "lalr_states")),
            f"{result['seconds']:.1f}",
            f"{result['n_bytes'] / 1e6:.1f}",
            f"{of['raw store']['rows of the raw store']:,}",
            f"{of['raw store']['rows']:,}",
            f"{of['corpus']['files']:,}",
            f"{of['corpus'].get('tokens', 0):,}",
            f"{of['oracle']['comparisons']:,}",
            f"{count_differences(result):,}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def format_verdicts(report: Report) -> list[str]:
    """Return the table of who loads a grammar, and how verdicts differ from Lark's."""
    done = {name: result for name, result in report.items() if "texts" in result}
    versions = {
        name: result["peers"][name]["version"]
        for result in done.values()
        for name in NAMES
        if name in result["peers"]
    }
    titles = [f"{name} {versions[name]}" if name in versions else name for name in NAMES]
    lines = [
        f"| grammar | texts that Lark parses | that it refuses | maskc | {' | '.join(titles)} |",
        "|---|---:|---:|---:|---|---|",
    ]
    for name, result in done.items():
        cells = [
            f"`{name}`",
            f"{result['texts']['positive']}",
            f"{result['texts']['negative']}",
            f"{result['differing']}",
            *(format_peer(result["peers"].get(peer)) for peer in NAMES),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", *(_count_loaded(name, done) for name in NAMES if name in versions)]
    return lines


def format_peer(found: Result | None) -> str:
    """Return what a peer makes of a grammar, for a cell of a table."""
    if found is None:
        return "not installed"
    if not found["loads"]:
        return f"does not load: {_escape(found['why'])}"
    text = f"{found['refused'] + found['accepted']}"
    if found["refused"] or found["accepted"]:
        text += f" ({found['refused']} refused, {found['accepted']} accepted)"
    if found["open"]:
        text += f"; {found['open']} open: {_escape(found['why'])}"
    return text


def format_needs(report: Report) -> list[str]:
    """Return the table of what published grammars need, and of what was checked on them."""
    lines = [
        "| grammar | beside its text | corpus: files, refused by both, tokens | generated "
        "| cut in every way | mutated, of these still parsed | differences |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, result in report.items():
        if result["ours"]:
            continue
        needs = f"`{' '.join(result['needs'])}`" if result["needs"] else ""
        if "error" in result:
            lines.append(f"| `{name}` | {needs} | {result['error']} |" + " |" * 4)
            continue
        of = _by_name(result)
        walked, mutated = of["corpus"], of["mutation"]
        cells = [
            f"`{name}`",
            needs,
            f"{walked['files']}, {walked.get('files that Lark refuses', 0)}, "
            f"{walked.get('tokens', 0):,}",
            f"{of['generation']['texts']}",
            f"{of['segmentation']['bytes']:,} bytes",
            f"{mutated['mutated texts']}, {mutated['that Lark parses']}",
            f"{count_differences(result)}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _by_name(result: Result) -> dict[str, Result]:
    return {e["name"]: e["counts"] for e in result["verified"]["experiments"]}


def _count_loaded(name: str, done: Report) -> str:
    asked = [r["peers"][name] for r in done.values() if name in r["peers"]]
    loaded = [found for found in asked if found["loads"]]
    agreeing = [f for f in loaded if not f["refused"] + f["accepted"] + f["open"]]
    return (
        f"{name} loads {len(loaded)} of {len(asked)}, and agrees with Lark on every text "
        f"in {len(agreeing)} of them."
    )


def _escape(text: str) -> str:
    """Return a text as a cell can hold it."""
    return f"`{text.replace('|', '¦').replace('`', 'ˋ')}`"
