"""Do the texts that SGLang's server returns parse, with many requests at once?

Usage: python -m benchmarks.serving.sglang_run [NAME …] [--outputs N] [--clients N] [--json FILE]

The whole server runs, with a model of random weights and deepseek's vocabulary, on the CPU
(sglang_cpu.py). Clients ask over HTTP for texts of json, python and sql, greedily and
by sampling, mixed in one batch. Some tokens after the beginning an oracle in the server tells the
model what would end the text; the masks decide what is legal, and Lark parses what comes back. A
step is a forward pass and sampling, without that oracle; a real model's takes longer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import maskc
from benchmarks.serving.sglang_steering import SteeringProcessor
from benchmarks.serving.sglang_timing import VARIABLE
from benchmarks.workloads import ROOT
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import source_from_header
from maskc.report.render import make_console, make_table
from maskc.verify.subject import parses
from tests.engines.sglang_cpu import PLUGINS
from tests.engines.sglang_server import Server, serving

TOKENIZER = "deepseek"
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "sampling": {"temperature": 1.0},
}


def ask(server: Server, processor: str, names: list[str], number: int) -> dict[str, Any]:
    """Return what became of one request.

    Args:
        server: with the artifacts.
        processor: the custom logit processor, as text.
        names: of the grammars, which take turns.
        number: of the request.
    """
    name, way = names[number % len(names)], list(WAYS)[number // len(names) % len(WAYS)]
    status, answer = server.post(
        "/generate",
        {
            "text": f"Text {number}:",
            "sampling_params": {
                "ebnf": f"maskc://{name}",
                "max_new_tokens": 400,
                "custom_params": {"grammar": name, "after": random.Random(number).randint(3, 25)},
                **WAYS[way],
            },
            "custom_logit_processor": processor,
        },
    )
    found = {"name": name, "way": way, "status": status, "text": "", "ended": False, "tokens": 0}
    if status != 200:
        return found | {"text": str(answer)}
    about = answer["meta_info"]
    return found | {
        "text": answer["text"],
        "ended": about["finish_reason"]["type"] == "stop",
        "tokens": about["completion_tokens"],
    }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return the counts by grammar and way, the seconds of all requests, and those of steps."""
    artifacts, timing = folder / "artifacts", folder / "timing.json"
    os.environ[VARIABLE] = str(timing)
    PLUGINS["maskc_timing"] = "benchmarks.serving.sglang_timing"
    artifacts.mkdir()
    parsers = {}
    for name in options.names:
        artifact = maskc.compile_grammar(ROOT / "grammars" / f"{name}.lark", tokenizer=TOKENIZER)
        artifact.save(artifacts / f"{name}.maskc")
        parsers[name] = build_lark(source_from_header(artifact.header["grammar"]))
    with (
        serving(folder, artifacts, "--enable-custom-logit-processor") as server,
        ThreadPoolExecutor(options.clients) as pool,
    ):
        begin = time.perf_counter()
        call = partial(ask, server, SteeringProcessor.to_str(), options.names)
        answers = list(pool.map(call, range(options.outputs)))
        seconds = time.perf_counter() - begin
    rows: dict[str, dict[str, Any]] = {}
    for answer in answers:
        title = f"{answer['name']}, {answer['way']}"
        row = rows.setdefault(
            title, {"outputs": 0, "ended": 0, "parsed": 0, "tokens": 0, "failures": []}
        )
        parsed = answer["ended"] and parses(parsers[answer["name"]], answer["text"])
        row["outputs"] += 1
        row["ended"] += answer["ended"]
        row["parsed"] += parsed
        row["tokens"] += answer["tokens"]
        if not parsed:
            row["failures"].append(answer)
    return {"rows": rows, "seconds": seconds, "timing": json.loads(timing.read_text())}


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python", "sql"])
    parser.add_argument("--outputs", type=int, default=216, help="how many requests")
    parser.add_argument("--clients", type=int, default=16, help="how many at once")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = measure(options, Path(folder))
    columns = ("", "outputs", "ended", "parsed", "tokens")
    rows = [
        (title, *(f"{row[key]:,}" for key in columns[1:]))
        for title, row in sorted(report["rows"].items())
    ]
    console = make_console()
    console.print(make_table("SGLang", columns, rows, numbers=columns[1:]))
    timing = report["timing"]
    step = timing["forward"] + timing["sample"] - timing["steering"]
    console.print(
        f"{options.outputs} requests in {report['seconds']:.0f} s; "
        f"{timing['steps']:,} steps of {timing['rows'] / timing['steps']:.1f} rows, "
        f"{step / timing['steps'] * 1e3:.1f} ms a step; masks: {timing['masks'] / step:.1%} of it, "
        f"{timing['masks'] / timing['rows'] * 1e6:.0f} us a row"
    )
    failures = [failure for row in report["rows"].values() for failure in row["failures"]]
    for failure in failures[:5]:
        console.print(str(failure), markup=False)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
