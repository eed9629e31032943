"""What does it cost to have texts end within so many tokens, and do they?

Usage: python -m benchmarks.budgets [NAME …] [--texts N] [--budget N]

Names are those of grammars, ``schema`` for a JSON Schema, ``tools`` for calls of tools with it,
``free`` for calls of a tool whose arguments may have any names, and ``parameters`` for calls of a
family that writes each argument by itself.

Texts are drawn from the legal tokens: four times in five one of the short tokens of signs, which
open and close most, else any. The budgets are the shortest text's, one more and so on, and the
given one. Times are processor time: a mask that was not asked for before, in milliseconds (mean,
99th percentile, slowest), and masks of a document that was filled before, in microseconds, beside
the plain ones.
"""

from __future__ import annotations

import argparse
import time
from random import Random

import numpy as np
from numpy.typing import NDArray

import maskc
from benchmarks.compiled import compile_bundled
from benchmarks.workloads import TOKENIZER, WORKLOADS, add_names
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.vocab import load_encoder, load_vocabulary

_Subject = maskc.Artifact | Constraint

_NEAR = 12  # budgets from the shortest on
_SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "price": {"type": "number", "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["new", "used", "sold"]}, "uniqueItems": True},
        "parts": {"type": "array", "items": {"$ref": "#"}},
    },
    "required": ["title", "price"],
    "additionalProperties": False,
}
_PROPERTIES = {"note": {"type": "string"}, "unit": {"enum": ["kg", "piece"]}}
_FLAT = {
    "type": "object",
    "properties": {**_PROPERTIES, "title": {"type": "string"}, "price": {"type": "number"}},
    "required": ["title", "price"],
    "additionalProperties": False,
}
_PARAMETERS = {"tools": _SCHEMA, "free": {"type": "object"}, "parameters": _FLAT}
_FAMILIES = {"tools": "llama", "free": "llama", "parameters": "glm_4_7"}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_names(parser, [*WORKLOADS, "schema", *_PARAMETERS], ["json", "sql", "schema", *_PARAMETERS])
    parser.add_argument("--texts", type=int, default=3)
    parser.add_argument("--budget", type=int, default=60)
    given = parser.parse_args()
    encode = load_encoder(TOKENIZER).encode
    for name in given.names:
        if name in WORKLOADS:
            with compile_bundled(name) as path:
                artifact = maskc.load(path)
                tokens = next(list(encode(text)) for _, text in WORKLOADS[name].documents())[:300]
                _report(name, artifact, tokens, given.texts, given.budget)
        else:
            constraint = _constrain(name)
            _report(name, constraint, None, given.texts, given.budget)
            if name == "free":
                _report_key(constraint)


def _constrain(name: str) -> Constraint:
    """Return the constraint of a schema, or of calls of a tool."""
    kit = make_kit(load_vocabulary(TOKENIZER))
    kit.prepare()
    if name == "schema":
        return kit.json_schema(_SCHEMA)
    tool = {"type": "function", "function": {"name": "offer", "parameters": _PARAMETERS[name]}}
    return kit.tools([tool], family=_FAMILIES[name], choice="required")


def _report(
    name: str, subject: _Subject, tokens: list[int] | None, n_texts: int, budget: int
) -> None:
    """Draw texts and print what was counted; fill masks along a document, if there is one."""
    began = time.process_time()
    least = len(subject.matcher().shortest_completion().tokens)
    ready = time.process_time() - began
    texts = _Texts(subject)
    texts.report(name, [*range(least, least + _NEAR), *[budget] * n_texts], Random(0))
    tokens = tokens or texts.longest
    plain, within = (_fill_along(subject, tokens, left) for left in (None, 10_000))
    print(
        f"{'':8} ready after {ready:.1f} s; warm masks along {len(tokens)} tokens: "
        f"plain {plain:.2f} µs, with 10,000 tokens left {within:.2f}"
    )


def _report_key(subject: Constraint) -> None:
    """Print how many tokens are legal inside of a key, with few tokens left and with any number."""
    matcher = subject.matcher()
    matcher.accept_text('{"name": "offer", "parameters": {"ab')
    bitmask = maskc.allocate_bitmask(1, subject.vocab_size)
    counts = []
    for left in (3, 4, 5, 6, None):
        matcher.fill_bitmask(bitmask, 0, tokens_left=left)
        counts.append(f"{left or 'any'}: {int(np.unpackbits(bitmask.view(np.uint8)).sum()):,}")
    print(f"{'':8} legal inside of a key, by tokens left: {', '.join(counts)}")


class _Texts:
    """Draws texts within budgets, and counts."""

    def __init__(self, artifact: _Subject) -> None:
        self.artifact = artifact
        self.seconds: list[float] = []
        self.n_whole = self.n_exact = self.n_narrowed = 0
        self.longest: list[int] = []

    def report(self, name: str, budgets: list[int], draw: Random) -> None:
        """Draw a text for each budget and print what was counted."""
        for budget in budgets:
            self._draw(budget, draw)
        n_masks = len(self.seconds)
        times = 1e3 * np.array(self.seconds)
        print(
            f"{name:8} {self.n_whole} of {len(budgets)} texts whole; {n_masks} masks, "
            f"{self.n_narrowed} with fewer tokens than the plain ones, {self.n_exact} exact; "
            f"ms {times.mean():.1f}, {np.percentile(times, 99):.0f}, {times.max():.0f}"
        )

    def _draw(self, budget: int, draw: Random) -> None:
        artifact, matcher = self.artifact, self.artifact.matcher()
        written: list[int] = []
        bitmask, plain = (maskc.allocate_bitmask(1, artifact.vocab_size) for _ in range(2))
        for left in range(budget, 0, -1):
            began = time.process_time()
            matcher.fill_bitmask(bitmask, 0, tokens_left=left)
            self.seconds.append(time.process_time() - began)
            self.n_exact += matcher.is_exact
            matcher.fill_bitmask(plain, 0)
            self.n_narrowed += not np.array_equal(plain, bitmask)
            token = self._choose(bitmask, draw)
            matcher.accept_token(token)
            written.append(token)
            if matcher.is_terminated:
                self.longest = max(self.longest, written, key=len)
                self.n_whole += 1
                return

    def _choose(self, bitmask: NDArray[np.int32], draw: Random) -> int:
        legal = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist()
        going_on = [token for token in legal if token not in self.artifact.eos_ids]
        if draw.random() < 0.8:
            texts = {token: self.artifact.token_texts.text_of(token) or b"" for token in going_on}
            signs = [t for t, text in texts.items() if len(text) <= 3 and not text.isalnum()]
            going_on = signs or going_on
        return draw.choice(going_on or legal)


def _fill_along(artifact: _Subject, tokens: list[int], left: int | None) -> float:
    """Return the µs of a mask along a document, the second time."""
    bitmask = maskc.allocate_bitmask(1, artifact.vocab_size)
    taken = 0.0
    for is_warm in (False, True):
        matcher = artifact.matcher()
        for token in tokens:
            began = time.process_time_ns()
            if left is None:
                matcher.fill_bitmask(bitmask, 0)
            else:
                matcher.fill_bitmask(bitmask, 0, tokens_left=left)
            if is_warm:
                taken += time.process_time_ns() - began
            matcher.accept_token(token)
    return taken / len(tokens) / 1e3


if __name__ == "__main__":
    main()
