"""``maskc compile``: a grammar and a tokenizer into an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.artifact.model import Contents
from maskc.cli.choices import compile_choices_file
from maskc.cli.grammar import LarkOptions, compile_options, find_input
from maskc.cli.json_schema import (
    compile_schema_file,
    layout_options,
    resource_option,
    schema_option,
    split_schema,
)
from maskc.cli.limits import limit_options
from maskc.cli.progress import show_progress
from maskc.cli.saving import Saving, saving_options
from maskc.cli.tags import ToolOptions, compile_link_file, find_link, tool_options
from maskc.cli.tokenizer import VocabularyOptions, vocabulary_options
from maskc.limits import Limits
from maskc.report.render import print_json
from maskc.report.timings import collect_timings, hash_artifact, save_timings
from maskc.work.alone import run_alone

if TYPE_CHECKING:
    from maskc.report.compile import Compilation


@click.command("compile", short_help="Compile grammars for a tokenizer, one file each.")
@click.argument("grammars", nargs=-1, metavar="GRAMMAR...")
@click.option("--regex", metavar="PATTERN", help="Compile the texts of re.fullmatch instead.")
@click.option(
    "--choices",
    "choices_file",
    metavar="FILE",
    help="Compile the choice of one line of a file; - is stdin.",
)
@schema_option("Compile")
@resource_option
@layout_options
@tool_options
@vocabulary_options
@saving_options
@compile_options
@limit_options
def compile_command(
    grammars: tuple[str, ...],
    *,
    regex: str | None,
    choices_file: str | None,
    json_schema: str | None,
    resources: tuple[str, ...],
    choices: Mapping[str, str],
    tools: ToolOptions,
    vocabulary: VocabularyOptions,
    saving: Saving,
    lark: LarkOptions,
    limits: Limits,
) -> None:
    """Compile each GRAMMAR for a tokenizer into one file.

    GRAMMAR is the path of a grammar, the name of one that comes with maskc (`maskc grammars` lists
    them), or - for standard input. It is in Lark's notation unless its name ends in .gbnf
    (llama.cpp), .ebnf (W3C) or .schema.json. A file .json with a structural tag, or with a list of
    tools (--family), becomes the constraint of a model's reply.
    Options win over the settings in the grammar's `// maskc:` comments, and these over Lark's
    defaults.
    """
    given = _list_given(grammars, regex, choices_file, json_schema)
    of_schemas = [*choices, *["resource"] * bool(resources)]
    links = {path: find_link(path) for kind, path in given if kind == "grammar"}
    _check_usage(given, links, lark, of_schemas, tools, saving)
    made = []
    for kind, text in given:
        if kind == "choices":
            compiled = compile_choices_file(text, vocabulary, saving, limits)
        elif kind == "schema":
            compiled = compile_schema_file(text, resources, choices, vocabulary, saving, limits)
        elif kind == "regex":
            compiled = _compile_regex(text, lark, vocabulary, saving, limits)
        elif links[text] is not None:
            compiled = compile_link_file(text, links[text], tools, vocabulary, saving, limits)
        else:
            compiled = _compile_grammar(text, lark, vocabulary, saving, limits)
        made.append(compiled)
        _show(compiled, saving)
    if saving.as_json:
        reports = [compiled.to_dict() for compiled in made]
        print_json(reports[0] if len(reports) == 1 else reports)


def _list_given(
    grammars: tuple[str, ...], regex: str | None, choices: str | None, json_schema: str | None
) -> list[tuple[str, str]]:
    """Return what is to be compiled, each with its kind."""
    others = (("regex", regex), ("choices", choices), ("schema", json_schema))
    given = [(kind, text) for kind, text in others if text is not None]
    for grammar in grammars:
        path, schema = split_schema(grammar, None)
        given.append(("grammar", path) if path is not None else ("schema", schema or ""))
    return given


def _check_usage(
    given: list[tuple[str, str]],
    links: Mapping[str, Any],
    lark: LarkOptions,
    of_schemas: list[str],
    tools: ToolOptions,
    saving: Saving,
) -> None:
    """Refuse options that do not go together.

    Args:
        given: what is to be compiled, each with its kind.
        links: path → the structural tag or the tools in it, ``None`` if it is a grammar.
        lark: how Lark reads a grammar.
        of_schemas: the options given that only a JSON Schema has.
        tools: how tools are called.
        saving: where the artifacts go.
    """
    kinds = {kind for kind, _ in given}
    if not given or len(kinds - {"grammar", "schema"}) + bool(kinds & {"grammar", "schema"}) > 1:
        raise click.UsageError(
            "Give GRAMMAR…, or one of --regex PATTERN, --choices FILE and --json-schema FILE."
        )
    if len(given) > 1 and saving.output:
        raise click.UsageError("--output goes with one grammar; leave it out for several.")
    if [text for _, text in given].count("-") > 1:
        raise click.UsageError("- is standard input, which can be read once.")
    if "schema" in kinds and lark.is_given:
        raise click.UsageError("A JSON Schema has no start, parser, lexer or postlex.")
    if "choices" in kinds and lark.is_given:
        raise click.UsageError("Choices have no start, parser, lexer or postlex.")
    if "schema" not in kinds and of_schemas:
        option = of_schemas[0].replace("_", "-")
        raise click.UsageError(f"--{option} goes with a JSON Schema only.")
    if any(link is not None for link in links.values()):
        if lark.is_given:
            raise click.UsageError("A structural tag has no start, parser, lexer or postlex.")
    elif tools.given:
        raise click.UsageError(f"--{tools.given[0]} goes with a file of tools only.")


def _show(compiled: Compilation, saving: Saving) -> None:
    from maskc.report.compile import print_compilation

    if not saving.as_json and not saving.quiet:
        print_compilation(compiled, verbose=saving.verbose)


def _compile_regex(
    pattern: str,
    lark: LarkOptions,
    options: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Compilation:
    from maskc.frontends.dialects import REGEX
    from maskc.kit.artifacts import describe_counted

    tag = None if lark.is_given else describe_counted(pattern, limits)
    if tag is None:
        return _compile_source(pattern, REGEX.name, "regex", lark, options, saving, limits)
    # What counts far is followed with counters, as in a structural tag.
    return compile_link_file("regex", tag, ToolOptions(), options, saving, limits)


def _compile_grammar(
    grammar: str,
    lark: LarkOptions,
    options: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Compilation:
    found = find_input(grammar)
    stem = found.stem if isinstance(found, Path) else "grammar"
    return _compile_source(found, None, stem, lark, options, saving, limits)


def _compile_source(
    given: str | Path,
    dialect: str | None,
    stem: str,
    lark: LarkOptions,
    options: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Compilation:
    """Write the artifact of a grammar, or of a pattern; return what it is.

    Raises:
        MaskcError: the grammar, the tokenizer, or the place for the artifact is refused.
    """
    from maskc.pipeline import PassRecord, compile_starts
    from maskc.report.compile import Compilation

    target = saving.place(stem, options.name)

    def compile_alone() -> tuple[bool, Contents, tuple[PassRecord, ...]]:
        sources = lark.load_all(given, dialect)
        saving.check(target)
        vocabulary = options.load()
        with show_progress("compiling") as progress:
            made = compile_starts(sources, vocabulary, progress)
        return sources[0].lexer_is_default, *made

    lexer_is_default, contents, passes = run_alone(compile_alone, limits)
    maskc.Artifact(contents).save(target, kit=saving.kit)
    save_timings(hash_artifact(target), collect_timings(passes))
    size, seconds = Path(target).stat().st_size, sum(record.seconds for record in passes)
    return Compilation(
        target, size, contents.header, seconds, passes, lexer_is_default=lexer_is_default
    )
