"""How long does what a request brings take to its first mask, and how long are its masks?

    python -m benchmarks.requests [--tokenizer NAME] [--json]

One process, one kit; each request is new to the kit, and then asked for again. Times are of the
wall, in milliseconds, the least of some runs with other words each time; masks in microseconds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import maskc
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit, save_kit
from maskc.kit.kit import Kit
from maskc.runtime.effort import count_taken
from maskc.vocab import load_encoder, load_vocabulary

N_RUNS = 5
LETTERS = "abcdefghijklmnopqrstuvwxyz_"


def _word(draw: random.Random) -> str:
    return "".join(draw.choice(LETTERS) for _ in range(draw.randint(3, 15)))


def _schema(draw: random.Random, most: int = 64) -> dict[str, Any]:
    names = [_word(draw) for _ in range(6)]
    kinds = [
        {"type": "string", "maxLength": most},
        {"type": "integer", "minimum": draw.randint(0, 99)},
        {"enum": [_word(draw) for _ in range(4)]},
        {"type": "array", "items": {"type": "number"}},
        {"type": "boolean"},
        {"type": "object", "properties": {_word(draw): {"type": "null"}}},
    ]
    return {
        "type": "object",
        "properties": dict(zip(names, kinds, strict=True)),
        "required": names[:3],
    }


def _grammar(draw: random.Random) -> str:
    rules = [f'r{i}: r{i + 1} ("{_word(draw)}" r{i + 1})*\n' for i in range(29)]
    return "start: r0\n" + "".join(rules) + 'r29: NAME | "(" start ")"\nNAME: /[a-z]+/\n'


def _tag(schema: dict[str, Any]) -> Callable[[Kit], Constraint]:
    def make(kit: Kit) -> Constraint:
        call = kit.sequence(
            kit.choice(["<tool_call>\n"]), kit.json_schema(schema), kit.choice(["</tool_call>"])
        )
        text = kit.text(without=["<tool_call>"])
        return kit.sequence(text, kit.repeat(kit.sequence(call, text), 0))

    return make


Request = Callable[[Kit], Constraint]


def _choice(words: list[str]) -> Request:
    return lambda kit: kit.choice(words)


def _regex(pattern: str) -> Request:
    return lambda kit: kit.regex(pattern)


def _json(schema: dict[str, Any]) -> Request:
    return lambda kit: kit.json_schema(schema)


def _lark(text: str) -> Request:
    return lambda kit: kit.lark(text)


# What is counted: made for a word, so that each is new to the kit, and the greatest count.
COUNTS: dict[str, Callable[[str, int], Request]] = {
    "maxLength": lambda word, most: _json({"title": word, "type": "string", "maxLength": most}),
    "a{1,n}": lambda word, most: _regex(rf"{word}[a-z]{{1,{most}}};"),
    ".*a{1,n}": lambda word, most: _regex(rf"{word}.*[a-z]{{1,{most}}}"),
    "(a{1,n};){1,n}": lambda word, most: _regex(rf"{word}(?:[a-z]{{1,{most}}};){{1,{most}}}"),
}

REQUESTS: dict[str, Callable[[random.Random], Request]] = {
    "choice of 100 words": lambda draw: _choice([_word(draw) for _ in range(100)]),
    "choice of 100,000 names": lambda draw: _choice([_word(draw) for _ in range(100_000)]),
    "pattern of a date": lambda draw: _regex(rf"{_word(draw)}[0-9]{{4}}-[0-9]{{2}}"),
    "pattern of words": lambda draw: _regex(rf"[a-z]+(?:-[a-z]+)*@{_word(draw)}"),
    "JSON Schema": lambda draw: _json(_schema(draw)),
    "schema, maxLength 65,536": lambda draw: _json(_schema(draw, 65_536)),
    "text with one tool": lambda draw: _tag(_schema(draw)),
    "Lark grammar of 30 rules": lambda draw: _lark(_grammar(draw)),
}


def measure(kit: Kit, draw_request: Callable[[random.Random], Request]) -> dict[str, float]:
    """Return milliseconds of making a constraint, of its first mask, and of both again."""
    found: dict[str, list[float]] = {"make": [], "first mask": [], "again": []}
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for run in range(N_RUNS):
        request = draw_request(random.Random(run))
        began = time.perf_counter()
        matcher = request(kit).matcher()
        made = time.perf_counter()
        matcher.fill_bitmask(bitmask, 0)
        found["make"].append(made - began)
        found["first mask"].append(time.perf_counter() - made)
        began = time.perf_counter()
        request(kit).matcher().fill_bitmask(bitmask, 0)
        found["again"].append(time.perf_counter() - began)
    return {name: 1000 * min(times) for name, times in found.items()}


def _walk(constraint: Constraint, ids: list[int]) -> Iterator[float]:
    bitmask = maskc.allocate_bitmask(1, constraint.vocab_size)
    matcher = constraint.matcher()
    for token in ids:
        began = time.perf_counter()
        matcher.fill_bitmask(bitmask, 0)
        yield 1e6 * (time.perf_counter() - began)
        if not matcher.accept_token(token):
            raise ValueError("the text is not of the constraint")


def measure_text(kit: Kit, tokenizer: str) -> dict[str, float]:
    """Return microseconds of masks along a text with two calls: the first time, and again."""
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "n": {"type": "integer"}},
    }
    call = kit.sequence(
        kit.choice(["<tool_call>\n"]), kit.json_schema(schema), kit.choice(["\n</tool_call>"])
    )
    text = kit.text(without=["<tool_call>"])
    constraint = kit.sequence(text, kit.repeat(kit.sequence(call, text), 0))
    one = '<tool_call>\n{"city": "Reykjavik", "n": 12}\n</tool_call>'
    written = f"Let me look that up for you. {one} And then:\n{one}\nThat is all, I think."
    ids = list(load_encoder(tokenizer).encode(written))
    cold = sorted(_walk(constraint, ids))
    warm = sorted(_walk(constraint, ids))
    return {
        "cold mean": sum(cold) / len(cold),
        "cold worst": cold[-1],
        "warm mean": sum(warm) / len(warm),
        "warm worst": warm[-1],
    }


def measure_count(kit: Kit, make: Callable[[str, int], Request], most: int) -> dict[str, float]:
    """Return milliseconds of a count's first mask and of all masks of 30 letters, and memory.

    The memory is what is held in the end, in kilobytes, as ``tracemalloc`` counts it.
    """
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    first, masks, held = [], [], []
    for run in range(N_RUNS + 1):
        if run == N_RUNS:
            tracemalloc.start()
        word = _word(random.Random(f"{most}{run}"))
        began = time.perf_counter()
        matcher = make(word, most)(kit).matcher()
        matcher.accept_bytes(word.encode() if matcher.fork().accept_bytes(word.encode()) else b'"')
        matcher.fill_bitmask(bitmask, 0)
        ready = time.perf_counter()
        for _ in range(30):
            matcher.accept_bytes(b"x")
            matcher.fill_bitmask(bitmask, 0)
        first.append(ready - began)
        masks.append(time.perf_counter() - ready)
        if run == N_RUNS:
            held.append(tracemalloc.get_traced_memory()[0])
            tracemalloc.stop()
    return {
        "first mask": 1000 * min(first),
        "30 masks": 1000 * min(masks),
        "held, kB": held[0] / 1000,
    }


# Loops one after the other, and texts that stay in one of them for a while.
CHAINS = {
    r"\w{1,50}\W{1,50}": "abcdefgh,; ()",
    r"(\w{1,50}\W{1,50}){1,50}": "abcd,; ()ab c",
    r"[\w ]{1,80}": "abcd ab c",
    ".{1,50}[a-z]{1,50}x": "abcdefgh ab cd",
    ".{1,64}": "ab cd",
    "[a-z]{1,64}": "abcd",
}


def measure_chain(kit: Kit, pattern: str, text: str) -> dict[str, float]:
    """Return milliseconds of processor time of masks that nobody asked for, and their steps."""
    bitmask, began = maskc.allocate_bitmask(1, kit.vocab_size), time.process_time()
    matcher = kit.regex(pattern).matcher()
    made = 1000 * (time.process_time() - began)
    times, steps = [], []
    for character in ["", *text]:
        if character and not matcher.accept_bytes(character.encode()):
            raise ValueError("the text is not of the pattern")
        taken, began = count_taken(), time.process_time()
        matcher.fill_bitmask(bitmask, 0)
        times.append(1000 * (time.process_time() - began))
        steps.append(count_taken() - taken)
    return {
        "make": made,
        "first": times[0],
        "median": statistics.median(times),
        "most": max(times),
        "steps, median": statistics.median(steps),
        "steps, most": max(steps),
    }


def measure_kit(kit: Kit) -> dict[str, float]:
    """Return the size of a kit's file in megabytes, and milliseconds of loading it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kit"
        size, times = save_kit(kit, path), []
        for _ in range(N_RUNS):
            began = time.perf_counter()
            maskc.load_kit(path)
            times.append(time.perf_counter() - began)
    return {"size, MB": size / 1e6, "load, ms": 1000 * min(times)}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    kit = make_kit(load_vocabulary(given.tokenizer))
    began = time.perf_counter()
    kit.prepare()
    prepared = 1000 * (time.perf_counter() - began)
    found: dict[str, dict[str, float]] = {"kit": {**measure_kit(kit), "prepare, ms": prepared}}
    found.update((name, measure(kit, make)) for name, make in REQUESTS.items())
    for name, make_count in COUNTS.items():
        for most in (64, 65_536):
            found[f"{name}, {most:,}"] = measure_count(kit, make_count, most)
    found.update((name, measure_chain(kit, name, text)) for name, text in CHAINS.items())
    found["masks of a text, µs"] = measure_text(kit, given.tokenizer)
    if given.json:
        print(json.dumps(found, indent=1))
        return
    for name, row in found.items():
        print(f"{name:26}", "  ".join(f"{what} {value:10.3f}" for what, value in row.items()))


if __name__ == "__main__":
    main()
