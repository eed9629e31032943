"""Jobs: what is to be compiled, as values that can be sent to any machine.

A job is a grammar, a JSON Schema, a structural tag, tools or choices with all that decides its
artifact, but for the tokenizer: texts, not paths. ``describe`` returns it as plain data, of which a
hash or a message is made; ``compile`` needs nothing else. The command line, :mod:`maskc.compiling`,
``maskc build``, kits and the compiling processes of servers construct the same jobs.
"""

from __future__ import annotations

import json
import marshal
import os
import re
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from maskc.arguments import as_mapping, as_text
from maskc.artifact.model import Contents
from maskc.compiler.pipeline import Language, PassRecord, compile_starts
from maskc.errors import LimitError, WrongValueError
from maskc.formats import Formats, registered
from maskc.frontends.embedded import describe_embedded, has_embedded
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import GrammarSource, load_sources
from maskc.frontends.texts import REGEX
from maskc.jsonschema.choices import choose_formats, choose_layout, rename_formats
from maskc.jsonschema.compiling import build_plan, compile_schema
from maskc.jsonschema.loosening import compile_loosely
from maskc.jsonschema.reader import read_schema, write_json
from maskc.jsonschema.sources import describe_type, is_type, read_component, read_schema_object
from maskc.limits import Limits
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout
from maskc.vocab.vocabulary import Vocabulary

Progress = Callable[[str, float], None]
Made = tuple[Contents, tuple[PassRecord, ...]]

# Lark's own library is part of its version.
_RELATIVE_IMPORT = re.compile(r"%import\s*\.")
_OF_LARK = ("parser", "lexer", "postlex", "roles", "rules")
_CHOICES = ("auto", "required", "none")


class Job(Protocol):
    """What is compiled; see the module."""

    def describe(self) -> dict[str, Any]:
        """Return all that decides what its artifact is, as JSON."""

    def compile(
        self, vocabulary: Vocabulary, limits: Limits, progress: Progress | None = None
    ) -> Made:
        """Return its artifact, and what the passes cost if there are any; a budget is open."""


@dataclass(frozen=True, slots=True)
class GrammarJob:
    """A grammar, read with each of its start symbols."""

    sources: tuple[GrammarSource, ...]

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "grammar",
            "sources": [
                {**s.describe(), "flags": s.flags, "priority": s.priority, "regex": s.regex}
                for s in self.sources
            ],
        }

    def with_imports(self, imports: Mapping[str, str]) -> GrammarJob:
        """Return the job with the texts that its grammar imports, which needs no files."""
        return GrammarJob(
            tuple(replace(s, imports=dict(imports), folder=None) for s in self.sources)
        )

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

    def compile(
        self,
        vocabulary: Vocabulary,
        limits: Limits,
        progress: Progress | None = None,
        see: Callable[[Language], object] | None = None,
    ) -> Made:
        """Compile; ``see`` is called with what each start symbol's grammar decides by itself."""
        del limits
        return compile_starts(self.sources, vocabulary, progress, see)


@dataclass(frozen=True)
class SchemaJob:
    """A JSON Schema."""

    schema: Any  # as maskc.compile_json_schema takes it
    resources: Mapping[str, Any]  # URI → other documents, likewise
    layout: JsonLayout
    assert_formats: bool  # whether format is asserted
    name: str = "<schema>"
    formats: Formats = field(default_factory=registered)  # those of a user

    @cached_property
    def asked(self) -> str | bytes:
        """What is the same only for the same schema: a text, or parsed JSON as marshal writes it.

        That takes a fifth of the time of writing JSON; version 2 says the same of equal values.
        """
        if type(self.schema) is not dict:
            return name_json(self.schema)
        try:
            return marshal.dumps(self.schema, 2)
        except ValueError:  # it has something else, or is nested very deep
            return name_json(self.schema)

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What is the same only for what compiles to the same plan, with these formats."""
        others = name_json(dict(self.resources)) if self.resources else ""
        return (self.asked, others, self.assert_formats, *self.layout.choices)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "schema",
            "name": self.name,
            "text": _as_text(self.schema),
            "resources": {uri: _as_text(text) for uri, text in sorted(self.resources.items())},
            "layout": self.layout.to_dict(),
            "assert_formats": self.assert_formats,
            **({"formats": dict(self.formats)} if self.formats else {}),
        }

    @classmethod
    def read(cls, described: Mapping[str, Any]) -> SchemaJob:
        return cls(
            described["text"],
            described["resources"],
            JsonLayout(**described["layout"]),
            described["assert_formats"],
            described["name"],
            described.get("formats", {}),
        )

    def plan(self, *, waits: bool = False) -> FrozenPlan:
        """Return its plan, which needs no tokenizer; positions may wait if they can."""
        return build_plan(
            self.schema,
            resources=self.resources,
            layout=self.layout,
            assert_formats=self.assert_formats,
            formats=self.formats,
            waits=waits,
        )

    def loosen(
        self, try_it: Callable[[SchemaJob], object], seconds: float
    ) -> tuple[SchemaJob, tuple[str, ...]]:
        """Return the job of the nearest larger schema that can be compiled, and what was changed.

        Args:
            try_it: raises a SchemaError or a LimitError where a job cannot be compiled.
            seconds: see :func:`maskc.jsonschema.loosening.compile_loosely`.
        """

        def make(schema: Any) -> SchemaJob:
            job = replace(self, schema=schema)
            try_it(job)
            return job

        has_resources = bool(self.resources)
        return compile_loosely(
            self.schema, make, seconds=seconds, is_root=True, has_resources=has_resources
        )

    def compile(
        self, vocabulary: Vocabulary, limits: Limits, progress: Progress | None = None
    ) -> Made:
        from maskc.kit.examples import add_documents

        del limits, progress
        contents = compile_schema(
            self.schema,
            vocabulary,
            name=self.name,
            resources=self.resources,
            layout=self.layout,
            assert_formats=self.assert_formats,
            formats=self.formats,
        )
        return add_documents(contents, read_schema(self.schema), vocabulary), ()


def name_json(schema: Any) -> str:
    """Return a text that is the same only for the same JSON, which is not nested very deep."""
    if isinstance(schema, str):
        return schema
    try:
        try:
            return json.dumps(schema)
        except (TypeError, ValueError):
            return repr(schema)  # what is wrong with it is told when it is compiled
    except RecursionError:
        limit = sys.getrecursionlimit()
        raise LimitError("levels of nested JSON", limit, "nest less") from None


def _as_text(document: Any) -> str:
    """Return a JSON document's text; RecursionError, TypeError, ValueError: it is none."""
    if isinstance(document, bytes | bytearray):
        return document.decode(errors="surrogateescape")
    return document if isinstance(document, str) else json.dumps(document)


@dataclass(frozen=True, slots=True)
class LinkJob:
    """A structural tag, or tools with the settings of their calls."""

    name: str
    given: Any  # the tag or the tools, parsed or as JSON
    # family, choice, parallel and reasoning; a tag has none
    settings: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        return {
            "kind": "link",
            "name": self.name,
            "given": self.given,
            "settings": dict(self.settings),
        }

    def compile(
        self, vocabulary: Vocabulary, limits: Limits, progress: Progress | None = None
    ) -> Made:
        from maskc.kit import artifacts

        del progress
        tag, tools = artifacts.compile_structural_tag, artifacts.compile_tools
        make: Callable[..., Contents] = tools if self.settings else tag
        return make(self.given, vocabulary, name=self.name, limits=limits, **self.settings), ()


@dataclass(frozen=True, slots=True)
class ChoicesJob:
    """One of some texts."""

    words: Sequence[str]
    name: str = "<choices>"

    def describe(self) -> dict[str, Any]:
        return {"kind": "choices", "name": self.name, "words": list(self.words)}

    def compile(
        self, vocabulary: Vocabulary, limits: Limits, progress: Progress | None = None
    ) -> Made:
        from maskc.kit.artifacts import compile_choices

        del limits, progress
        return compile_choices(self.words, vocabulary, name=self.name), ()


def read_schema_job(
    schema: Any,
    resources: Any = None,
    *,
    name: str = "<schema>",
    component: str | None = None,
    dialect: str | None = None,
    style: str | None = None,
    formats: str | Mapping[str, str] = "assert",
    **choices: Any,
) -> SchemaJob:
    """Return the job of a JSON Schema, from what :func:`maskc.compile_json_schema` takes.

    Args:
        schema: as there.
        resources: as there.
        name: of the schema.
        component: the name of a schema in an OpenAPI document, which ``schema`` is then.
        dialect: ``openapi``, for a schema of OpenAPI 3.0 without its document.
        style: default: ``plain`` for a Python type, ``any`` for a schema.
        formats: as :func:`maskc.jsonschema.choices.choose_formats` takes them.
        choices: single parts of the style: ``key_order``, ``blanks``, ``escapes``, ``numbers``,
            ``digits``.

    Raises:
        SchemaError: a Python type has no schema.
        WrongTypeError, WrongValueError: a choice is none that there is.
    """
    is_asserted, treatments = choose_formats(formats)
    if is_type(schema):
        schema, style = describe_type(schema), style or "plain"
    if component is not None:
        schema = read_component(read_schema(schema), as_text("component", component))
    elif dialect is not None:
        if dialect != "openapi":
            raise WrongValueError(f"dialect is {dialect!r:.40}; give openapi, or leave it out")
        schema = read_schema_object(read_schema(schema))
    layout = choose_layout(style or "any", **choices)
    others = {} if resources is None else as_mapping("resources", resources)
    if treatments:
        schema = rename_formats(read_schema(schema), treatments)
        others = {uri: rename_formats(read_schema(one), treatments) for uri, one in others.items()}
    if treatments or dialect is not None:
        schema = write_json(schema)  # with exact numbers
        others = {uri: write_json(read_schema(one)) for uri, one in others.items()}
    return SchemaJob(schema, others, layout, is_asserted, name)


def read_grammar(
    path_or_text: str | os.PathLike[str],
    limits: Limits,
    *,
    starts: Sequence[str] = (),
    name: str = "<regex>",
    **settings: Any,
) -> GrammarJob | LinkJob:
    """Return the job of a grammar, with schemas or special tokens in it of the tag that it is.

    So is a pattern that is followed with counters.

    Args:
        path_or_text: as for :func:`maskc.compile_grammar`.
        limits: what reading it may take.
        starts: the start symbols; none: the grammar's own setting.
        name: of a pattern that counts so far that it becomes a structural tag.
        settings: of :func:`maskc.frontends.source.load_source`.

    Raises:
        MaskcError: it cannot be read.
    """
    has_settings = any((*starts, *(settings.get(s) for s in _OF_LARK)))
    if settings.get("dialect") == REGEX.name and not has_settings:
        from maskc.kit.artifacts import describe_counted

        tag = describe_counted(str(path_or_text), limits)
        if tag is not None:
            return LinkJob(name, tag)
    sources = load_sources(path_or_text, starts=starts, **settings)
    if len(sources) == 1 and sources[0].original is None and has_embedded(sources[0].text):
        return LinkJob(sources[0].name, describe_embedded(sources[0]))
    return GrammarJob(tuple(sources))


def name_choice(choice: str) -> str | dict[str, str]:
    """Return a choice of tools as the API takes it, from a text that may be a tool's name."""
    return choice if choice in _CHOICES else {"name": choice}
