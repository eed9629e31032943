"""``maskc grammars``: the grammars that come with maskc."""

from __future__ import annotations

import click

from maskc.cli.options import json_option
from maskc.frontends.bundled import describe_grammar, find_grammar, list_grammars
from maskc.report.render import make_console, make_table, print_json


@click.command("grammars", short_help="List the grammars that come with maskc.")
@click.option("--show", "name", metavar="NAME", help="Print one grammar.")
@json_option("Print them as JSON.")
def grammars_command(name: str | None, *, as_json: bool) -> None:
    """List the grammars that come with maskc: `maskc compile json` takes one by its name."""
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
