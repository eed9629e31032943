"""How long do tools take to the first mask, and how long are masks in text and inside a call?

    python -m benchmarks.tool_calls [--tokenizer NAME] [--family NAME] [--json]

One process, one kit that is prepared; milliseconds of the thread's processor time from a list of
tools to the mask of the first token: of tools that are new, and of the same tools again as a list
and as their JSON text; the least and the median of some runs with other tools each time. Then
microseconds of each mask along a text with a call, the first time and later, and of copying a mask,
which is the floor of the run.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import maskc
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.families import Tool, load_family
from maskc.tags.rendering import render
from maskc.vocab import load_encoder, load_vocabulary

N_RUNS = 9
COUNTS = (1, 20, 100, 300)
WORDS = ("city", "date", "unit", "query", "limit", "path", "amount", "name", "email", "count")
ARGUMENTS = {"string": "Oslo", "integer": 3, "number": 1.5, "boolean": True, "array": ["a", "b"]}


def make_tools(n: int, seed: int) -> list[dict[str, Any]]:
    """Return some tools with two to six parameters each."""
    draw = random.Random(seed)
    found = []
    for number in range(n):
        properties: dict[str, Any] = {}
        for word in draw.sample(WORDS, draw.randint(2, 6)):
            kind = draw.choice(list(ARGUMENTS))
            items = {"items": {"type": "string"}} if kind == "array" else {}
            properties[word] = {"type": kind, "description": f"The {word} of it.", **items}
        parameters = {"type": "object", "properties": properties, "required": list(properties)[:2]}
        name = f"{draw.choice(('get', 'set', 'find'))}_{draw.choice(WORDS)}_{seed}_{number}"
        function = {"name": name, "description": "Does it.", "parameters": parameters}
        found.append({"type": "function", "function": function})
    return found


def time_first(kit: Kit, tools: Any, family: str) -> float:
    """Return the milliseconds to the first mask."""
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    began = time.thread_time()
    kit.tools(tools, family=family).matcher().fill_bitmask(bitmask, 0)
    return (time.thread_time() - began) * 1e3


def time_masks(constraint: Constraint, ids: list[int], clock: Callable[[], float]) -> list[float]:
    """Return the microseconds of each mask along some tokens."""
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    matcher, found = constraint.matcher(), []
    for token in ids:
        began = clock()
        matcher.fill_bitmask(bitmask, 0)
        found.append((clock() - began) * 1e6)
        if not matcher.accept_token(token):
            raise SystemExit(f"the text is not legal at {len(found)} of {len(ids)} tokens")
    return found


def make_call(
    kit: Kit, seed: int, family: str, encode: Callable[[str], list[int]]
) -> tuple[Constraint, list[int]]:
    """Return the constraint of 20 tools, and the tokens of a call of one of them."""
    tools = make_tools(20, seed)
    function = tools[3]["function"]
    kinds = function["parameters"]["properties"]
    arguments = {name: ARGUMENTS[inner["type"]] for name, inner in kinds.items()}
    tool = Tool(function["name"], function["parameters"], "")
    tag = load_family(family).describe([tool], "auto", parallel=True, reasoning=False)
    return kit.tools(tools, family=family), encode(render(tag, arguments))


def summarize(times: list[float]) -> list[float]:
    """Return the mean, the median and the most."""
    return [statistics.mean(times), statistics.median(times), max(times)]


def time_copies(vocab_size: int) -> list[float]:
    """Return microseconds of copying one mask into a bitmask: mean, median, most."""
    bitmask, words = (maskc.allocate_bitmask(1, vocab_size) for _ in range(2))
    row, times = words[0], []
    for _ in range(2_000):
        began = time.perf_counter()
        bitmask[0] = row
        times.append((time.perf_counter() - began) * 1e6)
    return summarize(times)


def run(tokenizer: str, family: str) -> dict[str, Any]:
    """Return all figures."""
    kit = make_kit(load_vocabulary(tokenizer))
    kit.prepare()
    time_first(kit, make_tools(1, 0), family)
    firsts: dict[str, Any] = {}
    for n in COUNTS:
        several = [make_tools(n, seed) for seed in range(1, N_RUNS + 1)]
        new = [time_first(kit, tools, family) for tools in several]
        again = [time_first(kit, tools, family) for tools in several]
        texts = [json.dumps(tools) for tools in several]
        for text in texts:
            time_first(kit, text, family)
        as_text = [time_first(kit, text, family) for text in texts]
        columns = {"new": new, "again": again, "again as text": as_text}
        firsts[str(n)] = {k: [min(v), statistics.median(v)] for k, v in columns.items()}
    encode = load_encoder(tokenizer).encode
    before = encode("Let me look that up for you, it will take a moment: 3 < 4.\n")
    after = encode("Here it is: the weather is fine.\n")
    masks = {"floor: copying a mask": time_copies(kit.vocab_size)}
    others = list[float]()
    for seed in range(N_RUNS + 1, 2 * N_RUNS + 2):
        constraint, call = make_call(kit, seed, family, encode)
        text = [*before, *call, *after]
        times = time_masks(constraint, text, time.thread_time)
        inside = times[len(before) : len(before) + len(call)]
        if seed > N_RUNS + 1:
            others += inside
            continue
        later = time_masks(constraint, text, time.perf_counter)
        for when, found in (("first time", times), ("later", later)):
            free = [*found[: len(before)], *found[len(before) + len(call) :]]
            inner = found[len(before) : len(before) + len(call)]
            masks[f"free text, {when}"] = summarize(free)
            masks[f"inside a call, {when}"] = summarize(inner)
    masks["of other tools, first time"] = summarize(others)
    return {"first mask, ms: least, median": firsts, "a mask, µs: mean, median, most": masks}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--family", default="qwen_3")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = run(options.tokenizer, options.family)
    if options.json:
        print(json.dumps(figures))
        return
    for title, rows in figures.items():
        print(title)
        for name, row in rows.items():
            print(f"  {name:>26}  {row if isinstance(row, dict) else [round(x, 2) for x in row]}")


if __name__ == "__main__":
    main()
