"""Holds maskc against the record of Lark's test suite: same verdict on every text.

Usage: python benchmarks/conformance/walk.py RECORD REPORT [PAGE]

Each recorded grammar is compiled for 256 tokens of one byte and an end token, with what Lark was
given beside the text written as settings at its head. A text is walked byte by byte: it counts as
accepted iff the mask has each byte in turn and then the end token. REPORT is a JSON file with
every grammar and every difference; between its two marks, PAGE gets the table of counts.

Three verdicts must agree: the recorded one, that of the Lark parser which maskc reads the grammar
from, and the walk. The suite has few texts that are refused, so each text is also changed in a few
places (a character deleted, doubled, swapped, or replaced by another of the grammar's texts), where
Lark and the walk must agree. The exit status is 1 if something differs.
"""

from __future__ import annotations

import json
import logging
import random
import sys
import types
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from lark.exceptions import LarkError
from lark.indenter import Indenter

from maskc import Artifact, allocate_bitmask
from maskc.errors import GrammarError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.settings import FLAGS
from maskc.frontends.source import GrammarSource, load_source
from maskc.pipeline import compile_contents
from maskc.vocab.vocabulary import Vocabulary

BYTES = Vocabulary(tokens=(*(bytes([b]) for b in range(256)), None), eos_ids=(256,), name="bytes")
POSTLEXES = types.ModuleType("recorded_postlexes")
MARKS = ("<!-- counts: begin -->", "<!-- counts: end -->")
SETTINGS = ("g_regex_flags", "priority")  # options of Lark that are settings of maskc
CHANGES = 12  # of each text
HARMLESS = ("lexer_callbacks", "strict")  # what they change is not which texts are parsed


class Refused(Exception):  # noqa: N818 - an outcome, not a fault
    """A grammar is not compiled, for a documented reason."""


def main() -> None:
    """Walk every text and write the report."""
    record, report, *pages = map(Path, sys.argv[1:])
    logging.disable(logging.CRITICAL)
    sys.modules[POSTLEXES.__name__] = POSTLEXES
    recorded = json.loads(record.read_text())
    results = []
    for number, entry in enumerate(recorded["grammars"]):
        results.append(examine(entry))
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{len(recorded['grammars'])}", end="", file=sys.stderr)
    report.write_text(
        json.dumps({**recorded, "grammars": results, "counts": count(results)}, indent=1) + "\n"
    )
    for line in table(recorded, results):
        print(line)
    for page in pages:
        before, _, rest = page.read_text().partition(MARKS[0])
        _, _, after = rest.partition(MARKS[1])
        lines = "\n".join(table(recorded, results))
        page.write_text(f"{before}{MARKS[0]}\n{lines}\n{MARKS[1]}{after}")
    differing = [r for r in results if r["differences"]]
    for result in differing:
        print(json.dumps(result, indent=1), file=sys.stderr)
    if differing:
        sys.exit(f"{len(differing)} grammars differ")


def examine(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded grammar with its outcome and its differences."""
    result = {**entry, "outcome": "", "agreed": 0, "changed": 0, "differences": []}
    if entry["lexer"].startswith("custom"):
        return {**result, "outcome": "refused: a lexer of the user's own"}
    walked: dict[str, tuple[Artifact, Any]] = {}
    # Where several start symbols share a table, a text names the one it is parsed from.
    firsts = sorted({text["start"] or entry["starts"][0] for text in entry["texts"]})
    for first in firsts or entry["starts"][:1]:
        try:
            source = source_of(entry, first)
            lark = build_lark(source)
            walked[first] = Artifact(compile_contents(source, BYTES)[0]), lark
        except Refused as reason:
            return {**result, "outcome": f"refused: {reason}"}
        except GrammarError as error:
            if entry["error"]:
                return {**result, "outcome": "refused by both"}
            if "no text at all" in error.reason:
                result["outcome"] = "no text at all"
                if any(text["verdict"] == "accepted" for text in entry["texts"]):
                    result["differences"].append(str(error))
                return {**result, "agreed": len(entry["texts"])}
            result["differences"].append(str(error))
        except MaskcError as error:
            return {**result, "outcome": f"refused: {kind_of(error)}", "reason": str(error)}
    if entry["error"] and not result["differences"]:
        if "strict" in entry["options"]:
            return {**result, "outcome": "refused by Lark's strict mode only"}
        result["differences"].append("Lark refuses the grammar")
    if not result["differences"]:
        for text in entry["texts"]:
            compare(text, *walked[text["start"] or entry["starts"][0]], result)
        draw = random.Random(entry["text"])
        characters = sorted({c for text in entry["texts"] for c in text["text"]})
        for text in entry["texts"]:
            for changed in changes(text["text"], characters, draw):
                compare_changed(changed, *walked[text["start"] or entry["starts"][0]], result)
    result["outcome"] = "differs" if result["differences"] else "agrees"
    return result


def kind_of(error: MaskcError) -> str:
    """Return an error's class and fact, without the names of its grammar."""
    fact = getattr(error, "construct", None) or getattr(error, "reason", None) or str(error)
    return f"{type(error).__name__}: {fact}"


def source_of(entry: dict[str, Any], first: str) -> GrammarSource:
    """Return a recorded grammar as maskc reads it."""
    for name, value in entry["options"].items():
        if name not in (*SETTINGS, *HARMLESS):
            raise Refused(f"Lark's option {name}={bool(value)}")
    starts = [first, *(start for start in entry["starts"] if start != first)]
    settings = [f"start={','.join(starts)}"]
    flags = entry["options"].get("g_regex_flags", 0)
    letters = "".join(letter for letter, flag in FLAGS.items() if flags & flag)
    if letters:
        settings.append(f"flags={letters}")
    if "priority" in entry["options"]:
        settings.append(f"priority={str(entry['options']['priority']).lower()}")
    postlex = entry["postlex"] and postlex_of(entry["postlex"])
    text = f"// maskc: {' '.join(settings)}\n{entry['text']}"
    source = load_source(text, lexer=entry["lexer"], postlex=postlex)
    return GrammarSource(
        name=source.name,
        text=source.text,
        imports=entry["imports"],
        start=source.start,
        lexer=source.lexer,
        postlex=source.postlex,
        flags=source.flags,
        priority=source.priority,
    )


def postlex_of(attributes: dict[str, Any]) -> str:
    """Return ``module:Class`` of an ``Indenter`` with the recorded attributes."""
    if "custom" in attributes:
        raise Refused("a postlex of the user's own")
    name = f"Recorded{len(vars(POSTLEXES))}"
    setattr(POSTLEXES, name, type(name, (Indenter,), attributes))
    return f"{POSTLEXES.__name__}:{name}"


def compare(text: dict[str, Any], artifact: Artifact, lark: Any, result: dict[str, Any]) -> None:
    """Add a text to the agreed ones, or to the differences."""
    data = text["text"].encode("latin-1" if text["bytes"] else "utf-8")
    recorded = text["verdict"] == "accepted"
    parsed, walked = parses(lark, data.decode()), walk(artifact, data)
    if recorded == parsed == walked:
        result["agreed"] += 1
    else:
        result["differences"].append(
            {"text": text["text"], "recorded": recorded, "lark": parsed, "maskc": walked}
        )


def changes(text: str, characters: list[str], draw: random.Random) -> list[str]:
    """Return texts that differ from one in a character or two."""
    found = []
    for _ in range(min(CHANGES, 2 * len(text))):
        at = draw.randrange(len(text))
        here, after = text[at], text[at + 1 : at + 2]
        made = draw.choice(["", here * 2, after + here, draw.choice(characters)])
        rest = text[at + 1 + (len(after) if made == after + here else 0) :]
        found.append(text[:at] + made + rest)
    return found


def compare_changed(text: str, artifact: Artifact, lark: Any, result: dict[str, Any]) -> None:
    """Count a changed text, or add it to the differences."""
    parsed, walked = parses(lark, text), walk(artifact, text.encode())
    result["changed"] += 1
    if parsed != walked:
        result["differences"].append({"text": text, "lark": parsed, "maskc": walked})


def parses(lark: Any, text: str) -> bool:
    """Return whether Lark parses a text; its Indenter raises errors of Python's own."""
    try:
        lark.parse(text)
    except (LarkError, IndexError, AssertionError):
        return False
    return True


def walk(artifact: Artifact, data: bytes) -> bool:
    """Return whether each byte is legal in its turn, and the end after them.

    The mask, the acceptance of a token and that of the bytes must say the same.
    """
    matcher = artifact.matcher()
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    words = bitmask[0].view(np.uint32)
    for token in (*data, 256):
        matcher.fill_bitmask(bitmask, 0)
        legal = bool(words[token // 32] >> np.uint32(token % 32) & np.uint32(1))
        if matcher.accept_token(token) != legal:
            raise ValueError(f"the mask and accept_token differ on token {token} in {data!r}")
        if not legal:
            return False
    return True


def count(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how many grammars there are of each outcome, and how many texts."""
    return {
        "grammars": len(results),
        "texts": sum(len(r["texts"]) for r in results),
        "agreed": sum(r["agreed"] for r in results),
        "changed": sum(r.get("changed", 0) for r in results),
        "differing": sum(len(r["differences"]) for r in results),
        "outcomes": dict(Counter(r["outcome"] for r in results).most_common()),
    }


def table(recorded: dict[str, Any], results: list[dict[str, Any]]) -> list[str]:
    """Return the counts as a Markdown table."""
    lines = [
        f"Lark {recorded['lark']}: {recorded['tests']:,} tests ran, {recorded['skipped']} of them "
        f"skipped by the suite itself, {recorded['failed']} failed.",
        "",
        "| outcome | grammars | texts | agreed | changed texts | differing |",
        "|---|---:|---:|---:|---:|---:|",
    ]

    def line(name: str, chosen: list[dict[str, Any]]) -> str:
        cells = [
            len(chosen),
            sum(len(r["texts"]) for r in chosen),
            sum(r["agreed"] for r in chosen),
            sum(r.get("changed", 0) for r in chosen),
            sum(len(r["differences"]) for r in chosen),
        ]
        return f"| {name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |"

    outcomes = Counter(r["outcome"] for r in results)
    for outcome in sorted(outcomes, key=lambda o: (o.startswith("refused:"), -outcomes[o], o)):
        for lexer in ("contextual", "basic", "custom"):
            chosen = [
                r for r in results if r["outcome"] == outcome and r["lexer"].startswith(lexer)
            ]
            if chosen:
                lines.append(line(f"{outcome}, {lexer}" if lexer != "custom" else outcome, chosen))
    lines.append(line("all", results))
    if recorded["not kept"]:
        lines += ["", "Calls of the suite that are not kept:", ""]
        lines += [f"- {why}: {n}" for why, n in recorded["not kept"].items()]
    return lines


if __name__ == "__main__":
    main()
