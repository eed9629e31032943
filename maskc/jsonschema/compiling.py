"""THE ORDER for a JSON Schema: read, lower, build, freeze, and what the artifact holds."""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maskc
from maskc.artifact.model import FORMAT, Contents
from maskc.errors import SchemaError
from maskc.formats import Formats, registered
from maskc.jsonschema.building import PositionBuilder
from maskc.jsonschema.expressions import Space
from maskc.jsonschema.formulas import Formula
from maskc.jsonschema.freezing import freeze_plan
from maskc.jsonschema.keywords import DEFAULT, dialect_of
from maskc.jsonschema.locations import SchemaLocation
from maskc.jsonschema.lowering import Lowering
from maskc.jsonschema.reader import check_root, read_schema, write_json
from maskc.jsonschema.resources import Documents, Resolver
from maskc.jsonschema.waiting import TooManyWaitingError
from maskc.runtime.schema.plan import FrozenPlan, JsonLayout
from maskc.vocab.vocabulary import Vocabulary


def build_plan(
    schema: Any,
    *,
    resources: Mapping[str, Any],
    layout: JsonLayout,
    assert_formats: bool,
    formats: Formats | None = None,
    is_altered: bool = False,
    waits: bool = False,
) -> FrozenPlan:
    """Return the plan of a schema.

    Args:
        resources: URI → other documents.
        formats: those of a user; default: those that are registered.
        is_altered: whether keywords may have been left out, so that the root may be no schema.
        waits: whether positions may be left for later, see ``FrozenPlan.grow``.
    """
    parsed = read_schema(schema)
    others = {uri: read_schema(other) for uri, other in resources.items()}
    if not is_altered:
        check_root(parsed)
    if waits:  # for longer than the caller may leave the schema as it is
        parsed, others = _copy(parsed), {uri: _copy(other) for uri, other in others.items()}
    build = partial(_build, parsed, others, layout, formats, assert_formats=assert_formats)
    try:
        return build(waits=waits)[0]
    except TooManyWaitingError:
        return build()[0]


def _copy(parsed: Any) -> Any:
    try:
        return marshal.loads(marshal.dumps(parsed, 2))  # noqa: S302  # of our own
    except ValueError:
        return parsed  # with fractions, which nobody else has: it was read from a text


def _build(
    parsed: Any,
    others: Mapping[str, Any],
    layout: JsonLayout,
    formats: Formats | None,
    *,
    assert_formats: bool,
    waits: bool = False,
) -> tuple[FrozenPlan, Formats]:
    """Return the plan, and the formats of a user that it asks for."""
    ordered = layout.key_order == "schema"
    choices: dict[str, Any] = {"assert_formats": assert_formats, "waits": waits}
    try:
        lowering, formula = lower(parsed, others, formats=formats, ordered=ordered, **choices)
        builder = PositionBuilder(lowering.space, layout, lowering.pointers, lowering.list_ahead)
        root = builder.add(formula, "")
        builder.finish()
        return freeze_plan(builder, root), lowering.strings.used
    except RecursionError:
        raise SchemaError(
            "", "", "is nested too deep, with its references", "write it with fewer levels"
        ) from None


def lower(
    parsed: Any,
    others: Mapping[str, Any],
    *,
    assert_formats: bool = True,
    formats: Formats | None = None,
    ordered: bool = False,
    waits: bool = False,
) -> tuple[Lowering, Formula]:
    """Return what a schema asks, with what lowered it.

    Args:
        others: URI → other documents, parsed.
    """
    dialect = DEFAULT
    if isinstance(parsed, dict) and "$schema" in parsed:
        dialect = dialect_of(parsed["$schema"], "", others)
    resolver = Resolver(Documents(parsed, others, dialect))
    lowering = Lowering(
        Space(),
        assert_formats=assert_formats,
        formats=registered() if formats is None else formats,
        ordered=ordered,
        root=parsed,
        dialect=dialect,
        documents=others,
        waits=waits,
    )
    return lowering, lowering.lower(SchemaLocation(parsed, resolver, "", dialect, is_entered=True))


def compile_schema(
    schema: Any,
    vocabulary: Vocabulary,
    *,
    name: str = "<schema>",
    resources: Mapping[str, Any] | None = None,
    layout: JsonLayout | None = None,
    assert_formats: bool = True,
    formats: Formats | None = None,
) -> Contents:
    """Return the contents of an artifact; see :func:`build_plan`."""
    layout, resources = layout or JsonLayout(), resources or {}
    parsed = read_schema(schema)
    others = {uri: read_schema(other) for uri, other in resources.items()}
    check_root(parsed)
    frozen, used = _build(parsed, others, layout, formats, assert_formats=assert_formats)
    text = write_json(parsed)
    fields = [text, layout.to_dict(), assert_formats, sorted(resources)]
    tokenizer, tokens = _describe_vocabulary(vocabulary)
    header = {
        "format": FORMAT,
        "maskc": maskc.__version__,
        "grammar": {
            "name": name,
            "parser": "schema",
            "dialect": "json-schema",
            "text": text,
            "sha256": hashlib.sha256(json.dumps(fields).encode() + frozen.data).hexdigest(),
        },
        "schema_layout": layout.to_dict(),
        "schema_formats": "asserted" if assert_formats else "annotations",
        **({"registered_formats": used} if used else {}),
        "tokenizer": dict(tokenizer),
        "sizes": {"V": vocabulary.vocab_size},
    }
    plan = np.frombuffer(frozen.data, dtype=np.uint8)
    return Contents(header, {**tokens, "schema_plan": plan}, [frozen])


@lru_cache(maxsize=4)  # many schemas share a vocabulary
def _describe_vocabulary(
    vocabulary: Vocabulary,
) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    texts = [token or b"" for token in vocabulary.tokens]
    return vocabulary.describe(), {
        "token_first": np.cumsum([0, *map(len, texts)]).astype(np.int32),
        "token_bytes": np.frombuffer(b"".join(texts), dtype=np.uint8),
    }
