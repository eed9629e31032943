"""``maskc grammars``, ``tokenizers`` and ``families``: what has a name."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from maskc.cli.options import json_option
from maskc.report.model import Lines, Report, Table
from maskc.report.render import print_json, show

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_OTHERS = (
    "A path to tokenizer.json, a tiktoken file, a sentencepiece model or a folder with one, "
    "a model of llama.cpp (.gguf), and org/name on the Hugging Face hub, work as well."
)


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
    rows = list(about.items())
    show(Report(about, [Table("grammars", ("name", "what it is"), rows)]), as_json=as_json)


@click.command("tokenizers", short_help="List the tokenizers that have a name.")
@json_option("Print them as JSON.")
def tokenizers_command(*, as_json: bool) -> None:
    """List the tokenizers that have a name, and where each is found."""
    from maskc.vocab import list_tokenizers

    entries = list_tokenizers()
    rows = [(entry.name, "yes" if entry.available else "no", entry.how) for entry in entries]
    table = Table("", ("name", "here", "from"), rows)
    report = Report([asdict(entry) for entry in entries], [table, Lines([_OTHERS])])
    show(report, as_json=as_json)


@click.command("families", short_help="List the families of models that call tools.")
@click.option("--show", "name", metavar="NAME", help="Print one family, with an example.")
@json_option("Print them, or the structural tag of the example, as JSON.")
def families_command(name: str | None, *, as_json: bool) -> None:
    """List the families of models whose calls of tools can be followed."""
    from maskc.tags.families import Tool, list_families, load_family
    from maskc.tags.rendering import render

    if name is None:
        families = {name: list(load_family(name).models) for name in list_families()}
        rows = [(name, ", ".join(models)) for name, models in families.items()]
        show(Report(families, [Table("", ("family", "models"), rows)]), as_json=as_json)
        return
    family = load_family(name)
    tools = [Tool("get_weather", _CITY, "")]
    tags = {
        choice: family.describe(tools, choice, parallel=True, reasoning=False)
        for choice in ("auto", "required", "named")
    }
    lines = [
        f"{family.name}: {', '.join(family.models)}\n",
        "A call of get_weather:\n",
        f"{render(tags['required'], {'city': 'Oslo'})}\n",
        "Its structural tag, where the model may call or not:\n",
        json.dumps(tags["auto"], indent=2, ensure_ascii=False),
    ]
    show(Report(tags, [Lines(lines)]), as_json=as_json)
