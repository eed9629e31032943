"""Chats with tools against SGLang's server over HTTP: does its parser read every call, and rightly?

    PYTHON -m benchmarks.serving.sglang_tools [PARSER …] [--count 8] [--finish]

PYTHON is that of SGLang's environment, with ``jsonschema``. For each parser a server is started,
with ``MASKC_REQUESTS=structural_tag,json,grammar`` and a model of random weights, on the CPU.
What is judged, and how, is told in :mod:`benchmarks.serving.tool_chats`. The exit status is 1 if
any answer is wrong. With ``--finish`` the server has ``MASKC_MAX_TOKENS=finish``, tools take
arguments of any names, and each answer must end within few tokens.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.serving.sglang_parsers import ask
from benchmarks.serving.sglang_wishes import WishProcessor
from benchmarks.serving.tool_chats import Answer, Chats, Engine, report, show_notes
from maskc.kit.file import make_kit
from maskc.vocab import load_vocabulary
from tests.engines.hf_model import END, TOKENIZER, WIDTH, build_tokenizer
from tests.engines.sglang_server import Server, serving

# The legacy form of tags, the new one, and a grammar where tools are not strict.
FAMILIES = {"qwen25": "qwen_3", "qwen3_coder": "qwen_3_coder", "glm47": "glm_4_7"}


def send(
    server: Server, body: dict[str, Any], wish: list[int], bias: list[float], number: int
) -> Answer:
    """Return the answer to a chat."""
    status, answer = server.post(
        "/v1/chat/completions",
        body
        | {
            "model": "m",
            "temperature": 1.0,
            "seed": number,
            "return_token_ids": True,
            "custom_logit_processor": WishProcessor.to_str(),
            "custom_params": {"wish": wish, "bias": bias},
        },
    )
    if status != 200:
        raise SystemExit(f"{status}: {answer}")
    choice = answer["choices"][0]
    message = choice["message"]
    calls = [
        (call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    is_whole = choice["finish_reason"] in ("stop", "tool_calls")
    return Answer(choice["response_token_ids"], is_whole, calls, message.get("content"))


def main() -> None:
    """Run a server for each parser, print the table; exit with 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", default=list(FAMILIES))
    parser.add_argument("--count", type=int, default=8, help="chats of each scenario")
    parser.add_argument("--finish", action="store_true", help="each answer must end in time")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    os.environ["MASKC_REQUESTS"] = "structural_tag,json,grammar"
    os.environ["MASKC_MAX_TOKENS"] = "finish" if options.finish else "cut"
    tokenizer = build_tokenizer()
    kit = make_kit(load_vocabulary(TOKENIZER, vocab_size=WIDTH))
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        for name in options.parsers:
            serve = ("--tool-call-parser", name, "--enable-custom-logit-processor")
            with serving(folder, folder / "artifacts", *serve) as server:
                engine = Engine(
                    partial(send, server), partial(ask, tokenizer, name), FAMILIES[name], END
                )
                found[name] = Chats(engine, kit, tokenizer, finishes=options.finish)
                found[name].run(options.count)
            show_notes(name, found[name])
    raise SystemExit(1 if report("SGLang over HTTP", found) else 0)


if __name__ == "__main__":
    main()
