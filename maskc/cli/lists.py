"""``maskc grammars``, ``tokenizers`` and ``families``: what has a name."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from maskc.cli import options as opt
from maskc.report.model import Lines, Report, Table

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_OTHERS = (
    "A path to tokenizer.json, a tiktoken file, a sentencepiece model or a folder with one, "
    "a model of llama.cpp (.gguf), and org/name on the Hugging Face hub, work as well."
)


@opt.command(
    "grammars",
    "List the grammars that come with maskc.",
    opt.word("--show", "NAME", "Print one grammar.", "name"),
    as_json="Print them as JSON.",
)
def grammars_command(name: str | None) -> opt.Outcome:
    """List the grammars that come with maskc: `maskc compile json` takes one by its name."""
    from maskc.frontends.texts import describe_grammar, find_grammar, list_grammars

    names = list_grammars()
    if name is None:
        about = {name: describe_grammar(name) for name in names}
        return Report(about, [Table("grammars", ("name", "what it is"), list(about.items()))])
    if name not in names:
        raise click.ClickException(
            f"there is no grammar {name!r}; those that come with maskc are {', '.join(names)}"
        )
    found = find_grammar(name).read_text(encoding="utf-8")
    return Report({"name": name, "text": found}, [Lines([found.removesuffix("\n")])])


@opt.command("tokenizers", "List the tokenizers that have a name.", as_json="Print them as JSON.")
def tokenizers_command() -> opt.Outcome:
    """List the tokenizers that have a name, and where each is found."""
    from maskc.vocab import list_tokenizers

    entries = list_tokenizers()
    rows = [(entry.name, "yes" if entry.available else "no", entry.how) for entry in entries]
    table = Table("", ("name", "here", "from"), rows)
    return Report([asdict(entry) for entry in entries], [table, Lines([_OTHERS])])


@opt.command(
    "families",
    "List the families of models that call tools.",
    opt.word("--show", "NAME", "Print one family, with an example.", "name"),
    as_json="Print them, or the structural tag of the example, as JSON.",
)
def families_command(name: str | None) -> opt.Outcome:
    """List the families of models whose calls of tools can be followed."""
    from maskc.tags.families import Tool, list_families, list_parsers, load_family
    from maskc.tags.rendering import render

    if name is None:
        families = {name: list(load_family(name).models) for name in list_families()}
        parsers = list_parsers()
        rows = [
            (name, ", ".join(models), ", ".join(p for p in sorted(parsers) if parsers[p] == name))
            for name, models in families.items()
        ]
        return Report(families, [Table("", ("family", "models", "parsers of engines"), rows)])
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
    return Report(tags, [Lines(lines)])
