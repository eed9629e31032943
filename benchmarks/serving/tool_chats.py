"""Chats with tools sent to an engine's server: is every answer legal, and every call read rightly?

The model of random weights is wished to begin with a call, a right one or a wrong one, and to close
what it opened; the masks decide. The tokens of every answer, cut or not, must be those of a text
that the constraint takes, or the beginning of one; the calls of an answer that ended are judged.
With a server that finishes answers (``MASKC_MAX_TOKENS=finish``) tools take arguments of any names,
nothing wishes for an end, ``max_tokens`` is that of the shortest answer and a few more (160 where
none is known), and each answer must end.

Example: of a wish for ``get_wether``, which is no tool, ``get_we`` is followed as far as it goes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.serving.scenarios import FREE_SCENARIOS, SCENARIOS, Scenario, Verdict
from benchmarks.serving.tool_parsers import Asked
from maskc.errors import TokensLeftError
from maskc.kit.kit import Kit
from maskc.report.render import make_console, make_table
from maskc.runtime.matcher import Matcher
from maskc.tags.families import Tool, load_family
from maskc.tags.rendering import render

COLUMNS = ("chats", "ended", "cut", "calls", "wrong", "unread", "loose", "marked")
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_weather", {"city": "Oslo", "units": "metric"}),
    ("note", {"at": {"x": 1, "y": "left"}, "level": 2}),
    ("set_light", {"on": "yes"}),  # no Boolean
    ("get_wether", {"city": "Oslo"}),  # no tool
    ("note", {"level": 9}),  # too much, and something is missing
)
FREE_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("run", {"command": "ls", "in": {"folder": "/"}}),
    ("store", {"key": "k", "value": {"a": {"b": [1, 2, {}]}}}),
    ("store", {"value": 1}),  # no key
    ("put", {"items": [{"a": 1, "b": "c"}, {}]}),
    ("note", {"at": {"x": 1, "y": "left"}, "level": 2}),
)
MAX_TOKENS, MOST_SPARE = 160, 24
# What closes strings, objects and parameters, and what goes on; the end above all.
END_BIAS = 30.0
BIAS = {'"': 14.0, '"}': 14.0, "}": 14.0, "</": 14.0, "parameter": 12.0, ">": 12.0, ":": 8.0}
# A string of a parameter with markup in it, which parsers take for a call or a parameter.
MARKED = re.compile(
    r"<parameter=[^>]*>(?:(?!</parameter>).)*(?:<parameter=|</?function|</?tool_call>)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Attributes:
        ids: all tokens.
        is_whole: whether the server says that it came to its end.
        calls: names and arguments.
        content: the text beside them.
    """

    ids: list[int]
    is_whole: bool
    calls: list[tuple[str, str]]
    content: str | None

    @classmethod
    def read(cls, choice: dict[str, Any], ids: list[int]) -> Answer:
        """Read a choice of OpenAI's interface."""
        message = choice["message"]
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        calls = [(function["name"], function["arguments"]) for function in functions]
        is_whole = choice["finish_reason"] in ("stop", "tool_calls")
        return cls(ids, is_whole, calls, message.get("content"))


@dataclass(frozen=True, slots=True)
class Engine:
    """How an engine is asked.

    Attributes:
        send: sends a chat with a wish and a bias, the number of the chat among its arguments.
        constraint: of a scenario, as the engine makes it; ``None``: nothing is constrained.
        family: how calls are written.
        end: the token that ends an answer.
        think_end: the token that ends its thoughts; ``None``: it has none.
        n_before: tokens of the thoughts, their end included.
    """

    send: Callable[[dict[str, Any], list[int], list[float], int], Answer]
    constraint: Callable[[Scenario], Asked | None]
    family: str
    end: int
    think_end: int | None = None
    n_before: int = 0


class Chats:
    """Sends chats and judges what comes back.

    Args:
        engine: to ask.
        kit: of the model.
        tokenizer: of the model.
        finishes: whether each answer is to end within its tokens.
    """

    def __init__(self, engine: Engine, kit: Kit, tokenizer: Any, *, finishes: bool = False) -> None:
        self._engine, self._kit, self._tokenizer = engine, kit, tokenizer
        self._finishes = finishes
        self._calls = FREE_CALLS if finishes else CALLS
        self._limits: dict[str, int] = {}
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    def run(self, count: int) -> None:
        """Send so many chats of each scenario, eight at a time."""
        with ThreadPoolExecutor(8) as clients:
            scenarios = FREE_SCENARIOS if self._finishes else SCENARIOS
            todo = [(scenario, number) for scenario in scenarios for number in range(count)]
            self._limits = {one.name: self._limit(one) for one in scenarios}
            for done in [clients.submit(self.send, *one) for one in todo]:
                done.result()

    def send(self, scenario: Scenario, number: int) -> None:
        """Send a chat and judge the answer."""
        body = scenario.body() | {"messages": [{"role": "user", "content": "What now?"}]}
        asked = self._engine.constraint(scenario)
        body["max_tokens"] = self._limits[scenario.name]
        if self._finishes:
            body["max_tokens"] += number % MOST_SPARE
        answer = self._engine.send(body, self._wish(scenario, number), self._bias(), number)
        self.counts["chats"] += 1
        text, ids = self._tokenizer.decode(answer.ids), answer.ids
        if self._engine.think_end is not None:
            is_over = self._engine.think_end in ids
            ids = ids[ids.index(self._engine.think_end) + 1 :] if is_over else []
        wrong = self._follow(asked, ids) if asked is not None else None
        verdict, why = (Verdict.WRONG, wrong) if wrong else (Verdict.GOOD, "")
        # A call that was cut counts as finished for some engines.
        if not answer.is_whole or ids[-1:] != [self._engine.end]:
            self.counts["cut"] += 1
            if self._finishes and not wrong:
                verdict, why = Verdict.WRONG, f"cut at {body['max_tokens']} tokens"
        else:
            self.counts["ended"] += 1
            self.counts["calls"] += len(answer.calls)
            if MARKED.search(text):
                self.counts["marked"] += 1
                return
            if not wrong and asked is not None:
                strict = scenario.strict is True and asked.holds_schemas
                verdict, why = scenario.judge(answer.calls, answer.content, strict=strict)
        self.counts[verdict.value] += 1
        if verdict is not Verdict.GOOD:
            self.notes.append(f"{scenario.name}: {verdict.value}: {why}: {text!r}")

    def _follow(self, asked: Asked, ids: list[int]) -> str | None:
        """Return what is wrong with the tokens of an answer, ``None`` if nothing is."""
        matcher = self._start(asked)
        n_taken = matcher.accept_tokens(ids)
        if n_taken == len(ids) or matcher.is_terminated:
            return None
        return f"token {n_taken} of {ids} is illegal"

    def _start(self, asked: Asked) -> Matcher:
        """Return a matcher at the start of an answer."""
        make = {"structural_tag": self._kit.structural_tag, "ebnf": self._kit.ebnf}
        return make.get(asked.kind, self._kit.json_schema)(asked.constraint).matcher()

    def _limit(self, scenario: Scenario) -> int:
        """Return the fewest ``max_tokens`` of a scenario's chats."""
        asked = self._engine.constraint(scenario) if self._finishes else None
        if asked is None:
            return MAX_TOKENS
        try:
            shortest = self._start(asked).shortest_completion().tokens
        except TokensLeftError:
            return MAX_TOKENS
        return self._engine.n_before + len(shortest)

    def _wish(self, scenario: Scenario, number: int) -> list[int]:
        """Return what the model is wished to begin with: now and then text, or two calls."""
        draw = Random(f"{scenario.name}:{number}")
        n_calls = draw.choice((1, 2))
        texts = [write_call(self._engine.family, *draw.choice(self._calls)) for _ in range(n_calls)]
        before = draw.choice(("", "", "Let me see. "))
        if scenario.response_format and draw.random() < 0.5:
            before, texts = '{"answer": ', []
        ids: list[int] = self._tokenizer.encode(before + "".join(texts), add_special_tokens=False)
        return ids[: draw.randint(1, len(ids))] if draw.random() < 0.5 else ids

    def _bias(self) -> list[float]:
        """Return tokens and biases by turns."""
        if self._finishes:
            return []
        found = [self._engine.end, END_BIAS]
        for text, bias in BIAS.items():
            (token,) = self._tokenizer.encode(text, add_special_tokens=False)
            found += [token, bias]
        return found


def write_call(family: str, name: str, arguments: dict[str, Any]) -> str:
    """Return a call as a family of models writes it."""
    tool = Tool(name, {}, "")
    form = load_family(family).describe([tool], "named", parallel=False, reasoning=False)
    return render(form, arguments)


def show_notes(name: str, chats: Chats) -> None:
    """Print the counts of a parser, and some of what was not good, as soon as they are known."""
    console = make_console()
    console.print(f"{name}: {dict(chats.counts)}", markup=False)
    for note in chats.notes[:6]:
        console.print(f"{name}, {note}", markup=False)
    sys.stdout.flush()


def report(title: str, found: dict[str, Chats]) -> int:
    """Print a row for each parser; return how many answers are wrong."""
    rows = [(name, *(f"{c.counts[column]:,}" for column in COLUMNS)) for name, c in found.items()]
    make_console().print(make_table(title, ("parser", *COLUMNS), rows, numbers=COLUMNS))
    return sum(chats.counts["wrong"] for chats in found.values())
