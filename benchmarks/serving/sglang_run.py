"""Run SGLang's server on the CPU: do its texts parse, and does its parser read calls rightly?

Usage: PYTHON -m benchmarks.serving.sglang_run [WHAT …] [--parser NAME]… [--count N] [--finish]
    [--outputs N] [--clients N] [--json FILE]

PYTHON is that of SGLang's environment, with ``jsonschema``; the model has random weights and
deepseek's vocabulary. WHAT is

- ``texts``: clients ask over HTTP for texts of json, python and sql, greedily and by sampling,
  mixed in one batch. Some tokens after the beginning an oracle in the server tells the model what
  would end the text; the masks decide what is legal, and Lark parses what comes back. A step is a
  forward pass and sampling, without that oracle; a real model's takes longer.
- ``tools``: chats with tools, and
- ``parsers``, without a server: see :mod:`benchmarks.serving.tool_calls`.

Constraints of chats are those of ``MASKC_REQUESTS=structural_tag,json,grammar``. Default: all
three. The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import maskc
from benchmarks.serving.outcomes import Report, add_up, count, show
from benchmarks.serving.scenarios import NAMES, WAYS, Scenario
from benchmarks.serving.sglang_timing import VARIABLE
from benchmarks.serving.sglang_wishes import SteeringProcessor, WishProcessor
from benchmarks.serving.subjects import Subject
from benchmarks.serving.tool_calls import (
    Answer,
    Asked,
    Engine,
    Read,
    add_options,
    run_chats,
    run_parsers,
)
from benchmarks.workloads import add_names, find_grammar
from maskc.integrations.requests import REQUESTS_VARIABLE
from maskc.integrations.sglang import register
from maskc.report.render import make_console
from tests.engines.hf_model import END, TOKENIZER, build_tokenizer
from tests.engines.servers import Server
from tests.engines.sglang_cpu import PLUGINS
from tests.engines.sglang_server import serving

# The legacy form of tags, the new one, and a grammar where tools are not strict.
FAMILIES = {"qwen25": "qwen_3", "qwen3_coder": "qwen_3_coder", "glm47": "glm_4_7"}


def run_texts(options: argparse.Namespace, folder: Path) -> int:
    """Ask for texts with many clients at once, print what came; return how many are wrong."""
    artifacts, timing = folder / "artifacts", folder / "timing.json"
    os.environ[VARIABLE] = str(timing)
    PLUGINS["maskc_timing"] = "benchmarks.serving.sglang_timing"
    artifacts.mkdir()
    subjects = {}
    for name in NAMES:
        artifact = maskc.compile_grammar(find_grammar(name), tokenizer=TOKENIZER)
        artifact.save(artifacts / f"{name}.maskc")
        subjects[name] = Subject(artifact, TOKENIZER)

    def ask(server: Server, number: int) -> tuple[str, str, int, Any]:
        name, way = NAMES[number % 3], list(WAYS)[number // 3 % len(WAYS)]
        params = {"grammar": name, "after": random.Random(number).randint(3, 25)}
        sampling = {"ebnf": f"maskc://{name}", "max_new_tokens": 400, "custom_params": params}
        body = {
            "text": f"Text {number}:",
            "sampling_params": sampling | WAYS[way],
            "custom_logit_processor": SteeringProcessor.to_str(),
        }
        return name, way, *server.post("/generate", body)

    with (
        serving(folder, artifacts, "--enable-custom-logit-processor") as server,
        ThreadPoolExecutor(options.clients) as clients,
    ):
        began = time.perf_counter()
        answers = list(clients.map(partial(ask, server), range(options.outputs)))
        seconds = time.perf_counter() - began
    rows: Report = {}
    for name, way, status, answer in answers:
        about = answer["meta_info"] if status == 200 else {}
        ended = bool(about) and about["finish_reason"]["type"] == "stop"
        text = answer["text"] if about else str(answer)
        wrong = None if ended and subjects[name].parses(text) else status
        n_tokens = about.get("completion_tokens", 0)
        counted = count(name, way, text, n_tokens, ended=ended, wrong=wrong)
        rows[f"{name}, {way}"] = add_up([rows.get(f"{name}, {way}", {}), counted])
    n_wrong = show("SGLang", rows)
    clocks = json.loads(timing.read_text())
    step = clocks["forward"] + clocks["sample"] - clocks["steering"]
    make_console().print(
        f"{options.outputs} requests in {seconds:.0f} s; {clocks['steps']:,} steps of "
        f"{clocks['rows'] / clocks['steps']:.1f} rows, {step / clocks['steps'] * 1e3:.1f} ms a "
        f"step; masks: {clocks['masks'] / step:.1%} of it, "
        f"{clocks['masks'] / clocks['rows'] * 1e6:.0f} us a row"
    )
    if options.json:
        found = {"rows": rows, "seconds": seconds, "timing": clocks}
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return n_wrong


def run_tools(options: argparse.Namespace, folder: Path) -> int:
    """Run a server for each parser, print the table; return how many answers are wrong."""
    tokenizer = build_tokenizer()
    os.environ["MASKC_MAX_TOKENS"] = "finish" if options.finish else "cut"
    (folder / "none").mkdir()

    @contextmanager
    def serve(name: str) -> Iterator[Engine]:
        wanted = ("--tool-call-parser", name, "--enable-custom-logit-processor")
        with serving(folder, folder / "none", *wanted) as server:
            ask = partial(ask_backend, tokenizer, name)
            yield Engine(partial(send, server), ask, FAMILIES[name], END)

    return run_chats("SGLang over HTTP", options.parser or FAMILIES, serve, tokenizer, options)


def send(
    server: Server, body: dict[str, Any], wish: list[int], bias: list[float], number: int
) -> Answer:
    """Return the answer to a chat."""
    more = {
        "model": "m",
        "temperature": 1.0,
        "seed": number,
        "return_token_ids": True,
        "custom_logit_processor": WishProcessor.to_str(),
        "custom_params": {"wish": wish, "bias": bias},
    }
    status, answer = server.post("/v1/chat/completions", body | more)
    if status != 200:
        raise SystemExit(f"{status}: {answer}")
    choice = answer["choices"][0]
    return Answer.read(choice, choice["response_token_ids"])


def ask_backend(tokenizer: Any, name: str, scenario: Scenario) -> Asked | None:
    """Return what SGLang asks of its backend for a request with tools."""
    from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    body = scenario.body()
    tools, choice = [Tool(**tool) for tool in body["tools"]], body["tool_choice"]
    if isinstance(choice, dict):
        choice = ToolChoice(**choice)
    if scenario.response_format is not None:
        return None  # SGLang follows the response_format then, and no tool
    parser = FunctionCallParser(tools, name, tokenizer=tokenizer)
    found = parser.get_structure_constraint(choice, parallel_tool_calls=scenario.parallel)
    if found is None:
        return None
    kind, given = found

    def read(text: str) -> Read:
        reader = FunctionCallParser(tools, name, tokenizer=tokenizer, tool_choice=choice)
        if kind == "json_schema" and not reader.owns_tool_format():
            # As SGLang's server does: a list of calls.
            return [(c["name"], json.dumps(c["parameters"])) for c in json.loads(text)], None
        content, calls = reader.parse_non_stream(text)
        return [(str(call.name), call.parameters) for call in calls], content

    if kind == "structural_tag":
        return Asked(kind, json.dumps(given.model_dump(by_alias=True)), read)
    if kind == "json_schema":
        return Asked("json", given if isinstance(given, str) else json.dumps(given), read)
    return Asked("ebnf", given, read)


def run_all_parsers(options: argparse.Namespace, _: Path) -> int:
    """Draw texts for every parser, print the table; return how many texts are wrong."""
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    register()
    names = options.parser or sorted(FunctionCallParser.ToolCallParserEnum)
    return run_parsers("SGLang", names, ask_backend, count=options.count)


PARTS = {"texts": run_texts, "tools": run_tools, "parsers": run_all_parsers}


def main() -> None:
    """Run what is asked for; exit with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_names(parser, PARTS, list(PARTS))
    add_options(parser)
    parser.add_argument("--outputs", type=int, default=216, help="how many texts")
    parser.add_argument("--clients", type=int, default=16, help="how many at once")
    parser.add_argument("--json", type=Path, help="also write the figures of texts to a file")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    os.environ[REQUESTS_VARIABLE] = "structural_tag,json,grammar"
    n_wrong = 0
    for what in options.names:
        with tempfile.TemporaryDirectory() as folder:
            n_wrong += PARTS[what](options, Path(folder))
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
