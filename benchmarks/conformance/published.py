"""Compiles and verifies published Lark grammars, unmodified.

Usage: python benchmarks/conformance/published.py REPORT [PAGE] [--only WORD]

The grammars are those of Lark's and syncode's source distributions (``make corpora``). Each is
compiled for llama3 and verified: files of its language where the distributions or Python itself
have some and the texts below, texts generated from its masks, and masks against the oracle.
REPORT is a JSON file; between its two marks, PAGE gets the table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import CORPORA, PACKAGES, ROOT, corpus

LARK, SYNCODE = map(corpus, PACKAGES)
PARSERS = SYNCODE / "syncode/parsers/grammars"
TOKENIZER = "llama3"
MARKS = ("<!-- grammars: begin -->", "<!-- grammars: end -->")
INDENTER = "lark.indenter:PythonIndenter"
FILES, TEXTS, MAX_TOKENS, POSITIONS, RAW_POSITIONS = 40, 10, 150, 100, 300


@dataclass(frozen=True)
class Published:
    """A grammar.

    Attributes:
        path: its file.
        start, postlex: what it needs beside its text, as options of ``maskc compile``.
        texts: in its language, written for this check.
        files: texts that lie somewhere already.
    """

    path: Path
    start: str | None = None
    postlex: str | None = None
    texts: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """The path below ``corpora/``."""
        return str(self.path.relative_to(CORPORA))

    @property
    def options(self) -> list[str]:
        """Options of ``maskc compile``."""
        chosen = [("--start", self.start), ("--postlex", self.postlex)]
        return [word for name, value in chosen if value for word in (name, value)]


JSON_TEXTS = ('{"a": [1, -2.5e3, true, null], "b": {"c": "d\\n"}}', "[]", "[1,]")
PYTHON_FILES = (Path(sysconfig.get_path("stdlib")) / "json", Path(sysconfig.get_path("stdlib")))
LARK_FILES = (LARK / "lark/grammars", LARK / "examples", PARSERS)
GRAMMARS = (
    Published(LARK / "lark/grammars/python.lark", "file_input", INDENTER, files=PYTHON_FILES),
    Published(LARK / "lark/grammars/lark.lark", files=LARK_FILES),
    Published(
        LARK / "examples/advanced/python2.lark", "file_input", INDENTER, files=PYTHON_FILES[:1]
    ),
    Published(
        LARK / "examples/advanced/template_lark.lark", files=LARK_FILES, texts=("start: A\n",)
    ),
    Published(
        LARK / "examples/grammars/verilog.lark",
        texts=("module m (a, b); input a; output b; wire c; assign b = a & ~c; endmodule",),
    ),
    Published(LARK / "examples/standalone/json.lark", texts=JSON_TEXTS),
    Published(LARK / "examples/composition/json.lark", texts=JSON_TEXTS),
    Published(LARK / "examples/composition/csv.lark", texts=("# a b\n1 2\nx,3.5\n", "a\n")),
    Published(
        LARK / "examples/composition/storage.lark",
        texts=('# a b\n1 2\n{"a": [1]}\n',),
        files=(LARK / "examples/composition/combined_csv_and_json.txt",),
    ),
    Published(
        PARSERS / "python.lark",
        postlex="benchmarks.conformance.indenters:SyncodePython",
        texts=("x = 1\n", "def f(a, b=2):\n    return [a, *b]\n"),
        files=PYTHON_FILES[:1],
    ),
    Published(
        PARSERS / "go.lark",
        texts=("package main\n\nfunc add(a int, b int) int {\n\treturn a + b\n}\n", "package a\n"),
    ),
    Published(
        PARSERS / "sql.lark",
        texts=(
            "SELECT a, count(*) AS n FROM t WHERE a > 1 GROUP BY a ORDER BY n DESC LIMIT 3",
            "select x from y join z on y.a = z.a",
        ),
    ),
    Published(
        PARSERS / "java.lark",
        texts=(
            "package a.b; import java.util.*; public class A { int f(int x) { return x + 1; } }",
            "class A { }",
        ),
    ),
    Published(
        PARSERS / "c.lark",
        texts=("int f(int a) { int b = a + 1; while (b < 3) { b = b * 2; } return b; }",),
    ),
    Published(PARSERS / "json.lark", texts=JSON_TEXTS),
    Published(PARSERS / "calc.lark", texts=("1 + 2 * (3 - 4)", "1 +")),
    Published(PARSERS / "tiny.lark", texts=("cdd", "dccd", "c")),
    Published(
        PARSERS / "invariants.lark",
        texts=("```\nloop invariant x <= 10 && (y == f(1)) ;\n```",),
    ),
    Published(
        PARSERS / "prover9.lark",
        texts=(
            "Predicates:\nP(x) ::: p\nPremises:\n∀x (P(x) → P(x)) ::: a\nConclusion:\nP(a) ::: b\n",
        ),
    ),
)


def maskc(*arguments: str) -> tuple[int, Any, str]:
    """Run a command of maskc; return its exit status, its JSON and its standard error."""
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", "maskc.cli", *arguments, "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "null"), done.stderr.strip()


def examine(grammar: Published, folder: Path) -> dict[str, Any]:
    """Compile and verify one grammar."""
    result: dict[str, Any] = {"name": grammar.name, "needs": grammar.options}
    target = folder / "artifact.maskc"
    status, compiled, error = maskc(
        "compile",
        str(grammar.path),
        *("--tokenizer", TOKENIZER, "--output", str(target)),
        *grammar.options,
    )
    if status:
        return {**result, "error": error.splitlines()[-1] if error else f"exit status {status}"}
    result |= {"counts": compiled["counts"], "n_bytes": compiled["n_bytes"]}
    result["seconds"] = sum(done["seconds"] for done in compiled["passes"])
    texts = folder / "texts"
    texts.mkdir(exist_ok=True)
    for old in texts.iterdir():
        old.unlink()
    for number, text in enumerate(grammar.texts):
        (texts / f"{number}.txt").write_text(text, encoding="utf-8")
    paths = [str(path) for path in (*grammar.files, texts) if path != texts or grammar.texts]
    status, verified, error = maskc(
        "verify",
        str(target),
        *(word for path in paths for word in ("--corpus", path)),
        *("--files", str(FILES), "--texts", str(TEXTS), "--max-tokens", str(MAX_TOKENS)),
        *("--positions", str(POSITIONS), "--raw-positions", str(RAW_POSITIONS)),
    )
    if verified is None:
        return {**result, "error": error.splitlines()[-1] if error else f"exit status {status}"}
    return {**result, "verified": verified}


def table(results: list[dict[str, Any]]) -> list[str]:
    """Return the results as a Markdown table."""
    lines = [
        "| grammar | beside its text | terminals | productions | LALR states | compile | size "
        "| corpus: files, refused by both, tokens | generated | masks, comparisons | differences |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        needs = f"`{' '.join(result['needs'])}`" if result["needs"] else ""
        if "counts" not in result:
            lines.append(f"| `{result['name']}` | {needs} | {result['error']} |" + " |" * 8)
            continue
        counts = result["counts"]
        cells = [
            f"`{result['name']}`",
            needs,
            f"{counts['terminals']:,}",
            f"{counts['productions']:,}",
            f"{counts['lalr_states']:,}",
            f"{result['seconds']:.1f} s",
            f"{result['n_bytes'] / 1e6:.1f} MB",
        ]
        if "verified" not in result:
            lines.append("| " + " | ".join([*cells, result["error"]]) + " | | | |")
            continue
        found = {e["name"]: e for e in result["verified"]["experiments"]}
        walked, drawn = found["corpus"]["counts"], found["generation"]["counts"]
        compared = found["oracle"]["counts"]
        cells += [
            f"{walked['files']}, {walked.get('files that Lark refuses', 0)}, "
            f"{walked.get('tokens', 0):,}",
            f"{drawn['texts']}",
            f"{compared['positions']}, {compared['comparisons']:,}",
            f"{sum(len(e['failures']) for e in found.values())}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Examine every grammar and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("report", type=Path)
    parser.add_argument("page", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="part of a grammar's path")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for grammar in GRAMMARS:
            if arguments.only in grammar.name:
                results.append(examine(grammar, Path(folder)))
                print(table(results)[-1], flush=True)
    arguments.report.write_text(json.dumps(results, indent=1) + "\n")
    if arguments.page:
        before, _, rest = arguments.page.read_text().partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        lines = "\n".join(table(results))
        arguments.page.write_text(f"{before}{MARKS[0]}\n{lines}\n{MARKS[1]}{after}")
    if not all("verified" in result and result["verified"]["ok"] for result in results):
        sys.exit("not every grammar is compiled and verified")


if __name__ == "__main__":
    main()
