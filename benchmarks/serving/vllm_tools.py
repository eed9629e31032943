"""Chats with tools against vLLM's server over HTTP: does its parser read every call, and rightly?

    PYTHON -m benchmarks.serving.vllm_tools [PARSER …] [--count 8] [--strict-level LEVEL] [--finish]

PYTHON is that of vLLM's environment, with ``jsonschema``. For each parser a server is started, with
``MASKC_REQUESTS=structural_tag,json``, a model of random weights and a reasoning parser, so that
each answer begins with thoughts; vLLM's own backend is guidance, which does not read these tags,
so what answers is maskc. Every third chat is a stream. What is judged, and how, is told in
:mod:`benchmarks.serving.tool_chats`. The exit status is 1 if any answer is wrong.
With ``--finish`` the server has ``MASKC_MAX_TOKENS=finish``, tools take arguments of any names, and
each answer must end within few tokens.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.serving.tool_chats import Answer, Chats, Engine, report, show_notes
from benchmarks.serving.vllm_http import END, THINK_END, Server
from benchmarks.serving.vllm_parsers import ask
from benchmarks.serving.vllm_run import engine_environment
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.engines.hf_model import TOKENIZER, WIDTH, build_tokenizer, write_vllm_folder

FAMILIES = {
    "hermes": "qwen_3",
    "qwen3_coder": "qwen_3_coder",
    "deepseek_v3": "deepseek_r1",
    "glm47": "glm_4_7",
    # Not by default: in streams vLLM's parser takes the end of a call for arguments.
    "deepseek_v31": "deepseek_v3_1",
}
USUAL = ("hermes", "qwen3_coder", "deepseek_v3", "glm47")
PATH = "/v1/chat/completions"
THOUGHTS = 4  # tokens
ENDED = ("stop", "tool_calls")


def send(
    server: Server, body: dict[str, Any], wish: list[int], bias: list[float], number: int
) -> Answer:
    """Return the answer to a chat, every third of which is a stream."""
    body = body | {
        "temperature": 1.0,
        "seed": number,
        "return_token_ids": True,
        "vllm_xargs": {
            "guide_think": THINK_END,
            "guide_think_after": THOUGHTS,
            "guide_wish": wish,
            "guide_bias": bias,
        },
    }
    if number % 3 == 2:
        return _stream(server, body)
    status, answer = server.complete(PATH, **body)
    if status != 200:
        raise SystemExit(f"{status}: {answer}")
    choice = answer["choices"][0]
    message = choice["message"]
    calls = [
        (call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    is_whole = choice["finish_reason"] in ENDED
    return Answer(choice["token_ids"], is_whole, calls, message.get("content"))


def _stream(server: Server, body: dict[str, Any]) -> Answer:
    ids, finish, content = list[int](), None, ""
    calls: dict[int, list[str]] = {}
    for line in server.send(PATH, body | {"stream": True}):
        if not line.startswith(b"data: {"):
            continue
        for choice in json.loads(line[6:]).get("choices", ()):
            ids += choice.get("token_ids") or ()
            finish = choice.get("finish_reason") or finish
            delta = choice["delta"]
            content += delta.get("content") or ""
            for call in delta.get("tool_calls") or ():
                found = calls.setdefault(call["index"], ["", ""])
                found[0] += call["function"].get("name") or ""
                found[1] += call["function"].get("arguments") or ""
    read = [(name, text) for name, text in calls.values()]
    return Answer(ids, finish in ENDED, read, content or None)


def main() -> None:
    """Run a server for each parser, print the table; exit with 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", default=USUAL)
    parser.add_argument("--count", type=int, default=8, help="chats of each scenario")
    parser.add_argument("--strict-level", default="auto", help="vLLM's --tool-strict-level")
    parser.add_argument("--finish", action="store_true", help="each answer must end in time")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    tokenizer = build_tokenizer()
    kit = make_kit(load_vocabulary(TOKENIZER, vocab_size=WIDTH))
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        write_vllm_folder(folder / "model")
        environment = engine_environment(folder) | {"MASKC_REQUESTS": "structural_tag,json"}
        del environment["MASKC_GUIDE"]
        environment["MASKC_MAX_TOKENS"] = "finish" if options.finish else "cut"
        for name in options.parsers:
            serve = (
                *("--reasoning-parser", "deepseek_r1", "--enable-auto-tool-choice"),
                *("--tool-call-parser", name, "--tool-strict-level", options.strict_level),
                *("--structured-outputs-config.backend", "guidance"),
            )
            model, log = str(folder / "model"), folder / f"{name}.log"
            with Server(sys.executable, model, log, environment, serve) as server:
                engine = Engine(
                    partial(send, server),
                    partial(ask, tokenizer, name),
                    FAMILIES[name],
                    END,
                    THINK_END,
                    THOUGHTS + 1,
                )
                found[name] = Chats(engine, kit, tokenizer, finishes=options.finish)
                found[name].run(options.count)
            show_notes(name, found[name])
    raise SystemExit(1 if report("vLLM over HTTP", found) else 0)


if __name__ == "__main__":
    main()
