"""What do sets of hundreds of tools cost a server that others use meanwhile?

    python -m benchmarks.tool_sets [--tokenizer NAME] [--sets N] [--tools N] [--threads N]

One process, one kit that is prepared. A neighbour decodes all the time, in a thread of its own: it
fills a mask and takes a token, again and again. At one moment as many constraints of sets of tools
are asked for, each with tools of its own, and made by some threads, which then fill the first mask
and follow a call. Printed: the memory that the process grew by for the sets and how much of it a
set takes, how long sets took to their first masks, and the neighbour's steps before and meanwhile:
median, 99th percentile and the worst, in milliseconds by the clock.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import maskc
from benchmarks.tool_calls import ARGUMENTS, make_tools
from maskc.budget import read_memory
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.families import Tool, load_family
from maskc.tags.rendering import render
from maskc.vocab import load_encoder, load_vocabulary

SECONDS_BEFORE = 2.0
FAMILY = "qwen_3"


class Neighbour:
    """Decodes in a thread until it is stopped, and notes how long each step took."""

    def __init__(self, kit: Kit, ids: list[int]) -> None:
        self._kit, self._ids = kit, ids
        self._is_running, self.steps = True, list[float]()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the step that is open."""
        self._is_running = False
        self._thread.join()

    def _run(self) -> None:
        constraint = self._kit.tools(make_tools(20, 0), family=FAMILY)
        bitmask = maskc.allocate_bitmask(1, self._kit.vocab_size)
        warm = constraint.matcher()
        for token in self._ids:
            warm.fill_bitmask(bitmask, 0)
            warm.accept_token(token)
        while self._is_running:
            matcher = constraint.matcher()
            for token in self._ids:
                began = time.perf_counter()
                matcher.fill_bitmask(bitmask, 0)
                matcher.accept_token(token)
                self.steps.append(time.perf_counter() - began)


def call_of(tools: list[Any], number: int) -> str:
    """Return a call of one of some tools, as the family writes it."""
    function = tools[number]["function"]
    kinds = function["parameters"]["properties"]
    arguments = {name: ARGUMENTS[inner["type"]] for name, inner in kinds.items()}
    tool = Tool(function["name"], function["parameters"], "")
    tag = load_family(FAMILY).describe([tool], "auto", parallel=True, reasoning=False)
    return render(tag, arguments)


def describe(steps: list[float]) -> dict[str, float]:
    """Return figures of steps, in milliseconds."""
    ordered = sorted(steps)
    return {
        "steps": len(ordered),
        "median": statistics.median(ordered) * 1e3,
        "99%": ordered[int(len(ordered) * 0.99)] * 1e3,
        "worst": ordered[-1] * 1e3,
    }


def run(tokenizer: str, n_sets: int, n_tools: int, n_threads: int) -> dict[str, Any]:
    """Return all figures."""
    kit = make_kit(load_vocabulary(tokenizer))
    kit.prepare()
    encode = load_encoder(tokenizer).encode
    neighbour = Neighbour(kit, list(encode(f"Let me see. {call_of(make_tools(20, 0), 3)} Done.")))
    neighbour.start()
    time.sleep(SECONDS_BEFORE)
    sets = [make_tools(n_tools, seed) for seed in range(1, n_sets + 1)]
    calls = [list(encode(call_of(tools, 7))) for tools in sets]
    kept: list[Any] = []
    firsts: list[float] = []

    def follow(number: int) -> None:
        bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
        constraint = kit.tools(sets[number], family=FAMILY)
        matcher = constraint.matcher()
        matcher.fill_bitmask(bitmask, 0)
        firsts.append((time.perf_counter() - began) * 1e3)
        for token in calls[number]:
            matcher.fill_bitmask(bitmask, 0)
            if not matcher.accept_token(token):
                raise SystemExit("a call is not legal")
        kept.append(constraint)

    gc.collect()
    before, n_before = read_memory(), len(neighbour.steps)
    began = time.perf_counter()
    with ThreadPoolExecutor(n_threads) as threads:
        list(threads.map(follow, range(n_sets)))
    seconds = time.perf_counter() - began
    n_after = len(neighbour.steps)
    neighbour.stop()
    gc.collect()
    grown = read_memory() - before
    return {
        "sets": n_sets,
        "tools": n_tools,
        "threads": n_threads,
        "all done, s": seconds,
        "first masks, ms": {"median": statistics.median(firsts), "worst": max(firsts)},
        "memory, MB": {"all": grown / 1e6, "a set": grown / 1e6 / n_sets},
        "a neighbour's step, ms": {
            "before": describe(neighbour.steps[:n_before]),
            "meanwhile": describe(neighbour.steps[n_before:n_after]),
        },
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--tools", type=int, default=300)
    parser.add_argument("--threads", type=int, default=10)
    options = parser.parse_args()
    found = run(options.tokenizer, options.sets, options.tools, options.threads)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
