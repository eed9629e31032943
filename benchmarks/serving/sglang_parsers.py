"""Does every tool parser of SGLang read what maskc lets a model write for it?

    PYTHON -m benchmarks.serving.sglang_parsers [PARSER …] [--count 20]

PYTHON is that of SGLang's environment; see :mod:`benchmarks.serving.tool_parsers`. The plug-in is
registered, so constraints are those that a server has with
``MASKC_REQUESTS=structural_tag,json,grammar``. The exit status is 1 if a call is not as its schema
says.
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
from maskc.integrations.sglang import register


def ask(tokenizer: Any, name: str, scenario: Scenario) -> Asked | None:
    """Return what SGLang asks of its backend for a request with tools."""
    from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    body = scenario.body()
    tools = [Tool(**tool) for tool in body["tools"]]
    choice = body["tool_choice"]
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
            listed = json.loads(text)
            return [(one["name"], json.dumps(one["parameters"])) for one in listed], None
        content, calls = reader.parse_non_stream(text)
        return [(str(call.name), call.parameters) for call in calls], content

    if kind == "structural_tag":
        return Asked(kind, json.dumps(given.model_dump(by_alias=True)), read)
    if kind == "json_schema":
        return Asked("json", given if isinstance(given, str) else json.dumps(given), read)
    return Asked("ebnf", given, read)


def main() -> None:
    """Draw, print the table; exit with 1 if a text is wrong."""
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    known = sorted(FunctionCallParser.ToolCallParserEnum)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", default=known)
    parser.add_argument("--count", type=int, default=20, help="texts of each constraint")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ[REQUESTS_VARIABLE] = "structural_tag,json,grammar"
        register()
        n_wrong = run_parsers("SGLang", options.parsers, ask, count=options.count)
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
