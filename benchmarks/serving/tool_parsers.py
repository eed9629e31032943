"""Does an engine's own parser read what maskc lets a model write for it?

For each parser and each scenario the engine's own code makes the constraint of a request; a kit,
which is what the engine has, makes its masks; texts are drawn from them, and the parser reads
these. What the engine does not constrain is counted as such, and so is where its own constraint and
its own parser do not fit, or its constraint is looser than the request.

Example: ``run_parsers("vLLM", ["hermes"], ask, count=20)`` prints a row for ``hermes``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.serving.scenarios import SCENARIOS, Scenario, Verdict
from benchmarks.serving.tool_texts import TextSource
from maskc.errors import MaskcError
from maskc.kit.file import make_kit
from maskc.report.render import make_console, make_table
from maskc.vocab import load_vocabulary

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
_COLUMNS = ("texts", "ended", "calls", "wrong", "unread", "loose", "refused", "free")
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


# Returns what is asked for by a parser in a scenario, ``None`` if nothing is constrained.
Ask = Callable[[Any, str, Scenario], Asked | None]


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


class Bench:
    """A tokenizer, its kit, and the texts of constraints.

    Args:
        folder: for the tokenizer.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "tokenizer.json"
        self.tokenizer = write_tokenizer(path)
        vocabulary = load_vocabulary(str(path))
        self._texts = [token or b"" for token in vocabulary.tokens]
        self._kit = make_kit(vocabulary)

    def run(self, asked: Asked, scenario: Scenario, count: int, counts: Counter[str]) -> list[str]:
        """Return what is not good of some texts of a constraint, and count them."""
        make = {"structural_tag": self._kit.structural_tag, "ebnf": self._kit.ebnf}
        constraint = make.get(asked.kind, self._kit.json_schema)(asked.constraint)
        form = json.loads(asked.constraint) if asked.kind != "ebnf" else []
        source, draw, found = TextSource(constraint, form, self._texts), Random(0), list[str]()
        for _ in range(count):
            text, is_ended = source.draw(draw, _N_TOKENS)
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


def run_parsers(engine: str, names: Iterable[str], ask: Ask, *, count: int) -> int:
    """Print a row for each parser; return how many texts are wrong.

    Args:
        engine: its name.
        names: of parsers.
        ask: of the engine; its first argument is the tokenizer.
        count: how many texts of each constraint.
    """
    rows, console, n_wrong = [], make_console(), 0
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(Path(place))
        for name in names:
            counts: Counter[str] = Counter()
            note = ""
            for scenario in SCENARIOS:
                try:
                    asked = ask(bench.tokenizer, name, scenario)
                except (ImportError, RuntimeError, ValueError) as error:
                    note = str(error).split("\n")[0][:60]  # the parser itself cannot be made
                    break
                if asked is None:
                    counts["free"] += 1
                    continue
                try:
                    lines = bench.run(asked, scenario, count, counts)[:1]
                except MaskcError as error:
                    counts["refused"] += 1
                    lines = [f"refused: {error}"]
                for line in lines:
                    console.print(f"{name}, {scenario.name}: {line}", markup=False)
            sys.stdout.flush()
            n_wrong += counts["wrong"]
            rows.append((name, *(f"{counts[column]:,}" for column in _COLUMNS), note))
    columns = ("parser", *_COLUMNS[:-1], "not constrained", "")
    console.print(make_table(f"{engine}'s tool parsers", columns, rows, numbers=columns[1:-1]))
    return n_wrong
