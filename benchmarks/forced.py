"""How many tokens of real documents are forced, so that no model need be asked for them?

Usage: python -m benchmarks.forced [NAME …] [--tokens N] [--json FILE]

Each document is followed by its tokens. Where ``forced_tokens`` gives some, they are compared with
the document's own, counted and skipped; the others are what a model would be asked for. Forced
bytes are what an engine saves that jumps over text.

``record`` is a grammar in the manner of a JSON schema, which fixes the keys, their order and the
blanks; json, python and sql allow blanks between any two lexemes, so nearly nothing is forced.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.corpora.records import RECORD, generate_records
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.report.render import make_console, make_table
from maskc.vocab import load_encoder

N_TOKENS = 20_000


def measure(name: str, n_tokens: int) -> dict[str, Any]:
    """Return counts over the documents of a workload, up to a number of tokens."""
    encode = load_encoder(TOKENIZER).encode
    found = dict.fromkeys(("tokens", "forced", "as in the text", "bytes", "forced bytes"), 0)
    begin = time.perf_counter()
    if name == "record":
        artifact = maskc.compile_grammar(RECORD, tokenizer=TOKENIZER)
        documents = generate_records()
    else:
        with compile_bundled(name) as path:
            artifact = maskc.load(path)
        documents = WORKLOADS[name].documents()
    for _, text in documents:
        if found["tokens"] >= n_tokens:
            break
        for key, number in follow(artifact, encode, text).items():
            found[key] += number
    return {**found, "seconds": time.perf_counter() - begin}


def follow(
    artifact: maskc.Artifact, encode: Callable[[str], Sequence[int]], text: str
) -> dict[str, int]:
    """Return the counts of one document."""
    tokens, matcher = encode(text), artifact.matcher()
    place, written, n_forced, n_equal, n_bytes, byte_end = 0, 0, 0, 0, 0, 0
    data = text.encode()
    while place < len(tokens):
        forced_bytes = matcher.forced_bytes()
        n_bytes += max(0, written + len(forced_bytes) - max(byte_end, written))
        byte_end = max(byte_end, written + len(forced_bytes))
        # The tokens before a line's start do not change how it is cut, except for blank lines.
        line = data[: data.rfind(b"\n", 0, max(0, written - 100)) + 1]
        before = data[len(line) : written].decode(errors="ignore")
        forced = matcher.forced_tokens(encode, before=before) if forced_bytes else []
        n_forced += len(forced)
        n_equal += sum(a == b for a, b in zip(forced, tokens[place:], strict=False))
        for token in forced or tokens[place : place + 1]:
            if not matcher.accept_token(token):
                raise ValueError(f"token {token} of a document is not legal")
            written += len(artifact.token_bytes(token) or b"")
            place += 1
    return {
        "tokens": len(tokens),
        "forced": n_forced,
        "as in the text": n_equal,
        "bytes": len(data),
        "forced bytes": n_bytes,
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=["json", "python", "sql", "record"])
    parser.add_argument("--tokens", type=int, default=N_TOKENS, help="stop after so many")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    options = parser.parse_args()
    report = {name: measure(name, options.tokens) for name in options.names}
    columns = ("workload", "tokens", "forced", "share", "as in the text", "bytes forced")
    rows = [
        (
            name,
            f"{found['tokens']:,}",
            f"{found['forced']:,}",
            f"{found['forced'] / found['tokens']:.2%}",
            f"{found['as in the text']:,}",
            f"{found['forced bytes'] / found['bytes']:.2%}",
        )
        for name, found in report.items()
    ]
    make_console().print(make_table("forced tokens", columns, rows, numbers=columns[1:]))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
