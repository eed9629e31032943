"""Time a request's constraint, from the request to its first mask, and masks along texts.

Usage: python -m benchmarks.requests [--peers] [--slow] [--json FILE]

Each constraint is drawn anew for each run, so that it is new to the engine; the least and the
median of the runs are printed, in milliseconds of the wall. With ``--peers`` llguidance and
xgrammar are asked for the same, each in a process of its own, one thread, no cache of whole
grammars; what depends on the tokenizer alone is made before any clock runs.

For maskc alone follow: each constraint asked for again; loops with small and with large counts;
masks along loops that stand one after the other, in processor time, with the steps that a server
counts; masks that are slow, likewise, with what it takes to accept a byte; and masks along a text
with calls of a tool. With ``--slow`` only the slow masks are measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import maskc
from benchmarks.engines import TOKENIZER, AskedSchema, RefusedError, Start, read_engine
from benchmarks.engines.maskc_engine import make_served_kit
from benchmarks.workloads import ROOT
from maskc.kit.constraint import Constraint
from maskc.kit.kit import Kit
from maskc.runtime.step_budget import count_taken
from maskc.vocab import load_encoder

N_RUNS, N_LARGE = 7, 3
Draw = random.Random


def _word(draw: Draw) -> str:
    return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz_", k=draw.randint(3, 15)))


def _schema(draw: Draw, most: int = 64) -> AskedSchema:
    names = [_word(draw) for _ in range(6)]
    kinds = [
        {"type": "string", "maxLength": most},
        {"type": "integer", "minimum": draw.randint(0, 99)},
        {"enum": [_word(draw) for _ in range(4)]},
        {"type": "array", "items": {"type": "number"}},
        {"type": "boolean"},
        {"type": "object", "properties": {_word(draw): {"type": "null"}}},
    ]
    properties = dict(zip(names, kinds, strict=True))
    return AskedSchema({"type": "object", "properties": properties, "required": names[:3]})


def _grammar(draw: Draw) -> dict[str, str]:
    """Return one grammar of 30 rules in Lark's notation and in xgrammar's."""
    words = [_word(draw) for _ in range(29)]
    lark = "".join(f'r{i}: r{i + 1} ("{w}" r{i + 1})*\n' for i, w in enumerate(words))
    ebnf = "".join(f'r{i} ::= r{i + 1} ("{w}" r{i + 1})*\n' for i, w in enumerate(words))
    return {
        "lark": f'start: r0\n{lark}r29: NAME | "(" start ")"\nNAME: /[a-z]+/\n',
        "ebnf": f'root ::= r0\n{ebnf}r29 ::= [a-z]+ | "(" root ")"\n',
    }


REQUESTS: dict[str, Callable[[Draw], tuple[str, Any]]] = {
    "choice of 100 words": lambda d: ("choice", [_word(d) for _ in range(100)]),
    "choice of 100,000 names": lambda d: ("choice", [_word(d) for _ in range(100_000)]),
    "pattern of a date": lambda d: ("regex", rf"{_word(d)}[0-9]{{4}}-[0-9]{{2}}"),
    "pattern of words": lambda d: ("regex", rf"[a-z]+(?:-[a-z]+)*@{_word(d)}"),
    "JSON Schema": lambda d: ("schema", _schema(d)),
    "schema, maxLength 65,536": lambda d: ("schema", _schema(d, 65_536)),
    "grammar of 30 rules": lambda d: ("grammar", _grammar(d)),
}
COUNTS: dict[str, Callable[[str, int], tuple[str, Any]]] = {
    "maxLength": lambda w, n: (
        "schema",
        AskedSchema({"title": w, "type": "string", "maxLength": n}),
    ),
    "a{1,n}": lambda w, n: ("regex", rf"{w}[a-z]{{1,{n}}};"),
    ".*a{1,n}": lambda w, n: ("regex", rf"{w}.*[a-z]{{1,{n}}}"),
    "(a{1,n};){1,n}": lambda w, n: ("regex", rf"{w}(?:[a-z]{{1,{n}}};){{1,{n}}}"),
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


# Constraints with slow masks, and texts that come to them.
SLOW: dict[str, tuple[str, Any, str]] = {
    "format idn-email": ("json_schema", {"format": "idn-email"}, '"ann@example.org"'),
    "format idn-email-exact": ("json_schema", {"format": "idn-email-exact"}, '"ann@example.org"'),
    "a backslash in a key": (
        "json_schema",
        {"properties": {"name": {"type": "null"}}},
        r'{"\u006eame',
    ),
    "20,000 names": (
        "json_schema",
        {"properties": {f"name{n}": {"type": "null"} for n in range(20_000)}},
        '{"name12":null,"name',
    ),
    "1,200 keys of a pattern": (
        "json_schema",
        {"propertyNames": {"pattern": "^[a-z0-9]{1,5}$"}},
        "{" + ",".join(f'"k{n}":0' for n in range(1_200)),
    ),
    "800 integers that differ": (
        "json_schema",
        {"items": {"type": "integer"}, "uniqueItems": True},
        "[" + ",".join(map(str, range(800))),
    ),
    "palindromes": ("gbnf", 'root ::= "a" root "a" | "b" root "b" | "a" | "b" | ""', "a" * 600),
}


def measure_engine(name: str) -> dict[str, dict[str, Any]]:
    """Return milliseconds to the first mask by constraint, or what an engine refuses it with."""
    engine, found = read_engine(name), dict[str, dict[str, Any]]()
    engine.compile("choice", ["warm", "up"])().fill()
    for what, draw_request in REQUESTS.items():
        times: dict[str, list[float]] = {"new": [], "again": []}
        try:
            for run in range(N_LARGE if "100,000" in what else N_RUNS):
                asked = draw_request(Draw(run))
                for when in times if name == "maskc" else ("new",):
                    began = time.perf_counter()
                    engine.compile(*asked)().fill()
                    times[when].append(1e3 * (time.perf_counter() - began))
        except (RefusedError, ValueError, RuntimeError) as error:
            found[what] = {"refused": str(error)[:100]}
            continue
        found[what] = {
            f"{when}, {figure}": value
            for when, each in times.items()
            if each
            for figure, value in (("least", min(each)), ("median", statistics.median(each)))
        }
    return found


def measure_count(compile_: Callable[..., Start], ask: Any, most: int) -> dict[str, float]:
    """Return milliseconds of a count's first mask and of 30 masks inside of it."""
    first, masks = [], []
    for run in range(5):
        word = _word(Draw(f"{most}{run}"))
        began = time.perf_counter()
        kind, what = ask(word, most)
        session = compile_(kind, what)()
        session.fill()
        first.append(1e3 * (time.perf_counter() - began))
        for token in _bytes(word if kind == "regex" else '"'):
            session.accept(token)
        letters = _bytes("x") * 30
        began = time.perf_counter()
        for token in letters:
            session.accept(token)
            session.fill()
        masks.append(1e3 * (time.perf_counter() - began))
    return {"first mask": min(first), "30 masks": min(masks)}


def _bytes(text: str) -> list[int]:
    tokens = load_encoder(TOKENIZER).tokens
    return [tokens.index(character.encode()) for character in text]


def measure_chain(constraint: Constraint, text: str) -> dict[str, float]:
    """Return milliseconds of masks that nobody asked for, and of the bytes between, with steps."""
    bitmask, matcher = maskc.allocate_bitmask(1, constraint.vocab_size), constraint.matcher()
    times, steps, accepting, more = list[float](), list[int](), [0.0], [0]
    for character in ["", *text]:
        if character:
            taken, began = count_taken(), time.process_time()
            if not matcher.accept_bytes(character.encode()):
                raise ValueError("the text is not of the constraint")
            accepting.append(1e3 * (time.process_time() - began))
            more.append(count_taken() - taken)
        taken, began = count_taken(), time.process_time()
        matcher.fill_bitmask(bitmask, 0)
        times.append(1e3 * (time.process_time() - began))
        steps.append(count_taken() - taken)
    return {
        "first": times[0],
        "median": statistics.median(times),
        "most": max(times),
        "steps, median": statistics.median(steps),
        "steps, most": max(steps),
        "accepting, most": max(accepting),
        "its steps, most": max(more),
    }


def measure_slow(kit: Kit) -> dict[str, dict[str, float]]:
    """Return the same of constraints with slow masks."""
    gc.collect()
    gc.freeze()  # as servers do: else a collection of all of the vocabulary falls into some mask
    made = ((name, getattr(kit, kind)(what), text) for name, (kind, what, text) in SLOW.items())
    return {name: measure_chain(constraint, text) for name, constraint, text in made}


def measure_text(kit: Kit) -> dict[str, float]:
    """Return microseconds of masks along a text with two calls: the first time, and again."""
    schema = {"properties": {"city": {"type": "string"}, "n": {"type": "integer"}}}
    end = kit.choice(["\n</tool_call>"])
    call = kit.sequence(kit.choice(["<tool_call>\n"]), kit.json_schema(schema | _OBJECT), end)
    text = kit.text(without=["<tool_call>"])
    constraint: Constraint = kit.sequence(text, kit.repeat(kit.sequence(call, text), 0))
    one = '<tool_call>\n{"city": "Reykjavik", "n": 12}\n</tool_call>'
    written = f"Let me look that up for you. {one} And then:\n{one}\nThat is all, I think."
    found, bitmask = {}, maskc.allocate_bitmask(1, kit.vocab_size)
    for when in ("first time", "again"):
        matcher, times = constraint.matcher(), []
        for token in load_encoder(TOKENIZER).encode(written):
            began = time.perf_counter()
            matcher.fill_bitmask(bitmask, 0)
            times.append(1e6 * (time.perf_counter() - began))
            if not matcher.accept_token(token):
                raise ValueError("the text is not of the constraint")
        found |= {f"{when}, mean": statistics.fmean(times), f"{when}, most": max(times)}
    return found


_OBJECT = {"type": "object"}


def main() -> None:
    """Measure all engines, or one in its own process."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--peers", action="store_true", help="llguidance and xgrammar as well")
    parser.add_argument("--slow", action="store_true", help="only masks that are slow")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure_engine(options.one)))
        return
    found: dict[str, Any] = {}
    if options.slow:
        _print(measure_slow(make_served_kit()), options.json)
        return
    for engine in ("maskc", *(("llguidance", "xgrammar") if options.peers else ())):
        command = [sys.executable, "-m", "benchmarks.requests", "--one", engine]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)  # noqa: S603
        if done.returncode:
            print(f"{engine}: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
            continue
        for what, row in json.loads(done.stdout.splitlines()[-1]).items():
            found[f"{engine}: {what}"] = row
    kit, ours = make_served_kit(), read_engine("maskc").compile
    for name, ask in COUNTS.items():
        for most in (64, 65_536):
            found[f"{name}, {most:,}"] = measure_count(ours, ask, most)
    found.update((name, measure_chain(kit.regex(name), text)) for name, text in CHAINS.items())
    found.update(measure_slow(kit))
    found["masks of a text, µs"] = measure_text(kit)
    _print(found, options.json)


def _print(found: dict[str, Any], path: Path | None) -> None:
    for name, row in found.items():
        shown = (f"{k} {v if isinstance(v, str) else f'{v:.3f}'}" for k, v in row.items())
        print(f"{name:38}", "  ".join(shown))
    if path:
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
