"""Ask vLLM for calls of tools: does its own parser read every call, and rightly?

Usage: PYTHON -m benchmarks.serving.vllm_inside [WHAT …] [--parser NAME]… [--count N]
    [--strict-level LEVEL] [--finish]

PYTHON is that of vLLM's environment, with ``jsonschema``. WHAT is

- ``tools``: chats over HTTP, see :mod:`benchmarks.serving.tool_chats`. For each parser a server is
  started with a model of random weights and a reasoning parser, so that each answer begins with
  thoughts; vLLM's own backend is guidance, which does not read these tags, so what answers is
  maskc. Every third chat is a stream. With ``--finish`` the server has ``MASKC_MAX_TOKENS=finish``,
  tools take arguments of any names, and each answer must end within few tokens.
- ``parsers``: texts drawn for every tool parser, without a server, see
  :mod:`benchmarks.serving.tool_parsers`.

Constraints are those of ``MASKC_REQUESTS=structural_tag,json``. Default: both. The exit status is 1
if a call is wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.serving.scenarios import Scenario
from benchmarks.serving.tool_chats import Answer, Chats, Engine, report, show_notes
from benchmarks.serving.tool_parsers import Asked, Read, run_parsers
from benchmarks.serving.vllm_http import END, THINK_END, Server, engine_environment
from maskc.integrations.requests import REQUESTS_VARIABLE
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
# Of these vLLM's tags have the keys, but neither which of them must come nor what strings are.
SHAPES = ("hy_v4", "kimi_k3")
PATH, THOUGHTS = "/v1/chat/completions", 4  # tokens of thoughts


def send(
    server: Server, body: dict[str, Any], wish: list[int], bias: list[float], number: int
) -> Answer:
    """Return the answer to a chat, every third of which is a stream."""
    think = {"guide_think": THINK_END, "guide_think_after": THOUGHTS}
    body = body | {
        "temperature": 1.0,
        "seed": number,
        "return_token_ids": True,
        "vllm_xargs": think | {"guide_wish": wish, "guide_bias": bias},
    }
    if number % 3 == 2:
        return _stream(server, body)
    status, answer = server.complete(PATH, **body)
    if status != 200:
        raise SystemExit(f"{status}: {answer}")
    choice = answer["choices"][0]
    return Answer.read(choice, choice["token_ids"])


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
    return Answer(ids, finish in ("stop", "tool_calls"), read, content or None)


def ask_backend(tokenizer: Any, name: str, scenario: Scenario) -> Asked | None:
    """Return what vLLM asks of its backend for a request with tools."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    parser_class = ParserManager.get_parser(
        tool_parser_name=name, reasoning_parser_name=None, enable_auto_tools=True
    )
    chat = ChatCompletionRequest(messages=[{"role": "user", "content": "?"}], **scenario.body())
    request = parser_class(tokenizer, chat.tools).adjust_request(chat)

    def read(text: str) -> Read:
        parser = parser_class(tokenizer, chat.tools)
        _, content, calls = parser.parse(text, request, enable_auto_tools=True)
        return [(call.name, call.arguments) for call in calls or ()], content

    found = request.extract_structured_outputs()
    if found is None:
        return None
    if found.structural_tag is not None:
        return Asked("structural_tag", found.structural_tag, read, name not in SHAPES)
    schema = found.json if isinstance(found.json, str) else json.dumps(found.json)
    return Asked("json", schema, read)


def run_tools(options: argparse.Namespace) -> int:
    """Run a server for each parser, print the table; return how many answers are wrong."""
    tokenizer, found = build_tokenizer(), {}
    kit = make_kit(load_vocabulary(TOKENIZER, vocab_size=WIDTH))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        write_vllm_folder(folder / "model")
        environment = engine_environment(folder, guided=False)
        environment["MASKC_MAX_TOKENS"] = "finish" if options.finish else "cut"
        for name in options.parser or USUAL:
            serve = (
                *("--reasoning-parser", "deepseek_r1", "--enable-auto-tool-choice"),
                *("--tool-call-parser", name, "--tool-strict-level", options.strict_level),
                *("--structured-outputs-config.backend", "guidance"),
            )
            model, log = str(folder / "model"), folder / f"{name}.log"
            with Server(sys.executable, model, log, environment, serve) as server:
                ask = partial(ask_backend, tokenizer, name)
                thoughts = (THINK_END, THOUGHTS + 1)
                engine = Engine(partial(send, server), ask, FAMILIES[name], END, *thoughts)
                found[name] = Chats(engine, kit, tokenizer, finishes=options.finish)
                found[name].run(options.count)
            show_notes(name, found[name])
    return report("vLLM over HTTP", found)


def run_all_parsers(options: argparse.Namespace) -> int:
    """Draw texts for every parser, print the table; return how many texts are wrong."""
    from vllm.tool_parsers import ToolParserManager

    from maskc.integrations.vllm import register

    register()
    names = options.parser or sorted(ToolParserManager.lazy_parsers)
    return run_parsers("vLLM", names, ask_backend, count=options.count)


PARTS = {"tools": run_tools, "parsers": run_all_parsers}


def main() -> None:
    """Run what is asked for; exit with 1 if a call is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--parser", action="append", help="of tools; default: some, or all")
    parser.add_argument("--count", type=int, default=8, help="chats or texts of each scenario")
    parser.add_argument("--strict-level", default="auto", help="vLLM's --tool-strict-level")
    parser.add_argument("--finish", action="store_true", help="each answer must end in time")
    options = parser.parse_args()
    unknown = set(options.what) - PARTS.keys()
    if unknown:
        parser.error(f"{unknown.pop()} is none of {', '.join(PARTS)}")
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    os.environ[REQUESTS_VARIABLE] = "structural_tag,json"
    raise SystemExit(1 if sum(PARTS[what](options) for what in options.what or PARTS) else 0)


if __name__ == "__main__":
    main()
