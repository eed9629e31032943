"""Generate in vLLM's own engine, without a server, and write down what came out.

Usage, with the engine's Python: python -m benchmarks.serving.vllm_offline WHAT FOLDER BACKEND OUT

- ``mixed``: artifacts greedily, by sampling and with ``n`` of two, with a stop token, in batches
  with choices, regexps and JSON schemas of the backend and with requests without a constraint;
  then a bad name, and one more good one;
- ``cost``: batches of 1, 16 and 64 of mixed artifacts, the time in masks and in steps; then
  requests that are aborted on the way;
- ``drafts``: ngram speculative decoding, and the same without it;
- ``beams``: beam search.

OUT is JSON: records of texts, which vllm_run judges, and figures.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.serving.scenarios import BAD_NAMES, NAMES
from maskc.errors import MaskcError

PROMPTS = ("A list:", "def f(x):", "SELECT a FROM t WHERE", "[1, 2, 3, 1, 2, 3, 1, 2")
STOP, ROUNDS = 6366, 6  # the token of "hi"

if sys.argv[1:2] == ["cost"]:
    # The engine in this process, where its steps can be timed.
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"

from vllm import LLM, SamplingParams  # noqa: E402 - the variable is read when vLLM is imported
from vllm.exceptions import VLLMValidationError  # noqa: E402
from vllm.sampling_params import BeamSearchParams, StructuredOutputsParams  # noqa: E402

SCHEMA = {
    "type": "object",
    "properties": {"kind": {"enum": ["tea", "coffee"]}, "hot": {"type": "boolean"}},
    "required": ["kind", "hot"],
    "additionalProperties": False,
}
THEIRS: dict[str, dict[str, Any]] = {
    "choice": {"choice": ["left", "right"]},
    "regex": {"regex": "[0-9]{3}-[a-f]{2}"},
    "schema": {"json": SCHEMA},
}


def ask(name: str | None, **options: Any) -> SamplingParams:
    """Return the parameters of a request for an artifact, for the backend, or for anything."""
    constraint = THEIRS.get(name or "") or ({"grammar": f"maskc://{name}"} if name else None)
    asked = StructuredOutputsParams(**constraint) if constraint else None
    return SamplingParams(structured_outputs=asked, **({"max_tokens": 160} | options))


def record(way: str, name: str | None, outputs: Any, **more: Any) -> list[dict[str, Any]]:
    """Return what a request came to, a record for each of its outputs."""
    return [
        {
            "way": way,
            "name": name,
            "ids": list(output.token_ids),
            "text": output.text,
            "finish": output.finish_reason,
            "stop": output.stop_reason,
        }
        | more
        for output in outputs
    ]


def run_mixed(llm: LLM) -> dict[str, Any]:
    """Return records of batches that mix everything."""
    records = []
    for number in range(ROUNDS):
        asked: list[tuple[str, str | None, SamplingParams]] = []
        for index, name in enumerate(NAMES):
            guide = {"guide": name, "guide_after": 3 + (5 * number + index) % 23}
            # A high temperature brings variety.
            wanted = {"extra_args": guide, "seed": number, "temperature": 2.0}
            stop = wanted | {"extra_args": guide | {"guide_end": STOP}, "stop_token_ids": [STOP]}
            for _ in range(2):
                asked.append(("greedy", name, ask(name, temperature=0, extra_args=guide)))
            for seed in range(3):
                asked.append(("sampled", name, ask(name, **wanted | {"seed": 10 * number + seed})))
            asked.append(("n=2", name, ask(name, n=2, **wanted)))
            asked.append(("stop token", name, ask(name, **stop)))
        asked += [("backend", kind, ask(kind, max_tokens=60)) for kind in THEIRS]
        asked.append(("free", None, ask(None, max_tokens=20)))
        prompts = [PROMPTS[index % len(PROMPTS)] for index in range(len(asked))]
        outputs = llm.generate(prompts, [params for _, _, params in asked], use_tqdm=False)
        for (way, name, _), output in zip(asked, outputs, strict=True):
            records += record(way, name, output.outputs)
    refusals = []
    for name in BAD_NAMES:
        try:
            llm.generate("x", ask(name), use_tqdm=False)
        except (MaskcError, VLLMValidationError) as error:
            refusals.append(str(error))
    guide = {"guide": "json", "guide_after": 3}
    last = llm.generate("x", ask("json", extra_args=guide), use_tqdm=False)
    return {"records": records + record("after bad names", "json", last[0].outputs)} | {
        "refusals": refusals
    }


class Clock:
    """Adds up the time of a method.

    Args:
        owner: its class, or the object that has it.
        name: of the method.
    """

    def __init__(self, owner: Any, name: str) -> None:
        self.seconds, self.calls = 0.0, 0
        setattr(owner, name, self._around(getattr(owner, name)))

    def _around(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def timed(*args: Any, **options: Any) -> Any:
            begin = time.perf_counter()
            try:
                return original(*args, **options)
            finally:
                self.seconds += time.perf_counter() - begin
                self.calls += 1

        return timed


def run_cost(llm: LLM) -> dict[str, Any]:
    """Return what masks cost of the steps of an engine in this process, and aborted requests."""
    from vllm.v1.structured_output import StructuredOutputManager

    fill = Clock(StructuredOutputManager, "grammar_bitmask")
    take = Clock(StructuredOutputManager, "accept_tokens")
    step = Clock(llm.llm_engine.engine_core.engine_core, "step_fn")
    figures, records = [], []
    for size in (1, 16, 64, 1, 16, 64):
        names = [NAMES[index % 3] for index in range(size)]
        for clock in (fill, take, step):
            clock.seconds, clock.calls = 0.0, 0
        params = [
            ask(name, max_tokens=48, seed=index, temperature=2.0)
            for index, name in enumerate(names)
        ]
        outputs = llm.generate(["A list:"] * size, params, use_tqdm=False)
        tokens = sum(len(output.outputs[0].token_ids) for output in outputs)
        figures.append(
            {
                "batch": size,
                "tokens": tokens,
                "steps": step.calls,
                "seconds": step.seconds,
                "fill": fill.seconds,
                "accept": take.seconds,
            }
        )
        for name, output in zip(names, outputs, strict=True):
            records += record("cut", name, output.outputs)
    return {"records": records + run_aborts(llm), "figures": figures}


def run_aborts(llm: LLM) -> list[dict[str, Any]]:
    """Return records of requests whose neighbours were aborted."""
    engine = llm.llm_engine
    for number in range(16):
        name = NAMES[number % 3]
        guide = {"guide": name, "guide_after": 20}
        engine.add_request(f"r{number}", "A list:", ask(name, extra_args=guide, seed=number))
    for _ in range(6):
        engine.step()
    engine.abort_request([f"r{number}" for number in range(0, 16, 2)])
    records = []
    while engine.has_unfinished_requests():
        for output in engine.step():
            if output.finished:
                name = NAMES[int(output.request_id.partition("-")[0][1:]) % 3]
                records += record("beside aborted", name, output.outputs)
    return records


def run_drafts(llm: LLM) -> dict[str, Any]:
    """Return records of drafted texts, and how many drafts were taken."""
    records = []
    for temperature in (0.0, 1.0):
        names = [name for name in (*NAMES, "order") for _ in PROMPTS]
        params = [ask(name, max_tokens=64, temperature=temperature, seed=1) for name in names]
        outputs = llm.generate([*PROMPTS] * 4, params, use_tqdm=False)
        for name, output in zip(names, outputs, strict=True):
            records += record(f"temperature {temperature}", name, output.outputs)
    counts = {
        metric.name: metric.value
        for metric in llm.get_metrics()
        if "spec_decode" in metric.name and hasattr(metric, "value")
    }
    return {"records": records, "figures": counts}


def run_beams(llm: LLM) -> dict[str, Any]:
    """Return records of beam search."""
    records, prompts = [], [{"prompt": prompt} for prompt in PROMPTS]
    for name in (*NAMES, "order"):
        params = BeamSearchParams(
            beam_width=3,
            max_tokens=24,
            structured_outputs=StructuredOutputsParams(grammar=f"maskc://{name}"),
        )
        n_prompt = [len(llm.get_tokenizer().encode(prompt)) for prompt in PROMPTS]
        for skip, output in zip(n_prompt, llm.beam_search(prompts, params), strict=True):
            for beam in output.sequences:
                ids = beam.tokens[skip:]
                finish = "stop" if ids[-1:] == [1] else "length"
                records.append(
                    {"way": "beams", "name": name, "ids": ids, "text": None, "finish": finish}
                )
    return {"records": records}


RUNS = {"mixed": run_mixed, "cost": run_cost, "drafts": run_drafts, "beams": run_beams}


def main() -> None:
    """Run, and write the file."""
    what, folder, backend, out = sys.argv[1:]
    options: dict[str, Any] = {}
    if what in ("mixed", "cost"):
        options["logits_processors"] = ["benchmarks.serving.vllm_steering:Guided"]
    if what == "drafts" and backend != "plain":
        options["speculative_config"] = {
            "method": "ngram",
            "num_speculative_tokens": 4,
            "prompt_lookup_max": 3,
            "prompt_lookup_min": 1,
        }
    llm = LLM(
        folder,
        max_model_len=512,
        max_num_seqs=64,
        enforce_eager=True,
        disable_log_stats=what != "drafts",
        structured_outputs_config={
            "backend": "xgrammar" if backend == "plain" else backend,
            # The schemas' own texts come to an end.
            "disable_any_whitespace": True,
        },
        **options,
    )
    Path(out).write_text(json.dumps(RUNS[what](llm)))


if __name__ == "__main__":
    main()
