"""Example texts of a schema or of tools, for their artifact: see :mod:`maskc.artifact.examples`.

Example: of one tool ``f`` of a number ``n`` the texts are a call with ``{"n": 12}``, and one with
``{}`` if the number need not be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from maskc.artifact.examples import TokenCutter, add_examples
from maskc.artifact.model import Contents
from maskc.errors import FormatError, LimitError, SchemaError
from maskc.kit.documents import MOST_STEPS, write_documents
from maskc.kit.preparing import split
from maskc.runtime.artifact import Artifact
from maskc.tags.families import load_family
from maskc.tags.rendering import render
from maskc.tags.tools import read_choice, read_tools
from maskc.vocab.vocabulary import Vocabulary

if TYPE_CHECKING:
    from maskc.kit.kit import Kit

_CACHE_BYTES = 32 * 1024 * 1024
# Of calls: a server follows them within a second.
_MOST_TOKENS = 20_000
# That calls are drawn for: where none is found, that takes as long.
_MOST_TOOLS = 200


def add_documents(contents: Contents, schema: Any, vocabulary: Vocabulary) -> Contents:
    """Return the artifact of a schema, parsed JSON, with documents as examples."""
    artifact = _open(contents)
    texts = ([text] for text in write_documents(schema, artifact.matcher))
    return add_examples(contents, list(_list_legal(artifact, texts, vocabulary)))


def add_calls(
    contents: Contents,
    kit: Kit,
    vocabulary: Vocabulary,
    tools: Any,
    *,
    family: str,
    choice: Any,
    parallel: bool,
    reasoning: bool,
    strict: bool = False,
) -> Contents:
    """Return the artifact of tools with calls as examples; see :meth:`maskc.kit.kit.Kit.tools`."""
    form, chosen = read_choice(choice, read_tools(tools, strict=strict))
    found: list[list[int]] = []
    if form != "none":
        artifact, writer = _open(contents), load_family(family)
        for tool in chosen[:_MOST_TOOLS]:
            tag = writer.describe([tool], form, parallel=parallel, reasoning=reasoning)
            calls = (
                split(render(tag, arguments), vocabulary.special_ids)
                for arguments in _list_arguments(kit, tool.schema)
            )
            found += _list_legal(artifact, calls, vocabulary)
            if sum(map(len, found)) > _MOST_TOKENS:
                break
    return add_examples(contents, found)


def _list_arguments(kit: Kit, schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the documents of a schema that are whole, and objects."""
    try:
        texts = write_documents(schema, kit.json_schema(schema).matcher)
    except (LimitError, SchemaError):
        return  # as JSON; as parameters it was compiled
    for text in texts:
        with suppress(ValueError):
            found = json.loads(text)
            if isinstance(found, dict):
                yield found


def _open(contents: Contents) -> Artifact:
    # What was made when it was compiled is left to who opens it first.
    unmade = replace(contents, made=list(contents.made))
    return Artifact(unmade, cache_bytes=_CACHE_BYTES, steps=MOST_STEPS)


def _list_legal(
    artifact: Artifact, texts: Iterable[Iterable[bytes | int]], vocabulary: Vocabulary
) -> Iterator[list[int]]:
    """Yield the tokens of texts as far as they are legal, with the end if a text may end there.

    A text is parts of it, a special token by its id.
    """
    cutter = _cutter_of(vocabulary)
    for text in texts:
        tokens: list[int] = []
        for part in text:
            tokens += cutter.cut(part) if isinstance(part, bytes) else [part]
        try:
            matcher = artifact.matcher()
            n_legal = matcher.accept_tokens(tokens)
            is_whole = n_legal == len(tokens) and matcher.is_accepting
        except (FormatError, LimitError):
            continue
        if n_legal:
            yield [*tokens[:n_legal], *artifact.eos_ids[: int(is_whole)]]


@lru_cache(maxsize=2)
def _cutter_of(vocabulary: Vocabulary) -> TokenCutter:
    return TokenCutter(vocabulary.tokens)
