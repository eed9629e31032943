"""Replies as the chat templates of models write them, each taken by the constraint of its family.

`python -m tests.outside.templates` renders the templates themselves, with more calls.
"""

import pytest

from maskc.tags.families import Tool, list_families, load_family, render, write_arguments
from maskc.tags.styles import STYLES
from tests.tags.conftest import tag_of, takes
from tests.tags.test_families import find_style

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}]
JSON = '{"city": "Oslo é", "days": 3, "flag": true, "tags": ["x", "y"]}'
DSML = (
    '<｜DSML｜invoke name="get_weather">\n'
    '<｜DSML｜parameter name="city" string="true">Oslo é</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="tags" string="false">["x", "y"]</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n"
)
QWEN_XML = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo é\n</parameter>\n"
    '<parameter=flag>\nTrue\n</parameter>\n<parameter=tags>\n["x", "y"]\n</parameter>\n'
    "</function>\n</tool_call>"
)
REPLIES = {
    "llama": f'{{"name": "get_weather", "parameters": {JSON}}}',
    "qwen_3": "\n".join(
        [f'<tool_call>\n{{"name": "get_weather", "arguments": {JSON}}}\n</tool_call>'] * 2
    ),
    "qwen_3_coder": f"{QWEN_XML}\n{QWEN_XML}",
    "qwen_3_5": f"\n</think>\n\n{QWEN_XML}",
    "deepseek_r1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
        f"```json\n{JSON}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek_v3_1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
        f"{JSON}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "deepseek_v3_2": f"\n\n<｜DSML｜function_calls>\n{DSML}{DSML}</｜DSML｜function_calls>",
    "deepseek_v4": f"\n\n<｜DSML｜tool_calls>\n{DSML}</｜DSML｜tool_calls>",
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        f"<|tool_call_argument_begin|>{JSON}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "glm_4_7": (
        "</think><tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo é</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>"
    ),
    "minimax_m3": (
        "</mm:think>]<]minimax[>[<tool_call>\n"
        ']<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Oslo é]<]minimax[>[</city>'
        "]<]minimax[>[<tags>]<]minimax[>[<item>x]<]minimax[>[</item>]<]minimax[>[</tags>"
        "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"
    ),
    "gemma_4": (
        'Hm.<|tool_call>call:get_weather{city:<|"|>Oslo é<|"|>,days:3,'
        'tags:[<|"|>x<|"|>,<|"|>y<|"|>]}<tool_call|>'
        '<|tool_call>call:get_weather{city:<|"|>{,}<|"|>,flag:true}<tool_call|>'
    ),
    "harmony": (f" to=functions.get_weather<|channel|>commentary json<|message|>{JSON}<|call|>"),
}
# Those whose template ends the model's thinking in the reply.
THINKING = {"glm_4_7", "minimax_m3", "qwen_3_5"}


@pytest.mark.parametrize("family", REPLIES)
def test_a_reply_is_taken_as_its_template_writes_it(kit, family):
    answer = kit.tools(TOOLS, family=family, reasoning=family in THINKING)
    assert takes(answer, REPLIES[family])


@pytest.mark.parametrize(
    ("schema", "value", "is_taken"),
    [
        ({"type": "boolean"}, "False", True),
        ({"type": "boolean"}, "\nTrue\n", True),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "TRUE", False),
        ({"type": ["boolean", "integer"]}, "True", True),
        ({"const": True}, "True", True),
        ({"const": True}, "False", False),
        ({"type": "integer"}, "True", False),
        ({"type": "null"}, "None", False),
    ],
)
def test_booleans_of_qwen_may_be_pythons(kit, schema, value, is_taken):
    """Its templates write them so; parsers read ``null`` alone as null."""
    parameters = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    tool = {"name": "f", "parameters": parameters}
    matcher = kit.tools([tool], family="qwen_3_coder", choice="required").matcher()
    call = f"<tool_call>\n<function=f>\n<parameter=a>{value}</parameter>\n</function>"
    assert matcher.accept_bytes(call.encode()) == is_taken


@pytest.mark.parametrize("family", ["qwen_3_coder", "qwen_3_5"])
def test_a_call_without_parameters_has_one_line_break(kit, family):
    tool = {"name": "f", "parameters": {"type": "object", "properties": {}}}
    answer = kit.tools([tool], family=family, choice="required")
    assert takes(answer, "<tool_call>\n<function=f>\n</function>\n</tool_call>")


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
_ARGUMENTS = {"city": "Oslo", "days": None, "where": {"at": ["b", 3]}}


def _written(style):
    is_null_read = style not in STYLES or "null" not in STYLES[style].unwritten
    return {k: v for k, v in _ARGUMENTS.items() if is_null_read or v is not None}


@pytest.mark.parametrize("family", list_families())
def test_the_example_of_a_family_is_an_answer(family, kit):
    tag = load_family(family).describe(
        [Tool("f", _SCHEMA, "")], "required", parallel=True, reasoning=False
    )
    arguments = _written(find_style(tag))
    assert takes(kit.structural_tag(tag), render(tag, arguments))


@pytest.mark.parametrize("style", sorted(STYLES))
def test_what_a_style_writes_is_taken(style, kit):
    form = {"type": "json_schema", "json_schema": _SCHEMA, "style": style}
    assert takes(kit.structural_tag(tag_of(form)), write_arguments(style, _written(style)))
