"""How does the time to compile grow with the vocabulary, and with the grammar?

Usage: python -m benchmarks.growth [--json FILE] [--svg FILE] [--quick]

Vocabularies: the first 32,000, 64,000 and all ids of llama3; qwen; 200,000 tokens, llama3's and
then those of qwen that it lacks; and up to a million, with pairs of tokens after these. Grammars: a
family with N kinds of statements, each with its own keywords, its own rules and a list of
expressions, N doubling, up to 5,000 productions. Each compilation has a process of its own; the
processor's seconds count, those of its child processes too, so that other work on the machine does
not, and how much its resident memory grew at most. The exponent is the slope of the least-squares
line through the logarithms: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Template

from benchmarks.workloads import ROOT
from maskc.bounded import run_bounded
from maskc.limits import Limits
from maskc.report import Table
from maskc.report.render import make_console, make_table
from maskc.system import read_memory

VOCABULARIES = (32_000, 64_000, 128_256, 151_936, 200_000, 500_000, 1_000_000)
STATEMENTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 704)
LIMITS = Limits(seconds=900, bytes=16_000_000_000)
FAMILY_VOCABULARY = 32_000


def family(n_kinds: int) -> str:
    """Return a grammar with so many kinds of statements."""
    kinds = range(n_kinds)
    lines = [
        "start: statement+",
        f"?statement: {' | '.join(f'kind_{n}' for n in kinds)}",
        'block: "{" statement* "}"',
        '?expr: sum ("<" sum)?',
        '?sum: atom (("+" | "-") atom)*',
        'atom: NAME | NUMBER | STRING | NAME "(" (expr ("," expr)*)? ")" | "(" expr ")"',
        "NAME: /[a-z_][a-z0-9_]*/",
        r"NUMBER: /[0-9]+(\.[0-9]+)?/",
        r'STRING: /"[^"\n]*"/',
        r"%ignore /[ \t\n]+/",
    ]
    for n in kinds:
        lines.append(f'kind_{n}: "do{n}" clause_{n} block | "let{n}" NAME "=" expr ";"')
        lines.append(f'clause_{n}: "(" expr ("," expr)* ")" ("with{n}" NAME)?')
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Case:
    """One compilation: ``grammar`` is a name, or a number of statement kinds."""

    grammar: str
    vocab_size: int


def compile_case(case: Case) -> dict[str, Any]:
    """Compile in this process and return what it took."""
    from maskc.compiler.pipeline import compile_contents
    from maskc.frontends.source import load_source

    path = ROOT / "grammars" / f"{case.grammar}.lark"
    source = load_source(family(int(case.grammar)) if case.grammar.isdigit() else path)
    vocabulary = build_vocabulary(case.vocab_size)
    before, begin, cpu = read_memory(), time.perf_counter(), _cpu_seconds()
    contents, passes = run_bounded(lambda: compile_contents(source, vocabulary), LIMITS)
    seconds, cpu = time.perf_counter() - begin, _cpu_seconds() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    counts = contents.header["counts"]
    return {
        "grammar": case.grammar,
        "vocab_size": case.vocab_size,
        "productions": counts["productions"],
        "lalr_states": counts["lalr_states"],
        "rows": counts["rows"],
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_mb": max(0, peak - before) / 1e6,
        "mb": sum(array.nbytes for array in contents.arrays.values()) / 1e6,
        "passes": {record.name: record.cpu_seconds for record in passes},
    }


def build_vocabulary(size: int) -> Any:
    """Return the first tokens of llama3, or all of them with tokens of qwen and pairs after."""
    from maskc.vocab import Vocabulary, load_vocabulary

    if size == load_vocabulary("llama3").vocab_size:
        return load_vocabulary("llama3")
    if size == 151_936:
        return load_vocabulary("qwen", vocab_size=size)
    tokens = [token for token in load_vocabulary("llama3").tokens if token]
    if size > len(tokens):
        tokens = list(dict.fromkeys((*tokens, *filter(None, load_vocabulary("qwen").tokens))))
        known, draw = set(tokens), random.Random(size)
        while len(known) < size:
            known.add(draw.choice(tokens) + draw.choice(tokens))
        tokens += sorted(known - set(tokens))
        del tokens[size - 1 :]
        tokens.sort(key=lambda token: (len(token), token))
    return Vocabulary((*tokens[: size - 1], None), (min(size - 1, len(tokens)),), "grown")


def _cpu_seconds() -> float:
    usages = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(case: Case) -> dict[str, Any]:
    """Compile in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.growth", "--one", case.grammar]
    done = subprocess.run(  # noqa: S603 - our own arguments
        [*command, str(case.vocab_size)], check=True, capture_output=True, text=True, cwd=ROOT
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def fit_exponent(sizes: list[float], seconds: list[float]) -> float:
    """Return the slope of the line through the logarithms.

    >>> round(fit_exponent([1, 2, 4], [3, 6, 12]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main() -> None:
    """Compile the cases, print tables, write the plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--one", nargs=2, metavar=("GRAMMAR", "VOCAB_SIZE"), help="used inside")
    parser.add_argument("--quick", action="store_true", help="json and small cases only")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    parser.add_argument("--svg", type=Path, help="also draw them")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(compile_case(Case(options.one[0], int(options.one[1])))))
        return
    names = ("json",) if options.quick else ("json", "python")
    vocabularies = VOCABULARIES[:2] if options.quick else VOCABULARIES
    statements = STATEMENTS[:3] if options.quick else STATEMENTS
    report: dict[str, Any] = {"vocabulary": {}, "grammar": {}}
    for name in names:
        found = [measure(Case(name, size)) for size in vocabularies]
        report["vocabulary"][name] = _report(name, found, "vocab_size")
    found = [measure(Case(str(n), FAMILY_VOCABULARY)) for n in statements]
    report["grammar"]["family"] = _report("a family of grammars", found, "productions")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    if options.svg:
        options.svg.write_text(draw_plot(report))


def _report(name: str, found: list[dict[str, Any]], axis: str) -> dict[str, Any]:
    fit = partial(fit_exponent, [float(case[axis]) for case in found])
    last = fit_exponent(*([float(c[k]) for c in found[-2:]] for k in (axis, "cpu_seconds")))
    exponent = fit([case["cpu_seconds"] for case in found])
    columns = ("ids", "productions", "LALR states", "rows", "CPU s", "wall s", "peak MB", "MB")
    rows = [
        (
            f"{case['vocab_size']:,}",
            f"{case['productions']:,}",
            f"{case['lalr_states']:,}",
            f"{case['rows']:,}",
            f"{case['cpu_seconds']:.2f}",
            f"{case['seconds']:.2f}",
            f"{case['peak_mb']:,.0f}",
            f"{case['mb']:.2f}",
        )
        for case in found
    ]
    memory = fit([max(case["peak_mb"], 1.0) for case in found])
    title = (
        f"{name}: exponent {exponent:.2f} over {axis}, {last:.2f} over the last two; "
        f"of memory {memory:.2f}"
    )
    make_console().print(make_table(Table(title, columns, rows, columns)))
    return {"cases": found, "axis": axis, "exponent": exponent, "last_exponent": last}


def draw_plot(report: dict[str, Any]) -> str:
    """Return an SVG document: a panel for each series, both axes by their logarithms."""
    panels = [
        {
            "title": f"{name}, by {result['axis'].replace('_', ' ')}",
            "exponent": result["exponent"],
            **_lay_out(
                np.array([case[result["axis"]] for case in result["cases"]], dtype=float),
                np.array([case["cpu_seconds"] for case in result["cases"]]),
                result["exponent"],
            ),
        }
        for results in report.values()
        for name, result in results.items()
    ]
    template = Path(__file__).with_suffix(".svg.j2").read_text()
    return Template(template, autoescape=True, keep_trailing_newline=True).render(panels=panels)


def _lay_out(sizes: Any, seconds: Any, exponent: float) -> dict[str, Any]:
    """Return the points and the fitted line of a panel of 300 by 260 with a margin of 44."""
    xs, ys = np.log10(sizes), np.log10(seconds)
    left = 44 + 212 * (xs - xs.min()) / (np.ptp(xs) or 1.0)
    ends = ys.mean() + exponent * (np.array([xs.min(), xs.max()]) - xs.mean())
    top, line = (216 - 172 * (at - ys.min()) / (np.ptp(ys) or 1.0) for at in (ys, ends))
    shown = [f"{n / 1000:.0f}k" if n >= 10_000 else f"{n:.0f}" for n in sizes]
    return {
        "points": list(zip(left, top, shown, [f"{s:.2g}" for s in seconds], strict=True)),
        "line": f"M44.0 {line[0]:.1f}L256.0 {line[1]:.1f}",
    }


if __name__ == "__main__":
    main()
