"""``maskc inspect``: what an artifact says about itself."""

from __future__ import annotations

import os
from pathlib import Path

import click

import maskc
from maskc.artifact.files import write_atomically
from maskc.cli.options import json_option, text_option, tokenizer_option
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.kinds import kind_of
from maskc.report.author import print_view, view_artifact
from maskc.report.inspect import Inspection, print_inspection
from maskc.report.origin import print_origin
from maskc.report.render import format_size, make_console, print_json
from maskc.report.timings import hash_artifact, load_timings


@click.command("inspect", short_help="Show what is in an artifact.")
@click.argument("artifact")
@tokenizer_option("Fail unless it was compiled for this one.")
@json_option("Print it all as JSON.")
@click.option("--html", metavar="PATH", help="Draw it as one HTML file instead.")
@text_option("Show the choice at each of its tokens;", default="")
@click.option(
    "--internals", is_flag=True, help="Also show what the compiler made, and what it cost."
)
def inspect_command(
    artifact: str,
    *,
    tokenizer: str | None,
    as_json: bool,
    html: str | None,
    text: bytes,
    internals: bool,
) -> None:
    """Print what ARTIFACT was made from, its terminals, and what may come next.

    --html draws the rules as diagrams. With --text, a text's tokens are coloured by how many were
    legal in their place. --internals adds counts, streamlining, the automaton, and the sections of
    the file; times are known on the machine that compiled it.
    """
    if html is not None and as_json:
        raise click.UsageError("--html and --json exclude each other.")
    loaded = maskc.load(artifact)
    check_fingerprint(artifact, loaded)
    if tokenizer is not None:
        check_tokenizer(artifact, loaded, tokenizer)
    size = Path(artifact).stat().st_size
    header, arrays = loaded.contents.header, loaded.contents.arrays
    kind = kind_of(header)
    if html is not None and not kind.has_rules:
        raise click.UsageError(f"--html draws grammars, not {kind.plural}.")
    view = None if as_json else view_artifact(loaded, text)
    if not kind.has_rules:
        if as_json:
            described = kind.describe(arrays)
            print_json({"path": artifact, "n_bytes": size, "header": dict(header), **described})
            return
        if view is not None:
            print_view(make_console(), view)
        print_origin(artifact, size, header)
        return
    timings = load_timings(hash_artifact(artifact))
    inspection = Inspection(artifact, size, header, arrays, timings, view)
    if html is not None:
        _write_page(inspection, html, internals=internals)
    elif as_json:
        print_json(inspection.to_dict())
    else:
        print_inspection(inspection, internals=internals)


def _write_page(inspection: Inspection, path: str, *, internals: bool) -> None:
    from maskc.report.html.page import build_page

    if os.path.exists(path) and os.path.samefile(path, inspection.path):
        raise click.UsageError(f"--html {path} is the artifact itself; choose another place.")
    page = build_page(inspection, internals=internals).encode("utf-8", "xmlcharrefreplace")
    write_atomically(path, page)
    click.echo(f"{path}: {format_size(len(page))}")
