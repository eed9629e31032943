"""Tags that engines make of tools have what ends a call barred; all else in them stays."""

import json
from types import SimpleNamespace

import pytest

from maskc.integrations import sglang
from maskc.integrations.requests import bar_ends
from maskc.integrations.vllm import _wrap_tags
from maskc.kit.file import make_kit
from maskc.tags.families import list_families, load_family
from maskc.vocab import load_vocabulary

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def arguments(style="json", schema=SCHEMA, excludes=()):
    return SimpleNamespace(
        type="json_schema", json_schema=schema, style=style, excludes=list(excludes)
    )


def call(begin, end, content):
    return SimpleNamespace(type="tag", begin=begin, content=content, end=end)


def calls(*tags):
    return SimpleNamespace(type="tags_with_separator", tags=list(tags), separator="")


def test_what_ends_a_call_of_a_known_family_is_barred_from_all_arguments():
    first, second = arguments(), arguments(excludes=["x<"])
    bar_ends(calls(call("<tool_call>", "</tool_call>", first), call("a", "b", second)), "hermes")
    assert first.excludes == ["<tool_call>", "</tool_call>"]
    assert second.excludes == ["x<", "<tool_call>", "</tool_call>"]


def test_parameters_have_no_end_of_a_parameter_either():
    written, nested = arguments("glm_xml"), arguments()
    bar_ends([written, SimpleNamespace(type="sequence", elements=(nested,))], "glm_4_7")
    assert written.excludes == nested.excludes == ["</arg_value>", "</tool_call>"]


def test_of_a_model_without_a_family_the_names_around_a_call_are_barred_from_json():
    written, raw = arguments(), arguments("qwen_xml")
    inner = call('<long_call>\n{"name": "f<a b>', ["}\n</long_call>", "}<|end|>"], written)
    bar_ends(call("<|all|>", SimpleNamespace(type="token", token=3), [inner, raw]), "other")
    assert written.excludes == ["</long_call>", "<long_call>", "<|all|>", "<|end|>"]
    assert raw.excludes == []


def test_a_schema_that_speaks_of_formats_is_left_alone():
    schema = {"properties": {"type": {"const": "json_schema"}, "style": {}}}
    form = arguments(schema=schema)
    bar_ends(form, "qwen_3")
    assert form.json_schema == {"properties": {"type": {"const": "json_schema"}, "style": {}}}


@pytest.mark.parametrize("family", list_families())
def test_what_every_family_bars_can_be_barred(family):
    kit = make_kit(load_vocabulary("bytes"))
    words = load_family(family).list_forbidden()
    form = {"type": "json_schema", "json_schema": SCHEMA, "excludes": list(words)}
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    assert matcher.accept_bytes(b'{"q": "a')
    for word in words:
        assert not matcher.fork().accept_bytes(word.encode()), word


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("structural_tag", ["<tool_call>", "</tool_call>"]), ("json", []), ("no such kind", [])],
)
def test_vllms_tags_are_barred_where_maskc_serves_them(monkeypatch, setting, expected):
    monkeypatch.setenv("MASKC_REQUESTS", setting)
    form = arguments()
    _wrap_tags(lambda _, tools: SimpleNamespace(format=tools))("hermes", form)
    assert form.excludes == expected
    assert _wrap_tags(lambda _: None)("hermes") is None


def test_a_tag_of_sglangs_older_form_has_a_place_for_what_is_excluded():
    given = {
        "type": "structural_tag",
        "structures": [
            {"begin": '<tool_call>{"name": "f", "a": ', "schema": SCHEMA, "end": "}</tool_call>"}
        ],
        "triggers": ["<tool_call>"],
        "at_least_one": True,
    }
    matcher_of = make_kit(load_vocabulary("bytes")).structural_tag
    text = b'<tool_call>{"name": "f", "a": {"q": "</tool_call>"}}</tool_call>'
    assert matcher_of(given).matcher().accept_bytes(text)
    tag = SimpleNamespace(model_dump=lambda **_: json.loads(json.dumps(given)))
    forbidden = sglang.bar_tag(tag, None).model_dump(by_alias=True)
    assert forbidden["structures"][0]["excludes"] == ["</tool_call>", "<tool_call>"]
    assert not matcher_of(forbidden).matcher().accept_bytes(text)
    escaped = text.replace(b'</tool_call>"', b'\\u003c/tool_call>"')
    assert matcher_of(forbidden).matcher().accept_bytes(escaped)


def test_a_tag_of_sglangs_newer_form_is_given_back_as_json_with_its_free_text_at_hand(monkeypatch):
    monkeypatch.setenv("MASKC_REQUESTS", "structural_tag")
    call = {"type": "tag", "begin": "<function=f>", "content": vars(arguments("qwen_xml"))}
    form = {"type": "triggered_tags", "tags": [call | {"end": ""}], "excludes": ["<think>"]}
    tag = SimpleNamespace(model_dump=lambda **_: {"format": form})
    parser = SimpleNamespace(detector=SimpleNamespace(get_structural_tag_name=lambda: "qwen_3_5"))
    make = sglang.wrap_constraint(lambda _, kind: (kind, tag))
    forbidden = make(parser, "structural_tag")[1]
    assert "</function>" in call["content"]["excludes"]
    forbidden.format["excludes"] = []
    assert forbidden.model_dump(by_alias=True)["format"]["excludes"] == []
    assert make(parser, "json_schema") == ("json_schema", tag)
    parser.detector.get_structural_tag_name = lambda: None
    assert make(parser, "structural_tag") == ("structural_tag", tag)


def test_a_call_with_its_end_in_a_string_is_refused_as_the_plug_in_leaves_the_tag():
    kit = make_kit(load_vocabulary("bytes"))
    text = b'<tool_call>{"q": "</tool_call>"}</tool_call>'
    form = arguments()
    for expected in (True, False):
        inner = {name: value for name, value in vars(form).items() if value != []}
        tag = {"type": "tag", "begin": "<tool_call>", "content": inner, "end": "</tool_call>"}
        asked = json.dumps({"type": "structural_tag", "format": tag})
        assert kit.structural_tag(asked).matcher().accept_bytes(text) is expected
        bar_ends(form, "hermes")
