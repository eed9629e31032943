"""Definitions of tools that mean harm are a constraint without dead ends, or a sentence."""

import random
from typing import Any

import numpy as np
import pytest

import maskc
from maskc.errors import MaskcError, SchemaError, TagError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.families import list_families
from maskc.tags.rendering import render
from maskc.tags.tools import describe_tools
from maskc.vocab import load_vocabulary

NAMES = (
    *("f", "a.b", "a/b", "f:0", "é", "工具", "f" * 256, "f" * 257, "", "a b", "</tool_call>", 'f"'),
    *("{name}", "$calls", "\x00", "\ud800", "functions.f", "f<|sep|>", "｜tool▁sep｜", "a\u0301"),
)
KEYS = (
    *("q", "", "</parameter>", "<parameter=x>", "city name", 'x"y', "x\\y", "{name}", "$ref", "\n"),
    *("type", "k" * 300, "😀", "\ud800", "</arg_key>", "]<]minimax[>[", "</tool_call>"),
)
VALUES = ("a", "</tool_call>", "<parameter=", "", 1, 1.5, None, True, [1], {"a": 1}, "}")
ODD: tuple[Any, ...] = (
    *(False, None, 3, "x", [], {"type": "nothing"}, {"type": []}, {"$ref": "#"}, {"$ref": "#/x"}),
    *({"pattern": "("}, {"pattern": r"(a)\1"}, {"maxLength": -1}, {"multipleOf": 0}, {"anyOf": []}),
    *({"enum": []}, {"enum": [float("nan")]}, {"minimum": float("inf")}, {"x-odd": object()}),
)
USUAL = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def draw_schema(draw: random.Random, depth: int) -> Any:
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


@pytest.fixture(scope="module")
def kit() -> Kit:
    return make_kit(load_vocabulary("bytes"))


@pytest.mark.parametrize("family", list_families())
def test_random_tools_are_a_constraint_or_a_sentence(family: str, kit: Kit) -> None:
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


@pytest.mark.parametrize("family", list_families())
def test_of_thousands_of_tools_the_last_one_is_called_and_no_other(family: str, kit: Kit) -> None:
    tools = [{"name": f"t{n:04}", "parameters": USUAL} for n in range(3_000)]
    form = describe_tools(tools[-1:], family=family, choice="required")
    text = render(form, {"q": "a"})
    matcher = kit.tools(tools, family=family, choice="required").matcher()
    assert "t2999" in text
    assert not matcher.fork().accept_bytes(text.replace("t2999", "t3000").encode())
    assert matcher.accept_bytes(text.encode())
    assert matcher.is_accepting


def test_too_many_tools_and_one_name_twice_are_refused(kit: Kit) -> None:
    with pytest.raises(TagError, match="more than 10,000"):
        kit.tools([{"name": f"f{n}"} for n in range(10_001)], family="qwen_3")
    with pytest.raises(TagError, match="two tools of the name"):
        kit.tools([{"name": "f"}, {"name": "f"}], family="qwen_3")


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder", "cohere"])
def test_a_schema_that_is_nested_very_deep_is_refused(family: str, kit: Kit) -> None:
    schema: Any = {"type": "string"}
    for _ in range(150):
        schema = {"type": "object", "properties": {"q": schema}, "required": ["q"]}
    with pytest.raises(SchemaError, match="nested deeper"):
        kit.tools([{"name": "f", "parameters": schema}], family=family)
