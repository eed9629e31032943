"""What commands read: standard input, which they call ``-``, schemas, documents and choices."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from maskc.errors import SchemaError, UnreadableFileError
from maskc.files import read_bounded

SCHEMA_SUFFIX = ".schema.json"
_MAX_SCHEMA_BYTES = 16 * 1024 * 1024
_MAX_CHOICES_BYTES = 64_000_000
_SCHEMA_REMEDY = "give the path of a JSON Schema"


def read_input(most_bytes: int, what: str) -> bytes:
    """Return what standard input holds, which is called what the sentence of a refusal calls it."""
    if sys.stdin is None:
        raise click.ClickException(f"-: standard input is closed; give the {what} through it")
    try:
        text = sys.stdin.buffer.read(most_bytes + 1)
    except OSError as error:
        raise click.ClickException(f"-: {error.strerror}; give the {what} through it") from None
    if len(text) > most_bytes:
        raise click.ClickException(f"-: is larger than {most_bytes:,} bytes; give a smaller {what}")
    return text


def _read_file(path: str, most_bytes: int, remedy: str, what: str | None = None) -> bytes:
    """Return what a file holds; ``-`` is standard input, if that may be given: what it is then."""
    if path == "-" and what is not None:
        return read_input(most_bytes, what)
    try:
        return read_bounded(path, most_bytes)
    except UnreadableFileError as error:
        raise click.ClickException(f"{path}: {error.reason}; {remedy}") from None


def read_schema_file(path: str) -> bytes:
    """Return the text of a schema; ``-`` is standard input."""
    return _read_file(path, _MAX_SCHEMA_BYTES, _SCHEMA_REMEDY, "schema")


@contextmanager
def name_schema(path: str) -> Iterator[None]:
    """Say of which file a schema is refused, as several may be given."""
    try:
        yield
    except SchemaError as error:
        raise click.ClickException(f"{path}: {error}") from None


def split_schema(grammar: str | None, json_schema: str | None) -> tuple[str | None, str | None]:
    """Return the paths of a grammar and of a schema; the former may have the latter's name.

    >>> split_schema("order.schema.json", None)
    (None, 'order.schema.json')
    """
    if json_schema is None and grammar is not None and grammar.endswith(SCHEMA_SUFFIX):
        return None, grammar
    return grammar, json_schema


def read_choices(path: str) -> list[str]:
    """Return the lines of a file that are not empty; ``-`` is standard input."""
    data = _read_file(path, _MAX_CHOICES_BYTES, "give a file of texts", "file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise click.ClickException(f"{path}:{line}: is not UTF-8; save it as UTF-8") from None
    # Only line breaks end a line: a text may have any other character of Unicode.
    found = [line for line in text.replace("\r\n", "\n").split("\n") if line]
    if not found:
        raise click.ClickException(f"{path}: has no text; write one a line")
    return found


def read_resources(given: Iterable[str]) -> dict[str, Any]:
    """Return documents by their URIs; each is given as ``FILE`` or ``URI=FILE``."""
    return dict(map(_read_resource, given))


def _read_resource(given: str) -> tuple[str, Any]:
    """Return a document's URI, which is its own ``$id`` if none is given, and its text."""
    uri, equals, path = given.rpartition("=")
    data = _read_file(path, _MAX_SCHEMA_BYTES, _SCHEMA_REMEDY)
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
