"""``maskc families``: how families of models write calls of tools."""

from __future__ import annotations

import click

from maskc.cli.options import json_option
from maskc.report.families import format_family, print_families
from maskc.report.render import print_json

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@click.command("families", short_help="List the families of models that call tools.")
@click.option("--show", "name", metavar="NAME", help="Print one family, with an example.")
@json_option("Print them, or the structural tag of the example, as JSON.")
def families_command(name: str | None, *, as_json: bool) -> None:
    """List the families of models whose calls of tools can be followed."""
    from maskc.tags.families import Tool, list_families, load_family
    from maskc.tags.rendering import render

    if name is None:
        families = {name: list(load_family(name).models) for name in list_families()}
        if as_json:
            print_json(families)
        else:
            print_families(families)
        return
    family = load_family(name)
    tools = [Tool("get_weather", _CITY, "")]
    tags = {
        choice: family.describe(tools, choice, parallel=True, reasoning=False)
        for choice in ("auto", "required", "named")
    }
    if as_json:
        print_json(tags)
    else:
        example = render(tags["required"], {"city": "Oslo"})
        click.echo(format_family(family.name, family.models, tags["auto"], example))
