"""``maskc spelling``: how a tokenizer writes texts, as a file."""

from __future__ import annotations

import time

import click

from maskc.artifact.files import check_writable
from maskc.cli.options import json_option
from maskc.report.render import (
    format_count,
    format_seconds,
    format_size,
    make_console,
    make_facts,
    print_json,
)
from maskc.vocab.registry import format_name

SUFFIX = ".spelling"


@click.command("spelling", short_help="Write which tokens are a tokenizer's own.")
@click.option("--tokenizer", "-t", metavar="NAME", required=True, help="As for compile.")
@click.option("--output", "-o", metavar="FILE", help="Where it goes.  [default: NAME.spelling]")
@json_option("Print what was written as JSON.")
def spelling_command(tokenizer: str, output: str | None, *, as_json: bool) -> None:
    """Write how a tokenizer writes texts.

    A server gives it to maskc.canonical, which makes matchers that allow only the tokens that the
    tokenizer itself writes. It takes some seconds.
    """
    import maskc

    target = output or f"{format_name(tokenizer).replace('/', '-')}{SUFFIX}"
    check_writable(target)
    began = time.perf_counter()
    spelling = maskc.compile_spelling(tokenizer)
    n_bytes = spelling.save(target)
    seconds = time.perf_counter() - began
    counts = spelling.count()
    if as_json:
        print_json({"path": target, "n_bytes": n_bytes, "seconds": seconds, **counts})
        return
    console = make_console()
    console.print(
        make_facts(
            [
                ("spelling", target),
                ("size", f"{format_size(n_bytes)} ({format_count(n_bytes)} bytes)"),
                ("tokenizer", format_name(tokenizer)),
                ("merges", format_count(counts["n_merges"])),
                ("nodes of the chunks' automaton", format_count(counts["n_nodes"])),
                ("tokens that it writes", format_count(counts["n_written"])),
                ("of these only as a whole chunk", format_count(counts["n_alone"])),
            ]
        )
    )
    console.print(f"in {format_seconds(seconds)}")
