"""Both request forms are read; whatever is not known is refused with its place."""

import json
from typing import Any

import pytest

from maskc.errors import GrammarError, SchemaError, TagError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags import formats as f
from maskc.tags.parsing import parse_tag
from maskc.tags.reading import Reader
from maskc.vocab.vocabulary import Vocabulary

_TEXT = {"type": "any_text"}
_TAG = {"type": "tag", "begin": "<a>", "content": _TEXT, "end": "</a>"}


def _read(form: Any) -> f.Format:
    names = {"<s>": 3}
    return Reader(10, names.get).read(parse_tag({"type": "structural_tag", "format": form}))


def test_both_request_forms_are_one() -> None:
    schema = {"type": "integer"}
    old = {"structures": [{"begin": "<f>", "schema": schema, "end": "!"}], "triggers": ["<f"]}
    read = Reader(10, {}.get).read(parse_tag(json.dumps({"type": "structural_tag", **old})))
    assert isinstance(read, f.Dispatch)
    assert read.loops
    assert not read.at_least_one
    (rule,) = read.rules
    assert rule.trigger == "<f"
    assert isinstance(rule.content, f.Tag)
    assert isinstance(rule.content.content, f.JsonSchema)
    assert rule.content.content.schema == schema


def test_the_older_form_of_sglang_may_ask_for_a_call_and_leave_its_schema_out() -> None:
    old = {"structures": [{"begin": "<f>", "schema": None, "end": "!"}], "triggers": ["<f"]}
    read = Reader(10, {}.get).read({"type": "structural_tag", **old, "at_least_one": True})
    assert isinstance(read, f.Dispatch)
    assert read.at_least_one
    (rule,) = read.rules
    assert isinstance(rule.content, f.Tag)
    assert isinstance(rule.content.content, f.JsonSchema)
    assert rule.content.content.schema == {}


def test_free_text_in_a_tag_lacks_the_end_of_the_nearest_one() -> None:
    read = _read({**_TAG, "content": {**_TAG, "end": ["x", ""]}})
    assert isinstance(read, f.Tag)
    assert isinstance(read.content, f.Tag)
    assert read.content.content == f.AnyText("/format/content/content", ("x",), None, None)


def test_an_end_that_is_a_token_bars_tokens_and_no_text() -> None:
    end = {"type": "token", "token": "<s>"}
    read = _read({**_TAG, "end": end})
    assert isinstance(read, f.Tag)
    assert read.content == f.AnyText("/format/content", (), None, None)
    read = _read({**_TAG, "content": {"type": "any_tokens"}, "end": end})
    assert isinstance(read, f.Tag)
    assert read.content == f.AnyTokens("/format/content", frozenset({3}), 0, None)


_TRIGGERED = {"type": "triggered_tags", "triggers": ["<a"], "tags": [_TAG]}


@pytest.mark.parametrize(
    ("form", "pointer", "reason"),
    [
        ({"type": "text"}, "/format/type", "'text' is no known format"),
        ([], "/format", "it is no JSON object"),
        ({"type": "const_string"}, "/format/value", "it is missing, or no text"),
        ({"type": "const_string", "value": "\ud800"}, "/format/value", "the text is not UTF-8"),
        ({**_TEXT, "max_token": 1}, "/format/max_token", "the field is not known here"),
        (
            {**_TEXT, "max_tokens": -1},
            "/format/max_tokens",
            "it is no integer from 0 to 2147483647",
        ),
        ({**_TEXT, "excludes": [""]}, "/format/excludes/0", "it is empty, and every text has it"),
        ({**_TAG, "end": []}, "/format/end", "it is empty"),
        ({**_TAG, "begin": 1}, "/format/begin", "it is no text and no token"),
        ({**_TRIGGERED, "triggers": []}, "/format/triggers", "there is none"),
        ({**_TRIGGERED, "triggers": ["b"]}, "/format/tags/0/begin", "it begins with no trigger"),
        (
            {**_TRIGGERED, "triggers": ["<a", "<"]},
            "/format/triggers",
            "the trigger '<' is the beginning of '<a'",
        ),
        (
            {**_TRIGGERED, "triggers": [""]},
            "/format/triggers/0",
            "it is empty, and every text has it",
        ),
        ({**_TRIGGERED, "at_least_one": 1}, "/format/at_least_one", "it is no Boolean"),
        ({"type": "dispatch", "rules": [["", _TEXT]]}, "/format/rules", "a trigger is empty"),
        ({"type": "token", "token": "<t>"}, "/format/token", "the tokenizer has no token '<t>'"),
        ({"type": "token", "token": 10}, "/format/token", "there is no token 10"),
        ({"type": "token", "token": True}, "/format/token", "it is no name and no id of a token"),
        (
            {"type": "repeat", "min": 2, "max": 1, "content": _TEXT},
            "/format/max",
            "it is not -1, or at least 2",
        ),
        ({"type": "json_schema", "json_schema": 1}, "/format/json_schema", "it is no JSON Schema"),
        (
            {"type": "json_schema", "json_schema": {}, "style": "xml"},
            "/format/style",
            "'xml' is no style",
        ),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(form: Any, pointer: str, reason: str) -> None:
    with pytest.raises(TagError) as caught:
        _read(form)
    assert (caught.value.pointer, caught.value.reason) == (pointer, reason)


def test_a_tag_that_is_nested_very_deep_is_refused() -> None:
    deep: Any = _TEXT
    for _ in range(3_000):
        deep = {"type": "optional", "content": deep}
    with pytest.raises(TagError, match="nested deeper than 60 levels"):
        _read(deep)
    with pytest.raises(TagError, match="nested too deep"):
        parse_tag('{"a":' * 200_000)


def test_ten_thousand_tags_are_read_and_more_formats_are_refused() -> None:
    tags = [{**_TAG, "begin": f"<a{n}>"} for n in range(10_000)]
    read = _read({**_TRIGGERED, "tags": tags})
    assert isinstance(read, f.Dispatch)
    assert len(read.rules) == 10_000
    with pytest.raises(TagError, match="more than 100,000 formats"):
        _read({"type": "or", "elements": [_TEXT] * 100_001})


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(Vocabulary((b"a", b"b", None), (2,), "small"))


@pytest.mark.parametrize(
    ("form", "kind", "pointer"),
    [
        ({"type": "regex", "pattern": "("}, TagError, "/format"),
        ({"type": "grammar", "grammar": "root ::= x"}, TagError, "/format"),
        (
            {"type": "json_schema", "json_schema": {"properties": {"a": {"type": "text"}}}},
            SchemaError,
            "/format/json_schema/properties/a",
        ),
        ({**_TEXT, "excludes": 1}, TagError, "/format/excludes"),
        (
            {
                "type": "json_schema",
                "json_schema": {},
                "style": "glm_xml",
                "max_whitespace_cnt": 3,
            },
            TagError,
            "/format/max_whitespace_cnt",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_the_request(
    form: Any, kind: type[TagError | SchemaError], pointer: str, kit: Kit
) -> None:
    with pytest.raises(kind) as caught:
        kit.structural_tag(
            {"type": "structural_tag", "format": {"type": "optional", "content": form}}
        )
    assert caught.value.pointer.replace("/format/content", "/format") == pointer
    assert not isinstance(caught.value, GrammarError)
