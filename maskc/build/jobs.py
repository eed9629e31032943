"""What is to be compiled, as a value that can be sent to any machine, and told from any other?

A *job* is a grammar, a JSON Schema, a structural tag or a list of tools with all that decides what
an artifact of it is, but for the tokenizer: texts, not paths. ``describe`` says it as plain data,
of which a hash is taken; ``compile`` needs nothing else.

A grammar's imports are part of it. They are read by Lark, which takes longer than to find out that
nothing has changed, so :func:`read_imports` looks at those that the last build found.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from maskc.artifact.model import Contents
from maskc.build.config import OF_LARK, OF_SCHEMAS, OF_TOOLS, Config, Entry
from maskc.emit.provenance import describe_grammar
from maskc.errors import ConfigError, GrammarError, MaskcError, UnreadableFileError
from maskc.files import read_bounded
from maskc.formats.registry import Formats, registered
from maskc.frontends.bundled import list_grammars
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource, load_sources
from maskc.frontends.texts import read_text
from maskc.jsonschema.compiling import compile_schema
from maskc.jsonschema.layouts import choose_layout
from maskc.kit.artifacts import compile_structural_tag, compile_tools
from maskc.limits import Limits
from maskc.pipeline import compile_starts
from maskc.runtime.schema.plan.plan import Layout
from maskc.tags.parsing import is_tag
from maskc.vocab.vocabulary import Vocabulary

SCHEMA_SUFFIX = ".schema.json"
_MAX_BYTES = 16 * 1024 * 1024
# Lark's own library is part of its version.
_RELATIVE_IMPORT = re.compile(r"%import\s*\.")
_CHOICES = ("auto", "required", "none")


@dataclass(frozen=True, slots=True)
class GrammarJob:
    """A grammar, read with each of its start symbols."""

    sources: tuple[GrammarSource, ...]

    def describe(self) -> dict[str, Any]:
        """Return all that decides what its artifact is."""
        return {
            "kind": "grammar",
            "sources": [
                {**describe_grammar(s), "flags": s.flags, "priority": s.priority, "regex": s.regex}
                for s in self.sources
            ],
        }

    def with_imports(self, imports: Mapping[str, str]) -> GrammarJob:
        """Return the job with the texts that its grammar imports."""
        return GrammarJob(tuple(replace(s, imports=dict(imports)) for s in self.sources))

    def find_imports(self) -> dict[str, str]:
        """Return the texts that its grammar imports, by their paths; Lark reads them.

        Raises:
            MaskcError: the grammar cannot be read.
        """
        found: dict[str, str] = {}
        for source in self.sources:
            if _RELATIVE_IMPORT.search(source.text):
                found |= load_grammar(source)[1].imports
        return dict(sorted(found.items()))

    def compile(self, vocabulary: Vocabulary, limits: Limits) -> Contents:
        """Return its artifact; a budget is open."""
        del limits
        alone = [replace(source, folder=None) for source in self.sources]
        return compile_starts(alone, vocabulary)[0]


@dataclass(frozen=True, slots=True)
class SchemaJob:
    """A JSON Schema."""

    name: str
    text: bytes
    resources: Mapping[str, bytes]
    layout: Layout
    assert_formats: bool
    formats: Formats = field(default_factory=registered)

    def describe(self) -> dict[str, Any]:
        """Return all that decides what its artifact is."""
        return {
            "kind": "schema",
            "name": self.name,
            "text": self.text.decode(errors="surrogateescape"),
            "resources": {
                uri: text.decode(errors="surrogateescape")
                for uri, text in sorted(self.resources.items())
            },
            "layout": asdict(self.layout),
            "assert_formats": self.assert_formats,
            **({"formats": self.formats} if self.formats else {}),
        }

    def compile(self, vocabulary: Vocabulary, limits: Limits) -> Contents:
        """Return its artifact; a budget is open."""
        del limits
        return compile_schema(
            self.text,
            vocabulary,
            name=self.name,
            resources=self.resources,
            layout=self.layout,
            assert_formats=self.assert_formats,
            formats=self.formats,
        )


@dataclass(frozen=True, slots=True)
class LinkJob:
    """A structural tag, or tools with the settings of their calls."""

    name: str
    given: Any
    settings: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """Return all that decides what its artifact is."""
        return {
            "kind": "link",
            "name": self.name,
            "given": self.given,
            "settings": dict(self.settings),
        }

    def compile(self, vocabulary: Vocabulary, limits: Limits) -> Contents:
        """Return its artifact; a budget is open."""
        if not self.settings:
            return compile_structural_tag(self.given, vocabulary, name=self.name, limits=limits)
        choice = self.settings.get("choice", "auto")
        return compile_tools(
            self.given,
            vocabulary,
            family=self.settings["family"],
            choice=choice if choice in _CHOICES else {"name": choice},
            parallel=self.settings.get("parallel", True),
            reasoning=self.settings.get("reasoning", False),
            name=self.name,
            limits=limits,
        )


Job = GrammarJob | SchemaJob | LinkJob


def load_job(config: Config, entry: Entry) -> Job:
    """Return what an entry of the file asks to be compiled; a grammar without its imports.

    Raises:
        MaskcError: a file cannot be read, or a setting does not go with it.
    """
    given = {name: value for name, value in entry.settings.items() if name != "tokenizers"}
    path = config.folder / entry.source
    if "regex" in given:
        _check_settings(config, entry, ("regex",), "a regular expression")
        return GrammarJob(tuple(load_sources(given["regex"], starts=(), dialect="regex")))
    if entry.source.endswith(SCHEMA_SUFFIX):
        _check_settings(config, entry, OF_SCHEMAS, "a JSON Schema")
        return _load_schema(config, entry, path)
    if entry.source.endswith(".json"):
        return _load_link(config, entry, path)
    _check_settings(config, entry, OF_LARK, "a grammar")
    is_bundled = not os.path.exists(path) and entry.source in list_grammars()
    settings = {name: given.get(name) for name in OF_LARK if name != "start"}
    found = load_sources(
        entry.source if is_bundled else path, starts=given.get("start", ()), **settings
    )
    return GrammarJob(tuple(found))


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
    given = dict(entry.settings)
    formats = given.pop("formats", "assert")
    if formats not in ("assert", "annotate"):
        place = f"grammars.{entry.name}.formats"
        raise ConfigError(config.path, place, f"{formats!r} is unknown", "write assert or annotate")
    resources = {}
    for resource in given.pop("resources", ()):
        uri, equals, file = resource.rpartition("=")
        if not equals:
            place = f"grammars.{entry.name}.resources"
            raise ConfigError(config.path, place, f"{resource!r} has no URI", "write URI=FILE")
        resources[uri] = _read(config.folder / file)
    given.pop("tokenizers", None)
    try:
        layout = choose_layout(**{name.replace("-", "_"): value for name, value in given.items()})
    except ValueError as error:
        place = f"grammars.{entry.name}"
        raise ConfigError(config.path, place, str(error), "choose one of these") from None
    return SchemaJob(path.name, _read(path), resources, layout, formats == "assert")


def _load_link(config: Config, entry: Entry, path: Path) -> LinkJob:
    place = f"grammars.{entry.name}"
    try:
        found = json.loads(_read(path))
    except (ValueError, RecursionError):
        raise ConfigError(config.path, place, f"{path.name} is no JSON", "give JSON") from None
    given = {name: value for name, value in entry.settings.items() if name != "tokenizers"}
    if isinstance(found, list):
        _check_settings(config, entry, OF_TOOLS, "a list of tools")
        if "family" not in given:
            raise ConfigError(
                config.path, place, "tools have a family", 'add family = "…": see `maskc families`'
            )
        return LinkJob(path.name, found, given)
    if not is_tag(found):
        raise ConfigError(
            config.path,
            place,
            f"{path.name} is neither a structural tag nor a list of tools",
            f"name a JSON Schema NAME{SCHEMA_SUFFIX}",
        )
    _check_settings(config, entry, (), "a structural tag")
    return LinkJob(path.name, found)


def _check_settings(config: Config, entry: Entry, known: tuple[str, ...], what: str) -> None:
    wrong = [name for name in entry.settings if name not in (*known, "tokenizers")]
    if wrong:
        raise ConfigError(
            config.path, f"grammars.{entry.name}", f"{what} has no {wrong[0]}", "leave it out"
        )


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, _MAX_BYTES)
    except UnreadableFileError as error:
        raise GrammarError(str(path), f"{error.reason}; give the path of a file") from None
