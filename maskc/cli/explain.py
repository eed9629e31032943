"""``maskc explain``: what may come next after a text, and why."""

from __future__ import annotations

import click

import maskc
from maskc.cli.limits import limit_options, run_alone
from maskc.limits import Limits
from maskc.report.render import print_json


@click.command("explain")
@click.argument("artifact")
@click.option("--text", required=True, metavar="TEXT", help="What was written so far.")
@click.option("--token", metavar="ID|TEXT", help="Is this token legal, and why?")
@click.option("--json", "as_json", is_flag=True, help="Print it all as JSON.")
@limit_options
def explain_command(
    artifact: str, *, text: str, token: str | None, as_json: bool, limits: Limits
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
        explanation = run_alone(lambda: explain(loaded, written, asked), limits)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    if as_json:
        print_json(to_dict(explanation))
    else:
        print_explanation(explanation)
