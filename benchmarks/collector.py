"""Does Python's garbage collector hold up a step?

Usage: python -m benchmarks.collector [WORKLOAD …] [--tokens N] [--others N] [--sequences N]
    [--schemas FOLDER]

The collector walks all objects of a process that may hold others, each time that a quarter more of
them have come to stay. So what counts is how many a token leaves behind, and how many there are in
the process for other reasons: as many lists as ``--others`` says are made first, two million in the
default. As many sequences as ``--sequences`` says stand side by side, each reads a document of the
workload, with the mask before each token, and then the next one. With the workload ``python`` the
documents are the whole standard library, so that much of each is new.

With ``schemas`` each document has a JSON Schema of its own, which was compiled before and is kept:
generated ones, or those of a folder, as :mod:`benchmarks.json_schema` reads it. ``toy_c`` is a
general grammar.

Times are of the processor, so that what else runs does not count. The exit status is 1 if a step
took more than 5 ms, or if a token left behind more objects that the collector walks than
``ALLOWED_OBJECTS`` says. With ``schemas`` and general grammars only the objects count: what they
leave behind still brings a collection of everything now and then, and a first mask may take longer.
"""

from __future__ import annotations

import argparse
import gc
import json
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.corpora.schemas import generate_schemas
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.errors import LimitError, SchemaError
from maskc.kit.file import make_kit
from maskc.report.render import make_console, make_table
from maskc.runtime.matcher import Matcher
from maskc.vocab import load_encoder, load_vocabulary

ALLOWED_S = 5e-3
# That stay, a token; of an LALR grammar where nothing else is said.
ALLOWED_OBJECTS = {"schemas": 3.5, "toy_c": 8.5}
_ALLOWED = 0.2
_SCHEMA_TOKENS = 60  # that a generated document has at least, on average
_MOST_TYPES = 6  # that are named
# How its sequence is begun, and the tokens of a document.
Document = tuple[Callable[[], Matcher], list[int]]
_COLUMNS = ("workload", "tokens", "p50", "p99", "p99.99", "max", "collections", "longest", "stay")


class Collections:
    """How often the collector ran in each generation, and how long it took.

    Attributes:
        counts: of the generations.
        longest: in seconds of the processor, of any.
    """

    def __init__(self) -> None:
        self.counts = [0, 0, 0]
        self.longest = 0.0
        self._began = 0.0

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        """Be called by the collector, before and after it runs."""
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.counts[info["generation"]] += 1
            self.longest = max(self.longest, time.thread_time() - self._began)


def list_texts(name: str) -> Iterator[str]:
    """Yield a workload's documents, for python those of the whole standard library."""
    if name != "python":
        for _, text in WORKLOADS[name].documents():
            yield text
        return
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" not in path.parts:
            yield path.read_text(encoding="utf-8", errors="replace")


def encode(name: str, n_tokens: int) -> list[list[int]]:
    """Return the tokens of documents, as many as are wanted; from the first again if they end."""
    encoder = load_encoder(TOKENIZER)
    documents: list[list[int]] = []
    known = [encoder.encode(text) for text in list_texts(name)]
    while n_tokens > 0:
        documents.append(known[len(documents) % len(known)])
        n_tokens -= len(documents[-1])
    return documents


def open_schemas(folder: Path | None, n_tokens: int) -> list[Document]:
    """Return documents with schemas of their own, until there are enough tokens or no more files.

    A schema that is refused is left out, and so is a file that is none.
    """
    kit, encoder = make_kit(load_vocabulary(TOKENIZER)), load_encoder(TOKENIZER)
    kit.prepare()
    documents: list[Document] = []
    for schema, value in list_schemas(folder, n_tokens // _SCHEMA_TOKENS):
        try:
            constraint = kit.json_schema(schema)
        except (LimitError, SchemaError):
            continue
        tokens = encoder.encode(json.dumps(value, ensure_ascii=False))
        documents.append((constraint.matcher, tokens))
        n_tokens -= len(tokens)
        if n_tokens <= 0:
            break
    return documents


def list_schemas(folder: Path | None, n: int) -> Iterator[tuple[Any, Any]]:
    """Yield schemas, each with a value: so many generated ones, or those of a folder."""
    if folder is None:
        yield from generate_schemas(n)
        return
    for path in sorted(folder.glob("*.json")):
        try:
            entry = json.loads(path.read_text())
        except json.JSONDecodeError:
            continue
        for test in sorted(entry["tests"], key=lambda test: not test["valid"])[:1]:
            yield entry["schema"], test["data"]


def count_objects() -> Counter[str]:
    """Return how many objects the collector walks, by the name of their type."""
    gc.collect()
    return Counter(type(each).__name__ for each in gc.get_objects())


def run(documents: list[Document], vocab_size: int, n_sequences: int) -> dict[str, Any]:
    """Read documents, and return times of steps in seconds, collections and what stays.

    A document that is refused is read up to there. The first step is not among them: it makes what
    the artifact's tables are read through.
    """
    bitmask = maskc.allocate_bitmask(1, vocab_size)
    first = documents[0][0]()
    first.fill_bitmask(bitmask, 0)
    first.accept_token(documents[0][1][0])
    waiting = iter(documents)
    standing = [(start(), iter(document)) for start, document in islice(waiting, n_sequences)]
    times = np.zeros(sum(len(tokens) for _, tokens in documents))
    n = 0
    before = count_objects()
    collections = Collections()
    gc.callbacks.append(collections)
    reads = True
    while reads:
        reads = False
        for place, (matcher, tokens) in enumerate(standing):
            for token in tokens:
                reads = True
                began = time.thread_time()
                matcher.fill_bitmask(bitmask, 0)
                taken = matcher.accept_token(token)
                times[n] = time.thread_time() - began
                n += 1
                if taken:
                    break
            else:
                document = next(waiting, None)
                if document is not None:
                    standing[place] = (document[0](), iter(document[1]))
                    reads = True
    gc.callbacks.remove(collections)
    stay = count_objects() - before
    return {
        "tokens": n,
        "times": np.sort(times[:n]),
        "collections": collections,
        "stay": (sum(stay.values()) / n),
        "types": [(kind, count / n) for kind, count in stay.most_common(_MOST_TYPES)],
    }


def read(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Read a workload's documents; see :func:`run`."""
    if name == "schemas":
        documents = open_schemas(options.schemas, options.tokens)
        return run(documents, load_vocabulary(TOKENIZER).vocab_size, options.sequences)
    with compile_bundled(name) as path:
        artifact = maskc.load(path)
        documents = [(artifact.matcher, tokens) for tokens in encode(name, options.tokens)]
        return run(documents, artifact.vocab_size, options.sequences)


def main() -> None:
    """Print a table, and exit with 1 if a step took too long or too much stays."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collector")
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", default=["python"])
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--others", type=int, default=2_000_000)
    parser.add_argument("--sequences", type=int, default=32)
    parser.add_argument("--schemas", type=Path, help="a folder, for the workload of that name")
    options = parser.parse_args()
    others = [[number] for number in range(options.others)]
    rows, kinds = [], list[str]()
    failed = False
    for name in options.names:
        found = read(name, options)
        times, collections = found["times"], found["collections"]
        percentiles = np.quantile(times, (0.5, 0.99, 0.9999, 1))
        rows.append(
            (
                name,
                f"{found['tokens']:,}",
                *(f"{1e6 * seconds:,.1f} us" for seconds in percentiles),
                " + ".join(map(str, collections.counts)),
                f"{1e3 * collections.longest:.1f} ms",
                f"{found['stay']:.3f}",
            )
        )
        failed |= name not in ALLOWED_OBJECTS and bool(times[-1] > ALLOWED_S)
        failed |= found["stay"] >= ALLOWED_OBJECTS.get(name, _ALLOWED)
        kinds.append(f"{name}: " + ", ".join(f"{n:.2f} {kind}" for kind, n in found["types"]))
    title = f"steps beside {options.others:,} other objects"
    make_console().print(make_table(title, _COLUMNS, rows, numbers=_COLUMNS[1:]))
    print("what stays, a token:", *kinds, sep="\n")
    del others
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
