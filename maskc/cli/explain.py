"""``maskc explain``: what may come next after a text, and why."""

from __future__ import annotations

import click

from maskc.cli.options import (
    Opened,
    json_option,
    limit_options,
    sourced_artifact_options,
    text_option,
)
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.work.alone import run_alone


@click.command("explain", short_help="Say what may come next after a text, and why.")
@sourced_artifact_options
@text_option("What was written so far;")
@click.option("--token", metavar="ID|TEXT", help="Is this token legal, and why?")
@json_option("Print it all as JSON.")
@limit_options
def explain_command(
    opened: Opened, *, text: bytes, token: str | None, as_json: bool, limits: Limits
) -> None:
    r"""Explain what may come next after a text, by the masks of ARTIFACT.

    TEXT of --token may have Python's escapes; digits alone are an id, unless they are in quotes,
    and b'\xc3' is a token of bytes that are no characters.
    """
    from maskc.explain.questions import parse_token
    from maskc.report.explain import print_explanation, to_dict

    explain = opened.kind.explain
    try:
        asked = parse_token(token) if token is not None else None
        explanation = run_alone(
            lambda: explain(opened.artifact, text, asked, opened.resources), limits
        )
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    if as_json:
        print_json(to_dict(explanation))
    else:
        print_explanation(explanation)
