"""Both request forms are read; whatever is not known is refused with its place."""

import json

import pytest

from maskc.errors import GrammarError, SchemaError, TagError
from maskc.kit.file import make_kit
from maskc.tags import fields
from maskc.tags import formats as f
from maskc.tags.fields import MAX_CHARACTERS, Around, Form, TokenNames, parse_json, parse_tag
from maskc.tags.reading import TagReader
from maskc.vocab.vocabulary import Vocabulary
from tests.tags.conftest import tag_of

_TEXT = {"type": "any_text"}
_TAG = {"type": "tag", "begin": "<a>", "content": _TEXT, "end": "</a>"}
_ATOM = {**_TAG, "begin": {"type": "token", "token": "<s>"}}
_TRIGGERED = {"type": "triggered_tags", "triggers": ["<a"], "tags": [_TAG]}
_OF_TOKENS = {"type": "token_triggered_tags", "trigger_tokens": ["<s>"], "tags": [_ATOM]}
_NAMES = {"<s>": 3, "<t>": 4}


def _read(form):
    return TagReader(10, _NAMES.get).read(parse_tag(tag_of(form)))


def test_a_text_is_parsed_and_a_mapping_is_itself():
    tag = {"format": _TEXT}
    assert parse_tag(tag) is tag
    assert parse_tag('{"format": {"type": "any_text"}}') == tag
    assert parse_tag(b'{"a": 1}') == {"a": 1}
    # What is no text is left to the reader.
    assert parse_json([1], "/tools") == [1]
    with pytest.raises(TagError, match="/tools"):
        parse_json("[", "/tools")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        (3, "it is not a JSON object"),
        ("[" * 200_000, "nested too deep"),
        (" " * (MAX_CHARACTERS + 1), "8,388,608 characters"),
    ],
)
def test_what_is_no_tag_is_refused(given, told):
    with pytest.raises(TagError, match=told):
        parse_tag(given)


@pytest.mark.parametrize(
    ("schema", "more", "read_as"),
    [
        ({"type": "integer"}, {}, {"type": "integer"}),
        # As SGLang has it.
        (None, {"at_least_one": True}, {}),
    ],
)
def test_both_request_forms_are_one(schema, more, read_as):
    old = {"structures": [{"begin": "<f>", "schema": schema, "end": "!"}], "triggers": ["<f"]}
    tag = json.dumps({"type": "structural_tag", **old, **more})
    read = TagReader(10, {}.get).read(parse_tag(tag))
    assert isinstance(read, f.Dispatch)
    assert (read.loops, read.at_least_one) == (True, bool(more))
    (rule,) = read.rules
    assert (rule.trigger, rule.content.content.schema) == ("<f", read_as)


@pytest.mark.parametrize(
    ("form", "content"),
    [
        # Free text lacks the end of the nearest tag.
        (
            {**_TAG, "content": {**_TAG, "end": ["x", ""]}},
            f.AnyText("/format/content/content", ("x",), None, None),
        ),
        # An end that is a token bars tokens and no text.
        (
            {**_TAG, "end": {"type": "token", "token": "<s>"}},
            f.AnyText("/format/content", (), None, None),
        ),
        (
            {**_TAG, "content": {"type": "any_tokens"}, "end": {"type": "token", "token": "<s>"}},
            f.AnyTokens("/format/content", frozenset({3}), 0, None),
        ),
    ],
)
def test_free_text_in_a_tag_lacks_its_end(form, content):
    read = _read(form)
    while isinstance(read, f.Tag):
        read = read.content
    assert read == content
    inner = _read({**_TAG, "begin": "<o>", "content": {**_TRIGGERED, "excludes": ["x"]}}).content
    assert inner.excludes == ("x", "</a>")


def test_what_stands_around_goes_down_with_the_depth():
    around = Around(("</a>",), frozenset([3]), 4).deeper()
    assert (around.ends, around.end_ids, around.depth) == (("</a>",), {3}, 5)
    assert (Around().ends, Around().deeper().depth) == ((), 1)


def test_a_tag_belongs_to_the_trigger_that_it_begins_with():
    tags = [_TAG, {**_TAG, "begin": "<b"}]
    read = _read({"type": "triggered_tags", "triggers": ["<a", "<b", "<c", "<c"], "tags": tags})
    rules = [(rule.trigger, rule.begins_with_trigger) for rule in read.rules]
    assert rules == [("<a", True), ("<b", True)]
    assert (set(read.unused), read.loops, read.at_least_one) == ({"<c"}, True, False)
    read = _read({"type": "dispatch", "rules": [["<a", _TEXT]], "loop": False})
    assert [(rule.trigger, rule.begins_with_trigger) for rule in read.rules] == [("<a", False)]
    assert (read.loops, read.of_tokens) == (False, False)


def test_tokens_that_are_triggers_are_not_among_the_free_ones():
    read = _read({**_OF_TOKENS, "trigger_tokens": ["<s>", "<t>"], "exclude_tokens": [5]})
    assert (read.of_tokens, read.excluded_ids) == (True, {3, 4, 5})
    read = _read({"type": "token_dispatch", "rules": [["<s>", _TEXT]], "exclude_tokens": [5]})
    assert (read.of_tokens, read.excluded_ids, read.rules[0].trigger) == (True, {3, 5}, 3)


@pytest.mark.parametrize(
    ("form", "pointer", "reason"),
    [
        ({"type": "text"}, "/format/type", "'text' is not a known format"),
        ([], "/format", "it is not a JSON object"),
        ({"type": "const_string"}, "/format/value", "it is missing, or no text"),
        ({"type": "const_string", "value": "\ud800"}, "/format/value", "the text is not UTF-8"),
        ({**_TEXT, "max_token": 1}, "/format/max_token", "the field is not known here"),
        ({**_TEXT, "max_tokens": -1}, "/format/max_tokens", "no integer from 0 to 2147483647"),
        ({**_TEXT, "max_tokens": True}, "/format/max_tokens", "no integer from 0"),
        ({**_TEXT, "max_tokens": fields.MOST + 1}, "/format/max_tokens", "no integer from 0"),
        ({**_TEXT, "excludes": "a"}, "/format/excludes", ""),
        ({**_TEXT, "excludes": ["a", 1]}, "/format/excludes/1", ""),
        ({**_TEXT, "excludes": [""]}, "/format/excludes/0", "it is empty, and every text has it"),
        ({"type": "sequence", "elements": []}, "/format/elements", ""),
        ({**_TAG, "end": []}, "/format/end", "it is empty"),
        ({**_TAG, "begin": 1}, "/format/begin", "it is neither text nor a token"),
        ({**_TRIGGERED, "triggers": []}, "/format/triggers", "there is none"),
        ({**_TRIGGERED, "triggers": ["b"]}, "/format/tags/0/begin", "it begins with no trigger"),
        ({**_TRIGGERED, "triggers": ["<a", "<"]}, "/format/triggers", "'<' is the beginning of"),
        ({**_TRIGGERED, "triggers": ["b", "<a", "bc"]}, "/format/triggers", "'b' is the beginn"),
        ({**_TRIGGERED, "triggers": [""]}, "/format/triggers/0", "it is empty, and every text"),
        ({**_TRIGGERED, "at_least_one": 1}, "/format/at_least_one", "it is no Boolean"),
        ({**_TRIGGERED, "tags": [_ATOM]}, "/format/tags/0/begin", ""),
        ({"type": "dispatch", "rules": [["", _TEXT]]}, "/format/rules", "a trigger is empty"),
        ({"type": "dispatch", "rules": [[3, _TEXT]]}, "/format/rules/0/0", ""),
        ({"type": "dispatch", "rules": [["b", _TEXT], ["a"]]}, "/format/rules/1", ""),
        ({"type": "token_triggered_tags", "tags": [_ATOM]}, "/format/trigger_tokens", ""),
        ({**_OF_TOKENS, "trigger_tokens": ["<t>"]}, "/format/tags/0/begin", ""),
        ({**_OF_TOKENS, "tags": [_TAG]}, "/format/tags/0/begin", ""),
        ({"type": "token", "token": "<u>"}, "/format/token", "the tokenizer has no token '<u>'"),
        ({"type": "token", "token": 10}, "/format/token", "there is no token 10"),
        (
            {"type": "token", "token": True},
            "/format/token",
            "it is neither a name nor an id of a token",
        ),
        (
            {"type": "repeat", "min": 2, "max": 1, "content": _TEXT},
            "/format/max",
            "it is not -1, or at least 2",
        ),
        (
            {"type": "json_schema", "json_schema": 1},
            "/format/json_schema",
            "it is not a JSON Schema",
        ),
        (
            {"type": "json_schema", "json_schema": {}, "style": "xml"},
            "/format/style",
            "'xml' is no style",
        ),
        (
            {"type": "json_schema", "json_schema": {}, "style": ["json"]},
            "/format/style",
            "['json'] is no style",
        ),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(form, pointer, reason):
    with pytest.raises(TagError) as caught:
        _read(form)
    assert caught.value.pointer == pointer
    assert reason in caught.value.reason


def test_a_token_is_found_by_its_name_and_by_its_id():
    names = TokenNames(10, _NAMES.get)
    assert names.find("<s>", "/t") == names.find(3, "/t") == 3

    def find_all(given):
        return Form(given, "/format", ("ids",), names, Around()).token_list("ids")

    assert find_all({"ids": ["<s>", 4]}) == {3, 4}
    assert find_all({}) == frozenset()
    for given in ("<b>", 10, -1, True, None, [3]):
        with pytest.raises(TagError) as refused:
            find_all({"ids": [3, given]})
        assert refused.value.pointer == "/format/ids/1"
    with pytest.raises(TagError, match="/format/ids"):
        find_all({"ids": "<a>"})


def test_a_tag_that_is_nested_very_deep_is_refused():
    deep = _TEXT
    for _ in range(3_000):
        deep = {"type": "optional", "content": deep}
    with pytest.raises(TagError, match="nested deeper than 60 levels"):
        _read(deep)


def test_ten_thousand_tags_are_read_and_more_formats_are_refused():
    tags = [{**_TAG, "begin": f"<a{n}>"} for n in range(10_000)]
    assert len(_read({**_TRIGGERED, "tags": tags}).rules) == 10_000
    with pytest.raises(TagError, match="more than 100,000 formats"):
        _read({"type": "or", "elements": [_TEXT] * 100_001})


@pytest.mark.parametrize(
    ("form", "kind", "pointer"),
    [
        ({"type": "regex", "pattern": "("}, TagError, ""),
        ({"type": "grammar", "grammar": "root ::= x"}, TagError, ""),
        (
            {"type": "json_schema", "json_schema": {"properties": {"a": {"type": "text"}}}},
            SchemaError,
            "/json_schema/properties/a",
        ),
        ({**_TEXT, "excludes": 1}, TagError, "/excludes"),
        (
            {"type": "json_schema", "json_schema": {}, "style": "glm_xml", "max_whitespace_cnt": 3},
            TagError,
            "/max_whitespace_cnt",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused_with_the_request(form, kind, pointer):
    kit = make_kit(Vocabulary((b"a", b"b", None), (2,), "small"))
    with pytest.raises(kind) as caught:
        kit.structural_tag(tag_of({"type": "optional", "content": form}))
    assert caught.value.pointer == f"/format/content{pointer}"
    assert not isinstance(caught.value, GrammarError)
