"""``maskc inspect``: what an artifact says about itself."""

from __future__ import annotations

from pathlib import Path

import click

import maskc
from maskc.cli.tokenizer import check_tokenizer
from maskc.report.inspect import Inspection, print_inspection
from maskc.report.render import print_json


@click.command("inspect")
@click.argument("artifact")
@click.option("--tokenizer", metavar="NAME|PATH", help="Fail unless it was compiled for this one.")
@click.option("--json", "as_json", is_flag=True, help="Print it all as JSON.")
def inspect_command(artifact: str, *, tokenizer: str | None, as_json: bool) -> None:
    """Print what ARTIFACT was made from and what it holds."""
    contents = maskc.load(artifact).contents
    if tokenizer is not None:
        check_tokenizer(artifact, contents.header, tokenizer)
    n_bytes = Path(artifact).stat().st_size
    inspection = Inspection(artifact, n_bytes, contents.header, contents.arrays)
    if as_json:
        print_json(inspection.to_dict())
    else:
        print_inspection(inspection)
