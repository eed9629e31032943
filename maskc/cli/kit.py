"""``maskc kit`` and ``maskc spelling``: a tokenizer's part of every constraint, as a file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from maskc.artifact.files import check_writable
from maskc.cli.options import json_option
from maskc.cli.tokenizer import VocabularyOptions, vocabulary_options
from maskc.report.formats import format_count, format_file, format_seconds
from maskc.report.model import Facts, Lines, Report
from maskc.report.origin import describe_added
from maskc.report.render import show
from maskc.vocab.registry import format_name


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

    target = output or f"{vocabulary.name}.kit"
    check_writable(target)
    found = vocabulary.load()
    began = time.perf_counter()
    kit = make_kit(found)
    written = {"path": target, "n_bytes": save_kit(kit, target)}
    written["seconds"] = time.perf_counter() - began
    added = found.describe_added()
    of_kit = {"vocab_size": kit.vocab_size, "fingerprint": kit.fingerprint, **added}
    facts = [
        ("tokenizer", found.name),
        ("vocabulary", f"{format_count(kit.vocab_size)} ids"),
        *describe_added(added),
        ("fingerprint", kit.fingerprint),
    ]
    _show("kit", written, of_kit, facts, as_json=as_json)


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

    target = output or f"{format_name(tokenizer).replace('/', '-')}.spelling"
    check_writable(target)
    began = time.perf_counter()
    spelling = maskc.compile_spelling(tokenizer)
    written = {"path": target, "n_bytes": spelling.save(target)}
    written["seconds"] = time.perf_counter() - began
    counts = spelling.count()
    facts = [
        ("tokenizer", format_name(tokenizer)),
        ("merges", format_count(counts["n_merges"])),
        ("nodes of the chunks' automaton", format_count(counts["n_nodes"])),
        ("tokens that it writes", format_count(counts["n_written"])),
        ("of these only as a whole chunk", format_count(counts["n_alone"])),
    ]
    _show("spelling", written, counts, facts, as_json=as_json)


def _show(
    what: str,
    written: Mapping[str, Any],
    more: Mapping[str, Any],
    facts: Sequence[tuple[str, str]],
    *,
    as_json: bool,
) -> None:
    """Print the file that was written, and what is in it."""
    size = ("size", format_file(written["n_bytes"]))
    found = Facts([(what, written["path"]), size, *facts])
    took = Lines([f"in {format_seconds(written['seconds'])}"])
    show(Report({**written, **more}, [found, took]), as_json=as_json)
