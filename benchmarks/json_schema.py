"""Reads a folder of schemas with instances: are masks right, and how long do they take?

Usage: python -m benchmarks.json_schema FOLDER [--tokenizer llama3] [--sample N] [--seed N]

Each file of the folder is as MaskBench has it: ``schema``, and ``tests`` with ``data`` and
``valid``. An instance is read as the tokens of ``json.dumps(data, ensure_ascii=False)``: a valid
one must be taken whole and may end, an invalid one must be refused somewhere or may not end. The
mask before each token is filled and must say what the matcher does. A schema takes at most 5
seconds.

Times are of the processor, so that what else runs does not count: from the schema to the first
mask; masks of a schema's first instance (cold) and of its later ones (warm). Garbage is collected
before each schema.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import maskc
from maskc.errors import SchemaError
from maskc.jsonschema.compiling import compile_schema
from maskc.vocab import Vocabulary, load_encoder, load_vocabulary

SECONDS = 5


class TooSlowError(BaseException):
    """A schema took longer than the limit."""


def on_alarm(*_: object) -> None:
    """End a schema that takes too long."""
    raise TooSlowError


def walk(
    artifact: maskc.Artifact, tokens: list[int], bitmask: Any, times: list[float]
) -> tuple[bool, bool]:
    """Return whether all tokens are taken and the text may end, and whether masks say so."""
    matcher, agrees = artifact.matcher(), True
    for token in tokens:
        began = time.thread_time()
        matcher.fill_bitmask(bitmask, 0)
        times.append(time.thread_time() - began)
        legal = bool(bitmask[0, token // 32] >> (token % 32) & 1)
        taken = matcher.accept_token(token)
        agrees = agrees and legal == taken
        if not taken:
            return False, agrees
    return matcher.is_accepting, agrees


def warm_up(vocabulary: Vocabulary, bitmask: Any) -> None:
    """Make what depends on the tokenizer alone, with a schema that no file has."""
    schema = {"patternProperties": {"^\\d": {"pattern": "^[^q]*$"}}, "type": "object"}
    artifact = maskc.Artifact(compile_schema(schema, vocabulary))
    matcher = artifact.matcher()
    for text in (b"", b'{"', b'1": "', b'a", "', b'b": 1'):
        if matcher.accept_bytes(text):
            matcher.fill_bitmask(bitmask, 0)
    # A garbage collection that walks all of this takes a tenth of a second, in any mask.
    gc.collect()
    gc.freeze()


def show(name: str, times: list[float], unit: float, sign: str) -> None:
    """Print percentiles."""
    ordered = sorted(times)
    if not ordered:
        return
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * q))] / unit for q in (0.5, 0.9, 0.99)]
    mean = sum(ordered) / len(ordered) / unit
    print(
        f"{name}: {len(ordered):,}, mean {mean:,.1f}, p50 {at[0]:,.1f}, p90 {at[1]:,.1f}, "
        f"p99 {at[2]:,.1f}, max {ordered[-1] / unit:,.1f} {sign}"
    )


def main() -> None:
    """Read the folder."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*.json"))
    if arguments.sample:
        files = random.Random(arguments.seed).sample(files, min(arguments.sample, len(files)))
    vocabulary = load_vocabulary(arguments.tokenizer)
    encode = load_encoder(arguments.tokenizer).encode
    bitmask = maskc.allocate_bitmask(1, vocabulary.vocab_size)
    # What depends on the tokenizer alone is made once, before any clock runs.
    warm_up(vocabulary, bitmask)
    classes: Counter[str] = Counter()
    first: list[float] = []
    whole: list[float] = []
    cold: list[float] = []
    warm: list[float] = []
    signal.signal(signal.SIGPROF, on_alarm)
    for file in files:
        gc.collect()  # what the schema before has left
        entry = json.loads(file.read_text())
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            began = time.thread_time()
            artifact = maskc.Artifact(compile_schema(entry["schema"], vocabulary))
            artifact.matcher().fill_bitmask(bitmask, 0)
            first.append(time.thread_time() - began)
            outcome = "right"
            tests = [test for test in entry["tests"] if test["valid"]]
            tests += [test for test in entry["tests"] if not test["valid"]]
            for number, test in enumerate(tests):
                tokens = list(encode(json.dumps(test["data"], ensure_ascii=False)))
                times = warm if number else cold
                n_before = len(times)
                accepted, agrees = walk(artifact, tokens, bitmask, times)
                if number == 0:
                    whole.append(first[-1] + sum(cold[n_before:]))
                if not agrees:
                    outcome = "mask differs from matcher"
                elif accepted != test["valid"]:
                    outcome = "valid refused" if test["valid"] else "invalid accepted"
                if outcome != "right":
                    print(f"{file.name}: {outcome}")
                    break
        except SchemaError as error:
            outcome = "no value fits" if error.reason == "fits no value at all" else "refused"
        except TooSlowError:
            outcome = "timeout"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        classes[outcome] += 1
    print(", ".join(f"{n:,} {name}" for name, n in classes.most_common()))
    show("schema to first mask", first, 1e-3, "ms")
    show("schema and all masks of its first instance", whole, 1e-3, "ms")
    show("mask, first instance", cold, 1e-6, "µs")
    show("mask, later instances", warm, 1e-6, "µs")


if __name__ == "__main__":
    main()
