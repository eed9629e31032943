"""Calls of tools: is every answer legal, and does an engine's own parser read each call rightly?

``Chats`` are sent to a server. The model of random weights is wished to begin with a call, a right
one or a wrong one, and to close what it opened; the masks decide. The tokens of every answer, cut
or not, must be those of a text that the constraint takes, or the beginning of one; the calls of an
answer that ended are judged. With a server that finishes answers (``MASKC_MAX_TOKENS=finish``)
tools take arguments of any names, nothing wishes for an end, ``max_tokens`` is that of the shortest
answer and a few more (160 where none is known), and each answer must end.

``run_parsers`` needs no server. For each parser and each scenario the engine's own code makes the
constraint of a request; texts are drawn from the masks that a kit makes of it, and the parser reads
these. What the engine does not constrain is counted as such, and so is where its own constraint and
its own parser do not fit, or its constraint is looser than the request.

Example: of a wish for ``get_wether``, which is no tool, ``get_we`` is followed as far as it goes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.serving.scenarios import FREE_SCENARIOS, SCENARIOS, Scenario, Verdict
from benchmarks.table.rows import list_legal
from maskc.errors import MaskcError, TokensLeftError
from maskc.kit.constraint import Constraint
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.report import Table
from maskc.report.render import make_console, make_table
from maskc.runtime.batches import allocate_bitmask
from maskc.runtime.matcher import Matcher
from maskc.tags.families import Tool, load_family, render
from maskc.vocab import load_vocabulary
from tests.engines.hf_model import TOKENIZER, WIDTH

CHAT_COLUMNS = ("chats", "ended", "cut", "calls", "wrong", "unread", "loose", "marked")
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


# Markers that parsers look up in the tokenizer, beside those that all of them find in the text.
MARKERS = (
    *("<|python_tag|>", "<tool_call>", "</tool_call>", "<think>", "</think>"),
    *("<tool_calls>", "</tool_calls>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    *("<|tool_call_start|>", "<|tool_call_end|>", "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"),
    *("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    *("<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|open|>", "<|close|>", "<|sep|>"),
    *("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>"),
    *("<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<|start|>", "<|channel|>", "<|message|>"),
    *("<|end|>", "<|call|>", "<|return|>", "<|constrain|>"),
)
PARSER_COLUMNS = ("texts", "ended", "calls", "wrong", "unread", "loose", "refused", "free")
_N_TOKENS = 60  # random ones, before a text is closed

Read = tuple[list[tuple[str, str]], str | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an engine asks of its backend for one request.

    Attributes:
        kind: ``structural_tag``, ``json`` or ``ebnf``.
        constraint: its text.
        read: reads calls and the text beside them.
        holds_schemas: whether it holds the arguments to their schemas where a request is strict.
    """

    kind: str
    constraint: str
    read: Callable[[str], Read]
    holds_schemas: bool = True

    def make(self, kit: Kit) -> Constraint:
        """Return the constraint, as a kit reads it."""
        make = {"structural_tag": kit.structural_tag, "ebnf": kit.ebnf}
        return make.get(self.kind, kit.json_schema)(self.constraint)


# Returns what is asked for by a parser in a scenario, ``None`` if nothing is constrained.
Query = Callable[[Any, str, Scenario], Asked | None]


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
        matcher = asked.make(self._kit).matcher()
        n_taken = matcher.accept_tokens(ids)
        if n_taken == len(ids) or matcher.is_terminated:
            return None
        return f"token {n_taken} of {ids} is illegal"

    def _limit(self, scenario: Scenario) -> int:
        """Return the fewest ``max_tokens`` of a scenario's chats."""
        asked = self._engine.constraint(scenario) if self._finishes else None
        if asked is None:
            return MAX_TOKENS
        try:
            shortest = asked.make(self._kit).matcher().shortest_completion().tokens
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


def write_tokenizer(path: Path) -> Any:
    """Write a tokenizer of bytes and markers, and return it as one of transformers."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bare = Tokenizer(models.BPE(vocab={letter: n for n, letter in enumerate(letters)}, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    bare.add_special_tokens([AddedToken(text, special=True) for text in ("</s>", *MARKERS)])
    bare.save(str(path))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path), eos_token="</s>")  # noqa: S106
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    return tokenizer


class Parsers:
    """Texts of constraints over bytes and markers, for the parsers of an engine to read.

    Args:
        folder: for the tokenizer.
    """

    def __init__(self, folder: Path) -> None:
        self.tokenizer = write_tokenizer(folder / "tokenizer.json")
        vocabulary = load_vocabulary(str(folder / "tokenizer.json"))
        self._texts = [token or b"" for token in vocabulary.tokens]
        for added in json.loads((folder / "tokenizer.json").read_text())["added_tokens"]:
            if added["content"] in MARKERS:
                self._texts[added["id"]] = added["content"].encode()
        self._kit = make_kit(vocabulary)

    def run(self, asked: Asked, scenario: Scenario, count: int, counts: Counter[str]) -> list[str]:
        """Return what is not good of some texts of a constraint, and count them."""
        form = json.loads(asked.constraint) if asked.kind != "ebnf" else []
        triggers = [word.encode() for word in _list_triggers(form)]
        constraint, draw, found = asked.make(self._kit), Random(0), list[str]()
        for _ in range(count):
            text, is_ended = self.draw(constraint.matcher(), triggers, draw)
            counts["texts"] += 1
            if not is_ended:
                continue
            counts["ended"] += 1
            try:
                calls, content = asked.read(text)
            except (ValueError, RuntimeError) as error:
                counts["unread"] += 1
                found.append(f"unread: {error}: {text!r}")
                continue
            counts["calls"] += len(calls)
            strict = scenario.strict is True and asked.holds_schemas
            verdict, why = scenario.judge(calls, content, strict=strict)
            counts[verdict.value] += 1
            if verdict is not Verdict.GOOD:
                found.append(f"{verdict.value}: {why}: {text!r}")
        return found

    def draw(self, matcher: Matcher, triggers: list[bytes], draw: Random) -> tuple[str, bool]:
        """Return a random text, and whether it came to its end.

        It has up to 60 tokens more than the shortest one, printable ones mostly, and at most one
        trigger: a second one would be text in a string, which parsers take for a call.
        """
        bitmask, written = allocate_bitmask(1, len(self._texts)), bytearray()
        left = len(matcher.shortest_completion().tokens) + draw.randrange(_N_TOKENS + 1)
        while not matcher.is_terminated and left:
            word = draw.choice(triggers) if triggers and draw.random() < 0.3 else None
            if word is not None and matcher.accept_bytes(word):
                written += word
                triggers = []
                left = max(left, len(matcher.shortest_completion().tokens))
            matcher.fill_bitmask(bitmask, 0, tokens_left=left)
            legal = list_legal(bitmask)
            usual = [t for t in legal if len(self._texts[t]) == 1 and self._texts[t].isascii()]
            usual = [t for t in usual if self._texts[t].decode().isprintable()]
            token = draw.choice(usual if usual and draw.random() < 0.95 else legal)
            written += self._texts[token]
            matcher.accept_token(token)
            left -= 1
        return written.decode(errors="replace"), matcher.is_terminated


def _list_triggers(form: Any) -> Iterator[str]:
    """Yield the triggers of a structural tag, those inside it too."""
    for key, inner in form.items() if isinstance(form, dict) else enumerate(form):
        if key == "triggers":
            yield from inner
        elif isinstance(inner, dict | list):
            yield from _list_triggers(inner)


def run_parsers(engine: str, names: Iterable[str], ask: Query, *, count: int) -> int:
    """Print a row for each parser; return how many texts are wrong.

    Args:
        engine: its name.
        names: of parsers.
        ask: of the engine; its first argument is the tokenizer.
        count: how many texts of each constraint.
    """
    rows, console, n_wrong = [], make_console(), 0
    with tempfile.TemporaryDirectory() as folder:
        parsers = Parsers(Path(folder))
        for name in names:
            counts: Counter[str] = Counter()
            note = ""
            for scenario in SCENARIOS:
                try:
                    asked = ask(parsers.tokenizer, name, scenario)
                except (ImportError, RuntimeError, ValueError) as error:
                    note = str(error).split("\n")[0][:60]  # the parser itself cannot be made
                    break
                if asked is None:
                    counts["free"] += 1
                    continue
                try:
                    lines = parsers.run(asked, scenario, count, counts)[:1]
                except MaskcError as error:
                    counts["refused"] += 1
                    lines = [f"refused: {error}"]
                for line in lines:
                    console.print(f"{name}, {scenario.name}: {line}", markup=False)
            sys.stdout.flush()
            n_wrong += counts["wrong"]
            rows.append((name, *(f"{counts[column]:,}" for column in PARSER_COLUMNS), note))
    columns = ("parser", *PARSER_COLUMNS[:-1], "not constrained", "")
    console.print(make_table(Table(f"{engine}'s tool parsers", columns, rows, columns[1:-1])))
    return n_wrong


def run_chats(
    title: str,
    names: Iterable[str],
    serve: Callable[[str], AbstractContextManager[Engine]],
    tokenizer: Any,
    options: argparse.Namespace,
) -> int:
    """Ask a server for each parser, and print a row for it; return how many answers are wrong.

    Args:
        title: of the table.
        names: of parsers.
        serve: starts a server with a parser, for a block.
        tokenizer: of the model.
        options: ``count``, how many chats of each scenario, and ``finish``, whether they must end.
    """
    kit, console, rows, n_wrong = (
        make_kit(load_vocabulary(TOKENIZER, vocab_size=WIDTH)),
        make_console(),
        [],
        0,
    )
    for name in names:
        with serve(name) as engine:
            chats = Chats(engine, kit, tokenizer, finishes=options.finish)
            chats.run(options.count)
        for note in (str(dict(chats.counts)), *chats.notes[:6]):
            console.print(f"{name}: {note}", markup=False)
        sys.stdout.flush()
        rows.append((name, *(f"{chats.counts[column]:,}" for column in CHAT_COLUMNS)))
        n_wrong += chats.counts["wrong"]
    console.print(make_table(Table(title, ("parser", *CHAT_COLUMNS), rows, CHAT_COLUMNS)))
    return n_wrong


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what both parts are told on the command line."""
    parser.add_argument("--parser", action="append", help="of tools; default: some, or all")
    parser.add_argument("--count", type=int, default=8, help="chats or texts of each scenario")
    parser.add_argument("--finish", action="store_true", help="each answer must end in time")
