"""The files that a ``maskc.toml`` asks for, each with what its content depends on.

A *unit* is one file: the artifact of a grammar for a tokenizer, or a tokenizer's kit. Its *key* is
a hash of all that decides its bytes: the grammar with its imports and settings, the tokenizer, and
the versions of maskc, its format, Lark and Unicode. Where, when and beside what a unit is made
plays no part in it: units can be made in any order, on any machine, and the bytes are the same.

Example: of two grammars and two tokenizers there are four units, and shard 1 of 2 has two of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT
from maskc.bounded import run_bounded
from maskc.build.config import Config, Entry
from maskc.build.entries import Job, load_job
from maskc.compiler.emit.provenance import describe_tokenizer, describe_unicode
from maskc.errors import ConfigError, ExecutorError
from maskc.jobs import GrammarJob
from maskc.kit.file import encode_kit, make_kit
from maskc.limits import Limits
from maskc.runtime.borrowing import SUFFIX as KIT_SUFFIX
from maskc.runtime.borrowing import drop_tokens
from maskc.vocab import AddedTokens, load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from maskc.work.dedicated import run_dedicated

SUFFIX = ".maskc"


@dataclass(frozen=True, slots=True)
class BuildUnit:
    """A file that is wanted.

    Attributes:
        file: its name.
        job: what is compiled; ``None``: it is the tokenizer's kit.
        tokenizer: what the tokenizer is called in ``maskc.toml``.
        vocabulary: its tokens.
        leaves_tokens: whether the artifact leaves its vocabulary to the kit.
    """

    file: str
    job: Job | None
    tokenizer: str
    vocabulary: Vocabulary
    leaves_tokens: bool

    def parts(self, imports: Mapping[str, str]) -> dict[str, str]:
        """Return a hash of each thing that decides its bytes, by what it is called to a user."""
        job = self.job.with_imports(imports) if isinstance(self.job, GrammarJob) else self.job
        described = {"kind": "kit"} if job is None else job.describe()
        return {
            "grammar": _hash([described, self.leaves_tokens]),
            "tokenizer": _hash(
                [describe_tokenizer(self.vocabulary), sorted(self.vocabulary.special_ids.items())]
            ),
            "maskc": _hash(describe_versions()),
        }


def describe_versions() -> dict[str, str | int]:
    """Return the versions of what decides an artifact's bytes."""
    return {
        "maskc": maskc.__version__,
        "format": FORMAT,
        "lark": version("lark"),
        "unicode": describe_unicode(),
    }


def make_key(parts: Mapping[str, str]) -> str:
    """Return the hash of a unit's parts."""
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
