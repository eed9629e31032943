"""``maskc compile``: a grammar and a tokenizer into an artifact."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.bounded import run_dedicated
from maskc.cli import options as opt
from maskc.cli.input import (
    SCHEMA_SUFFIX,
    name_schema,
    read_choices,
    read_resources,
    read_schema_file,
    split_schema,
)
from maskc.cli.operands import (
    LarkOptions,
    VocabularyOptions,
    compile_options,
    find_input,
    vocabulary_options,
)
from maskc.files import check_writable
from maskc.limits import Limits
from maskc.report import Report
from maskc.report.compile import hash_artifact, save_timings
from maskc.report.render import print_json, print_report, show_progress
from maskc.runtime.loading import open_table

if TYPE_CHECKING:
    from maskc.jobs import Job


@dataclass(frozen=True, slots=True)
class Saving:
    """Where artifacts go, to which kit they leave their vocabulary, and how that is said."""

    output: str | None = None
    kit: str | None = None
    as_json: bool = False
    verbose: bool = False
    quiet: bool = False

    def choose_target(self, stem: str, tokenizer: str) -> str:
        """Return where an artifact goes, when it is known that it and the kit are at hand."""
        target = self.output or f"{stem}.{tokenizer}.maskc"
        check_writable(target)
        if self.kit is not None:
            open_table(self.kit)
        return target


_saving_options = opt.gather(
    "saving",
    Saving,
    {
        "output": opt.word(
            "-o",
            "PATH",
            "Output file; default: GRAMMAR.TOKENIZER.maskc in this folder.",
            "--output",
        ),
        "kit": opt.word(
            "--kit", "FILE", "Store no vocabulary: the artifact is loaded together with this kit."
        ),
        "as_json": opt.json(),
        "verbose": opt.flag("-v", "Print time, memory and result of each pass.", "--verbose"),
        "quiet": opt.flag("-q", "Print errors only.", "--quiet"),
    },
)


def _keep_given(**values: str | bool | None) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


# The names are those of `read_schema_job`.
_layout_options = opt.gather(
    "choices",
    _keep_given,
    {
        "component": opt.word(
            "--component",
            "NAME",
            "Compile this schema of an OpenAPI document, given as FILE.json.",
        ),
        "dialect": opt.choice(
            "--dialect", "openapi", "Read the JSON Schema by OpenAPI 3.0's rules."
        ),
        "json_style": opt.choice(
            "--json-style",
            "any plain",
            "Layout of the JSON: any usual one, or plain as models write it. The next five "
            "options override parts of it.",
        ),
        "key_order": opt.choice(
            "--key-order", "any schema", "Order of keys: any, or that of the schema."
        ),
        "blanks": opt.choice(
            "--blanks", "compact bounded any", "White space: none, bounded, or any."
        ),
        "escapes": opt.choice(
            "--escapes",
            "any minimal ascii",
            "Escapes in strings: any, only where needed, or for all but ASCII.",
        ),
        "numbers": opt.choice(
            "--numbers",
            "usual any plain short",
            "How numbers are written: plain has no exponents, short no padding zeros either.",
        ),
        "digits": opt.count(
            "--digits", None, "Maximum number of digits after the point, without trailing zeros."
        ),
        "formats": opt.word(
            "--formats",
            "HOW",
            "Whether `format` is checked in JSON: assert, annotate, or date-time=annotate.",
        ),
    },
)
_tool_options = opt.gather(
    "tools",
    _keep_given,
    {
        "choice": opt.word(
            "--choice",
            "NAME",
            "For tools: auto, required, none or a tool's name; for a list of texts see --choices.",
        ),
        "parallel": click.option(
            "--parallel/--no-parallel", default=None, help="For tools: allow more than one call."
        ),
        "family": opt.word(
            "--family", "NAME", "For tools: how the model writes calls; see `maskc families`."
        ),
        "reasoning": click.option(
            "--reasoning", is_flag=True, default=None, help="For tools: the model reasons first."
        ),
        "strict": click.option(
            "--strict",
            is_flag=True,
            default=None,
            help='For tools: "strict": true forbids other properties.',
        ),
    },
)


@opt.command(
    "compile",
    "Compile grammars for a tokenizer, one file each.",
    click.argument("grammars", nargs=-1, metavar="GRAMMAR..."),
    opt.word(
        "--regex", "PATTERN", "Compile a regular expression (of re.fullmatch) instead of a grammar."
    ),
    opt.word(
        "--choices",
        "FILE",
        "Compile a list of texts, one a line, instead of a grammar; - is stdin.",
        "choices_file",
    ),
    opt.schema("Compile"),
    opt.RESOURCES,
    _layout_options,
    _tool_options,
    vocabulary_options,
    _saving_options,
    compile_options,
    opt.LIMITS,
)
def compile_command(
    grammars: tuple[str, ...],
    *,
    regex: str | None,
    choices_file: str | None,
    json_schema: str | None,
    resources: tuple[str, ...],
    choices: Mapping[str, str],
    tools: Mapping[str, Any],
    vocabulary: VocabularyOptions,
    saving: Saving,
    lark: LarkOptions,
    limits: Limits,
) -> opt.Outcome:
    """Compile each GRAMMAR for a tokenizer into one file.

    GRAMMAR is a path, the name of a bundled grammar (see `maskc grammars`), or - for standard
    input. Its suffix tells the notation: .gbnf (llama.cpp), .ebnf (W3C), .schema.json, otherwise
    Lark's. A .json file is a structural tag, or a list of tools (with --family). Options override
    the settings in the grammar's `// maskc:` comments, and these override Lark's defaults.
    """
    others = (("regex", regex), ("choices", choices_file), ("schema", json_schema))
    given = [(kind, text) for kind, text in others if text is not None]
    for grammar in grammars:
        is_document = "component" in choices and grammar.endswith(".json")
        path, schema = (None, grammar) if is_document else split_schema(grammar, None)
        given.append(("grammar", path) if path is not None else ("schema", schema or ""))
    links = {path: _find_link(path) for kind, path in given if kind == "grammar"}
    _check_usage(given, links, lark, [*choices, *["resource"] * bool(resources)], tools, saving)
    made = []
    for kind, text in given:
        link = links.get(text) if kind == "grammar" else None
        stem, read = _read(kind, text, link, lark, resources, choices, tools, limits)
        with name_schema(text) if kind == "schema" else nullcontext():
            report = _write(read, stem, vocabulary, saving, limits)
        made.append(report)
        if not saving.as_json and not saving.quiet:
            print_report(report)
    if saving.as_json:
        reports = [report.data for report in made]
        print_json(reports[0] if len(reports) == 1 else reports)
    return None


def _check_usage(
    given: list[tuple[str, str]],
    links: Mapping[str, Any],
    lark: LarkOptions,
    of_schemas: list[str],
    tools: Mapping[str, Any],
    saving: Saving,
) -> None:
    """Refuse options that do not go together; each source is given with its kind."""
    kinds = {kind for kind, _ in given}
    if not given or len(kinds - {"grammar", "schema"}) + bool(kinds & {"grammar", "schema"}) > 1:
        raise click.UsageError(
            "Give GRAMMAR…, or one of --regex PATTERN, --choices FILE and --json-schema FILE."
        )
    if len(given) > 1 and saving.output:
        raise click.UsageError("--output is for one grammar; leave it out for several.")
    if [text for _, text in given].count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once.")
    has_link = any(link is not None for link in links.values())
    others = {"schema": "A JSON Schema has", "choices": "Choices have"}
    found = [has for kind, has in others.items() if kind in kinds]
    found += ["A structural tag has"] if has_link else []
    if found and lark.is_given:
        fact = f"{found[0]} no start, parser, lexer or postlex"
        raise click.UsageError(f"{fact}; leave these options out.")
    if "schema" not in kinds and of_schemas:
        option = of_schemas[0].replace("_", "-")
        raise click.UsageError(f"--{option} is for JSON Schemas only; leave it out.")
    if tools and not has_link:
        raise click.UsageError(f"--{next(iter(tools))} is for a file of tools only; leave it out.")


def _find_link(path: str) -> Any:
    """Return the structural tag or the tools in a file, ``None`` without the suffix ``.json``."""
    from maskc.tags.fields import is_tag
    from maskc.tags.tools import is_tools

    if not path.endswith(".json"):
        return None
    try:
        found = json.loads(read_schema_file(path))
    except (ValueError, RecursionError):
        raise click.ClickException(
            f"{path}: is not JSON; give a structural tag, tools, or a grammar"
        ) from None
    if is_tag(found) or is_tools(found):
        return found
    raise click.ClickException(
        f"{path}: is neither a structural tag nor a list of tools; "
        f"for a JSON Schema, give --json-schema {path}"
    )


def _read(
    kind: str,
    text: str,
    link: Any,
    lark: LarkOptions,
    resources: tuple[str, ...],
    choices: Mapping[str, str],
    tools: Mapping[str, Any],
    limits: Limits,
) -> tuple[str, Callable[[], Job]]:
    """Return the stem of an artifact's name, and what reads its job within limits."""
    from maskc.jobs import ChoicesJob, LinkJob, name_choice, read_schema_job
    from maskc.tags.fields import is_tag
    from maskc.tags.tools import is_tools

    name = {"choices": "choices", "schema": "schema"}.get(kind, "grammar")
    name = name if text == "-" else Path(text).name
    if kind == "choices":
        return Path(name).stem, lambda: ChoicesJob(read_choices(text), name)
    if kind == "schema":
        parts = {part.removeprefix("json_"): choice for part, choice in choices.items()}
        stem = name.removesuffix(SCHEMA_SUFFIX).removesuffix(".json")
        stem = choices.get("component", stem).replace("/", "-")
        return stem, lambda: read_schema_job(
            read_schema_file(text), read_resources(resources), name=name, **parts
        )
    if kind == "regex":
        return "regex", lambda: lark.read_job(text, limits, "regex")
    if link is None:
        found = find_input(text)
        return Path(name).stem, lambda: lark.read_job(found, limits)
    settings = {}
    if is_tools(link) and not is_tag(link):
        if "family" not in tools:
            raise click.UsageError("Tools need --family NAME: see `maskc families`.")
        settings = {**tools, "choice": name_choice(tools.get("choice", "auto"))}
    elif tools:
        raise click.UsageError(
            f"--{next(iter(tools))} is for a list of tools, not for a tag; leave it out."
        )
    return name.removesuffix(".json"), lambda: LinkJob(name, link, settings)


def _write(
    read: Callable[[], Job],
    stem: str,
    vocabulary: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Report:
    from maskc.jobs import GrammarJob
    from maskc.lint.order import count_errors
    from maskc.report.compile import report_compilation

    target = saving.choose_target(stem, vocabulary.name)
    job, began = None, 0.0

    def work() -> Any:
        nonlocal job, began
        job = read()
        tokens = vocabulary.load()
        began = time.perf_counter()
        with show_progress("compiling") as progress:
            if not isinstance(job, GrammarJob):
                return *job.compile(tokens, limits, progress), 0
            languages: list[Any] = []
            made = job.compile(tokens, limits, progress, languages.append)
        return *made, sum(map(count_errors, job.sources, languages))

    contents, passes, n_errors = run_dedicated(work, limits)
    seconds = time.perf_counter() - began
    maskc.Artifact(contents).save(target, kit=saving.kit)
    if passes:
        save_timings(hash_artifact(target), passes)
        seconds = sum(record.seconds for record in passes)
    is_default = isinstance(job, GrammarJob) and job.sources[0].lexer_is_default
    size = Path(target).stat().st_size
    return report_compilation(
        target,
        size,
        contents.header,
        seconds,
        passes,
        n_errors=n_errors,
        lexer_is_default=is_default,
        verbose=saving.verbose,
    )
