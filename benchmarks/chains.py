"""Does a text that repeats itself slow down, on any chain that a grammar reads from its right end?

Usage: python -m benchmarks.chains [GRAMMAR …] [--tokens N] [--cache-bytes N]

In ``1 if a else 1 if a else …`` the parser reduces nothing before the last item is read, so its
stack grows with every item, and what comes after the last one concerns all of them. The chains are
found from the grammar: a nonterminal that comes back at the end of what it derives, with the
shortest text that leads to it and the shortest that leads back. Each is repeated up to so many
tokens; every mask is filled. Times of the second quarter of the text are held against those of the
last: the mean may not grow by more than half, else the exit status is 1.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import time

import numpy as np

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import ROOT, TOKENIZER
from maskc.bench.timing import Bitmask
from maskc.frontends.source import load_source
from maskc.grammar.model import Bnf
from maskc.lint.derivations import Terminals, find_shortest_yields
from maskc.lint.subject import Subject
from maskc.lint.texts import Texts
from maskc.runtime.artifact import DEFAULT_CACHE_BYTES
from maskc.vocab import load_encoder

GRAMMARS = ("python", "c", "sql", "lua")  # json and the others have no chains
ALLOWED = 1.5
_SPARE_S = 3e-6  # what the mean may grow by in any case: the clock, other processes

# A nonterminal → the nonterminals that it leads to, with the terminals that come before.
Steps = dict[int, dict[int, Terminals]]


def find_chains(bnf: Bnf) -> list[tuple[Terminals, Terminals]]:
    """Return what leads to nonterminals that come back at their end, and what leads back."""
    yields = find_shortest_yields(bnf)
    anywhere, at_end = _find_steps(bnf, yields, at_end=False), _find_steps(bnf, yields, at_end=True)
    found: dict[Terminals, Terminals] = {}  # what leads back → what leads there
    for nonterminal, before in sorted(_find_paths(anywhere, bnf.start).items()):
        for inner, first in sorted(at_end.get(nonterminal, {}).items()):
            back = _find_paths(at_end, inner).get(nonterminal)
            unit = (*first, *back) if back is not None else ()
            if unit and len(before) < len(found.get(unit, (*before, 0))):
                found[unit] = before
    return [(before, unit) for unit, before in found.items()]


def _find_steps(bnf: Bnf, yields: dict[int, Terminals], *, at_end: bool) -> Steps:
    steps: Steps = {}
    for production in bnf.productions:
        parts = [(s,) if s >= 0 else yields.get(-1 - s) for s in production.rhs]
        for place, symbol in enumerate(production.rhs):
            before, after = parts[:place], parts[place + 1 :]
            if symbol >= 0 or None in before or at_end and any(part != () for part in after):
                continue
            terminals = tuple(t for part in before if part is not None for t in part)
            known = steps.setdefault(production.lhs, {}).get(-1 - symbol)
            if known is None or len(terminals) < len(known):
                steps[production.lhs][-1 - symbol] = terminals
    return steps


def _find_paths(steps: Steps, start: int) -> dict[int, Terminals]:
    """Return the shortest terminals that lead from a nonterminal to each other one."""
    found: dict[int, Terminals] = {}
    open_: list[tuple[int, Terminals, int]] = [(0, (), start)]
    while open_:
        _, path, here = heapq.heappop(open_)
        if here in found:
            continue
        found[here] = path
        for target, terminals in steps.get(here, {}).items():
            if target not in found:
                longer = (*path, *terminals)
                heapq.heappush(open_, (len(longer), longer, target))
    return found


def write_chain(texts: Texts, before: Terminals, unit: Terminals) -> tuple[str, str] | None:
    """Return the text before a chain and that of an item, if Lark reads them so."""
    short, long_ = (texts.find_text((*before, *unit * n)) for n in (2, 3))
    if short is None or long_ is None or not long_.startswith(short):
        return None
    return short, long_[len(short) :]


def walk(matcher: maskc.Matcher, tokens: list[int], bitmask: Bitmask) -> list[float] | None:
    """Return the seconds of each step; ``None`` if a token is illegal."""
    steps = []
    for token in tokens:
        began = time.thread_time()
        matcher.fill_bitmask(bitmask, 0)
        taken = matcher.accept_token(token)
        steps.append(time.thread_time() - began)
        if not taken:
            return None
    return steps


def measure(name: str, n_tokens: int, cache_bytes: int) -> bool:
    """Print a line for each chain of a grammar; return whether all stay flat."""
    subject = Subject(load_source(ROOT / "grammars" / f"{name}.lark"))
    texts = Texts(subject.grammar, subject.scanner)
    encode = load_encoder(TOKENIZER).encode
    is_flat = True
    with compile_bundled(name) as path:
        for before, unit in find_chains(subject.grammar.bnf):
            written = write_chain(texts, before, unit)
            if written is None:
                continue
            artifact = maskc.load(path, cache_bytes=cache_bytes)
            bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
            # Each item by itself: a token of 64 items would hide what an item costs.
            item = encode(written[1])
            tokens = [*encode(written[0]), *item * (n_tokens // len(item))]
            gc.collect()
            steps = walk(artifact.matcher(), tokens, bitmask)
            if steps is None:
                print(f"{name}: {written[0]!r} {written[1]!r}: not so often")
                continue
            quarter = len(steps) // 4
            early, late = (np.array(steps[a : a + quarter]) for a in (quarter, 3 * quarter))
            grows = late.mean() > ALLOWED * early.mean() + _SPARE_S
            is_flat = is_flat and not grows
            print(
                f"{name}: {written[0]!r} {written[1]!r}: mean {early.mean() * 1e6:.1f}, then "
                f"{late.mean() * 1e6:.1f} µs, p99 {np.percentile(late, 99) * 1e6:.0f}, "
                f"max {late.max() * 1e6:.0f}{', GROWS' if grows else ''}"
            )
    return is_flat


def main() -> None:
    """Walk the chains of some grammars."""
    parser = argparse.ArgumentParser()
    parser.add_argument("grammars", nargs="*", default=GRAMMARS)
    parser.add_argument("--tokens", type=int, default=16_000)
    parser.add_argument("--cache-bytes", type=int, default=DEFAULT_CACHE_BYTES)
    arguments = parser.parse_args()
    found = [measure(name, arguments.tokens, arguments.cache_bytes) for name in arguments.grammars]
    raise SystemExit(not all(found))


if __name__ == "__main__":
    main()
