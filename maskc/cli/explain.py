"""``maskc explain``: what may come next after a text, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import maskc
from maskc.artifact.sections import is_schema
from maskc.cli.json_schema import read_resources, resource_option
from maskc.cli.limits import limit_options, run_alone
from maskc.cli.options import json_option
from maskc.limits import Limits
from maskc.report.render import print_json

if TYPE_CHECKING:
    from maskc.explain.questions import TokenName


@click.command("explain")
@click.argument("artifact")
@click.option("--text", required=True, metavar="TEXT", help="What was written so far.")
@click.option("--token", metavar="ID|TEXT", help="Is this token legal, and why?")
@resource_option
@json_option("Print it all as JSON.")
@limit_options
def explain_command(
    artifact: str,
    *,
    text: str,
    token: str | None,
    resources: tuple[str, ...],
    as_json: bool,
    limits: Limits,
) -> None:
    r"""Explain what may come next after a text, by the masks of ARTIFACT.

    TEXT of --token may have Python's escapes; digits alone are an id, unless they are in quotes,
    and b'\xc3' is a token of bytes that are no characters.
    """
    from maskc.explain.questions import explain, parse_token
    from maskc.report.explain import print_explanation, to_dict

    loaded = maskc.load(artifact)
    try:
        asked = parse_token(token) if token is not None else None
        written = text.encode(errors="surrogateescape")
        if is_schema(loaded.header):
            _explain_schema(loaded, written, asked, resources, as_json=as_json, limits=limits)
            return
        if resources:
            raise click.UsageError("--resource goes with a JSON Schema only.")
        explanation = run_alone(lambda: explain(loaded, written, asked), limits)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    if as_json:
        print_json(to_dict(explanation))
    else:
        print_explanation(explanation)


def _explain_schema(
    artifact: maskc.Artifact,
    text: bytes,
    asked: TokenName | None,
    resources: tuple[str, ...],
    *,
    as_json: bool,
    limits: Limits,
) -> None:
    """Print what may come next after a text of a JSON Schema."""
    from maskc.explain.schemas import explain_schema
    from maskc.report.explain_schema import print_schema_explanation, to_dict

    documents = read_resources(resources)
    found = run_alone(lambda: explain_schema(artifact, text, asked, documents), limits)
    if as_json:
        print_json(to_dict(found))
    else:
        print_schema_explanation(found)
