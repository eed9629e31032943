"""Explains a text of any artifact: of a grammar, a JSON Schema, or a tag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from maskc.artifact.sections import is_link, is_schema
from maskc.explain.model import Explanation
from maskc.explain.questions import TokenName, explain
from maskc.runtime.artifact import Artifact


def explain_any(
    artifact: Artifact,
    text: bytes,
    asked: TokenName | None = None,
    resources: Mapping[str, Any] | None = None,
) -> Explanation[Any]:
    """Return what may come next after a text, or why it is illegal.

    Args:
        artifact: what to ask.
        text: from the start.
        asked: a token to explain as well.
        resources: the documents that a JSON Schema was compiled with.

    Raises:
        GrammarError, PostlexError: the grammar of the artifact cannot be built again.
        SchemaError: the schema refers to a document that is not given.
        ValueError: there is no token of that id.
    """
    if is_schema(artifact.header):
        from maskc.explain.schemas import explain_schema

        return explain_schema(artifact, text, asked, resources)
    if is_link(artifact.header):
        from maskc.explain.links import explain_link

        return explain_link(artifact, text, asked)
    return explain(artifact, text, asked)
