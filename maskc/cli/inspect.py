"""``maskc inspect``: what an artifact says about itself."""

from __future__ import annotations

import os
from pathlib import Path

import click

import maskc
from maskc.cli import options as opt
from maskc.cli.tokenizer import check_fingerprint, check_tokenizer
from maskc.files import write_atomically
from maskc.kinds import kind_of
from maskc.report import Lines, Report, format_size
from maskc.report.compile import hash_artifact, load_timings
from maskc.report.inspect import Inspection, report_artifact, view_artifact
from maskc.report.render import show


@opt.command(
    "inspect",
    "Show the contents of an artifact.",
    click.argument("artifact"),
    opt.tokenizer("Fail if the artifact is for another tokenizer."),
    opt.json("Print everything as JSON."),
    opt.word("--html", "PATH", "Write one HTML file instead."),
    opt.text("Show how many tokens were legal at each token of this text;", default=""),
    opt.flag("--internals", "Also show the compiler's results and their cost."),
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

    --html adds railroad diagrams of the rules. --text colours the tokens of a text by how many
    tokens were legal there. --internals adds counts, rows after each step, the automaton, and the
    sections of the file; times are known on the machine that compiled the artifact.
    """
    if html is not None and as_json:
        raise click.UsageError("Give --html or --json, not both.")
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
    from maskc.report.html import build_page

    if os.path.exists(path) and os.path.samefile(path, inspection.path):
        raise click.UsageError(f"--html {path} is the artifact itself; choose another path.")
    header = inspection.header
    page = build_page(
        report,
        title=f"{header['grammar']['name']} for {header['tokenizer']['name']}",
        lead=f"maskc artifact {os.path.basename(inspection.path)}",
        version=header["maskc"],
    ).encode("utf-8", "xmlcharrefreplace")
    write_atomically(path, page)
    return Report({}, [Lines([f"{path}: {format_size(len(page))}"])])
