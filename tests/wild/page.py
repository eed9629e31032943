"""How is a run over a folder of grammars written down?"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

AIMS = {"lalr": 0.98, "earley": 0.95}  # of the grammars that Lark loads, those that compile
UNREAD = ("Lark refuses it", "not loaded")  # Lark has not loaded it
Report = Mapping[str, Mapping[str, Any]]


def replace(page: Path, name: str, lines: Sequence[str]) -> None:
    """Put lines between the two marks of a name.

    Raises:
        ValueError: the page does not have both marks.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise ValueError(f"{page}: no {begin} with an {end} after it")
    inside = "\n".join(lines)
    page.write_text(f"{before}{begin}\n{inside}\n{end}{after}", encoding="utf-8")


def format_report(report: Report) -> list[str]:
    """Return counts by parser, times, what was refused and why, and where grammars come from."""
    return [
        *_counts(report),
        "",
        *_shares(report),
        "",
        *_times(report),
        "",
        *_refused(report),
        "",
        *_sources(report),
    ]


def _counts(report: Report) -> list[str]:
    lines = [
        "| parser, lexer | grammars | Lark loads | compile | verified | not verified in time "
        "| differ |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    kinds = sorted({(r["parser"], r["lexer"]) for r in report.values()})
    for kind in [*kinds, None]:
        some = [r for r in report.values() if kind in (None, (r["parser"], r["lexer"]))]
        states = Counter(r["state"] for r in some)
        compile_ = states["verified"] + states["compiles"] + states["differs"]
        cells = [
            ", ".join(kind) if kind else "all",
            *(str(n) for n in (len(some), _count_loaded(states), compile_)),
            *(str(states[state]) for state in ("verified", "compiles", "differs")),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _count_loaded(states: Counter[str]) -> int:
    return states.total() - sum(states[state] for state in UNREAD)


def _shares(report: Report) -> list[str]:
    """Return how many compile of those that Lark loads and that have a text, beside the aims."""
    lines = []
    for parser, aim in AIMS.items():
        states = Counter(r["state"] for r in report.values() if r["parser"] == parser)
        n = _count_loaded(states) - states["no text"]
        compile_ = states["verified"] + states["compiles"] + states["differs"]
        if n:
            lines.append(
                f"Of the {n} grammars for `{parser}` that Lark loads, and of which it parses any "
                f"text, {compile_} compile: {compile_ / n:.1%} (aim: {aim:.0%})."
            )
    return lines


def _times(report: Report) -> list[str]:
    done = [r for r in report.values() if "megabytes" in r]
    if len(done) < 2:
        return []
    lines = ["| of those that compile | median | 95 % | largest |", "|---|---:|---:|---:|"]
    for key, title in (
        ("seconds", "processor time of `maskc compile`, s"),
        ("peak", "memory, MB"),
        ("megabytes", "artifact, MB"),
    ):
        values = sorted(r[key] for r in done)
        high = statistics.quantiles(values, n=20)[-1]
        cells = (f"{value:,.1f}" for value in (statistics.median(values), high, values[-1]))
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def _refused(report: Report) -> list[str]:
    lines = ["| not compiled, or not verified | why |", "|---|---|"]
    for name, result in report.items():
        if result["state"] in ("not loaded", "refused", "no text", "compiles", "differs"):
            lines.append(f"| `{name}` | {result['state']}: {_escape(result['why'])} |")
    return lines


def _sources(report: Report) -> list[str]:
    paths: dict[str, set[str]] = {}
    for result in report.values():
        paths.setdefault(result["repository"], set()).add(result["path"])
    return [
        f"- {repository}: {', '.join(f'`{path}`' for path in sorted(found))}"
        for repository, found in sorted(paths.items())
    ]


def count_states(report: Report) -> str:
    """Return how many grammars are in each state, in one line."""
    states = Counter(result["state"] for result in report.values())
    return ", ".join(f"{number} {state}" for state, number in sorted(states.items()))


def list_worse(report: Report, expected: Mapping[str, str], ranks: Sequence[str]) -> list[str]:
    """Return what has become worse than expected, and every difference to Lark.

    >>> list_worse({"a": {"state": "refused"}}, {"a": "verified"}, ("refused", "verified"))
    ['a: refused, and was verified']
    """
    worse = []
    for name, result in report.items():
        state, before = result["state"], expected.get(name)
        if state == "differs":
            worse.append(f"{name}: differs from Lark")
        elif before is not None and ranks.index(state) < ranks.index(before):
            worse.append(f"{name}: {state}, and was {before}")
    return worse


def _escape(text: str) -> str:
    return text.replace("|", "¦").replace("\n", " ").replace("<", "&lt;")[:300]
