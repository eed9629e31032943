"""The job of each entry of a ``maskc.toml``, and the texts that its grammar imported last time.

A grammar's imports are part of its job. Lark reads them, which takes longer than to find out that
nothing has changed, so :func:`read_imports` looks at those that the last build found.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from maskc.build.config import OF_LARK, OF_SCHEMAS, OF_TOOLS, Config, Entry
from maskc.errors import ConfigError, GrammarError, MaskcError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.texts import list_grammars, read_text
from maskc.jobs import GrammarJob, LinkJob, SchemaJob, name_choice, read_grammar, read_schema_job
from maskc.tags.parsing import is_tag
from maskc.tags.tools import is_tools

SCHEMA_SUFFIX = ".schema.json"
_MAX_BYTES = 16 * 1024 * 1024

Job = GrammarJob | SchemaJob | LinkJob


def load_job(config: Config, entry: Entry) -> Job:
    """Return what an entry of the file asks to be compiled; a grammar without its imports.

    Raises:
        MaskcError: a file cannot be read, or a setting does not go with it.
    """
    path = config.folder / entry.source
    if "regex" in entry.settings:
        given = _take_settings(config, entry, ("regex",), "a regular expression")
        return read_grammar(given["regex"], config.limits, dialect="regex")
    if entry.source.endswith(SCHEMA_SUFFIX):
        return _load_schema(config, entry, path)
    if entry.source.endswith(".json"):
        return _load_link(config, entry, path)
    given = _take_settings(config, entry, OF_LARK, "a grammar")
    is_bundled = not os.path.exists(path) and entry.source in list_grammars()
    starts = given.pop("start", ())
    return read_grammar(entry.source if is_bundled else path, config.limits, starts=starts, **given)


def read_imports(job: GrammarJob, paths: tuple[str, ...]) -> dict[str, str] | None:
    """Return the texts that a grammar imported the last time, ``None`` if one is not there now."""
    folder = job.sources[0].folder
    if paths and folder is None:
        return None
    try:
        return {path: read_text(Path(folder or "", path), path) for path in sorted(paths)}
    except (MaskcError, UnicodeDecodeError):
        return None


def _load_schema(config: Config, entry: Entry, path: Path) -> SchemaJob:
    given = _take_settings(config, entry, OF_SCHEMAS, "a JSON Schema")
    resources = {}
    for resource in given.pop("resources", ()):
        uri, equals, file = resource.rpartition("=")
        if not equals:
            location = f"grammars.{entry.name}.resources"
            raise ConfigError(config.path, location, f"{resource!r} has no URI", "write URI=FILE")
        resources[uri] = _read(config.folder / file)
    choices = {name.replace("-", "_"): value for name, value in given.items()}
    try:
        return read_schema_job(_read(path), resources, name=path.name, **choices)
    except ValueError as error:
        location = f"grammars.{entry.name}"
        raise ConfigError(config.path, location, str(error), "choose one of these") from None


def _load_link(config: Config, entry: Entry, path: Path) -> LinkJob:
    location = f"grammars.{entry.name}"
    try:
        found = json.loads(_read(path))
    except (ValueError, RecursionError):
        raise ConfigError(config.path, location, f"{path.name} is not JSON", "give JSON") from None
    if is_tools(found) and not is_tag(found):
        given = _take_settings(config, entry, OF_TOOLS, "a list of tools")
        if "family" not in given:
            raise ConfigError(
                config.path,
                location,
                "tools have a family",
                'add family = "…": see `maskc families`',
            )
        if "choice" in given:
            given["choice"] = name_choice(given["choice"])
        return LinkJob(path.name, found, given)
    if not is_tag(found):
        raise ConfigError(
            config.path,
            location,
            f"{path.name} is neither a structural tag nor a list of tools",
            f"name a JSON Schema NAME{SCHEMA_SUFFIX}",
        )
    _take_settings(config, entry, (), "a structural tag")
    return LinkJob(path.name, found)


def _take_settings(
    config: Config, entry: Entry, known: tuple[str, ...], what: str
) -> dict[str, Any]:
    """Return the settings of an entry, all of which go with what it is."""
    given = {name: value for name, value in entry.settings.items() if name != "tokenizers"}
    for name in given:
        if name not in known:
            location = f"grammars.{entry.name}"
            raise ConfigError(config.path, location, f"{what} has no {name}", "leave it out")
    return given


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, _MAX_BYTES)
    except UnreadableFileError as error:
        raise GrammarError(str(path), f"{error.reason}; give the path of a file") from None
