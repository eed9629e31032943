"""``maskc kit``: a tokenizer's part of every constraint, as a file."""

from __future__ import annotations

import time

import click

from maskc.artifact.files import check_writable
from maskc.cli.options import json_option, vocab_size_option
from maskc.cli.tokenizer import name_tokenizer
from maskc.report.render import (
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
    print_json,
)

SUFFIX = ".kit"


@click.command("kit")
@click.option("--tokenizer", "-t", required=True, help="Name or path of the tokenizer.")
@click.option("--output", "-o", metavar="FILE", help="Where the kit goes.  [default: NAME.kit]")
@vocab_size_option
@json_option("Print what was written as JSON.")
def kit_command(
    tokenizer: str, output: str | None, vocab_size: int | None, *, as_json: bool
) -> None:
    """Write what requests of a tokenizer are linked against.

    A server loads the kit with maskc.load_kit, and makes constraints of what requests bring: JSON
    Schemas, choices, patterns, grammars, artifacts, and sequences and repetitions of these.
    """
    from maskc.kit.file import make_kit, save_kit
    from maskc.vocab import load_vocabulary

    target = output or f"{name_tokenizer(tokenizer)}{SUFFIX}"
    check_writable(target)
    vocabulary = load_vocabulary(tokenizer, vocab_size=vocab_size)
    began = time.perf_counter()
    kit = make_kit(vocabulary)
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
            }
        )
        return
    console = make_console()
    console.print(
        make_facts(
            [
                ("kit", target),
                ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
                ("tokenizer", vocabulary.name),
                ("vocabulary", f"{format_count(kit.vocab_size)} ids"),
                ("fingerprint", kit.fingerprint),
            ]
        )
    )
    console.print(f"in {format_seconds(seconds)}")
