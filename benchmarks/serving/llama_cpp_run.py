"""Generate in llama-cpp-python with masks: do the texts parse, what does masking cost of a step?

Usage: python -m benchmarks.serving.llama_cpp_run [NAME …] [--per-way N] [--json FILE]

The engine itself generates, with a model of random weights and deepseek's vocabulary: greedily, by
sampling, and with drafts looked up in the prompt. Some tokens after the beginning an oracle tells
the model what would end the text; the masks decide what is legal, and Lark parses what the engine
returns as text. A real model's step takes longer than this one's, so the share of masking is an
upper bound; the microseconds a token are what stays.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import maskc
from benchmarks.serving import scenarios
from benchmarks.serving.outcomes import add_up, count, finish, parse_options
from benchmarks.serving.subjects import Subject
from benchmarks.workloads import find_grammar
from maskc.integrations.errors import load_engine
from maskc.integrations.llama_cpp import ModelRegistry, ProcessorList, open_registry
from tests.engines.gguf_model import write_model
from tests.engines.steering import Steering
from tests.engines.transformers_runs import Timed

TOKENIZER = "deepseek"
# What a draft is looked up in; some of it can be legal where it is proposed.
PROMPTS = ("A list:", "def f(x):\n    return x\n", "SELECT a FROM b; SELECT a FROM", "é")
# Without these it draws among the likeliest tokens only.
_OPEN = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
WAYS = {"greedy": scenarios.WAYS["greedy"], "sampling": scenarios.WAYS["sampling"] | _OPEN}
WAYS["drafts"] = WAYS["sampling"]


class Wishes:
    """A processor that wishes for the end of a text after some tokens; it is before the grammar's.

    Args:
        steering: of the grammar.
        after: how many tokens.
    """

    def __init__(self, steering: Steering, after: int) -> None:
        self._steering, self._after = steering, after
        self._n_prompt, self._n_sampled = -1, 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores, with that of the wish raised above all others."""
        if self._n_prompt < 0:
            self._n_prompt = len(input_ids)
        generated = input_ids[self._n_prompt : self._n_prompt + self._n_sampled].tolist()
        self._n_sampled += 1
        if len(generated) < self._after:
            return scores
        wish = self._steering.wish(generated)
        if wish is None:
            return scores
        scores = scores.copy()
        scores[wish] += 10_000
        return scores


def complete(
    llm: Any, registry: ModelRegistry, name: str, subject: Subject, way: str, seed: int
) -> dict[str, Any]:
    """Return the counts of one completion."""
    processor = registry.make_processor(name)
    masking = Timed(processor)
    wishes = Timed(Wishes(subject.steering, random.Random(seed).randint(3, 25)))
    begin = time.perf_counter()
    answer = llm.create_completion(
        PROMPTS[seed % len(PROMPTS)],
        max_tokens=400,
        seed=seed,
        logits_processor=ProcessorList([wishes, masking]),
        stopping_criteria=processor.check,
        **WAYS[way],
    )
    seconds = time.perf_counter() - begin - wishes.seconds
    (choice,) = answer["choices"]
    ended = choice["finish_reason"] == "stop"
    wrong = None if ended and subject.parses(choice["text"]) else f"seed {seed}"
    n = masking.n_steps
    counted = count(name, way, choice["text"], n, ended=ended, wrong=wrong)
    return counted | {"steps": n, "rows": n, "seconds": seconds, "masking": masking.seconds}


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return the counts by grammar and way."""
    api = load_engine("llama_cpp", "llama-cpp")
    drafting = load_engine("llama_cpp.llama_speculative", "llama-cpp")
    path = folder / "random.gguf"
    write_model(path, TOKENIZER)
    settings = {"model_path": str(path), "n_ctx": 1024, "verbose": False}
    # On shared cores, threads that wait for each other take ten times as long.
    settings |= {"n_threads": 1, "n_threads_batch": 1}
    plain = api.Llama(**settings)
    drafts = api.Llama(**settings, draft_model=drafting.LlamaPromptLookupDecoding())
    report: dict[str, Any] = {}
    for name in options.names:
        artifact = maskc.compile_grammar(find_grammar(name), tokenizer=TOKENIZER)
        artifact.save(folder / f"{name}.maskc")
        subject = Subject(artifact, TOKENIZER)
        registry = open_registry(plain, folder)
        for way in WAYS:
            llm = drafts if way == "drafts" else plain
            report[f"{name}, {way}"] = add_up(
                complete(llm, registry, name, subject, way, seed) for seed in range(options.per_way)
            )
    return report


def main() -> None:
    """Generate, and print the table."""
    options = parse_options(__doc__ or "").parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = measure(options, Path(folder))
    finish("completions", report, options.json)


if __name__ == "__main__":
    main()
