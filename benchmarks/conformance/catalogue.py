"""Which grammars is maskc shown to conform on?

The published ones are those of Lark's and syncode's source distributions (``make corpora``),
unmodified; ours are those of ``grammars/``. With each goes what its text does not say, and where
there are texts of its language.
"""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

from benchmarks.conformance.corpora import CORPORA, PACKAGES, ROOT, corpus

LARK, SYNCODE, *_ = map(corpus, PACKAGES)
PARSERS = SYNCODE / "syncode/parsers/grammars"
OURS = ROOT / "grammars"
OUR_TEXTS = ROOT / "tests/grammars/corpora"
INDENTER = "lark.indenter:PythonIndenter"
STDLIB = Path(sysconfig.get_path("stdlib"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A grammar.

    Attributes:
        path: its file.
        start, postlex: what it needs beside its text, as options of ``maskc compile``.
        texts: in its language or nearly, written for this check.
        files: files and folders of texts that lie somewhere already.
    """

    path: Path
    start: str | None = None
    postlex: str | None = None
    texts: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        """The path below ``corpora/``, or below the repository if it is ours."""
        base = CORPORA if self.path.is_relative_to(CORPORA) else ROOT
        return str(self.path.relative_to(base))

    @property
    def is_ours(self) -> bool:
        """Whether it lies in this repository."""
        return self.path.is_relative_to(OURS)

    @property
    def options(self) -> list[str]:
        """Options of ``maskc compile``."""
        chosen = [("--start", self.start), ("--postlex", self.postlex)]
        return [word for name, value in chosen if value for word in (name, value)]


JSON_TEXTS = ('{"a": [1, -2.5e3, true, null], "b": {"c": "d\\n"}}', "[]", "[1,]")
LARK_FILES = (LARK / "lark/grammars", LARK / "examples", PARSERS)
PUBLISHED = (
    Entry(LARK / "lark/grammars/python.lark", "file_input", INDENTER, files=(STDLIB,)),
    Entry(LARK / "lark/grammars/lark.lark", files=LARK_FILES),
    Entry(
        LARK / "examples/advanced/python2.lark", "file_input", INDENTER, files=(STDLIB / "json",)
    ),
    Entry(LARK / "examples/advanced/template_lark.lark", files=LARK_FILES, texts=("start: A\n",)),
    Entry(
        LARK / "examples/grammars/verilog.lark",
        texts=("module m (a, b); input a; output b; wire c; assign b = a & ~c; endmodule",),
    ),
    Entry(LARK / "examples/standalone/json.lark", texts=JSON_TEXTS),
    Entry(LARK / "examples/composition/json.lark", texts=JSON_TEXTS),
    Entry(LARK / "examples/composition/csv.lark", texts=("# a b\n1 2\nx,3.5\n", "a\n")),
    Entry(
        LARK / "examples/composition/storage.lark",
        texts=('# a b\n1 2\n{"a": [1]}\n',),
        files=(LARK / "examples/composition/combined_csv_and_json.txt",),
    ),
    Entry(
        PARSERS / "python.lark",
        postlex="benchmarks.conformance.indenters:SyncodePython",
        texts=("x = 1\n", "def f(a, b=2):\n    return [a, *b]\n"),
        files=(STDLIB / "json",),
    ),
    Entry(
        PARSERS / "go.lark",
        texts=("package main\n\nfunc add(a int, b int) int {\n\treturn a + b\n}\n", "package a\n"),
    ),
    Entry(
        PARSERS / "sql.lark",
        texts=(
            "SELECT a, count(*) AS n FROM t WHERE a > 1 GROUP BY a ORDER BY n DESC LIMIT 3",
            "select x from y join z on y.a = z.a",
        ),
    ),
    Entry(
        PARSERS / "java.lark",
        texts=(
            "package a.b; import java.util.*; public class A { int f(int x) { return x + 1; } }",
            "class A { }",
        ),
    ),
    Entry(
        PARSERS / "c.lark",
        texts=("int f(int a) { int b = a + 1; while (b < 3) { b = b * 2; } return b; }",),
    ),
    Entry(PARSERS / "json.lark", texts=JSON_TEXTS),
    Entry(PARSERS / "calc.lark", texts=("1 + 2 * (3 - 4)", "1 +")),
    Entry(PARSERS / "tiny.lark", texts=("cdd", "dccd", "c")),
    Entry(
        PARSERS / "invariants.lark",
        texts=("```\nloop invariant x <= 10 && (y == f(1)) ;\n```",),
    ),
    Entry(
        PARSERS / "prover9.lark",
        texts=(
            "Predicates:\nP(x) ::: p\nPremises:\n∀x (P(x) → P(x)) ::: a\nConclusion:\nP(a) ::: b\n",
        ),
    ),
)
NAMES = ("json", "python", "sql", "c", "lua", "graphql", "toml", "regex", "csv", "lark")
COLLECTION = tuple(
    Entry(OURS / f"{name}.lark", files=(STDLIB if name == "python" else OUR_TEXTS / name,))
    for name in NAMES
)
ENTRIES = (*PUBLISHED, *COLLECTION)
