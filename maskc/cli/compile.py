"""``maskc compile``: a grammar and a tokenizer into an artifact."""

from __future__ import annotations

from pathlib import Path

import click

import maskc
from maskc.artifact.files import check_writable
from maskc.artifact.model import Contents
from maskc.cli.json_schema import SUFFIX, compile_schema_file, resource_option
from maskc.cli.limits import limit_options, run_alone
from maskc.cli.progress import show_progress
from maskc.limits import Limits
from maskc.report.compile import Compilation, print_compilation
from maskc.report.render import print_json
from maskc.report.timings import collect_timings, hash_artifact, save_timings

_TOKENIZER_SUFFIXES = (".json", ".model", ".tiktoken")


@click.command("compile")
@click.argument("grammar", required=False)
@click.option("--regex", metavar="PATTERN", help="Compile the texts of re.fullmatch instead.")
@click.option(
    "--json-schema", metavar="FILE", help="Compile a JSON Schema, whatever its name; - is stdin."
)
@resource_option
@click.option("--key-order", type=click.Choice(["any", "schema"]), help="Of a JSON Schema's texts.")
@click.option("--blanks", type=click.Choice(["compact", "bounded", "any"]), help="Likewise.")
@click.option("--escapes", type=click.Choice(["any", "minimal"]), help="Likewise.")
@click.option("--numbers", type=click.Choice(["usual", "plain"]), help="Likewise.")
@click.option("--formats", type=click.Choice(["assert", "annotate"]), help="What `format` means.")
@click.option("--tokenizer", required=True, metavar="NAME|PATH", help="See `maskc tokenizers`.")
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Default: GRAMMAR.TOKENIZER.maskc in this folder; regex.TOKENIZER.maskc with --regex.",
)
@click.option("--start", metavar="RULE", help="The start symbol.")
@click.option("--parser", type=click.Choice(["lalr", "earley"]), help="Which parser of Lark's.")
@click.option(
    "--lexer",
    type=click.Choice(["contextual", "basic", "dynamic_complete"]),
    help="Which lexer of Lark's; earley goes with dynamic_complete and basic.",
)
@click.option("--postlex", metavar="MODULE:CLASS", help="An Indenter, for indentation.")
@click.option(
    "--vocab-size", type=click.IntRange(1), metavar="N", help="The model's padded vocabulary size."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@limit_options
def compile_command(
    grammar: str | None,
    *,
    regex: str | None,
    json_schema: str | None,
    resources: tuple[str, ...],
    key_order: str | None,
    blanks: str | None,
    escapes: str | None,
    numbers: str | None,
    formats: str | None,
    tokenizer: str,
    output: str | None,
    start: str | None,
    parser: str | None,
    lexer: str | None,
    postlex: str | None,
    vocab_size: int | None,
    as_json: bool,
    limits: Limits,
) -> None:
    """Compile GRAMMAR for a tokenizer into one file.

    GRAMMAR is the path of a grammar, or the name of one that comes with maskc: python, json, sql,
    c, lua, graphql, toml, csv, regex, lark. It is in Lark's notation unless its name ends in .gbnf
    (llama.cpp), .ebnf (W3C) or .schema.json.
    Options win over the settings in the grammar's `// maskc:` comments, and these over Lark's
    defaults.
    """
    from maskc.frontends.dialects import REGEX
    from maskc.frontends.source import load_source
    from maskc.pipeline import PassRecord, compile_contents
    from maskc.vocab import load_vocabulary

    choices = {
        "key_order": key_order,
        "blanks": blanks,
        "escapes": escapes,
        "numbers": numbers,
        "formats": formats,
    }
    if json_schema is None and grammar is not None and grammar.endswith(SUFFIX):
        grammar, json_schema = None, grammar
    if sum(given is not None for given in (grammar, regex, json_schema)) != 1:
        raise click.UsageError("Give one of GRAMMAR, --regex PATTERN and --json-schema FILE.")
    if json_schema is not None:
        if start or parser or lexer or postlex:
            raise click.UsageError("A JSON Schema has no start, parser, lexer or postlex.")
        compile_schema_file(
            json_schema,
            resources,
            {name: choice for name, choice in choices.items() if choice is not None},
            tokenizer,
            output,
            vocab_size,
            as_json=as_json,
            limits=limits,
        )
        return
    given = [name.replace("_", "-") for name, choice in choices.items() if choice is not None]
    if given or resources:
        raise click.UsageError(f"--{(*given, 'resource')[0]} goes with a JSON Schema only.")
    path = Path("regex") if grammar is None else find_grammar(grammar)
    target = output or name_output(path, tokenizer)

    def compile_alone() -> tuple[Contents, tuple[PassRecord, ...]]:
        source = load_source(
            path if regex is None else regex,
            start=start,
            parser=parser,
            lexer=lexer,
            postlex=postlex,
            dialect=None if regex is None else REGEX.name,
        )
        check_writable(target)
        with show_progress("compiling") as progress:
            vocabulary = load_vocabulary(tokenizer, vocab_size=vocab_size)
            return compile_contents(source, vocabulary, progress)

    contents, passes = run_alone(compile_alone, limits)
    maskc.Artifact(contents).save(target)
    save_timings(hash_artifact(target), collect_timings(passes))
    compilation = Compilation(target, Path(target).stat().st_size, contents.header, passes)
    if as_json:
        print_json(compilation.to_dict())
    else:
        print_compilation(compilation)


def find_grammar(name: str) -> Path:
    """Return the path of a grammar; a bare name that is no file is one of maskc's own."""
    path = Path(name)
    if path.exists() or path.name != name or path.suffix:
        return path
    package = Path(maskc.__file__).parent
    # Installed, the grammars are in the package; in a checkout, beside it.
    for folder in (package / "grammars", package.parent / "grammars"):
        bundled = folder / f"{name}.lark"
        if bundled.is_file():
            return bundled
    return path


def name_output(grammar: Path, tokenizer: str) -> str:
    """Return the default file name.

    >>> name_output(Path("grammars/python.lark"), "llama3")
    'python.llama3.maskc'
    >>> name_output(Path("c.lark"), "models/Llama-3.1/tokenizer.json")
    'c.tokenizer.maskc'
    """
    last = Path(tokenizer).name or "tokenizer"
    for suffix in _TOKENIZER_SUFFIXES:
        last = last.removesuffix(suffix)
    return f"{grammar.stem}.{last}.maskc"
