"""``maskc grammars``, ``tokenizers`` and ``families``: what has a name."""

from __future__ import annotations

from dataclasses import asdict

import click

from maskc.cli.options import json_option
from maskc.report.render import make_console, make_table, print_json

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@click.command("grammars", short_help="List the grammars that come with maskc.")
@click.option("--show", "name", metavar="NAME", help="Print one grammar.")
@json_option("Print them as JSON.")
def grammars_command(name: str | None, *, as_json: bool) -> None:
    """List the grammars that come with maskc: `maskc compile json` takes one by its name."""
    from maskc.frontends.texts import describe_grammar, find_grammar, list_grammars

    names = list_grammars()
    if name is not None:
        if name not in names:
            raise click.ClickException(
                f"there is no grammar {name!r}; those that come with maskc are {', '.join(names)}"
            )
        text = find_grammar(name).read_text(encoding="utf-8")
        if as_json:
            print_json({"name": name, "text": text})
        else:
            click.echo(text, nl=False)
        return
    about = {name: describe_grammar(name) for name in names}
    if as_json:
        print_json(about)
    else:
        rows = list(about.items())
        make_console().print(make_table("grammars", ("name", "what it is"), rows))


@click.command("tokenizers", short_help="List the tokenizers that have a name.")
@json_option("Print them as JSON.")
def tokenizers_command(*, as_json: bool) -> None:
    """List the tokenizers that have a name, and where each is found."""
    from maskc.report.tokenizers import print_tokenizers
    from maskc.vocab import list_tokenizers

    entries = list_tokenizers()
    if as_json:
        print_json([asdict(entry) for entry in entries])
    else:
        print_tokenizers(entries)


@click.command("families", short_help="List the families of models that call tools.")
@click.option("--show", "name", metavar="NAME", help="Print one family, with an example.")
@json_option("Print them, or the structural tag of the example, as JSON.")
def families_command(name: str | None, *, as_json: bool) -> None:
    """List the families of models whose calls of tools can be followed."""
    from maskc.report.families import format_family, print_families
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
