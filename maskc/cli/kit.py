"""``maskc kit``: a tokenizer's part of every constraint, as a file."""

from __future__ import annotations

import time

import click

from maskc.artifact.files import check_writable
from maskc.cli.options import json_option
from maskc.cli.tokenizer import VocabularyOptions, vocabulary_options
from maskc.report.origin import describe_added
from maskc.report.render import (
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
    print_json,
)

SUFFIX = ".kit"


@click.command("kit", short_help="Write what requests of a tokenizer need.")
@vocabulary_options
@click.option("--output", "-o", metavar="FILE", help="Where the kit goes.  [default: NAME.kit]")
@json_option("Print what was written as JSON.")
def kit_command(vocabulary: VocabularyOptions, output: str | None, *, as_json: bool) -> None:
    """Write what requests of a tokenizer are linked against.

    A server loads the kit with maskc.load_kit, and makes constraints of what requests bring: JSON
    Schemas, choices, patterns, grammars, artifacts, and sequences and repetitions of these.
    """
    from maskc.kit.file import make_kit, save_kit

    target = output or f"{vocabulary.name}{SUFFIX}"
    check_writable(target)
    found = vocabulary.load()
    began = time.perf_counter()
    kit = make_kit(found)
    n_bytes = save_kit(kit, target)
    seconds = time.perf_counter() - began
    if as_json:
        print_json(
            {
                "path": target,
                "n_bytes": n_bytes,
                "seconds": seconds,
                "vocab_size": kit.vocab_size,
                "fingerprint": kit.fingerprint,
                **found.describe_added(),
            }
        )
        return
    console = make_console()
    console.print(
        make_facts(
            [
                ("kit", target),
                ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
                ("tokenizer", found.name),
                ("vocabulary", f"{format_count(kit.vocab_size)} ids"),
                *describe_added(found.describe_added()),
                ("fingerprint", kit.fingerprint),
            ]
        )
    )
    console.print(f"in {format_seconds(seconds)}")
