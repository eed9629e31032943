"""``maskc grammars``, ``tokenizers`` and ``families``: what has a name."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from maskc.cli import options as opt
from maskc.report import Lines, Report, Table

_CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_OTHERS = (
    "Also accepted: the path of a tokenizer.json, a tiktoken file, a sentencepiece model, a "
    "folder with one of these, a llama.cpp model (.gguf), or org/name on the Hugging Face hub."
)


@opt.command(
    "grammars",
    "List the bundled grammars.",
    opt.word("--show", "NAME", "Print one grammar.", "name"),
    as_json="Print the list as JSON.",
)
def grammars_command(name: str | None) -> opt.Outcome:
    """List the bundled grammars; `maskc compile json` takes one by its name."""
    from maskc.frontends.texts import describe_grammar, find_grammar, list_grammars

    names = list_grammars()
    if name is None:
        about = {name: describe_grammar(name) for name in names}
        return Report(about, [Table("grammars", ("name", "description"), list(about.items()))])
    if name not in names:
        raise click.ClickException(f"no grammar {name!r}; available: {', '.join(names)}")
    found = find_grammar(name).read_text(encoding="utf-8")
    return Report({"name": name, "text": found}, [Lines([found.removesuffix("\n")])])


@opt.command("tokenizers", "List the tokenizers with a name.", as_json="Print the list as JSON.")
def tokenizers_command() -> opt.Outcome:
    """List the tokenizers with a name, and where each is found."""
    from maskc.vocab import list_tokenizers

    entries = list_tokenizers()
    rows = [(entry.name, "yes" if entry.available else "no", entry.how) for entry in entries]
    table = Table("", ("name", "installed", "from"), rows)
    return Report([asdict(entry) for entry in entries], [table, Lines([_OTHERS])])


@opt.command(
    "families",
    "List the model families for tool calls.",
    opt.word("--show", "NAME", "Print one family, with an example.", "name"),
    as_json="Print the list, or the example's structural tag, as JSON.",
)
def families_command(name: str | None) -> opt.Outcome:
    """List the model families whose tool calls maskc can constrain.

    The last column has the names of parsers in vLLM and SGLang that work as the family's name, too;
    where it is empty, use the family's own name.
    """
    from maskc.tags.families import Tool, list_families, list_parsers, load_family, render

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
    after = family.describe(tools, "required", parallel=True, reasoning=True)
    call, reasoned = (render(tag, {"city": "Oslo"}) for tag in (tags["required"], after))
    lines = [
        f"{family.name}: {', '.join(family.models)}\n",
        f"A call of get_weather:\n\n{call}\n",
        *(
            [f"The same after reasoning, of which only the markers are shown:\n\n{reasoned}\n"]
            if reasoned != call
            else ()
        ),
        "Its structural tag, if the model may also answer without a call:\n",
        json.dumps(tags["auto"], indent=2, ensure_ascii=False),
    ]
    return Report(tags, [Lines(lines)])
