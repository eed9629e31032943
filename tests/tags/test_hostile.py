"""Tags and tools that mean harm are bounded: answered in time without dead ends, or refused."""

import random

import numpy as np
import pytest

import maskc
from maskc.errors import LimitError, MaskcError, SchemaError, TagError
from maskc.kit.file import make_kit
from maskc.tags.families import list_families, render
from maskc.tags.tools import describe_tools
from maskc.vocab.vocabulary import Vocabulary
from tests.tags.conftest import tag_of


def _fill(kit, form, text):
    matcher = kit.structural_tag(tag_of(form)).matcher()
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    for byte in text:
        matcher.fill_bitmask(bitmask, 0)
        if not matcher.accept_token(byte):
            return False
    matcher.fill_bitmask(bitmask, 0)
    return matcher.is_accepting


def _const(value):
    return {"type": "const_string", "value": value}


def test_thousands_of_tags_that_begin_alike_are_one_hypothesis(kit):
    tags = [
        {"type": "tag", "begin": f"<f{n:05}>", "content": _const("x"), "end": "!"}
        for n in range(5_000)
    ]
    form = {"type": "triggered_tags", "triggers": ["<f"], "tags": tags}
    assert _fill(kit, form, b"a <f04999>x! b")
    assert not _fill(kit, form, b"<f05000>x!")


def test_triggers_with_long_common_beginnings_are_followed(kit):
    rules = [["a" * 50 + f"b{n:03}", _const("x")] for n in range(50)]
    form = {"type": "dispatch", "rules": rules}
    assert _fill(kit, form, b"a" * 70 + b"b007x")


def test_nested_repetitions_of_free_text_are_followed(kit):
    form = {"type": "any_text"}
    for _ in range(20):
        form = {"type": "sequence", "elements": [form, {"type": "star", "content": form}]}
        if len(str(form)) > 20_000:
            break
    assert _fill(kit, form, b"some text")


def test_an_empty_loop_ends(kit):
    empty = {"type": "star", "content": {"type": "optional", "content": _const("")}}
    assert _fill(kit, empty, b"")
    tag = {"type": "tag", "begin": "", "content": empty, "end": ""}
    form = {"type": "tags_with_separator", "tags": [tag], "separator": ""}
    assert _fill(kit, form, b"")
    assert not _fill(kit, form, b"a")


def test_references_in_a_circle_are_refused_or_followed(kit):
    schema = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    form = {"type": "json_schema", "json_schema": {**schema, "$ref": "#/$defs/a"}}
    for style in ("json", "qwen_xml", "cohere_xml"):
        with pytest.raises(MaskcError):
            _fill(kit, {**form, "style": style}, b"")


def test_a_trigger_of_one_character_in_long_tokens_is_followed():
    kit = make_kit(Vocabulary((b" ", b" " * 128, b"x", None), (3,), "blanks"))
    tag = {"type": "tag", "begin": " ", "content": _const(""), "end": ""}
    form = {"type": "triggered_tags", "triggers": [" "], "tags": [tag]}
    matcher = kit.structural_tag(tag_of(form)).matcher()
    bitmask = maskc.allocate_bitmask(1, kit.vocab_size)
    matcher.fill_bitmask(bitmask, 0)
    assert bitmask[0, 0] == 0b1111
    assert matcher.accept_token(1)


def test_what_is_nested_very_deep_in_memory_is_refused_with_a_sentence(kit):
    form = _const("x")
    schema = {}
    for _ in range(100_000):
        form, schema = {"type": "optional", "content": form}, {"items": schema}
    with pytest.raises(LimitError, match="levels of nested JSON"):
        kit.structural_tag(tag_of(form))
    with pytest.raises(LimitError, match="levels of nested JSON"):
        kit.json_schema(schema)


@pytest.mark.parametrize("kind", ["any_text", "json_schema"])
def test_very_long_texts_to_exclude_are_refused(kit, kind):
    form = {"type": kind, "excludes": ["<" * 300_000, "<" * 300_001]}
    more = {"json_schema": {"type": "string"}} if kind == "json_schema" else {}
    tag = {"type": "tag", "begin": "<f>", "content": {**form, **more}, "end": "!"}
    late = {"type": "triggered_tags", "triggers": ["<f>"], "tags": [tag]}
    for whole in (form | more, late):
        with pytest.raises(LimitError, match="500,000 bytes of triggers and of texts"):
            kit.structural_tag(tag_of(whole))


def test_thousands_of_texts_are_excluded_from_json(kit):
    words = [f"<w{n:05}>" for n in range(5_000)]
    form = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": words}
    assert _fill(kit, form, b'"<w00001 <w0000\\u003e"')
    assert not _fill(kit, form, b'"<w00001>"')


NAMES = (
    *("f", "a.b", "a/b", "f:0", "é", "工具", "f" * 256, "f" * 257, "", "a b", "</tool_call>", 'f"'),
    *("{name}", "$calls", "\x00", "\ud800", "functions.f", "f<|sep|>", "｜tool▁sep｜", "a\u0301"),
)
KEYS = (
    *("q", "", "</parameter>", "<parameter=x>", "city name", 'x"y', "x\\y", "{name}", "$ref", "\n"),
    *("type", "k" * 300, "😀", "\ud800", "</arg_key>", "]<]minimax[>[", "</tool_call>"),
)
VALUES = ("a", "</tool_call>", "<parameter=", "", 1, 1.5, None, True, [1], {"a": 1}, "}")
ODD = (
    *(False, None, 3, "x", [], {"type": "nothing"}, {"type": []}, {"$ref": "#"}, {"$ref": "#/x"}),
    *({"pattern": "("}, {"pattern": r"(a)\1"}, {"maxLength": -1}, {"multipleOf": 0}, {"anyOf": []}),
    *({"enum": []}, {"enum": [float("nan")]}, {"minimum": float("inf")}, {"x-odd": object()}),
)
USUAL = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def draw_schema(draw, depth):
    """Return a schema, or what is none."""
    match draw.randrange(12 if depth else 6):
        case 0:
            return {"type": draw.choice(["string", "integer", "number", "boolean", "null"])}
        case 1:
            return {"enum": draw.sample(VALUES, draw.randint(1, 4))}
        case 2:
            return {"type": "string", "pattern": draw.choice(["^a+$", "^<.*>$", "(a|b)*c", "^$"])}
        case 3:
            return {"minLength": draw.choice([0, 5, 10**18]), "maxLength": draw.choice([1, 10**6])}
        case 4:
            return draw.choice(ODD) if draw.random() < 0.2 else True
        case 5:
            return {"minimum": draw.choice([-3, 0.5, 1e300]), "maximum": draw.choice([1, 1e308])}
        case 6:
            inner = {"type": "array", "items": draw_schema(draw, depth - 1)}
            return inner | {"minItems": draw.choice([0, 2, 10**9])}
        case 7:
            parts = [draw_schema(draw, depth - 1) for _ in range(draw.randint(1, 3))]
            return {draw.choice(["anyOf", "oneOf", "allOf"]): parts}
        case 8:
            return {"not": draw_schema(draw, depth - 1)}
    names = draw.sample(KEYS, draw.randint(0, 3))
    return {
        "type": "object",
        "properties": {name: draw_schema(draw, depth - 1) for name in names},
        "required": names[: draw.randint(0, 2)],
        "additionalProperties": draw.choice([True, False, draw_schema(draw, depth - 1)]),
    }


@pytest.mark.parametrize("family", list_families())
def test_random_tools_are_a_constraint_or_a_sentence(family, kit):
    draw, bitmask = random.Random(family), maskc.allocate_bitmask(1, kit.vocab_size)
    n_made, sentences = 0, list[str]()
    for _ in range(40):
        name = draw.choice(NAMES) if draw.random() < 0.5 else "f"
        tools = [
            {"type": "function", "function": {"name": name, "parameters": draw_schema(draw, 3)}},
            {"type": "function", "function": {"name": "g", "parameters": USUAL}},
        ]
        choice = draw.choice(["auto", "required", {"name": "g"}])
        try:
            matcher = kit.tools(tools, family=family, choice=choice).matcher()
        except MaskcError as error:
            sentences.append(str(error))
            continue
        n_made += 1
        for _ in range(60):
            matcher.fill_bitmask(bitmask, 0)
            legal = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
            assert len(legal)
            assert matcher.accept_token(int(draw.choice(legal)))
            if matcher.is_terminated:
                break
    assert n_made > 2
    assert all(map(str.isprintable, sentences))


WRITTEN_IN_PYTHON = ("lfm2", "llama_4", "olmo3", "pythonic")


@pytest.mark.parametrize("family", list_families())
def test_of_thousands_of_tools_the_last_one_is_called_and_no_other(family, kit):
    # Calls in Python are built whole when the request comes, which has five seconds.
    n_tools = 500 if family in WRITTEN_IN_PYTHON else 3_000
    tools = [{"name": f"t{n:04}", "parameters": USUAL} for n in range(n_tools)]
    form = describe_tools(tools[-1:], family=family, choice="required")
    text = render(form, {"q": "a"})
    matcher = kit.tools(tools, family=family, choice="required").matcher()
    last = f"t{n_tools - 1:04}"
    assert last in text
    assert not matcher.fork().accept_bytes(text.replace(last, f"t{n_tools:04}").encode())
    assert matcher.accept_bytes(text.encode())
    assert matcher.is_accepting


def test_too_many_tools_are_refused(kit):
    with pytest.raises(TagError, match="more than 10,000"):
        kit.tools([{"name": f"f{n}"} for n in range(10_001)], family="qwen_3")


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder", "cohere"])
def test_a_schema_that_is_nested_very_deep_is_refused(family, kit):
    schema = {"type": "string"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"q": schema}, "required": ["q"]}
    with pytest.raises(SchemaError, match="nested deeper"):
        kit.tools([{"name": "f", "parameters": schema}], family=family)


PATTERN = {"type": "string", "pattern": "^.{30}x$"}


@pytest.mark.parametrize("family", ["qwen_3_coder", "glm_4_7"])
@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"text": PATTERN}}, "/properties/text"),
        ({"additionalProperties": PATTERN}, "/additionalProperties"),
    ],
)
def test_what_takes_too_many_states_is_refused_with_the_request(
    kit, family, schema, pointer, monkeypatch
):
    monkeypatch.setattr("maskc.runtime.link.text.without_words._MOST_STATES", 20)
    tool = {"type": "function", "function": {"name": "save", "parameters": schema}}
    with pytest.raises(SchemaError) as raised:
        kit.tools([tool], family=family)
    assert str(raised.value) == (
        f"schema at /tools/0/function/parameters{pointer}: takes more than 20 states of a string, "
        "in the tool 'save'; write a simpler pattern, or list shorter texts"
    )
    (note,) = kit.tools([tool], family=family, on_unsupported="loosen").notes
    assert note.startswith(f"schema at /tools/0/function/parameters{pointer}: read ")
