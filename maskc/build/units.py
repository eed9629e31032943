"""The files that a ``maskc.toml`` asks for, each with what its content depends on.

A *unit* is one file: the artifact of a grammar for a tokenizer, or a tokenizer's kit. Its *key* is
a hash of all that decides its bytes. Where, when and beside what a unit is made plays no part.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT
from maskc.bounded import run_bounded, run_dedicated
from maskc.build.config import OF_LARK, OF_SCHEMAS, OF_TOOLS, Config, Entry
from maskc.errors import ConfigError, ExecutorError, GrammarError, MaskcError, UnreadableFileError
from maskc.files import read_bounded
from maskc.frontends.texts import list_grammars, read_text
from maskc.jobs import GrammarJob, LinkJob, SchemaJob, name_choice, read_grammar, read_schema_job
from maskc.kit.file import encode_kit, make_kit
from maskc.limits import Limits
from maskc.runtime.loading import SUFFIX as KIT_SUFFIX
from maskc.runtime.loading import drop_tokens
from maskc.tags.fields import is_tag
from maskc.tags.tools import is_tools
from maskc.vocab import AddedTokens, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary

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
    """Return the texts that a grammar imported the last time, ``None`` if one is not there now.

    Imports are part of a job. Lark reads them, which takes longer than to see no change.
    """
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


SUFFIX = ".maskc"


@dataclass(frozen=True, slots=True)
class BuildUnit:
    """A file that is wanted."""

    file: str  # its name
    job: Job | None  # what is compiled; None: it is the tokenizer's kit
    tokenizer: str  # what the tokenizer is called in maskc.toml
    vocabulary: Vocabulary  # its tokens
    leaves_tokens: bool  # whether the artifact leaves its vocabulary to the kit

    def parts(self, imports: Mapping[str, str]) -> dict[str, str]:
        """Return a hash of each thing that decides its bytes, by what it is called to a user."""
        job = self.job.with_imports(imports) if isinstance(self.job, GrammarJob) else self.job
        described = {"kind": "kit"} if job is None else job.describe()
        return {
            "grammar": _hash([described, self.leaves_tokens]),
            "tokenizer": _hash(
                [self.vocabulary.describe(), sorted(self.vocabulary.special_ids.items())]
            ),
            "maskc": _hash(describe_versions()),
        }


def describe_versions() -> dict[str, str | int]:
    """Return the versions of what decides an artifact's bytes."""
    return {
        "maskc": maskc.__version__,
        "format": FORMAT,
        "lark": version("lark"),
        "unicode": unicodedata.unidata_version,
    }


def make_key(parts: Mapping[str, str]) -> str:
    return _hash(dict(parts))


def plan_units(config: Config) -> list[BuildUnit]:
    """Return what a file asks for, by the names of the files.

    Raises:
        ConfigError: two artifacts would have one name, or a setting is wrong.
        MaskcError: a grammar or a tokenizer cannot be read.
    """
    vocabularies = {entry.name: _load_vocabulary(config, entry) for entry in config.tokenizers}
    units: dict[str, BuildUnit] = {}
    for entry in config.tokenizers:
        if entry.settings.get("kit"):
            file = f"{entry.name}{KIT_SUFFIX}"
            units[file] = BuildUnit(file, None, entry.name, vocabularies[entry.name], False)
    for grammar in config.grammars:
        job = run_bounded(
            partial(load_job, config, grammar), config.limits, name=f"grammars.{grammar.name}"
        )
        wanted = grammar.settings.get("tokenizers", tuple(vocabularies))
        for tokenizer in config.tokenizers:
            if tokenizer.name not in wanted:
                continue
            file = f"{grammar.name}.{tokenizer.name}{SUFFIX}"
            if file in units:
                fact = f"{file} is the file of another grammar and tokenizer, too"
                location = f"grammars.{grammar.name}"
                raise ConfigError(config.path, location, fact, "give it another name")
            leaves = bool(tokenizer.settings.get("kit"))
            vocabulary = vocabularies[tokenizer.name]
            units[file] = BuildUnit(file, job, tokenizer.name, vocabulary, leaves)
    return [units[file] for file in sorted(units)]


def take_shard(units: Sequence[BuildUnit], number: int, n_shards: int) -> list[BuildUnit]:
    """Return the units of one of several shards, numbered from 1; each unit is in one of them."""
    return [unit for location, unit in enumerate(units) if location % n_shards == number - 1]


def make_file(
    job: Job | None,
    vocabulary: Vocabulary,
    limits: Limits,
    versions: Mapping[str, str | int],
    *,
    leaves_tokens: bool,
) -> bytes:
    """Return the bytes of a unit's file; for a process that does nothing else.

    Raises:
        ExecutorError: this machine has other versions.
        MaskcError: it cannot be compiled.
    """
    if describe_versions() != versions:
        here, there = (
            ", ".join(f"{name} {number}" for name, number in sorted(found.items()))
            for found in (describe_versions(), versions)
        )
        raise ExecutorError("worker", f"has {here}, and the build was started with {there}")
    if job is None:
        return run_dedicated(lambda: encode_kit(make_kit(vocabulary)), limits)
    contents = run_dedicated(lambda: job.compile(vocabulary, limits)[0], limits)
    if leaves_tokens:
        return encode(*drop_tokens(contents.header, contents.arrays))
    return encode(contents.header, contents.arrays)


def _load_vocabulary(config: Config, entry: Entry) -> Vocabulary:
    path, given = config.folder / entry.source, entry.settings
    choice = given.get("added-tokens", "form")
    if choice not in ("form", "text", "atoms"):
        location = f"tokenizers.{entry.name}.added-tokens"
        remedy = "write form, text or atoms"
        raise ConfigError(config.path, location, f"{choice!r} is unknown", remedy)
    added = AddedTokens(choice, given.get("text-tokens", ()), given.get("atom-tokens", ()))
    return load_vocabulary(
        str(path) if os.path.exists(path) else entry.source,
        vocab_size=given.get("vocab-size"),
        eos_ids=given.get("eos-ids"),
        added_tokens=added,
    )


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
