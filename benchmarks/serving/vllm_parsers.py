"""Does every tool parser of vLLM read what maskc lets a model write for it?

    PYTHON -m benchmarks.serving.vllm_parsers [PARSER …] [--count 20]

PYTHON is that of vLLM's environment; see :mod:`benchmarks.serving.tool_parsers`. The plug-in is
registered, so constraints are those that a server with ``MASKC_REQUESTS=structural_tag,json`` has.
The exit status is 1 if a call is not as its schema says.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import warnings
from typing import Any

from benchmarks.serving.tool_parsers import Asked, Read, run_parsers
from benchmarks.serving.tool_scenarios import Scenario
from maskc.integrations.requests import REQUESTS_VARIABLE
from maskc.integrations.vllm import register

# Of these vLLM's tags have the keys, but neither which of them must come nor what strings are.
SHAPES = ("hy_v4", "kimi_k3")


def ask(tokenizer: Any, name: str, scenario: Scenario) -> Asked | None:
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


def main() -> None:
    """Draw, print the table; exit with 1 if a text is wrong."""
    from vllm.tool_parsers import ToolParserManager

    known = sorted(ToolParserManager.lazy_parsers)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", default=known)
    parser.add_argument("--count", type=int, default=20, help="texts of each constraint")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ[REQUESTS_VARIABLE] = "structural_tag,json"
        register()
        n_wrong = run_parsers("vLLM", options.parsers, ask, count=options.count)
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
