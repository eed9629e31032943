"""``maskc explain``: what may come next after a text, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.artifact.sections import is_schema
from maskc.cli.input import text_option
from maskc.cli.json_schema import read_resources, resource_option
from maskc.cli.limits import limit_options
from maskc.cli.options import json_option, start_option
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.work.alone import run_alone

if TYPE_CHECKING:
    from maskc.explain.model import Explanation


@click.command("explain", short_help="Say what may come next after a text, and why.")
@click.argument("artifact")
@text_option("What was written so far;")
@click.option("--token", metavar="ID|TEXT", help="Is this token legal, and why?")
@resource_option
@start_option
@json_option("Print it all as JSON.")
@limit_options
def explain_command(
    artifact: str,
    *,
    start: str | None,
    text: bytes,
    token: str | None,
    resources: tuple[str, ...],
    as_json: bool,
    limits: Limits,
) -> None:
    r"""Explain what may come next after a text, by the masks of ARTIFACT.

    TEXT of --token may have Python's escapes; digits alone are an id, unless they are in quotes,
    and b'\xc3' is a token of bytes that are no characters.
    """
    from maskc.explain.dispatch import explain_any
    from maskc.explain.questions import parse_token
    from maskc.report.explain import print_explanation, to_dict

    loaded = maskc.load(artifact).for_start(start)
    if resources and not is_schema(loaded.header):
        raise click.UsageError("--resource goes with a JSON Schema only.")
    documents = read_resources(resources)
    try:
        asked = parse_token(token) if token is not None else None

        def work() -> Explanation[Any]:
            return explain_any(loaded, text, asked, documents)

        explanation = run_alone(work, limits)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    if as_json:
        print_json(to_dict(explanation))
    else:
        print_explanation(explanation)
