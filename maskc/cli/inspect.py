"""``maskc inspect``: what an artifact says about itself."""

from __future__ import annotations

import os
from pathlib import Path

import click

import maskc
from maskc.artifact.files import write_atomically
from maskc.cli import options as opt
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.kinds import kind_of
from maskc.report.formats import format_size
from maskc.report.inspect import Inspection, report_artifact, view_artifact
from maskc.report.model import Lines, Report
from maskc.report.render import show
from maskc.report.timings import hash_artifact, load_timings


@opt.command(
    "inspect",
    "Show what is in an artifact.",
    click.argument("artifact"),
    opt.tokenizer("Fail unless it was compiled for this one."),
    opt.json("Print it all as JSON."),
    opt.word("--html", "PATH", "Draw it as one HTML file instead."),
    opt.text("Show the choice at each of its tokens;", default=""),
    opt.flag("--internals", "Also show what the compiler made, and what it cost."),
)
def inspect_command(
    artifact: str,
    *,
    tokenizer: str | None,
    as_json: bool,
    html: str | None,
    text: bytes,
    internals: bool,
) -> opt.Outcome:
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
    kind = kind_of(loaded.header)
    if html is not None and not kind.has_rules:
        raise click.UsageError(f"--html draws grammars, not {kind.plural}.")
    inspection = Inspection(
        artifact,
        Path(artifact).stat().st_size,
        loaded.header,
        loaded.contents.arrays,
        load_timings(hash_artifact(artifact)) if kind.has_rules else (),
        None if as_json else view_artifact(loaded, text),
    )
    report = report_artifact(inspection, internals=internals)
    if html is not None:
        return _write_page(inspection, report, html)
    show(report, as_json=as_json)
    return None


def _write_page(inspection: Inspection, report: Report, path: str) -> Report:
    from maskc.report.html.page import build_page

    if os.path.exists(path) and os.path.samefile(path, inspection.path):
        raise click.UsageError(f"--html {path} is the artifact itself; choose another place.")
    header = inspection.header
    page = build_page(
        report,
        title=f"{header['grammar']['name']} for {header['tokenizer']['name']}",
        lead=f"maskc artifact {os.path.basename(inspection.path)}",
        version=header["maskc"],
    ).encode("utf-8", "xmlcharrefreplace")
    write_atomically(path, page)
    return Report({}, [Lines([f"{path}: {format_size(len(page))}"])])
