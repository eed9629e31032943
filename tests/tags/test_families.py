"""Every family takes a call as its chat template writes it, and refuses what is no call."""

import json

import pytest

import maskc
from maskc.errors import SchemaError, TagError
from maskc.kit.artifacts import compile_tools
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.tags.families import list_families, list_parsers, list_refused, load_family, render
from maskc.tags.tools import describe_tools
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.tags.conftest import takes

VOCABULARY = load_vocabulary("bytes")
_PROPERTIES = {"city": {"type": "string"}, "days": {"type": "integer"}}
_SCHEMA = {"type": "object", "properties": _PROPERTIES, "required": ["city"]}
_SCHEMA["additionalProperties"] = False
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": _SCHEMA}}
    for name in ("get_weather", "get_time")
]
_ARGS = {"city": "Oslo", "days": 3}
_JSON = json.dumps(_ARGS)
_QWEN = "<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>"
_DSML = (
    '<｜DSML｜{0}parameter name="city" string="true">Oslo</｜DSML｜{0}parameter>\n'
    '<｜DSML｜{0}parameter name="days" string="false">3</｜DSML｜{0}parameter>\n'
)
_NS = "]<]minimax[>["
_K3 = (
    '<|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|>'
    '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
)


def _dsml(word, gap=""):
    call = f'<｜DSML｜{gap}invoke name="NAME">\n{_DSML.format(gap)}</｜DSML｜{gap}invoke>\n'
    return f"<｜DSML｜{gap}{word}>\n", call, f"</｜DSML｜{gap}{word}>"


# Of each family: what stands before calls, a call of NAME, and what stands after.
WRAPPERS = {
    "llama": ("", f'{{"name": "NAME", "parameters": {_JSON}}}', ""),
    "qwen_3": ("", f'<tool_call>\n{{"name": "NAME", "arguments": {_JSON}}}\n</tool_call>', ""),
    "exaone": ("", f'<tool_call>{{"name": "NAME", "arguments": {_JSON}}}</tool_call>', ""),
    "qwen_3_coder": ("", f"<tool_call>\n<function=NAME>\n{_QWEN}\n</function>\n</tool_call>", ""),
    "qwen_3_5": ("", f"<tool_call>\n<function=NAME>\n{_QWEN}\n</function>\n</tool_call>", ""),
    "mimo": (
        "",
        "<tool_call><function=NAME><parameter=city>Oslo</parameter>"
        "<parameter=days>3</parameter></function></tool_call>",
        "",
    ),
    "glm_4_7": (
        "",
        "<tool_call>NAME<arg_key>city</arg_key><arg_value>Oslo</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>",
        "",
    ),
    "kimi": (
        "<|tool_calls_section_begin|>",
        f"<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{_JSON}<|tool_call_end|>",
        "<|tool_calls_section_end|>",
    ),
    "deepseek_r1": (
        "<｜tool▁calls▁begin｜>",
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{_JSON}\n```<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
    ),
    "deepseek_v3_1": (
        "<｜tool▁calls▁begin｜>",
        f"<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{_JSON}<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
    ),
    "deepseek_v3_2": _dsml("function_calls"),
    "deepseek_v4": _dsml("tool_calls"),
    "deepseek_v4_1": _dsml("calls", " "),
    "minimax": (
        "<minimax:tool_call>\n",
        '<invoke name="NAME">\n<parameter name="city">Oslo</parameter>\n'
        '<parameter name="days">3</parameter>\n</invoke>\n',
        "</minimax:tool_call>",
    ),
    "minimax_m3": (
        f"{_NS}<tool_call>\n",
        f'{_NS}<invoke name="NAME">{_NS}<city>Oslo{_NS}</city>{_NS}<days>3{_NS}</days>'
        f"{_NS}</invoke>\n",
        f"{_NS}</tool_call>",
    ),
    "cohere": (
        "<cofl:tool_calls>",
        '<cofl:tool_call id="0" name="NAME"><cofl:value name="city" type="raw">Oslo</cofl:value>'
        '<cofl:value name="days" type="json">3</cofl:value></cofl:tool_call>',
        "</cofl:tool_calls>",
    ),
    "kimi_k3": (
        "<|open|>tools<|sep|>",
        f'<|open|>call tool="NAME" index="1"<|sep|>{_K3}<|close|>call<|sep|>',
        "<|close|>tools<|sep|><|close|>message<|sep|>",
    ),
    "mistral": ("", f"[TOOL_CALLS]NAME[ARGS]{_JSON}", ""),
    "mistral_nemo": (
        "[TOOL_CALLS][",
        f'{{"name": "NAME", "arguments": {_JSON}, "id": "a1B2c3D4e"}}',
        "]",
    ),
    "hunyuan_a13b": (
        "<tool_calls>[",
        f'{{"name": "NAME", "arguments": {_JSON}}}',
        "]</tool_calls>",
    ),
    "nemotron_nano_2": ("<TOOLCALL>[", f'{{"name": "NAME", "arguments": {_JSON}}}', "]</TOOLCALL>"),
    "longcat": (
        "",
        f'<longcat_tool_call>\n{{"name": "NAME", "arguments": {_JSON}}}\n</longcat_tool_call>',
        "",
    ),
    "apertus": ("<|tools_prefix|>[", f'{{"NAME": {_JSON}}}', "]<|tools_suffix|>"),
    "seed_oss": (
        "",
        f"<seed:tool_call>\n<function=NAME>\n{_QWEN}\n</function>\n</seed:tool_call>",
        "",
    ),
    "step_3_5": ("", f"<tool_call>\n<function=NAME>\n{_QWEN}\n</function>\n</tool_call>", ""),
    "hy_v3": (
        "<tool_calls:opensource>\n",
        "<tool_call:opensource>NAME<tool_sep:opensource>\n"
        "<arg_key:opensource>city</arg_key:opensource>\n"
        "<arg_value:opensource>Oslo</arg_value:opensource>\n"
        "<arg_key:opensource>days</arg_key:opensource>\n"
        "<arg_value:opensource>3</arg_value:opensource>\n</tool_call:opensource>\n",
        "</tool_calls:opensource>",
    ),
    "spark_2_5": (
        "",
        "<tool_call>NAME<arg_key>city</arg_key><arg_value>Oslo</arg_value>"
        "<arg_key>days</arg_key><arg_value>3</arg_value></tool_call>",
        "",
    ),
    "jamba": (
        "<tool_calls>[\n    ",
        f'{{"name": "NAME", "arguments": {_JSON}}}',
        "\n]</tool_calls>",
    ),
    "granite": ("<|tool_call|>[", f'{{"name": "NAME", "arguments": {_JSON}}}', "]"),
    "granite_20b_fc": ("", f'<function_call> {{"name": "NAME", "arguments": {_JSON}}}', ""),
    "xlam": ("[", f'{{"name": "NAME", "arguments": {_JSON}}}', "]"),
    "ernie_4_5": ("", f'<tool_call>\n{{"name": "NAME", "arguments": {_JSON}}}\n</tool_call>\n', ""),
    "gigachat_3": (
        "<|message_sep|>\n\nfunction call<|role_sep|>\n",
        f'{{"name": "NAME", "arguments": {_JSON}}}',
        "",
    ),
    "gigachat_3_5": tuple(part.replace("DSML", "GCML") for part in _dsml("tool_calls")),
    "internlm": (
        "<|action_start|><|plugin|>",
        f'{{"name": "NAME", "parameters": {_JSON}}}<|action_end|>',
        "",
    ),
    "dots": (
        "<dots_function_call>\n",
        '<invoke name="NAME">\n<parameter name="city">Oslo</parameter>\n'
        '<parameter name="days">3</parameter>\n</invoke>\n',
        "</dots_function_call>",
    ),
    "cohere_command": (
        "<|START_ACTION|>[\n    ",
        f'{{"tool_call_id": "0", "tool_name": "NAME", "parameters": {_JSON}}}',
        "\n]<|END_ACTION|>",
    ),
    "pythonic": ("[", "NAME(city='Oslo', days=3)", "]"),
    "llama_4": ("<|python_start|>[", "NAME(city='Oslo', days=3)", "]<|python_end|>"),
    "lfm2": ("<|tool_call_start|>[", "NAME(city='Oslo', days=3)", "]<|tool_call_end|>"),
    "olmo3": ("<function_calls>\n", "NAME(city='Oslo', days=3)", "\n</function_calls>"),
    "gemma_4": ("", '<|tool_call>call:NAME{city:<|"|>Oslo<|"|>,days:3}<tool_call|>', ""),
    "harmony": (
        "",
        f"<|channel|>commentary to=functions.NAME<|constrain|>json<|message|>{_JSON}<|call|>",
        "",
    ),
}
SEPARATORS = {
    "apertus": ", ",
    "cohere_command": ",\n    ",
    "granite": ", ",
    "jamba": ",\n    ",
    "lfm2": ", ",
    "llama_4": ", ",
    "olmo3": "\n",
    "pythonic": ", ",
    "xlam": ", ",
    "deepseek_r1": "\n",
    "harmony": "<|start|>assistant",
    "hunyuan_a13b": ", ",
    "mistral_nemo": ", ",
    "nemotron_nano_2": ", ",
}
# Families of one call alone.
SINGLE = {"gigachat_3", "internlm"}
# Of families whose messages are blocks or channels: how text stands before calls; of those whose
# answer is text or calls, that there is none.
TEXTS = {
    **dict.fromkeys(("cohere_command", "granite", "granite_20b_fc", "xlam"), ""),
    **dict.fromkeys(("llama_4", "olmo3", "pythonic"), ""),
    "kimi_k3": "Let me see.<|close|>response<|sep|>",
    "harmony": "<|channel|>final<|message|>Let me see.<|end|><|start|>assistant",
    "minimax": "\n</think>\n\nLet me see. ",
}
LEADS = {
    "deepseek_v3_2": "\n\n",
    "deepseek_v4": "\n\n",
    "deepseek_v4_1": "\n\n",
    "minimax": "\n</think>\n\n\n",
    "kimi_k3": "<|close|>response<|sep|>",
}


def _answer(family, *names, lead=None):
    before, call, after = WRAPPERS[family]
    calls = SEPARATORS.get(family, "").join(call.replace("NAME", name) for name in names)
    return (TEXTS.get(family, "Let me see. ") if lead is None else lead) + before + calls + after


def test_each_family_has_an_example():
    assert sorted(WRAPPERS) == list(list_families())
    assert len(WRAPPERS) == 43


@pytest.mark.parametrize("family", sorted(WRAPPERS))
def test_a_family_takes_calls_and_refuses_mutations(family, kit):
    constraint = kit.tools(TOOLS, family=family)
    whole = _answer(family, "get_time")
    assert takes(constraint, whole)
    assert takes(constraint, _answer(family, "get_time", "get_weather")) is (family not in SINGLE)
    assert not takes(constraint, _answer(family, "get_tim"))
    assert not takes(constraint, whole.replace("city", "town"))
    assert not takes(constraint, whole.replace("3", "x3"))
    assert not takes(constraint, whole[:-3])


@pytest.mark.parametrize("family", sorted(WRAPPERS))
def test_a_required_call_comes_without_text_before(family, kit):
    constraint = kit.tools(TOOLS, family=family, choice="required")
    call = _answer(family, "get_time", lead=LEADS.get(family, ""))
    assert takes(constraint, call)
    assert not constraint.matcher().is_accepting
    assert not constraint.matcher().accept_bytes(b"x" + call.encode()) or family == "kimi_k3"


@pytest.mark.parametrize("family", sorted(WRAPPERS))
def test_a_choice_says_which_tools_are_called_and_how_often(family, kit):
    named = kit.tools(TOOLS, family=family, choice={"name": "get_time"})
    lead = LEADS.get(family, "")
    assert takes(named, _answer(family, "get_time", lead=lead))
    assert not takes(named, _answer(family, "get_weather", lead=lead))
    alone = kit.tools(TOOLS, family=family, parallel=False)
    assert takes(alone, _answer(family, "get_time"))
    assert not takes(alone, _answer(family, "get_time", "get_weather"))
    assert not takes(kit.tools(TOOLS, family=family, choice="none"), _answer(family, "get_time"))


# Of families whose strings are raw: what engines' parsers take for the end of a call, or its calls.
ENDS = {
    "cohere": ("</cofl:tool_call>", "</cofl:tool_calls>"),
    "deepseek_v3_2": ("</｜DSML｜invoke>", "</｜DSML｜function_calls>"),
    "deepseek_v4": ("</｜DSML｜invoke>", "</｜DSML｜tool_calls>"),
    "deepseek_v4_1": ("</｜DSML｜ invoke>", "</｜DSML｜ calls>"),
    "dots": ("</invoke>", "</dots_function_call>"),
    "gemma_4": ('<|"|>', "<tool_call|>", "<|tool_call>"),
    "gigachat_3_5": ("</｜GCML｜invoke>", "</｜GCML｜tool_calls>"),
    "spark_2_5": ("</tool_call>", "</arg_value>"),
    "glm_4_7": ("</tool_call>", "</arg_value>"),
    "hy_v3": ("</tool_call:opensource>", "</arg_value:opensource>"),
    "kimi_k3": ("<|close|>", "<|open|>"),
    "mimo": ("</function>", "</tool_call>", "<parameter="),
    "lfm2": ("<|tool_call_start|>", "<|tool_call_end|>"),
    "llama_4": ("<|python_start|>", "<|python_end|>"),
    "minimax": ("</invoke>", "</minimax:tool_call>"),
    "minimax_m3": ("]<]minimax[>[",),
    "olmo3": ("<function_calls>", "</function_calls>"),
    "pythonic": ("'", "\n"),
    "qwen_3_5": ("</function>", "</tool_call>", "<parameter="),
    "step_3_5": ("</function>", "</tool_call>", "<parameter="),
    "seed_oss": ("</function>", "</seed:tool_call>", "<parameter="),
    "qwen_3_coder": ("</function>", "</tool_call>", "<parameter="),
}


@pytest.mark.parametrize(("family", "end"), [(f, end) for f in ENDS for end in ENDS[f]])
def test_a_raw_string_has_nothing_that_ends_its_call(family, end, kit):
    constraint = kit.tools(TOOLS, family=family)
    whole = _answer(family, "get_time")
    assert takes(constraint, whole.replace("Oslo", f"a {end[:-1]}! < b"))
    assert not takes(constraint, whole.replace("Oslo", f"a {end} b"))


def test_thinking_comes_first(kit):
    constraint = kit.tools(TOOLS, family="qwen_3", reasoning=True)
    assert takes(constraint, "Hm.</think>\n\n" + _answer("qwen_3", "get_time"))
    assert not constraint.matcher().accept_bytes(b"Hm. <think>")


# Of each family: what a thought begins with, or may begin with, and what ends it.
THOUGHTS = {
    "apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "deepseek_r1": ("<think>", "</think>"),
    "deepseek_v3_1": ("<think>", "</think>"),
    "deepseek_v3_2": ("<think>", "</think>"),
    "deepseek_v4": ("<think>", "</think>"),
    "deepseek_v4_1": ("<think>", "</think>"),
    "exaone": ("<think>", "</think>\n\n"),
    "glm_4_7": ("<think>", "</think>"),
    "cohere_command": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "ernie_4_5": ("<think>", "</think>\n\n"),
    "gigachat_3_5": ("<think>", "</think>"),
    "spark_2_5": ("<think>", "</think>"),
    "lfm2": ("<think>", "</think>"),
    "olmo3": ("<think>", "</think>\n\n"),
    "hy_v3": ("<think:opensource>", "</think:opensource>"),
    "hunyuan_a13b": ("<think>", "</think>"),
    "minimax_m3": ("<mm:think>", "</mm:think>"),
    "nemotron_nano_2": ("<think>", "</think>"),
    "mistral": ("[THINK]", "[/THINK]"),
    "qwen_3": ("<think>", "</think>\n\n"),
    "qwen_3_5": ("<think>", "</think>\n\n"),
    "qwen_3_coder": ("<think>", "</think>\n\n"),
    "seed_oss": ("<seed:think>", "</seed:think>"),
    "step_3_5": ("<think>", "</think>\n"),
}


@pytest.mark.parametrize("family", THOUGHTS)
def test_a_thought_begins_with_its_name_where_the_prompt_does_not_end_with_it(family, kit):
    begin, end = THOUGHTS[family]
    constraint = kit.tools(TOOLS, family=family, reasoning=True)
    for lead in ("", begin):
        assert takes(constraint, f"{lead}Hm.{end}" + _answer(family, "get_time"))
    assert not constraint.matcher().accept_bytes(f"{begin}{begin}".encode())
    assert not takes(constraint, _answer(family, "get_time"))
    plain = kit.tools(TOOLS, family=family)
    assert not plain.matcher().accept_bytes(begin.encode())


def test_after_a_call_of_mistral_is_another_one_or_the_end(kit):
    """vLLM reads all up to the next [TOOL_CALLS] as arguments."""
    constraint = kit.tools(TOOLS, family="mistral")
    call = _answer("mistral", "get_time")
    assert not constraint.matcher().accept_bytes(f"{call} ".encode())
    assert takes(constraint, call + WRAPPERS["mistral"][1].replace("NAME", "get_weather"))


def test_a_call_of_mistral_nemo_may_have_no_identifier(kit):
    call = _answer("mistral_nemo", "get_time").replace(', "id": "a1B2c3D4e"', "")
    assert takes(kit.tools(TOOLS, family="mistral_nemo"), call)


def test_the_parsers_of_engines_name_families():
    parsers = list_parsers()
    assert set(parsers.values()) <= set(list_families())
    assert not set(parsers) & set(list_families())
    assert not {*parsers, *list_families()} & set(list_refused())
    for parser, family in {
        "hermes": "qwen_3",
        "qwen3_coder": "qwen_3_coder",
        "llama3_json": "llama",
        "openai": "harmony",
        "cohere_command4": "cohere_command",
        "minimax-m2": "minimax",
    }.items():
        assert load_family(parser) is load_family(family)


def test_markers_that_are_tokens_are_tokens_only():
    names = {"<tool_call>": 257, "</tool_call>": 258}
    kit = make_kit(Vocabulary((*VOCABULARY.tokens, None, None), VOCABULARY.eos_ids, "small", names))
    matcher = kit.tools(TOOLS, family="qwen_3").matcher()
    assert matcher.accept_bytes(b"I <tool_call")
    assert not matcher.accept_bytes(b">")
    assert matcher.accept_token(257)
    assert matcher.accept_bytes(f'\n{{"name": "get_time", "arguments": {_JSON}}}\n'.encode())
    assert not matcher.accept_bytes(b"<")
    assert matcher.accept_token(258)
    assert matcher.is_accepting


@pytest.mark.parametrize(
    "family", [name for name in list_families() if "names" not in load_family(name).forms]
)
def test_names_of_parameters_have_blanks_in_them_and_none_around_them(family, kit):
    """As fields of tables have, and as the parsers of vLLM and SGLang read them."""
    kinds = {"Due Date": {"type": "integer"}, "Due": {"type": "boolean"}}
    schema = {"type": "object", "properties": kinds, "required": ["Due Date"]}
    tools = [{"name": "f", "parameters": schema}]
    form = describe_tools(tools, family=family, choice="required")
    artifact = Artifact(compile_tools(tools, VOCABULARY, family=family, limits=Limits()))
    for arguments, expected in (
        ({"Due Date": 3}, True),
        ({"Due Date": 3, "Due": True}, True),
        ({"Due": True}, False),
        ({"Due Date": True}, False),
        ({"Due  Date": 3}, False),
    ):
        for made in (kit.tools(tools, family=family, choice="required"), artifact):
            assert takes(made, render(form, arguments)) is expected
    tools = [{"name": "f", "parameters": {"properties": {" Due": True, "Due\u00a0": True}}}]
    if find_style(form) == "json":
        assert kit.tools(tools, family=family)
        return
    with pytest.raises(SchemaError, match="' Due', which parsers cannot read"):
        kit.tools(tools, family=family)


def find_style(form):
    """Return the style of the arguments in a tag."""
    if isinstance(form, dict) and form.get("type") == "json_schema":
        return str(form["style"])
    inner = form.values() if isinstance(form, dict) else form if isinstance(form, list) else ()
    return next((found for one in inner if (found := find_style(one))), None)


def test_a_family_that_there_is_not_is_refused(kit):
    with pytest.raises(TagError) as caught:
        kit.tools(TOOLS, family="gpt")
    assert caught.value.pointer == "/family"


@pytest.mark.parametrize("parser", sorted(list_refused()))
def test_a_parser_without_a_family_is_refused_with_what_it_does(parser, kit):
    with pytest.raises(TagError, match=f"'{parser}' is no family: its parser (reads|takes) "):
        kit.tools(TOOLS, family=parser)


@pytest.mark.parametrize("family", ["granite", "granite_20b_fc", "xlam", "cohere_command"])
def test_an_answer_is_text_or_calls_where_parsers_read_calls_from_the_begin(family, kit):
    constraint = kit.tools(TOOLS, family=family)
    assert takes(constraint, "It rains [a lot].")
    call = _answer(family, "get_time")
    assert takes(constraint, call)
    assert not constraint.matcher().accept_bytes(f"It rains. {call}".encode())
    assert not constraint.matcher().accept_bytes(f"{call} It rains.".encode())


def test_a_family_that_is_read_by_one_json_text_has_one_call(kit):
    """The parsers of GigaChat 3 and InternLM read what follows as a part of the call."""
    for family in SINGLE:
        call = _answer(family, "get_time")
        assert not kit.tools(TOOLS, family=family).matcher().accept_bytes(f"{call} ".encode())
    internlm = _answer("internlm", "get_time").replace("><|plugin|>", "> <|plugin|>\n")
    assert takes(kit.tools(TOOLS, family="internlm"), internlm)
    giga = _answer("gigachat_3", "get_time")
    inline = giga.replace("<|message_sep|>\n\nfunction call<|role_sep|>\n", "<|function_call|>")
    assert takes(kit.tools(TOOLS, family="gigachat_3"), inline)


def test_an_answer_of_ernie_may_stand_in_a_response(kit):
    constraint = kit.tools(TOOLS, family="ernie_4_5", reasoning=True)
    assert takes(constraint, "Hm.\n</think>\n\n<response>\nIt rains.\n</response>\n")
    call = _answer("ernie_4_5", "get_time", lead="")
    assert takes(constraint, f"Hm.\n</think>\n\n<response>\nHm.\n</response>\n{call}")


def test_a_family_is_read_once():
    assert load_family("llama") is load_family("llama")
    assert load_family("llama").models == ("Llama 3", "Llama 3.1", "Llama 3.2")


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder"])
def test_a_strict_tool_takes_all_properties_and_no_others_where_it_is_asked_for(family):
    schema = {"type": "object", "properties": {"city": {}, "unit": {"type": "integer"}}}
    function = {"name": "f", "parameters": schema, "strict": True}
    tools = [{"type": "function", "function": function}]
    closed = {**schema, "required": ["city", "unit"], "additionalProperties": False}
    same = [{"type": "function", "function": {**function, "parameters": closed}}]
    asked = {"tokenizer": "bytes", "family": family, "choice": "required"}
    plans = [
        maskc.compile_tools(given, **asked, strict=strict).contents.arrays["link_plan"].tobytes()
        for given, strict in ((tools, True), (same, False), (tools, False))
    ]
    assert plans[0] == plans[1] != plans[2]


# The names of parsers in vLLM and SGLang, as of summer 2026.
VLLM = """deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 cohere_command3 cohere_command4 ernie45
glm45 glm47 granite-20b-fc granite granite4 hermes poolside_v1 hunyuan_a13b hy_v3 internlm jamba
lfm2 kimi_k2 kimi_k3 llama3_json llama4_json llama4_pythonic longcat mimo minimax_m2 minimax_m3
minicpm5 mistral olmo3 openai phi4_mini_json pythonic qwen3_coder qwen3_xml seed_oss step3 step3p5
inkling xlam gigachat3 functiongemma gemma4 apertus solar_open2"""
SGLANG = """apertus2509 cohere_command4 deepseekv3 deepseekv31 deepseekv32 deepseekv4 dots glm glm45
glm47 gpt-oss k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3 mimo minicpm5 mistral muse poolside_v1
pythonic qwen qwen25 qwen3_coder spark25 step3 step3p5 minimax-m2 minimax-m3 trinity interns1 hermes
hunyuan gigachat3 gigachat35 gemma4 inkling"""


def test_each_parser_of_the_engines_has_a_family_or_a_sentence():
    known = {*list_families(), *list_parsers(), *list_refused()}
    assert {*VLLM.split(), *SGLANG.split()} <= known
    assert len(list_refused()) == 8
