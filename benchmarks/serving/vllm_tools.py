"""Chats with tools against vLLM's server over HTTP: does its parser read every call, and rightly?

    PYTHON -m benchmarks.serving.vllm_tools [PARSER …] [--count 8] [--strict-level LEVEL]

PYTHON is that of vLLM's environment, with ``jsonschema``. For each parser a server is started, with
``MASKC_REQUESTS=structural_tag,json``, a model of random weights and a reasoning parser, so that
each answer begins with thoughts; vLLM's own backend is guidance, which does not read these tags,
so what answers is maskc. For each scenario of :mod:`benchmarks.serving.tool_scenarios` some
chats are sent, every third as a stream. The model is wished to begin with a call, a right one or
a wrong one, and to close what it opened; the masks decide. The tokens of every answer, cut or not,
must be those of a text that the constraint takes, or the beginning of one; the calls of an answer
that ended are judged. The exit status is 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.serving.hf_model import TOKENIZER, WIDTH, build_tokenizer
from benchmarks.serving.tool_scenarios import SCENARIOS, Scenario, Verdict
from benchmarks.serving.vllm_http import END, THINK_END, Server
from benchmarks.serving.vllm_model import write_model
from benchmarks.serving.vllm_parsers import ask
from benchmarks.serving.vllm_run import engine_environment
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.report.render import make_console, make_table
from maskc.tags.families import Tool, load_family
from maskc.tags.rendering import render
from maskc.vocab import load_vocabulary

FAMILIES = {"hermes": "qwen_3", "qwen3_coder": "qwen_3_coder", "deepseek_v3": "deepseek_r1"}
COLUMNS = ("chats", "ended", "cut", "calls", "wrong", "unread", "loose")
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_weather", {"city": "Oslo", "units": "metric"}),
    ("note", {"at": {"x": 1, "y": "left"}, "level": 2}),
    ("set_light", {"on": "yes"}),  # no Boolean
    ("get_wether", {"city": "Oslo"}),  # no tool
    ("note", {"level": 9}),  # too much, and something is missing
)
# What closes strings, objects and parameters, and what goes on; the end above all.
BIAS = {'"': 14.0, '"}': 14.0, "}": 14.0, "</": 14.0, "parameter": 12.0, ">": 12.0, ":": 8.0}
THOUGHTS = 4


class Chats:
    """Sends chats and judges what comes back.

    Args:
        server: to send to.
        parser: vLLM's name of the tool parser.
        kit: of the model.
        tokenizer: of the model.
    """

    def __init__(self, server: Server, parser: str, kit: Kit, tokenizer: Any) -> None:
        self._server, self._parser, self._kit = server, parser, kit
        self._tokenizer = tokenizer
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    def send(self, scenario: Scenario, number: int) -> None:
        """Send a chat and judge the answer."""
        body = scenario.body() | {
            "messages": [{"role": "user", "content": "What now?"}],
            "max_tokens": 160,
            "temperature": 1.0,
            "seed": number,
            "return_token_ids": True,
            "vllm_xargs": self._wish(scenario, number),
        }
        ids, finish, calls, content = self._stream(body) if number % 3 == 2 else self._ask(body)
        self.counts["chats"] += 1
        thoughts = ids.index(THINK_END) + 1 if THINK_END in ids else len(ids)
        wrong = self._follow(scenario, ids[thoughts:])
        if finish not in ("stop", "tool_calls"):
            self.counts["cut"] += 1
            verdict, why = (Verdict.WRONG if wrong else Verdict.GOOD), wrong or ""
        else:
            self.counts["ended"] += 1
            self.counts["calls"] += len(calls)
            strict = scenario.strict is True
            verdict, why = scenario.judge(calls, content, strict=strict)
            if wrong:
                verdict, why = Verdict.WRONG, wrong
        self.counts[verdict.value] += 1
        if verdict is not Verdict.GOOD:
            text = self._tokenizer.decode(ids)
            self.notes.append(f"{scenario.name}: {verdict.value}: {why}: {text!r}")

    def _follow(self, scenario: Scenario, ids: list[int]) -> str | None:
        """Return what is wrong with the tokens of an answer, ``None`` if nothing is."""
        asked = ask(self._tokenizer, self._parser, scenario)
        if asked is None:
            return None
        is_tag = asked.kind == "structural_tag"
        make = self._kit.structural_tag if is_tag else self._kit.json_schema
        matcher = make(asked.constraint).matcher()
        n_taken = matcher.accept_tokens(ids)
        if n_taken == len(ids) or matcher.is_terminated:
            return None
        return f"token {n_taken} of {ids} is illegal"

    def _ask(self, body: dict[str, Any]) -> Any:
        status, answer = self._server.complete("/v1/chat/completions", **body)
        if status != 200:
            raise SystemExit(f"{status}: {answer}")
        choice = answer["choices"][0]
        message = choice["message"]
        calls = [
            (call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        ]
        return choice["token_ids"], choice["finish_reason"], calls, message.get("content")

    def _stream(self, body: dict[str, Any]) -> Any:
        ids, finish, content = list[int](), None, ""
        calls: dict[int, list[str]] = {}
        for line in self._server.send("/v1/chat/completions", body | {"stream": True}):
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            for choice in chunk.get("choices", ()):
                ids += choice.get("token_ids") or ()
                finish = choice.get("finish_reason") or finish
                delta = choice["delta"]
                content += delta.get("content") or ""
                for call in delta.get("tool_calls") or ():
                    found = calls.setdefault(call["index"], ["", ""])
                    found[0] += call["function"].get("name") or ""
                    found[1] += call["function"].get("arguments") or ""
        return ids, finish, [(name, text) for name, text in calls.values()], content or None

    def _wish(self, scenario: Scenario, number: int) -> dict[str, Any]:
        """Return what the model is wished to begin with: now and then text, or two calls."""
        draw = Random(f"{scenario.name}:{number}")
        texts = [write_call(self._parser, *draw.choice(CALLS)) for _ in range(draw.choice((1, 2)))]
        before = draw.choice(("", "", "Let me see. "))
        if scenario.response_format and draw.random() < 0.5:
            before, texts = '{"answer": ', []
        ids = self._tokenizer.encode(before + "".join(texts), add_special_tokens=False)
        wish = ids[: draw.randint(1, len(ids))] if draw.random() < 0.5 else ids
        think = {"guide_think": THINK_END, "guide_think_after": THOUGHTS}
        return think | {"guide_wish": wish, "guide_bias": self._bias()}

    def _bias(self) -> list[float]:
        found = [END, 30.0]
        for text, bias in BIAS.items():
            (token,) = self._tokenizer.encode(text, add_special_tokens=False)
            found += [token, bias]
        return found


def write_call(parser: str, name: str, arguments: dict[str, Any]) -> str:
    """Return a call as the models of a parser write it."""
    family = load_family(FAMILIES[parser])
    form = family.describe(
        [Tool(name, {}, "")], "named", parallel=False, reasoning=False, as_json=True
    )
    return render(form, arguments)


def main() -> None:
    """Run a server for each parser, print the table; exit with 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", default=list(FAMILIES))
    parser.add_argument("--count", type=int, default=8, help="chats of each scenario")
    parser.add_argument("--strict-level", default="auto", help="vLLM's --tool-strict-level")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    warnings.simplefilter("ignore")
    console, rows, n_wrong = make_console(), [], 0
    tokenizer = build_tokenizer()
    kit = make_kit(load_vocabulary(TOKENIZER, vocab_size=WIDTH))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "artifacts").mkdir()
        write_model(folder / "model")
        environment = engine_environment(folder) | {"MASKC_REQUESTS": "structural_tag,json"}
        del environment["MASKC_GUIDE"]
        for name in options.parsers:
            serve = (
                *("--reasoning-parser", "deepseek_r1", "--enable-auto-tool-choice"),
                *("--tool-call-parser", name, "--tool-strict-level", options.strict_level),
                *("--structured-outputs-config.backend", "guidance"),
            )
            model, log = str(folder / "model"), folder / f"{name}.log"
            with (
                Server(sys.executable, model, log, environment, serve) as server,
                ThreadPoolExecutor(8) as clients,
            ):
                chats = Chats(server, name, kit, tokenizer)
                todo = [(s, number) for s in SCENARIOS for number in range(options.count)]
                for done in [clients.submit(chats.send, *one) for one in todo]:
                    done.result()
            n_wrong += chats.counts["wrong"]
            rows.append((name, *(f"{chats.counts[column]:,}" for column in COLUMNS)))
            for note in chats.notes[:6]:
                console.print(note, markup=False)
    console.print(make_table("vLLM over HTTP", ("parser", *COLUMNS), rows, numbers=COLUMNS))
    raise SystemExit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
