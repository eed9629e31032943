"""Options that several commands take, each written once.

What belongs together comes as one argument: :func:`gather` gives a command a group of options and
hands it the value that they make, for instance ``limits`` of ``--time-limit`` and its like.
"""

from __future__ import annotations

import functools
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

import maskc
from maskc.bounded import run_dedicated
from maskc.cli.input import SCHEMA_SUFFIX, name_schema, read_input, read_resources, read_schema_file
from maskc.limits import MEGABYTE, Limits
from maskc.report import Report
from maskc.report.render import show

if TYPE_CHECKING:
    from maskc.kinds import Kind

Command = Callable[..., None]
Decorator = Callable[[Command], Command]

MOST_JOBS = 8  # each process holds Lark's parser, the tokenizer, and masks
_MAX_TEXT_BYTES = 1 << 20
_GRAMMAR_SUFFIXES = (".lark", ".gbnf", ".ebnf")


class _Seconds(click.FloatRange):
    """More than no seconds."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        found: float = super().convert(value, param, ctx)
        if math.isnan(found):  # it compares with no bound
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return found


SECONDS = _Seconds()


# What a command returns: what it tells, its exit status, or both.
Outcome = Report | int | tuple[Report, int] | None


def command(
    name: str,
    short: str,
    *options: Decorator,
    as_json: str | None = None,
    defaults: bool = False,
    help: str | None = None,  # noqa: A002 - as click calls it
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function.

    The function gets the values of the options by name, and returns what it tells as a report, its
    exit status, both, or neither.

    Args:
        short: its line in the list of commands.
        options: its arguments and options, in the order of the help.
        as_json: what ``--json`` prints; with it the command shows its report so if asked.
        defaults: whether the help names the defaults of all options.
        help: the text of the help; the function's docstring without it.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def run(**values: Any) -> None:
            is_json = values.pop("as_json") if as_json is not None else False
            outcome = function(**values)
            report, status = outcome if isinstance(outcome, tuple) else (outcome, 0)
            if isinstance(report, int):
                report, status = None, report
            if report is not None:
                show(report, as_json=is_json)
            if status:
                click.get_current_context().exit(status)

        decorated: Command = run
        asked = () if as_json is None else (json(as_json),)
        for option in reversed((*options, *asked)):
            decorated = option(decorated)
        settings = {"show_default": defaults}
        made = click.command(name, short_help=short, help=help, context_settings=settings)
        return made(decorated)

    return decorate


def gather(name: str, make: Callable[..., object], options: Mapping[str, Decorator]) -> Decorator:
    """Return a decorator: a command gets options, as the one argument that is made of them."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gathered(**values: Any) -> None:
            made = make(**{option: values.pop(option) for option in options})
            command(**{name: made}, **values)

        decorated: Command = gathered
        for option in reversed([*options.values()]):
            decorated = option(decorated)
        return decorated

    return decorate


def flag(name: str, what: str, *names: str) -> Decorator:
    return click.option(name, *names, is_flag=True, default=False, help=what)


def word(name: str, metavar: str, what: str, *names: str, required: bool = False) -> Decorator:
    return click.option(name, *names, metavar=metavar, help=what, required=required)


def count(
    name: str,
    default: int | None,
    what: str,
    *,
    least: int = 1,
    metavar: str = "N",
    is_shown: bool | None = None,  # the default in the help; None: as of the command's others
) -> Decorator:
    kind = click.IntRange(least)
    return click.option(
        name, type=kind, default=default, metavar=metavar, help=what, show_default=is_shown
    )


def choice(name: str, choices: str, what: str) -> Decorator:
    """Return an option that takes one of some words, with blanks between them."""
    return click.option(name, type=click.Choice(choices.split()), help=what)


def many(name: str, metavar: str, what: str) -> Decorator:
    return click.option(name, multiple=True, metavar=metavar, help=what)


def json(what: str = "Print the report as JSON.") -> Decorator:
    return flag("--json", what, "as_json")


def tokenizer(what: str) -> Decorator:
    return word("--tokenizer", "NAME|PATH", what)


def seed(what: str) -> Decorator:
    return click.option("--seed", type=int, default=0, metavar="N", help=what)


def text(what: str, *, default: str | None = None) -> Decorator:
    """Return the option ``--text``, whose value comes as bytes; without a default it is needed."""

    def read(_context: click.Context, _option: click.Parameter, text: str) -> bytes:
        if text == "-":
            return read_input(_MAX_TEXT_BYTES, "text")
        return text.encode(errors="surrogateescape")

    return click.option(
        "--text",
        **({"required": True} if default is None else {"default": default}),
        callback=read,
        metavar="TEXT",
        help=f"{what} - is all of standard input.",
    )


def schema(verb: str) -> Decorator:
    what = f"{verb} a JSON Schema, whatever its name; - is stdin."
    return word("--json-schema", "FILE", what)


# Where an artifact names its tokenizer, and the name is of another machine.
FOUND_TOKENIZER = tokenizer(
    "The tokenizer's path, if the name in the artifact does not lead to it."
)
CORPUS = many(
    "--corpus",
    "PATH",
    "A file or a folder of texts; can be repeated. Default: texts that are drawn.",
)
START = word("--start", "RULE", "Start symbol of the artifact; default: its first.")
VOCAB_SIZE = count("--vocab-size", None, "Padded vocabulary size of the model.")
RESOURCES = click.option(
    "--resource",
    "resources",
    multiple=True,
    metavar="[URI=]FILE",
    help="A document that the JSON Schema refers to; can be repeated. Nothing is fetched.",
)


@dataclass(frozen=True, slots=True)
class OpenedArtifact:
    """An artifact that a command is about."""

    path: str
    start: str | None  # the start symbol that is asked for; None: its first
    artifact: maskc.Artifact  # with the start symbol that is asked for
    resources: Mapping[str, Any]  # the documents that a JSON Schema refers to, by their URIs

    @property
    def kind(self) -> Kind:
        from maskc.kinds import kind_of

        return kind_of(self.artifact.header)


def open_artifact(
    artifact: str, start: str | None, resources: tuple[str, ...] = ()
) -> OpenedArtifact:
    from maskc.kinds import kind_of

    loaded = maskc.load(artifact).for_start(start)
    if resources and not kind_of(loaded.header).takes_resources:
        raise click.UsageError("--resource is for JSON Schemas only; leave it out.")
    return OpenedArtifact(artifact, start, loaded, read_resources(resources))


# The artifact of a command, which comes as its argument ``opened``.
SOURCED = gather(
    "opened",
    open_artifact,
    {"artifact": click.argument("artifact"), "start": START, "resources": RESOURCES},
)


@contextmanager
def open_source(
    source: str, start: str | None, resources: tuple[str, ...], limits: Limits
) -> Iterator[OpenedArtifact]:
    """Open an artifact; of a grammar or a JSON Schema one for single bytes, while this is open."""
    is_schema = source.endswith(SCHEMA_SUFFIX)
    is_name = not os.path.exists(source) and not os.path.splitext(source)[1]
    if not is_schema and not is_name and not source.endswith(_GRAMMAR_SUFFIXES):
        yield open_artifact(source, start, resources)
        return
    documents = read_resources(resources)
    if documents and not is_schema:
        raise click.UsageError("--resource is for JSON Schemas only; leave it out.")

    def compile_() -> maskc.Artifact:
        if not is_schema:
            return maskc.compile_grammar(source, tokenizer="bytes", start=start, limits=limits)
        with name_schema(source):
            return maskc.compile_json_schema(
                read_schema_file(source), tokenizer="bytes", resources=documents, limits=limits
            )

    with tempfile.TemporaryDirectory(prefix="maskc-") as folder:
        path = os.path.join(folder, "source.maskc")
        made = run_dedicated(compile_, limits)
        made.save(path)
        yield OpenedArtifact(path, None, made, documents)


def jobs(what: str) -> Decorator:
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=None,
        callback=lambda _context, _option, given: given or _count_cores(),
        metavar="N",
        show_default=f"one for each core, at most {MOST_JOBS}",
        help=what,
    )


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_JOBS)
    return min(os.cpu_count() or 1, MOST_JOBS)


EXECUTOR = word(
    "--executor",
    "MODULE:NAME",
    "A function that returns a concurrent.futures.Executor, used instead of local processes.",
)

_DEFAULT = Limits()
# Beside the time: the default of each, its unit, and what it bounds.
_LIMITS = {
    "memory_limit": (_DEFAULT.bytes // MEGABYTE, "MB", "Memory for the grammar."),
    "text_limit": (_DEFAULT.text, "CHARACTERS", "Size of the grammar with its imports."),
    "work_limit": (_DEFAULT.work, "SYMBOLS", "Symbols in the rules, after Lark's expansion."),
}

# The limits of a command; they come as its argument ``limits``.
LIMITS = gather(
    "limits",
    lambda *, time_limit, memory_limit, text_limit, work_limit: Limits(
        time_limit, memory_limit * MEGABYTE, text_limit, work_limit
    ),
    {
        "time_limit": click.option(
            "--time-limit",
            type=SECONDS,
            default=_DEFAULT.seconds,
            metavar="SECONDS",
            help="Processor time to compile.",
            show_default=True,
        ),
        **{
            name: count(
                f"--{name.replace('_', '-')}", default, what, metavar=metavar, is_shown=True
            )
            for name, (default, metavar, what) in _LIMITS.items()
        },
    },
)

PART_LIMIT = click.option(
    "--part-limit",
    "part_seconds",
    type=SECONDS,
    default=300.0,
    metavar="SECONDS",
    help="Time for one part of Lark's work: a file, or a few texts.",
)
