"""``maskc kit`` and ``maskc spelling``: a tokenizer's part of every constraint, as a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import maskc
from maskc.cli import options as opt
from maskc.cli.tokenizer import VocabularyOptions, vocabulary_options
from maskc.files import check_writable
from maskc.report import Fact, Facts, Lines, Report, format_count, format_file, format_seconds
from maskc.report.compile import describe_added
from maskc.vocab.registry import format_name

_WRITTEN = "Print the result as JSON."


@opt.command(
    "kit",
    "Write the kit of a tokenizer, for constraints of requests.",
    vocabulary_options,
    opt.word("--output", "FILE", "Output file.  [default: NAME.kit]", "-o"),
    as_json=_WRITTEN,
)
def kit_command(vocabulary: VocabularyOptions, output: str | None) -> opt.Outcome:
    """Write the kit of a tokenizer: a file with everything that depends only on the tokenizer.

    A server loads the kit with maskc.load_kit and compiles the constraints of requests with it:
    JSON Schemas, choices, patterns, grammars, tools, artifacts, and sequences and repetitions of
    these.
    """
    from maskc.kit.file import make_kit, save_kit

    target = output or f"{vocabulary.name}.kit"
    check_writable(target)
    found = vocabulary.load()

    def write() -> tuple[int, Mapping[str, Any], list[Fact]]:
        kit, added = make_kit(found), found.describe_added()
        facts = [
            ("tokenizer", found.name),
            ("vocabulary", f"{format_count(kit.vocab_size)} ids"),
            *describe_added(added),
            ("fingerprint", kit.fingerprint),
        ]
        of_kit = {"vocab_size": kit.vocab_size, "fingerprint": kit.fingerprint, **added}
        return save_kit(kit, target), of_kit, facts

    return _report("kit", target, write)


@opt.command(
    "spelling",
    "Write the tables for canonical tokens of a tokenizer.",
    opt.word("--tokenizer", "NAME", "Name or path, as for compile.", "-t", required=True),
    opt.word("--output", "FILE", "Output file.  [default: NAME.spelling]", "-o"),
    as_json=_WRITTEN,
)
def spelling_command(tokenizer: str, output: str | None) -> opt.Outcome:
    """Write tables that tell which token sequences a tokenizer produces.

    With them, maskc.canonical makes matchers that allow only the tokens that the tokenizer itself
    would write. This takes some seconds.
    """
    target = output or f"{format_name(tokenizer).replace('/', '-')}.spelling"
    check_writable(target)

    def write() -> tuple[int, Mapping[str, Any], list[Fact]]:
        spelling = maskc.compile_spelling(tokenizer)
        counts = spelling.count()
        facts = [
            ("tokenizer", format_name(tokenizer)),
            ("merges", format_count(counts["n_merges"])),
            ("nodes of the chunk automaton", format_count(counts["n_nodes"])),
            ("canonical tokens", format_count(counts["n_written"])),
            ("of these only as whole chunks", format_count(counts["n_alone"])),
        ]
        return spelling.save(target), counts, facts

    return _report("spelling", target, write)


def _report(
    what: str, target: str, write: Callable[[], tuple[int, Mapping[str, Any], list[Fact]]]
) -> Report:
    began = time.perf_counter()
    n_bytes, more, facts = write()
    seconds = time.perf_counter() - began
    shown = Facts([(what, target), ("size", format_file(n_bytes)), *facts])
    data = {"path": target, "n_bytes": n_bytes, "seconds": seconds, **more}
    return Report(data, [shown, Lines([f"in {format_seconds(seconds)}"])])
