"""Hold maskc against the record of Lark's test suite: same verdict on every text.

Usage: python -m benchmarks.conformance.walk RECORD REPORT [PAGE]

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
from dataclasses import replace as changed_copy
from pathlib import Path
from typing import Any

import numpy as np
from lark.exceptions import LarkError
from lark.indenter import Indenter

from benchmarks.conformance.tables import format_table
from maskc import Artifact, allocate_bitmask
from maskc.compiler.pipeline import compile_contents
from maskc.errors import GrammarError, MaskcError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.settings import FLAGS
from maskc.frontends.source import GrammarSource, load_source
from maskc.vocab.vocabulary import Vocabulary
from tests.wild.page import replace

BYTES = Vocabulary(tokens=(*(bytes([b]) for b in range(256)), None), eos_ids=(256,), name="bytes")
POSTLEXES = types.ModuleType("recorded_postlexes")
# Options of Lark: settings of maskc, and what changes no text.
KNOWN_OPTIONS = ("g_regex_flags", "priority", "lexer_callbacks", "strict")
CHANGES = 12  # of each text
Result = dict[str, Any]


class Refused(Exception):  # noqa: N818 - an outcome, not a fault
    """A grammar is not compiled, for a documented reason."""


def main() -> None:
    """Walk every text and write the report."""
    record, report, *pages = map(Path, sys.argv[1:])
    logging.disable(logging.CRITICAL)
    sys.modules[POSTLEXES.__name__] = POSTLEXES
    recorded = json.loads(record.read_text())
    results = [examine(entry) for entry in recorded["grammars"]]
    outcomes = dict(Counter(r["outcome"] for r in results).most_common())
    counts = {**count(results), "outcomes": outcomes}
    report.write_text(
        json.dumps({**recorded, "grammars": results, "counts": counts}, indent=1) + "\n"
    )
    lines = format_counts(recorded, results)
    print("\n".join(lines))
    for page in pages:
        replace(page, "counts", lines)
    differing = [r for r in results if r["differences"]]
    if differing:
        sys.exit(f"{json.dumps(differing, indent=1)}\n{len(differing)} grammars differ")


def examine(entry: dict[str, Any]) -> Result:
    """Return a recorded grammar with its outcome and its differences."""
    result = {**entry, "outcome": "", "agreed": 0, "changed": 0, "differences": []}
    if entry["lexer"].startswith("custom"):
        return {**result, "outcome": "refused: a lexer of the user's own"}
    walked: dict[str, tuple[Artifact, Any]] = {}
    texts = [(text, text["start"] or entry["starts"][0]) for text in entry["texts"]]
    # Where several start symbols share a table, a text names the one it is parsed from.
    for first in sorted({start for _, start in texts}) or entry["starts"][:1]:
        try:
            source = read_source(entry, first)
            lark = build_lark(source)
            walked[first] = Artifact(compile_contents(source, BYTES)[0]), lark
        except Refused as reason:
            return {**result, "outcome": f"refused: {reason}"}
        except GrammarError as error:
            if entry["error"]:
                return {**result, "outcome": "refused by both"}
            if "no text at all" in error.reason:
                if any(text["verdict"] == "accepted" for text in entry["texts"]):
                    result["differences"].append(str(error))
                return {**result, "outcome": "no text at all", "agreed": len(entry["texts"])}
            result["differences"].append(str(error))
        except MaskcError as error:
            fact = getattr(error, "construct", None) or getattr(error, "reason", None) or str(error)
            kind = f"refused: {type(error).__name__}: {fact}"
            return {**result, "outcome": kind, "reason": str(error)}
    if entry["error"] and not result["differences"]:
        if "strict" in entry["options"]:
            return {**result, "outcome": "refused by Lark's strict mode only"}
        result["differences"].append("Lark refuses the grammar")
    if not result["differences"]:
        draw = random.Random(entry["text"])
        characters = sorted({c for text in entry["texts"] for c in text["text"]})
        for text, start in texts:
            data = text["text"].encode("latin-1" if text["bytes"] else "utf-8")
            verdicts = {"recorded": text["verdict"] == "accepted"} | ask(data, *walked[start])
            note(result, "agreed", text["text"], verdicts)
        for text, start in texts:
            for changed in change(text["text"], characters, draw):
                note(result, "changed", changed, ask(changed.encode(), *walked[start]))
    result["outcome"] = "differs" if result["differences"] else "agrees"
    return result


def read_source(entry: dict[str, Any], first: str) -> GrammarSource:
    """Return a recorded grammar as maskc reads it."""
    for name, value in entry["options"].items():
        if name not in KNOWN_OPTIONS:
            raise Refused(f"Lark's option {name}={bool(value)}")
    starts = [first, *(start for start in entry["starts"] if start != first)]
    settings = [f"start={','.join(starts)}"]
    flags = entry["options"].get("g_regex_flags", 0)
    letters = "".join(letter for letter, flag in FLAGS.items() if flags & flag)
    settings += [f"flags={letters}"] if letters else []
    if "priority" in entry["options"]:
        settings.append(f"priority={str(entry['options']['priority']).lower()}")
    postlex = None
    if entry["postlex"]:
        if "custom" in entry["postlex"]:
            raise Refused("a postlex of the user's own")
        name = f"Recorded{len(vars(POSTLEXES))}"
        setattr(POSTLEXES, name, type(name, (Indenter,), entry["postlex"]))
        postlex = f"{POSTLEXES.__name__}:{name}"
    text = f"// maskc: {' '.join(settings)}\n{entry['text']}"
    source = load_source(text, lexer=entry["lexer"], postlex=postlex)
    return changed_copy(source, imports=entry["imports"])


def ask(data: bytes, artifact: Artifact, lark: Any) -> dict[str, bool]:
    """Return the verdicts of Lark and of maskc on a text."""
    return {"lark": parses(lark, data.decode()), "maskc": walk(artifact, data)}


def note(result: Result, kind: str, text: str, verdicts: dict[str, bool]) -> None:
    """Count a text, or add it to the differences; a changed one is counted in any case."""
    is_same = len(set(verdicts.values())) == 1
    result[kind] += is_same or kind == "changed"
    if not is_same:
        result["differences"].append({"text": text, **verdicts})


def change(text: str, characters: list[str], draw: random.Random) -> list[str]:
    """Return texts that differ from one in a character or two."""
    found = []
    for _ in range(min(CHANGES, 2 * len(text))):
        at = draw.randrange(len(text))
        here, after = text[at], text[at + 1 : at + 2]
        made = draw.choice(["", here * 2, after + here, draw.choice(characters)])
        rest = text[at + 1 + (len(after) if made == after + here else 0) :]
        found.append(text[:at] + made + rest)
    return found


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
    matcher, bitmask = artifact.matcher(), allocate_bitmask(1, artifact.vocab_size)
    words = bitmask[0].view(np.uint32)
    for token in (*data, 256):
        matcher.fill_bitmask(bitmask, 0)
        legal = bool(words[token // 32] >> np.uint32(token % 32) & np.uint32(1))
        if matcher.accept_token(token) != legal:
            raise ValueError(f"the mask and accept_token differ on token {token} in {data!r}")
        if not legal:
            return False
    return True


def count(results: list[Result]) -> dict[str, int]:
    """Return how many grammars and texts there are."""
    return {
        "grammars": len(results),
        "texts": sum(len(r["texts"]) for r in results),
        "agreed": sum(r["agreed"] for r in results),
        "changed": sum(r["changed"] for r in results),
        "differing": sum(len(r["differences"]) for r in results),
    }


def format_counts(recorded: dict[str, Any], results: list[Result]) -> list[str]:
    """Return the counts as a Markdown table."""
    outcomes = Counter(r["outcome"] for r in results)
    rows = []
    for outcome in sorted(outcomes, key=lambda o: (o.startswith("refused:"), -outcomes[o], o)):
        for lexer in ("contextual", "basic", "custom"):
            name = f"{outcome}, {lexer}" if lexer != "custom" else outcome
            chosen = [r for r in results if r["outcome"] == outcome]
            rows.append((name, [r for r in chosen if r["lexer"].startswith(lexer)]))
    rows = [(name, chosen) for name, chosen in rows if chosen]
    columns = ("outcome", "grammars", "texts", "agreed", "changed texts", "differing")
    cells = [
        [name, *(f"{n:,}" for n in count(chosen).values())]
        for name, chosen in (*rows, ("all", results))
    ]
    lines = [
        f"Lark {recorded['lark']}: {recorded['tests']:,} tests ran, {recorded['skipped']} of them "
        f"skipped by the suite itself, {recorded['failed']} failed.",
        "",
        *format_table(columns, cells, numbers=columns[1:]),
    ]
    if recorded["not kept"]:
        lines += ["", "Calls of the suite that are not kept:", ""]
        lines += [f"- {why}: {n}" for why, n in recorded["not kept"].items()]
    return lines


if __name__ == "__main__":
    main()
