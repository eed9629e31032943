"""Generate in transformers with masks: do the outputs parse, and what does masking cost of a step?

Usage: python -m benchmarks.serving.transformers_run [NAME …] [--per-way N] [--json FILE]

A Llama of random weights with llama3's vocabulary generates greedily, by sampling and with beams,
in batches of eight prompts of different lengths, some of them of mixed grammars. Lark parses every
output. A real model's forward pass takes longer than this one's, so the share of masking is an
upper bound; the microseconds a row are what stays.
"""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks.serving.outcomes import add_up, finish, parse_options
from benchmarks.serving.subjects import Subject
from benchmarks.workloads import TOKENIZER, load_artifact
from tests.engines.steering import Steering
from tests.engines.transformers_runs import PROMPTS, WAYS, build_model, run


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return the counts by grammar and way."""
    subjects: dict[str, tuple[Any, Any, Steering]] = {}
    for name in options.names:
        artifact = load_artifact(name)
        made = Subject(artifact, TOKENIZER)
        subjects[name] = (artifact, made.lark, made.steering)
    width = max(artifact.vocab_size for artifact, _, _ in subjects.values())
    model = build_model(width, options.hidden, options.layers)
    report: dict[str, Any] = {}
    mixed = [options.names[n % len(options.names)] for n in range(len(PROMPTS))]
    batches = {name: [name] * len(PROMPTS) for name in options.names} | {"mixed": mixed}
    for title, names in batches.items():
        for way in WAYS:
            n_calls = -(-options.per_way // len(PROMPTS))
            report[f"{title}, {way}"] = add_up(
                run(model, names, subjects, way, seed) for seed in range(n_calls)
            )
    return report


def main() -> None:
    """Generate, and print the table."""
    parser = parse_options(__doc__ or "")
    parser.add_argument("--hidden", type=int, default=64, help="width of the model")
    parser.add_argument("--layers", type=int, default=2, help="layers of the model")
    options = parser.parse_args()
    finish("generations", measure(options), options.json)


if __name__ == "__main__":
    main()
