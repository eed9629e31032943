"""``maskc tokenizers``: the tokenizers that have a name."""

from __future__ import annotations

from dataclasses import asdict

import click

from maskc.cli.options import json_option
from maskc.report.render import print_json
from maskc.report.tokenizers import print_tokenizers


@click.command("tokenizers", short_help="List the tokenizers that have a name.")
@json_option("Print them as JSON.")
def tokenizers_command(*, as_json: bool) -> None:
    """List the tokenizers that have a name, and where each is found."""
    from maskc.vocab import list_tokenizers

    entries = list_tokenizers()
    if as_json:
        print_json([asdict(entry) for entry in entries])
    else:
        print_tokenizers(entries)
