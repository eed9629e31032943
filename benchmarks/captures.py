"""What does it cost to know where symbols stand?

Usage: python -m benchmarks.captures [NAME …] [--tokens N]

Documents are taken token by token, by the artifact's own matcher and by one that captures symbols;
masks are the same. Times are of the second pass, in microseconds a token.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS, add_names
from maskc.captures.matcher import CapturingMatcher
from maskc.vocab import load_encoder

SYMBOLS = {
    "json": ("STRING", "member", "array"),
    "sql": ("name", "column", "source"),
    "python": ("name", "funcdef", "classdef"),
}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_names(parser, SYMBOLS, ["json", "sql"])
    parser.add_argument("--tokens", type=int, default=20_000)
    given = parser.parse_args()
    encode = load_encoder(TOKENIZER).encode
    for name in given.names:
        documents: list[list[int]] = []
        for _, text in WORKLOADS[name].documents():
            if sum(map(len, documents)) < given.tokens:
                documents.append(list(encode(text)))
        with compile_bundled(name) as path:
            artifact = maskc.load(path)
            captures = maskc.capture(artifact, *SYMBOLS[name])
            _read(artifact.matcher, documents)
            _read(captures.matcher, documents)
            plain, _, _ = _read(artifact.matcher, documents)
            capturing, n_spans, looking = _read(captures.matcher, documents)
        print(
            f"{name:8} {sum(map(len, documents)):7,} tokens  accept {plain:5.2f}  "
            f"with captures {capturing:6.2f}  spans {n_spans:7,}, all of a text {looking:7.1f}"
        )


def _read(
    make: Callable[[], maskc.Matcher], documents: Sequence[Sequence[int]]
) -> tuple[float, int, float]:
    """Return µs a token, the number of spans, and the µs that one text's spans take."""
    n_tokens, taken, n_spans, looked = 0, 0.0, 0, 0.0
    for tokens in documents:
        matcher = make()
        began = time.perf_counter()
        n_taken = matcher.accept_tokens(tokens)
        taken += time.perf_counter() - began
        if n_taken != len(tokens):
            raise ValueError("a document is not of the grammar")
        n_tokens += n_taken
        if isinstance(matcher, CapturingMatcher):
            began = time.perf_counter()
            n_spans += len(matcher.spans())
            looked += time.perf_counter() - began
    return 1e6 * taken / n_tokens, n_spans, 1e6 * looked / len(documents)


if __name__ == "__main__":
    main()
