"""A JSON Schema on the command line: its file, the documents it refers to, and its layout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskc.artifact.model import Contents
from maskc.cli.input import read_input
from maskc.cli.options import Decorator, gather
from maskc.cli.saving import Saving, save_compiled
from maskc.cli.tokenizer import VocabularyOptions
from maskc.errors import SchemaError, UnreadableFileError
from maskc.files import read_bounded
from maskc.limits import Limits

if TYPE_CHECKING:
    from maskc.report.compile import Compilation

SUFFIX = ".schema.json"
MAX_BYTES = 16 * 1024 * 1024

resource_option = click.option(
    "--resource",
    "resources",
    multiple=True,
    metavar="[URI=]FILE",
    help="What references of a JSON Schema lead to; can be repeated. Nothing is fetched.",
)


def schema_option(verb: str) -> Decorator:
    """Return the option that names a schema's file; the verb says what becomes of it."""
    return click.option(
        "--json-schema",
        metavar="FILE",
        help=f"{verb} a JSON Schema, whatever its name; - is stdin.",
    )


def _keep_given(**choices: str | None) -> dict[str, str]:
    return {name: choice for name, choice in choices.items() if choice is not None}


# The names are those of `Layout`, and `formats`. Only those that are given come.
layout_options = gather(
    "choices",
    _keep_given,
    {
        "key_order": click.option(
            "--key-order", type=click.Choice(["any", "schema"]), help="Of a JSON Schema's texts."
        ),
        "blanks": click.option(
            "--blanks", type=click.Choice(["compact", "bounded", "any"]), help="Likewise."
        ),
        "escapes": click.option(
            "--escapes", type=click.Choice(["any", "minimal"]), help="Likewise."
        ),
        "numbers": click.option(
            "--numbers", type=click.Choice(["usual", "plain"]), help="Likewise."
        ),
        "formats": click.option(
            "--formats", type=click.Choice(["assert", "annotate"]), help="What `format` means."
        ),
    },
)


def split_schema(grammar: str | None, json_schema: str | None) -> tuple[str | None, str | None]:
    """Return the paths of a grammar and of a schema; the former may have the latter's name.

    >>> split_schema("order.schema.json", None)
    (None, 'order.schema.json')
    """
    if json_schema is None and grammar is not None and grammar.endswith(SUFFIX):
        return None, grammar
    return grammar, json_schema


def compile_schema_file(
    path: str,
    resources: tuple[str, ...],
    choices: Mapping[str, str],
    options: VocabularyOptions,
    saving: Saving,
    limits: Limits,
) -> Compilation:
    """Compile a schema, write the artifact, and return what it is.

    Args:
        path: of the schema; ``-`` is standard input.
        resources: ``FILE`` or ``URI=FILE``.
        choices: of the layout and of what ``format`` means, as far as they are given.
        options: the tokenizer, and how its tokens are taken.
        saving: where the artifact goes.
        limits: what it may take.
    """
    from maskc.jsonschema.compiling import compile_schema
    from maskc.runtime.schema.plan.plan import Layout

    name = "schema" if path == "-" else Path(path).name
    target = saving.place(name.removesuffix(SUFFIX).removesuffix(".json"), options.name)
    saving.check(target)
    text = read_schema_file(path)
    documents = read_resources(resources)
    formats = choices.get("formats", "assert")
    layout = Layout(**{key: value for key, value in choices.items() if key != "formats"})
    vocabulary = options.load()

    def work() -> Contents:
        return compile_schema(
            text,
            vocabulary,
            name=name,
            resources=documents,
            layout=layout,
            assert_formats=formats == "assert",
        )

    with naming_schema(path):
        return save_compiled(work, target, saving, limits)


@contextmanager
def naming_schema(path: str) -> Iterator[None]:
    """Say of which file a schema is refused, as several may be given."""
    try:
        yield
    except SchemaError as error:
        raise click.ClickException(f"{path}: {error}") from None


def read_schema_file(path: str) -> bytes:
    """Return the text of a schema; ``-`` is standard input."""
    return read_input(MAX_BYTES, "schema") if path == "-" else _read(path)


def _read(path: str) -> bytes:
    try:
        return read_bounded(path, MAX_BYTES)
    except UnreadableFileError as error:
        raise click.ClickException(
            f"{path}: {error.reason}; give the path of a JSON Schema"
        ) from None


def read_resources(given: Iterable[str]) -> dict[str, Any]:
    """Return documents by their URIs; each is given as ``FILE`` or ``URI=FILE``.

    Raises:
        ClickException: a file cannot be read.
        SchemaError: a document has no URI.
    """
    return dict(map(_read_resource, given))


def _read_resource(given: str) -> tuple[str, Any]:
    """Return a document's URI, which is its own ``$id`` if none is given, and its text."""
    uri, equals, path = given.rpartition("=")
    data = _read(path)
    if equals:
        return uri, data
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        raise SchemaError("", "", f"resource {path} is not JSON", "give valid JSON") from None
    own = parsed.get("$id", parsed.get("id")) if isinstance(parsed, dict) else None
    if not isinstance(own, str):
        raise SchemaError(
            "", "", f"resource {path} has no $id", f"give its URI: --resource URI={path}"
        )
    return own, data
