"""What does it cost to narrow a terminal to the words of a request?

Usage: python -m benchmarks.holes [NAME …] [--words N …]

The terminal of names is narrowed to all names of the documents and to random ones; documents are
then read token by token, with a mask before each, by the artifact's own matcher and by a narrowed
one. Times are milliseconds to bind, microseconds of a mask and of a token taken: the first pass and
the second one.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import string
import time
from collections.abc import Callable, Sequence

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS, add_names
from maskc.vocab import load_encoder

HOLES = {"sql": "NAME", "python": "NAME"}
_WORD = re.compile(r"[^\W\d]\w*")
_N_BOUND = 5


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_names(parser, HOLES, ["sql"])
    parser.add_argument("--words", nargs="*", type=int, default=[1_000, 100_000])
    parser.add_argument("--tokens", type=int, default=1_500)
    given = parser.parse_args()
    encode = load_encoder(TOKENIZER).encode
    for name in given.names:
        documents: list[list[int]] = []
        found: set[str] = set()
        for _, text in WORKLOADS[name].documents():
            if sum(map(len, documents)) < given.tokens:
                documents.append(list(encode(text)))
                found |= set(_WORD.findall(text))
        with compile_bundled(name) as path:
            artifact = maskc.load(path)
            n_tokens = sum(map(len, documents))
            print(f"{name}, {n_tokens:,} tokens, {len(found):,} names; µs: median, 99 % and mean")
            for title in ("first pass", "second pass"):
                _show(f"plain, {title}", *_read(artifact.matcher, documents, artifact.vocab_size))
            artifact.bind(**{HOLES[name]: sorted(found)})
            for n_words in given.words:
                words = _draw_words(found, n_words)
                taken = []
                for k in range(_N_BOUND):
                    words[0] = f"first_{k}"  # the same words are bound once
                    began = time.perf_counter()
                    bound = artifact.bind(**{HOLES[name]: words})
                    taken.append(1e3 * (time.perf_counter() - began))
                print(f"{len(words):7,} words: bound in {statistics.median(taken):.2f} ms")
                for title in ("first pass", "second pass"):
                    read = _read(bound.matcher, documents, artifact.vocab_size)
                    _show(f"{n_words:,} words, {title}", *read)


def _draw_words(found: set[str], n: int) -> list[str]:
    """Return some words and random ones, shuffled, ``n`` at least."""
    draw, words = random.Random(0), set(found)
    while len(words) < n:
        words.add("_".join("".join(draw.choices(string.ascii_lowercase, k=6)) for _ in range(2)))
    listed = sorted(words)
    draw.shuffle(listed)
    return ["", *listed]


def _read(
    make: Callable[[], maskc.Matcher], documents: Sequence[Sequence[int]], vocab_size: int
) -> tuple[list[float], list[float]]:
    """Return the µs of each mask and of each token taken."""
    masks, tokens = [], []
    for document in documents:
        matcher = make()
        bitmask = maskc.allocate_bitmask(1, vocab_size)
        for token in document:
            began = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            filled = time.perf_counter()
            if not matcher.accept_token(token):
                raise ValueError("a document is not of the narrowed grammar")
            masks.append(1e6 * (filled - began))
            tokens.append(1e6 * (time.perf_counter() - filled))
    return masks, tokens


def _show(title: str, masks: list[float], tokens: list[float]) -> None:
    parts = []
    for times in (masks, tokens):
        ordered = sorted(times)
        p99 = ordered[len(ordered) * 99 // 100]
        parts.append(f"{ordered[len(ordered) // 2]:8.1f} {p99:9.1f} {statistics.fmean(times):8.1f}")
    print(f"{title:32} mask {parts[0]}   token {parts[1]}")


if __name__ == "__main__":
    main()
