"""Rows about what requests bring: calls of tools, sets of hundreds of tools, masks of schemas."""

from __future__ import annotations

import gc
import json
import random
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

import maskc
from benchmarks.schemas import generate_schemas
from benchmarks.serving.hostile_requests import draw_hostile
from benchmarks.table.rows import Figures, make_prepared_kit, row, summarise, time_once
from benchmarks.workloads import TOKENIZER
from maskc.errors import MaskcError
from maskc.integrations.compile_pool import OtherProcess
from maskc.integrations.requests import make_constraint
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.system import read_memory
from maskc.tags.families import Tool, load_family, render
from maskc.vocab import load_encoder, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary

FAMILY = "qwen_3"
_WORDS = ("city", "date", "unit", "query", "limit", "path", "amount", "name", "email", "count")
_VALUES = {"string": "Oslo", "integer": 3, "number": 1.5, "boolean": True, "array": ["a", "b"]}


def make_tools(n: int, seed: int) -> list[dict[str, Any]]:
    """Return some tools with two to six parameters each."""
    draw, found = random.Random(seed), []
    for number in range(n):
        kinds = {
            word: draw.choice(list(_VALUES)) for word in draw.sample(_WORDS, draw.randint(2, 6))
        }
        properties = {
            word: {"type": kind, **({"items": {"type": "string"}} if kind == "array" else {})}
            for word, kind in kinds.items()
        }
        parameters = {"type": "object", "properties": properties, "required": list(kinds)[:2]}
        name = f"{draw.choice(('get', 'set', 'find'))}_{draw.choice(_WORDS)}_{seed}_{number}"
        found.append({"type": "function", "function": {"name": name, "parameters": parameters}})
    return found


def write_call(tools: list[dict[str, Any]], number: int) -> str:
    """Return a call of one of some tools, as the family writes it."""
    function = tools[number]["function"]
    kinds = function["parameters"]["properties"]
    tool = Tool(function["name"], function["parameters"], "")
    tag = load_family(FAMILY).describe([tool], "auto", parallel=True, reasoning=False)
    return render(tag, {name: _VALUES[inner["type"]] for name, inner in kinds.items()})


@row("tool_calls", "tools to the first mask, masks of a call", make_prepared_kit)
def time_tools(kit: Kit) -> Figures:
    """Time the first mask of tools, new and again, and masks in text and inside a call."""
    bitmask, found = maskc.allocate_bitmask(1, kit.vocab_size), Figures()

    def ask(tools: Any) -> None:
        kit.tools(tools, family=FAMILY).matcher().fill_bitmask(bitmask, 0)

    ask(make_tools(1, 0))
    for n in (1, 20, 100, 300):
        several = [make_tools(n, seed) for seed in range(1, 10)]
        for name in ("new", "again"):
            times = [time_once(partial(ask, tools), time.thread_time) for tools in several]
            found[f"first mask of {n} tools, {name}, ms"] = summarise(times, 1e-3)
    encode = load_encoder(TOKENIZER).encode
    before = encode("Let me look that up for you, it will take a moment: 3 < 4.\n")
    times = defaultdict[str, list[float]](list)
    for seed in range(10, 20):
        tools = make_tools(20, seed)
        call, constraint = encode(write_call(tools, 3)), kit.tools(tools, family=FAMILY)
        for when in ("first time", "later"):
            matcher = constraint.matcher()
            for number, token in enumerate((*before, *call)):
                took = time_once(partial(matcher.fill_bitmask, bitmask, 0), time.perf_counter)
                times[f"{'free text' if number < len(before) else 'a call'}, {when}"].append(took)
                if not matcher.accept_token(token):
                    raise ValueError(f"the text is not legal at token {number}")
    return found | {f"mask in {name}": summarise(each) for name, each in times.items()}


@row("tool_sets", "ten sets of 300 tools at once", make_prepared_kit)
def time_tool_sets(kit: Kit) -> Figures:
    """Make ten sets of 300 tools at the same moment, beside a neighbour that decodes."""
    encode, tools = load_encoder(TOKENIZER).encode, make_tools(20, 0)
    text = encode(f"Let me see. {write_call(tools, 3)} Done.")
    constraint, stop, steps = kit.tools(tools, family=FAMILY), threading.Event(), list[float]()

    def decode() -> None:
        bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
        while not stop.is_set():
            matcher = constraint.matcher()
            for token in text:
                began = time.perf_counter()
                matcher.fill_bitmask(bitmask, 0)
                matcher.accept_token(token)
                steps.append(time.perf_counter() - began)

    sets = [make_tools(300, seed) for seed in range(1, 11)]
    calls = [encode(write_call(each, 7)) for each in sets]
    kept, firsts = list[Any](), list[float]()

    def make(number: int) -> None:
        bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
        made = kit.tools(sets[number], family=FAMILY)
        matcher = made.matcher()
        matcher.fill_bitmask(bitmask, 0)
        firsts.append(time.perf_counter() - began)
        for token in calls[number]:
            matcher.fill_bitmask(bitmask, 0)
            if not matcher.accept_token(token):
                raise ValueError("a call is not legal")
        kept.append(made)

    neighbour = threading.Thread(target=decode)
    neighbour.start()
    time.sleep(2)
    gc.collect()
    memory, n_before, began = read_memory(), len(steps), time.perf_counter()
    with ThreadPoolExecutor(len(sets)) as threads:
        list(threads.map(make, range(len(sets))))
    seconds, n_after = time.perf_counter() - began, len(steps)
    stop.set()
    neighbour.join()
    gc.collect()
    return {
        "all done, s": seconds,
        "first masks, ms": summarise(firsts, 1e-3),
        "MB of a set": (read_memory() - memory) / 1e6 / len(sets),
        "a neighbour's step before": summarise(steps[:n_before]),
        "a neighbour's step meanwhile": summarise(steps[n_before:n_after]),
    }


@row("schema_masks", "masks of generated schemas, processor time", make_prepared_kit)
def time_schema_masks(kit: Kit) -> Figures:
    """Time the masks of 300 generated schemas along a value each, the first time and again."""
    encode, bitmask = load_encoder(TOKENIZER).encode, maskc.allocate_bitmask(1, kit.vocab_size)
    firsts, times = list[float](), defaultdict[str, list[float]](list)
    for schema, value in generate_schemas(300):
        tokens = encode(json.dumps(value, ensure_ascii=False))
        began = time.process_time()
        constraint = kit.json_schema(schema)
        constraint.matcher().fill_bitmask(bitmask, 0)
        firsts.append(time.process_time() - began)
        for when in ("first time", "again"):
            matcher = constraint.matcher()
            for token in tokens:
                took = time_once(partial(matcher.fill_bitmask, bitmask, 0), time.thread_time)
                times[f"a mask, {when}"].append(took)
                if not matcher.accept_token(token):
                    raise ValueError(f"{value} is not legal by {schema}")
    return {"to the first mask, ms": summarise(firsts, 1e-3)} | {
        name: summarise(each) for name, each in times.items()
    }


def ask_anew(kit: Kit, draw: random.Random, grammars: float) -> Constraint:
    """Return a constraint that is new: of a grammar with this chance, of a schema or a pattern."""
    word = f"{draw.choice(_WORDS)}_{draw.getrandbits(40):x}"
    if draw.random() < grammars:
        last = draw.choice((4, 29))
        rules = "".join(f'r{n}: r{n + 1} ("{word}{n}" r{n + 1})*\n' for n in range(last))
        return kit.lark(f'start: r0\n{rules}r{last}: NAME | "(" start ")"\nNAME: /[a-z]+/\n')
    n_required = draw.randrange(4)
    if n_required == 0:
        return kit.regex(rf"{word}-[0-9]{{4}}(?:-[0-9]{{2}}){{2}}")
    kinds = {f"{word}_{n}": {"type": name} for n, name in enumerate(_VALUES) if name != "array"}
    return kit.json_schema(
        {"type": "object", "properties": kinds, "required": [*kinds][:n_required]}
    )


@row("waiting", "good requests beside hostile ones", partial(load_vocabulary, TOKENIZER))
def time_waiting(vocabulary: Vocabulary) -> Figures:
    """Send new good requests from two threads, alone and beside four that send hostile ones.

    Constraints are compiled in other processes, as a server's are; seconds of the wall until the
    first mask.
    """
    found = Figures()
    for n_hostile in (0, 4):
        compiler = OtherProcess(vocabulary)
        kit = make_kit(vocabulary, compiler=compiler)
        kit.prepare()
        waited = send_requests(kit, n_hostile)
        compiler.close()
        found[f"beside {n_hostile} hostile clients, s"] = summarise(waited, 1.0)
    return found


def send_requests(kit: Kit, n_hostile: int) -> list[float]:
    """Send requests for twenty seconds; return how long each good one waited."""
    stop, waited = threading.Event(), list[float]()

    def send_good(number: int) -> None:
        draw, bitmask = random.Random(number), maskc.allocate_bitmask(1, kit.vocab_size)
        while not stop.is_set():
            began = time.perf_counter()
            ask_anew(kit, draw, 0.25).matcher().fill_bitmask(bitmask, 0)
            waited.append(time.perf_counter() - began)
            time.sleep(0.05)

    def send_hostile(number: int) -> None:
        draw = random.Random(number)
        while not stop.is_set():
            ((kind, asked),) = draw_hostile(draw).items()
            with suppress(MaskcError):
                text = asked if isinstance(asked, str) else json.dumps(asked)
                make_constraint(kit, kind, text)

    threads = [threading.Thread(target=send_good, args=(n,)) for n in range(2)]
    threads += [threading.Thread(target=send_hostile, args=(n,)) for n in range(n_hostile)]
    for thread in threads:
        thread.start()
    time.sleep(20)
    stop.set()
    for thread in threads:
        thread.join()
    return waited


@row("many", "20,000 different requests on one kit", make_prepared_kit)
def measure_many(kit: Kit) -> Figures:
    """Make constraints and fill their first masks, and read the process's memory on the way."""
    draw, bitmask, found = random.Random(0), maskc.allocate_bitmask(1, kit.vocab_size), Figures()
    before = read_memory()
    for number in range(1, 20_001):
        ask_anew(kit, draw, 0.01).matcher().fill_bitmask(bitmask, 0)
        if number % 4_000 == 0:
            found[f"MB more after {number}"] = (read_memory() - before) / 1e6
    return found
