"""What do roles cost: time to compile, size, and time at each token?

Usage: python -m benchmarks.roles [--tokens N]

Python with names of classes in CapWords and names of functions in lower case, beside Python as it
is, both for llama3. The documents are those files of the standard library that keep to the roles;
times are of the second pass over them, in microseconds a token.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import maskc
from benchmarks.workloads import TOKENIZER, WORKLOADS
from maskc.vocab import load_encoder

ROLES = {"classdef.name.NAME": "_?[A-Z][A-Za-z0-9]*", "funcdef.name.NAME": "[a-z_][a-z0-9_]*"}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=20_000)
    given = parser.parse_args()
    encode = load_encoder(TOKENIZER).encode
    texts = [list(encode(text)) for _, text in WORKLOADS["python"].documents()]
    artifacts = {}
    for name, roles in (("plain", {}), ("roles", ROLES)):
        began = time.process_time()
        artifacts[name] = maskc.compile_grammar("python", tokenizer=TOKENIZER, roles=roles)
        seconds = time.process_time() - began
        n_bytes = sum(array.nbytes for array in artifacts[name].contents.arrays.values())
        counts = artifacts[name].header["counts"]
        print(f"{name}  {seconds:6.1f} s  {n_bytes / 1e6:6.1f} MB  {counts['masks']:,} masks")
    documents = [text for text in texts if _follows(artifacts["roles"], text)]
    print(f"{len(documents)} of {len(texts)} files keep to the roles")
    while sum(map(len, documents)) > given.tokens and len(documents) > 1:
        documents.pop()
    for name in (*artifacts, *artifacts):
        fill, accept = _time(artifacts[name], documents)
        print(f"{name}  fill {fill:5.2f}  accept {accept:5.2f}")


def _follows(artifact: maskc.Artifact, tokens: Sequence[int]) -> bool:
    return artifact.matcher().accept_tokens(tokens) == len(tokens)


def _time(artifact: maskc.Artifact, documents: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return µs a token of filling a mask, and of taking the token."""
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    filled = taken = 0.0
    n_tokens = 0
    for tokens in documents:
        matcher = artifact.matcher()
        for token in tokens:
            first = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            second = time.perf_counter()
            matcher.accept_token(token)
            filled += second - first
            taken += time.perf_counter() - second
            n_tokens += 1
    return 1e6 * filled / n_tokens, 1e6 * taken / n_tokens


if __name__ == "__main__":
    main()
