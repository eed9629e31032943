"""What does it cost to allow only the tokenizer's own tokens, and what does that forbid?

Usage: python -m benchmarks.canonical [TOKENIZER …] [--grammars NAME …] [--tokens N] [--texts N]

Documents are read in their own tokens, N of each grammar: each must be legal. Then texts are
drawn from the legal tokens, and each that ends must be written by the tokenizer as it was drawn.
Times are processor time: masks that were not asked for before, in milliseconds, and the masks of
the same document once more, in microseconds, beside the plain ones.
"""

from __future__ import annotations

import argparse
import time
from random import Random

import numpy as np
from numpy.typing import NDArray

import maskc
from benchmarks.workloads import WORKLOADS
from maskc.runtime.spelling.canonical import Canonical
from maskc.runtime.spelling.spelling import Spelling
from maskc.vocab import Encoder, load_encoder

_LONGEST = 60  # tokens of a drawn text, before its end is taken where there is one


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = ["llama3", "qwen", "deepseek"]
    parser.add_argument("tokenizers", nargs="*", default=names)
    parser.add_argument("--grammars", nargs="*", default=["json"])
    parser.add_argument("--tokens", type=int, default=600)
    parser.add_argument("--texts", type=int, default=20)
    given = parser.parse_args()
    for tokenizer in given.tokenizers:
        began = time.process_time()
        spelling = maskc.compile_spelling(tokenizer)
        print(f"{tokenizer}: made in {time.process_time() - began:.1f} s, {spelling.count()}")
        encoder = load_encoder(tokenizer)
        for name in given.grammars:
            artifact = maskc.compile_grammar(WORKLOADS[name].grammar, tokenizer=tokenizer)
            _Run(name, artifact, spelling, encoder).report(given.tokens, given.texts)


class _Run:
    """One grammar with one tokenizer."""

    def __init__(
        self, name: str, artifact: maskc.Artifact, spelling: Spelling, encoder: Encoder
    ) -> None:
        self.name, self.artifact, self.encoder = name, artifact, encoder
        began = time.process_time()
        self.canonical: Canonical = maskc.canonical(artifact, spelling)
        self._fill(self.canonical.matcher())
        self.ready = time.process_time() - began

    def report(self, n_tokens: int, n_texts: int) -> None:
        """Print what it costs and forbids."""
        documents = self._documents(n_tokens)
        cold, shares = self._read(documents)
        warm = self._fill_along(self.canonical.matcher(), documents[0])
        plain = self._fill_along(self.artifact.matcher(), documents[0])
        n_ended = sum(self._draw(Random(seed)) for seed in range(n_texts))
        some = shares[shares > 0]
        print(
            f"  {self.name:8} ready in {self.ready:.1f} s; {len(cold)} masks, new ones "
            f"{cold.mean():.1f} ms, median {np.median(cold):.2f}, p99 "
            f"{np.percentile(cold, 99):.0f}; again {warm:.1f} µs, plain {plain:.1f}"
        )
        print(
            f"  {'':8} {len(some) / len(shares):.0%} of masks have fewer tokens; on average "
            f"{shares.mean():.1%} of the legal ones are not the tokenizer's; "
            f"{n_ended} of {n_texts} drawn texts ended, all as the tokenizer writes them; "
            f"{self.canonical.n_undecided} tokens undecided"
        )

    def _documents(self, n_tokens: int) -> list[list[int]]:
        found: list[list[int]] = []
        for _, text in WORKLOADS[self.name].documents():
            if n_tokens > 0:
                found.append(self.encoder.encode(text)[:n_tokens])
                n_tokens -= len(found[-1])
        return found

    def _fill(self, matcher: maskc.Matcher) -> NDArray[np.uint32]:
        bitmask = maskc.allocate_bitmask(1, self.artifact.vocab_size)
        matcher.fill_bitmask(bitmask, 0)
        return bitmask[0].view(np.uint32)

    def _read(self, documents: list[list[int]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return of each mask its milliseconds, and which part of the plain one it lacks."""
        times: list[float] = []
        shares: list[float] = []
        for tokens in documents:
            matcher, plain = self.canonical.matcher(), self.artifact.matcher()
            for token in tokens:
                began = time.process_time()
                words = self._fill(matcher)
                times.append((time.process_time() - began) * 1e3)
                every = self._fill(plain)
                if (words & ~every).any():
                    raise ValueError("a token is legal that the grammar does not allow")
                n_every = int(np.bitwise_count(every).sum())
                shares.append(1 - int(np.bitwise_count(words).sum()) / n_every)
                if not matcher.accept_token(token) or not plain.accept_token(token):
                    raise ValueError(f"token {token} of a document is not legal")
        return np.array(times), np.array(shares)

    def _fill_along(self, matcher: maskc.Matcher, tokens: list[int]) -> float:
        """Return the median of the microseconds of a document's masks."""
        bitmask, times = maskc.allocate_bitmask(1, self.artifact.vocab_size), []
        for token in tokens:
            began = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            times.append((time.perf_counter() - began) * 1e6)
            matcher.accept_token(token)
        return float(np.median(times))

    def _draw(self, draw: Random) -> bool:
        """Draw a text; return whether it ended."""
        matcher, ids = self.canonical.matcher(), []
        for n_tokens in range(2 * _LONGEST):
            words = self._fill(matcher)
            legal = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
            ends = [token for token in self.artifact.eos_ids if token in legal]
            token = ends[0] if ends and n_tokens > _LONGEST else int(draw.choice(legal))
            if not matcher.accept_token(token):
                raise ValueError("a legal token is refused")
            if matcher.is_terminated:
                break
            ids.append(token)
        text = b"".join(self.artifact.token_bytes(token) or b"" for token in ids)
        if matcher.is_terminated and self.encoder.encode(text.decode()) != ids:
            raise ValueError(f"the tokenizer writes {text!r} in other tokens")
        return matcher.is_terminated


if __name__ == "__main__":
    main()
