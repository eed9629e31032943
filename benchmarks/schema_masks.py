"""Where does the time of a schema's masks go? By what is open where they are asked for.

Usage: python -m benchmarks.schema_masks FOLDER [--sample N] [--seed N]

FOLDER is as :mod:`benchmarks.json_schema` has it. Each mask of a schema's first instance (cold) and
of its later ones (warm) is told by what is open before it: a value, a number, a string of any
characters or of a pattern, a key of an object that takes others or names alone, an object or an
array before a member; and by whether its configuration was asked for before, or only its mask was,
or neither. Of each is printed how often it comes, its share of the time, and how long it takes.

Times are of the processor. What schemas share is there after the first ones, as in a server.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import maskc
from benchmarks.engines.maskc_engine import read_schemas
from benchmarks.json_schema import show, warm_up
from benchmarks.workloads import TOKENIZER
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.matcher import Matcher
from maskc.runtime.schema.machine.machine import SchemaMachine
from maskc.runtime.schema.machine.nodes import (
    ARRAY,
    CAPTURES,
    COLON,
    END,
    KEY,
    LITERAL,
    NUMBER,
    OBJECT,
    STATE,
    STRING,
    VALUE,
    Node,
)
from maskc.runtime.schema.plan.hosted import HostedRule
from maskc.vocab import load_encoder, load_vocabulary

_KINDS = {
    ARRAY: "array",
    COLON: "colon",
    END: "end",
    LITERAL: "literal",
    NUMBER: "number",
    OBJECT: "object",
    VALUE: "value",
}
_PHASES = ("first", "next", "after")


class Timed(NamedTuple):
    """A mask.

    Attributes:
        is_cold: whether the instance is its schema's first.
        kind: what is open.
        is_known: whether its configuration had a mask.
        is_new: whether no configuration of the schema had the mask.
        seconds: how long it took.
    """

    is_cold: bool
    kind: str
    is_known: bool
    is_new: bool
    seconds: float


def name_of(machine: SchemaMachine, node: Node) -> str:
    """Return in words what is open."""
    state, plan = node[STATE], machine.plan
    kind = state[0]
    if kind == KEY:
        rule = plan.objects[state[1]]
        name = "key: names and others" if rule.is_flat else "key: names"
        name = "key: patterns" if rule.has_classes and not rule.is_flat else name
    elif kind == STRING:
        string = plan.strings[state[1]]
        is_any = not isinstance(string, HostedRule) and string.is_any
        name = "string" if is_any else "string: pattern"
        name += "" if isinstance(string, HostedRule) or string.is_unbounded else ", counted"
    elif kind in (OBJECT, ARRAY):
        name = f"{_KINDS[kind]}: {_PHASES[state[3 if kind == OBJECT else 4]]}"
    else:
        name = _KINDS[kind]
    return name + (", compared" if node[CAPTURES] else "")


class Reader:
    """Reads schemas with their instances."""

    def __init__(self) -> None:
        schemas = read_schemas()
        warm_up(schemas)
        self._bitmask = schemas.bitmask
        self._vocabulary = load_vocabulary(TOKENIZER)
        self._encode = load_encoder(TOKENIZER).encode

    def read(self, file: Path) -> list[Timed]:
        """Return the masks of a file's instances; nothing if its schema is refused."""
        gc.collect()
        entry = json.loads(file.read_text())
        try:
            artifact = maskc.Artifact(compile_schema(entry["schema"], self._vocabulary))
        except SchemaError:
            return []
        artifact.matcher().fill_bitmask(self._bitmask, 0)
        found: list[Timed] = []
        for n, test in enumerate(sorted(entry["tests"], key=lambda test: not test["valid"])):
            tokens = self._encode(json.dumps(test["data"], ensure_ascii=False))
            found += self._follow(artifact.matcher(), list(tokens), is_cold=not n)
        return found

    def _follow(self, matcher: Matcher, tokens: list[int], *, is_cold: bool) -> list[Timed]:
        machine: Any = matcher._machine  # noqa: SLF001 - what users do not see is looked at
        found: list[Timed] = []
        for token in tokens:
            here = matcher._hypotheses[0]  # noqa: SLF001
            # What is known of the first configurations has no serial yet.
            known = machine.masks._known.generations.current  # noqa: SLF001
            is_known, n_masks = here.serial in known, machine.pool.n_numbered
            began = time.thread_time()
            matcher.fill_bitmask(self._bitmask, 0)
            seconds = time.thread_time() - began
            kinds = sorted({name_of(machine, node) for node in here.nodes})
            is_new = machine.pool.n_numbered > n_masks
            found.append(Timed(is_cold, kinds[0], is_known, is_new, seconds))
            if not matcher.accept_token(token):
                break
        return found


def show_kinds(name: str, found: list[Timed]) -> None:
    """Print where the time goes."""
    show(name, [each.seconds for each in found], 1e-6, "µs")
    total = sum(each.seconds for each in found)
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in found:
        was_there = "a new mask" if each.is_new else "known" if each.is_known else "a known mask"
        groups[each.kind, was_there].append(each.seconds)
    for (kind, was_there), times in sorted(groups.items(), key=lambda pair: -sum(pair[1])):
        share = 100 * sum(times) / total
        if share < 0.5:
            break
        at = [1e6 * sorted(times)[int(len(times) * q)] for q in (0.5, 0.9, 0.99)]
        print(
            f"  {share:5.1f} %  {kind}, {was_there}: {len(times):,}, "
            f"p50 {at[0]:,.1f}, p90 {at[1]:,.1f}, p99 {at[2]:,.1f} µs"
        )


def main() -> None:
    """Read the folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*.json"))
    if arguments.sample:
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    reader = Reader()
    found = [timed for file in files for timed in reader.read(file)]
    show_kinds("first instances", [each for each in found if each.is_cold])
    show_kinds("later instances", [each for each in found if not each.is_cold])


if __name__ == "__main__":
    main()
