"""Tags that are made to take long are bounded: they are answered in time, or refused."""

from typing import Any

import pytest

import maskc
from maskc.errors import LimitError, MaskcError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.vocab.vocabulary import Vocabulary, build_byte_table


@pytest.fixture(scope="module")
def kit() -> Kit:
    table = build_byte_table()
    return make_kit(Vocabulary(table.tokens, table.eos_ids, "bytes"))


def _fill(kit: Kit, form: Any, text: bytes) -> bool:
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for byte in text:
        matcher.fill_bitmask(bitmask, 0)
        if not matcher.accept_token(byte):
            return False
    matcher.fill_bitmask(bitmask, 0)
    return matcher.is_accepting


def _const(value: str) -> dict[str, Any]:
    return {"type": "const_string", "value": value}


def test_thousands_of_tags_that_begin_alike_are_one_hypothesis(kit: Kit) -> None:
    tags = [
        {"type": "tag", "begin": f"<f{n:05}>", "content": _const("x"), "end": "!"}
        for n in range(5_000)
    ]
    form = {"type": "triggered_tags", "triggers": ["<f"], "tags": tags}
    assert _fill(kit, form, b"a <f04999>x! b")
    assert not _fill(kit, form, b"<f05000>x!")


def test_triggers_with_long_common_beginnings_are_followed(kit: Kit) -> None:
    rules = [["a" * 50 + f"b{n:03}", _const("x")] for n in range(50)]
    form = {"type": "dispatch", "rules": rules}
    assert _fill(kit, form, b"a" * 70 + b"b007x")


def test_nested_repetitions_of_free_text_are_followed(kit: Kit) -> None:
    form: Any = {"type": "any_text"}
    for _ in range(20):
        form = {"type": "sequence", "elements": [form, {"type": "star", "content": form}]}
        if len(str(form)) > 20_000:
            break
    assert _fill(kit, form, b"some text")


def test_an_empty_loop_ends(kit: Kit) -> None:
    empty = {"type": "star", "content": {"type": "optional", "content": _const("")}}
    assert _fill(kit, empty, b"")
    tag = {"type": "tag", "begin": "", "content": empty, "end": ""}
    form = {"type": "tags_with_separator", "tags": [tag], "separator": ""}
    assert _fill(kit, form, b"")
    assert not _fill(kit, form, b"a")


def test_references_in_a_circle_are_refused_or_followed(kit: Kit) -> None:
    schema = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    form = {"type": "json_schema", "json_schema": {**schema, "$ref": "#/$defs/a"}}
    for style in ("json", "qwen_xml", "cohere_xml"):
        with pytest.raises(MaskcError):
            _fill(kit, {**form, "style": style}, b"")


def test_a_trigger_of_one_character_in_long_tokens_is_followed() -> None:
    kit = make_kit(Vocabulary((b" ", b" " * 128, b"x", None), (3,), "blanks"))
    tag = {"type": "tag", "begin": " ", "content": _const(""), "end": ""}
    form = {"type": "triggered_tags", "triggers": [" "], "tags": [tag]}
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    assert bitmask[0, 0] == 0b1111
    assert matcher.accept_token(1)


def test_what_is_nested_very_deep_in_memory_is_refused_with_a_sentence(kit: Kit) -> None:
    form: Any = _const("x")
    schema: Any = {}
    for _ in range(100_000):
        form, schema = {"type": "optional", "content": form}, {"items": schema}
    with pytest.raises(LimitError, match="levels of nested JSON"):
        kit.structural_tag({"type": "structural_tag", "format": form})
    with pytest.raises(LimitError, match="levels of nested JSON"):
        kit.json_schema(schema)


@pytest.mark.parametrize("kind", ["any_text", "json_schema"])
def test_very_long_texts_to_exclude_are_refused(kit: Kit, kind: str) -> None:
    form = {"type": kind, "excludes": ["<" * 300_000, "<" * 300_001]}
    more = {"json_schema": {"type": "string"}} if kind == "json_schema" else {}
    tag = {"type": "tag", "begin": "<f>", "content": {**form, **more}, "end": "!"}
    late = {"type": "triggered_tags", "triggers": ["<f>"], "tags": [tag]}
    for whole in (form | more, late):
        with pytest.raises(LimitError, match="500,000 bytes of triggers and of texts"):
            kit.structural_tag({"type": "structural_tag", "format": whole})


def test_thousands_of_texts_are_excluded_from_json(kit: Kit) -> None:
    words = [f"<w{n:05}>" for n in range(5_000)]
    form = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": words}
    assert _fill(kit, form, b'"<w00001 <w0000\\u003e"')
    assert not _fill(kit, form, b'"<w00001>"')
