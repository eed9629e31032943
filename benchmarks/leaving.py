"""How long are masks where an artifact of a grammar stands before another part?

    python -m benchmarks.leaving [--tokenizer NAME]

Each text is read token by token in ``artifact </done>``, and a mask is filled before each token.
Times are of the wall, in milliseconds: the first time, and again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import maskc
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.vocab import load_encoder, load_vocabulary

_GRAMMARS = Path("grammars")
_TEXTS = {
    "json": '{"a": [1, 2.5, {"b": "hello world, this is", "c": null}], "name": "Reykjavik"}',
    "python": "def f(x, y=3):\n    if x > y and g(x):\n        return [a for a in range(9)]\n",
}
_SETTINGS = {"python": {"start": "file_input", "postlex": "lark.indenter:PythonIndenter"}}


def _measure(constraint: Constraint, ids: list[int]) -> list[float]:
    """Return milliseconds of each mask, ascending."""
    bitmask, matcher = maskc.allocate_bitmask(1, constraint.vocab_size), constraint.matcher()
    times = []
    for token in ids:
        began = time.perf_counter()
        matcher.fill_bitmask(bitmask, 0)
        times.append(1000 * (time.perf_counter() - began))
        if not matcher.accept_token(token):
            raise ValueError("the text is not of the grammar")
    return sorted(times)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokenizer", default="llama3")
    given = parser.parse_args()
    kit = make_kit(load_vocabulary(given.tokenizer))
    encode = load_encoder(given.tokenizer).encode
    for name, text in _TEXTS.items():
        path, settings = _GRAMMARS / f"{name}.lark", _SETTINGS.get(name, {})
        artifact = maskc.compile_grammar(path, tokenizer=given.tokenizer, **settings)
        constraint = kit.sequence(kit.artifact(artifact), kit.choice(["</done>"]))
        for run in ("new", "again"):
            times = _measure(constraint, list(encode(text)))
            mean = sum(times) / len(times)
            print(f"{name:8} {run:6} mean {mean:8.3f}  worst {times[-1]:8.3f}")


if __name__ == "__main__":
    main()
