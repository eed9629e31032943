"""Arguments have nothing in them that a parser of texts takes for the end of the call."""

import json
import re

import numpy as np
import pytest

from maskc.artifact.container import decode, encode
from maskc.artifact.model import Contents
from maskc.errors import ArtifactError, TagError
from maskc.explain.judges import group_link
from maskc.kit.artifacts import compile_structural_tag, compile_tools
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.runtime.link.text.without_words import may_be_forbidden
from maskc.runtime.loading import check_contents
from maskc.tags.styles import STYLES
from maskc.tags.tools import describe_tools
from maskc.vocab import load_vocabulary
from tests.tags.conftest import tag_of

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "list": {"type": "array"}}}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
# What the regular expressions and searches of engines' parsers look for.
MARKERS = {
    "qwen_3": ["<tool_call>", "</tool_call>"],
    "exaone": ["<tool_call>", "</tool_call>"],
    "deepseek_r1": ["<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"],
    "deepseek_v3_1": ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁end｜>"],
    "kimi": ["<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_calls_section_end|>"],
    "harmony": ["<|call|>", "<|end|>", "<|channel|>"],
    "llama": ["<|python_tag|>"],
    "qwen_3_coder": ["</parameter>", "</function>", "</tool_call>", "<parameter="],
    "qwen_3_5": ["</parameter>", "</function>", "</tool_call>"],
    "mimo": ["</parameter>", "</function>", "</tool_call>"],
    "minimax": ["</parameter>", "</invoke>", "</minimax:tool_call>"],
    "glm_4_7": ["</arg_value>", "</tool_call>"],
    "deepseek_v3_2": ["</｜DSML｜parameter>", "</｜DSML｜invoke>", "</｜DSML｜function_calls>"],
    "deepseek_v4": ["</｜DSML｜parameter>", "</｜DSML｜invoke>", "</｜DSML｜tool_calls>"],
}


def forbidden(*excludes, schema=SCHEMA, **fields):
    return tag_of(
        {"type": "json_schema", "json_schema": schema, "excludes": list(excludes), **fields}
    )


def plan_of(tag):
    contents = compile_structural_tag(tag, load_vocabulary("bytes"), limits=Limits())
    header, arrays = decode(encode(contents.header, contents.arrays), "written")
    return header, arrays, json.loads(arrays["link_plan"].tobytes())


def check_plan(header, arrays, plan):
    data = np.frombuffer(json.dumps(plan).encode(), dtype=np.uint8)
    check_contents(Contents(header, {**arrays, "link_plan": data}), "written")


def find_arguments(form):
    """Return the format of the arguments in a tag."""
    if isinstance(form, dict) and form.get("type") == "json_schema":
        return form
    inner = form.values() if isinstance(form, dict) else form if isinstance(form, list) else ()
    return next((found for one in inner if (found := find_arguments(one))), None)


def test_a_word_that_json_may_need_cannot_be_barred():
    assert all(map(may_be_forbidden, (b"</tool_call>", b"```", "｜".encode(), b"\n<")))
    needed = (b'<"', b"<\\", b"}}", b"\\u003c", b"true", b"d83d", b" ", b"")
    assert not any(map(may_be_forbidden, needed))


@pytest.mark.parametrize("family", sorted(MARKERS))
def test_a_string_of_json_has_no_marker_of_the_family(family, kit):
    schema = {"type": "object", "properties": {"a": {"type": "array"}}, "required": ["a"]}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    form = find_arguments(describe_tools(tools, family=family))
    assert form is not None
    matcher = kit.structural_tag(tag_of(form)).matcher()
    style = STYLES.get(str(form["style"]))
    before = (
        f"{style.before}a{style.between('array', style.other)}{style.gap}" if style else '{"a":'
    )
    assert matcher.accept_bytes(f'{before}["x'.encode())
    for marker in MARKERS[family]:
        data = marker.encode()
        assert not matcher.fork().accept_bytes(data), marker
        assert matcher.fork().accept_bytes(data[:-1] + b"\\u003e\\u003d"), marker


def test_what_hermes_regular_expression_finds_is_each_call_whole(kit):
    matcher = kit.tools(TOOLS, family="qwen_3", choice="required").matcher()
    call = b'<tool_call>\n{"name": "f", "arguments": {"q": "</tool_call'
    assert matcher.accept_bytes(call)
    assert not matcher.accept_bytes(b">")
    rest = b'\\u003e", "list": ["<tool_call", {"</tool_call": 1}]}}\n</tool_call>'
    assert matcher.accept_bytes(rest)
    found = re.findall(r"<tool_call>(.*?)</tool_call>", (call + rest).decode(), re.DOTALL)
    assert [json.loads(one)["arguments"]["q"] for one in found] == ["</tool_call>"]


def test_a_word_that_cannot_be_excluded_is_refused_with_its_place(kit):
    with pytest.raises(TagError) as raised:
        kit.structural_tag(forbidden("<a>", "}}"))
    assert raised.value.pointer == "/format/excludes/1"
    assert "JSON cannot always be written without '}}'" in str(raised.value)


@pytest.mark.parametrize("family", ["deepseek_r1", "deepseek_v3_1"])
def test_arguments_are_on_one_line_where_a_parser_reads_no_other(family, kit):
    form = find_arguments(describe_tools(TOOLS, family=family))
    matcher = kit.structural_tag(tag_of(form)).matcher()
    assert not matcher.fork().accept_bytes(b"{\n")
    assert matcher.accept_bytes(b'{ "q":  "a",\t"list": [ ')
    assert not matcher.fork().accept_bytes(b"\r")
    assert matcher.accept_bytes(b'"\\n"]}')
    assert matcher.is_accepting


def test_a_line_break_is_excluded_beside_counted_blanks_and_in_parameters(kit):
    counted = kit.structural_tag(forbidden("\n", max_whitespace_cnt=1)).matcher()
    assert counted.accept_bytes(b"{ ")
    assert not counted.fork().accept_bytes(b" ")
    assert not kit.structural_tag(forbidden("\n")).matcher().accept_bytes(b"{\n")
    parameters = kit.structural_tag(forbidden("\n", style="qwen_xml")).matcher()
    assert parameters.fork().accept_bytes(b"<parameter=list>[ 1]</parameter>")
    assert not parameters.fork().accept_bytes(b"<parameter=list>[\n")
    assert not parameters.accept_bytes(b"<parameter=q>a\n")


def test_a_value_that_is_the_word_is_written_with_an_escape(kit):
    matcher = kit.structural_tag(forbidden("</a>", schema={"const": "</a>"})).matcher()
    assert matcher.forced_bytes() == b'"'
    assert matcher.fork().accept_bytes(b'"<\\/a>"')
    assert matcher.fork().accept_bytes(b'"</a\\u003E"')
    assert not matcher.fork().accept_bytes(b'"</a>"')
    assert matcher.accept_bytes(b'"</a')
    assert matcher.forced_bytes() == b"\\u003"


def test_a_key_has_no_word_either(kit):
    schema = {"type": "object", "required": ["a`b"]}
    matcher = kit.structural_tag(forbidden("`", schema=schema)).matcher()
    assert not matcher.fork().accept_bytes(b'{"a`')
    assert matcher.accept_bytes(b'{"a\\u0060b":0}')
    assert matcher.is_accepting


def test_an_artifact_bars_the_same_and_is_explained():
    vocabulary = load_vocabulary("bytes")
    artifact = Artifact(compile_tools(TOOLS, vocabulary, family="qwen_3", limits=Limits()))
    matcher, begin = artifact.matcher(), b'<tool_call>\n{"name": "f", "arguments": {"q"'
    here = artifact.machine.step(artifact.machine.start(), begin[:-3])
    groups = group_link(artifact, here, [ord('"'), ord(" ")])
    assert any("key" in str(group) for group in groups)
    assert matcher.accept_bytes(begin + b': "</tool_call')
    assert not matcher.accept_bytes(b">")


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.__setitem__(2, ["}}"]),
        lambda node: node.__setitem__(2, []),
        lambda node: node.__setitem__(2, ["<b", "<a"]),
        lambda node: node.__setitem__(1, 9),
        lambda node: node.append(1),
    ],
)
def test_a_damaged_node_is_refused(change):
    header, arrays, plan = plan_of(forbidden("</a>"))
    change(next(node for node in plan["nodes"] if node[0] == "barred schema"))
    with pytest.raises(ArtifactError):
        check_plan(header, arrays, plan)


def test_words_of_json_with_few_escapes_are_refused():
    header, arrays, plan = plan_of(forbidden("</a>"))
    assert plan["schemas"][0][2] == "any"
    plan["schemas"][0][2] = "minimal"
    with pytest.raises(ArtifactError, match="few escapes"):
        check_plan(header, arrays, plan)
