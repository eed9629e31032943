"""``maskc compile``: a grammar and a tokenizer into an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

import maskc
from maskc.artifact.files import check_writable
from maskc.artifact.model import Contents
from maskc.cli.grammar import LarkOptions, compile_options
from maskc.cli.json_schema import (
    compile_schema_file,
    layout_options,
    resource_option,
    schema_option,
    split_schema,
)
from maskc.cli.limits import limit_options
from maskc.cli.options import json_option, kit_option
from maskc.cli.progress import show_progress
from maskc.cli.tags import ToolOptions, compile_link_file, find_link, tool_options
from maskc.cli.tokenizer import VocabularyOptions, vocabulary_options
from maskc.frontends.bundled import find_grammar
from maskc.limits import Limits
from maskc.report.compile import Compilation, print_compilation
from maskc.report.render import print_json
from maskc.report.timings import collect_timings, hash_artifact, save_timings
from maskc.runtime.borrowing import open_table
from maskc.work.alone import run_alone


@click.command("compile")
@click.argument("grammar", required=False)
@click.option("--regex", metavar="PATTERN", help="Compile the texts of re.fullmatch instead.")
@schema_option("Compile")
@resource_option
@layout_options
@tool_options
@vocabulary_options
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Default: GRAMMAR.TOKENIZER.maskc in this folder; regex.TOKENIZER.maskc with --regex.",
)
@compile_options
@kit_option
@json_option()
@limit_options
def compile_command(
    grammar: str | None,
    *,
    regex: str | None,
    json_schema: str | None,
    resources: tuple[str, ...],
    choices: Mapping[str, str],
    tools: ToolOptions,
    vocabulary: VocabularyOptions,
    output: str | None,
    lark: LarkOptions,
    kit: str | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Compile GRAMMAR for a tokenizer into one file.

    GRAMMAR is the path of a grammar, or the name of one that comes with maskc: python, json, sql,
    c, lua, graphql, toml, csv, regex, lark. It is in Lark's notation unless its name ends in .gbnf
    (llama.cpp), .ebnf (W3C) or .schema.json. A file .json with a structural tag, or with a list of
    tools (--family), becomes the constraint of a model's reply.
    Options win over the settings in the grammar's `// maskc:` comments, and these over Lark's
    defaults.
    """
    grammar, json_schema = split_schema(grammar, json_schema)
    of_schemas = [*choices, *["resource"] * bool(resources)]
    link = find_link(grammar)
    _check_usage(grammar, regex, json_schema, lark, of_schemas)
    if link is not None and lark.is_given:
        raise click.UsageError("A structural tag has no start, parser, lexer or postlex.")
    if regex is not None and not lark.is_given:
        from maskc.kit.artifacts import describe_counted

        # What counts far is followed with counters, as in a structural tag.
        link = describe_counted(regex, limits)
        output = output or f"regex.{vocabulary.name}.maskc"
    if link is not None:
        compile_link_file(
            grammar or "<regex>",
            link,
            tools,
            vocabulary,
            output,
            kit=kit,
            as_json=as_json,
            limits=limits,
        )
        return
    if tools.given:
        raise click.UsageError(f"--{tools.given[0]} goes with a file of tools only.")
    if json_schema is not None:
        compile_schema_file(
            json_schema,
            resources,
            choices,
            vocabulary,
            output,
            kit=kit,
            as_json=as_json,
            limits=limits,
        )
        return
    path = None if grammar is None else find_grammar(grammar)
    target = output or f"{'regex' if path is None else path.stem}.{vocabulary.name}.maskc"
    compilation = _compile_grammar(
        path, regex or "", lark, vocabulary, target, kit=kit, limits=limits
    )
    if as_json:
        print_json(compilation.to_dict())
    else:
        print_compilation(compilation)


def _check_usage(
    grammar: str | None,
    regex: str | None,
    json_schema: str | None,
    lark: LarkOptions,
    of_schemas: list[str],
) -> None:
    """Refuse options that do not go together.

    Args:
        grammar: where it is, ``None``: not given; so for the next two.
        regex: the pattern.
        json_schema: where it is.
        lark: how Lark reads a grammar.
        of_schemas: the options given that only a JSON Schema has.
    """
    if sum(given is not None for given in (grammar, regex, json_schema)) != 1:
        raise click.UsageError("Give one of GRAMMAR, --regex PATTERN and --json-schema FILE.")
    if json_schema is not None and lark.is_given:
        raise click.UsageError("A JSON Schema has no start, parser, lexer or postlex.")
    if json_schema is None and of_schemas:
        option = of_schemas[0].replace("_", "-")
        raise click.UsageError(f"--{option} goes with a JSON Schema only.")


def _compile_grammar(
    path: Path | None,
    regex: str,
    lark: LarkOptions,
    options: VocabularyOptions,
    target: str,
    *,
    kit: str | None,
    limits: Limits,
) -> Compilation:
    """Write the artifact of a grammar, or of a pattern where there is no path; return what it is.

    Raises:
        MaskcError: the grammar, the tokenizer, or the place for the artifact is refused.
    """
    from maskc.frontends.dialects import REGEX
    from maskc.pipeline import PassRecord, compile_starts

    def compile_alone() -> tuple[bool, Contents, tuple[PassRecord, ...]]:
        sources = lark.load_all(regex, REGEX.name) if path is None else lark.load_all(path)
        check_writable(target)
        if kit is not None:
            open_table(kit)
        vocabulary = options.load()
        with show_progress("compiling") as progress:
            made = compile_starts(sources, vocabulary, progress)
        return sources[0].lexer_is_default, *made

    lexer_is_default, contents, passes = run_alone(compile_alone, limits)
    maskc.Artifact(contents).save(target, kit=kit)
    save_timings(hash_artifact(target), collect_timings(passes))
    size = Path(target).stat().st_size
    return Compilation(target, size, contents.header, passes, lexer_is_default=lexer_is_default)
