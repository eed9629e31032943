"""The example of each family is one of its answers, and so is what a style writes."""

from typing import Any

import pytest

from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.families import Tool, list_families, load_family
from maskc.tags.rendering import render, write_arguments
from maskc.tags.styles import STYLES
from maskc.vocab.vocabulary import Vocabulary, build_byte_table

_ITEMS = {"type": "array", "items": {"type": ["string", "integer"]}}
_SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": ["integer", "null"]},
        "where": {"type": "object", "properties": {"at": _ITEMS}, "required": ["at"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
_ARGUMENTS: dict[str, Any] = {"city": "Oslo", "days": None, "where": {"at": ["b", 3]}}


@pytest.fixture(scope="module")
def kit() -> Kit:
    table = build_byte_table()
    return make_kit(Vocabulary(table.tokens, table.eos_ids, "bytes"))


@pytest.mark.parametrize("family", list_families())
def test_the_example_of_a_family_is_an_answer(family: str, kit: Kit) -> None:
    tag = load_family(family).describe(
        [Tool("f", _SCHEMA, "")], "required", parallel=True, reasoning=False
    )
    matcher = kit.structural_tag(tag).matcher()
    assert matcher.accept_bytes(render(tag, _ARGUMENTS).encode())
    assert matcher.is_accepting


@pytest.mark.parametrize("style", sorted(STYLES))
def test_what_a_style_writes_is_taken(style: str, kit: Kit) -> None:
    form = {"type": "json_schema", "json_schema": _SCHEMA, "style": style}
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    assert matcher.accept_bytes(write_arguments(style, _ARGUMENTS).encode())
    assert matcher.is_accepting
