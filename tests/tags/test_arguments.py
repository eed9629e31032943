"""Arguments in the styles of parameters: strings as they are, everything else as JSON."""

import json
import random
import re

import jsonschema
import pytest

from maskc.errors import SchemaError
from maskc.tags.families import render, write_arguments
from maskc.tags.styles import may_wait
from maskc.tags.tools import describe_tools
from tests.examples import seeds
from tests.tags.conftest import legal, tag_of, takes

_FLAT = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "n": {"type": "integer"},
        "o": {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]},
        "e": {"enum": ["x", "yy", 3]},
        "u": {"type": ["string", "null"]},
        "p": {"type": "string", "pattern": "^[a-zé]+$", "minLength": 2, "maxLength": 3},
    },
    "required": ["s", "n"],
    "additionalProperties": False,
}
_ITEM = {"type": "object", "properties": {"z": {"type": "integer"}}, "required": ["z"]}
_NESTED = {
    "type": "object",
    "properties": {
        "a": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "k": {"type": "array", "items": {**_ITEM, "additionalProperties": False}},
        "u": {"type": ["string", "integer"]},
        "r": {"$ref": "#/$defs/T"},
    },
    "additionalProperties": False,
    "$defs": {
        "T": {
            "type": "object",
            "properties": {"r": {"$ref": "#/$defs/T"}},
            "additionalProperties": False,
        }
    },
}


def _form(schema, style="qwen_xml", **more):
    return tag_of({"type": "json_schema", "json_schema": schema, "style": style, **more})


def _takes(kit, style, schema, text, *, any_order=True):
    return takes(kit.structural_tag(_form(schema, style, any_order=any_order)), text)


def _qwen(**values):
    return "\n".join(f"<parameter={name}>{text}</parameter>" for name, text in values.items())


@pytest.mark.parametrize(
    ("values", "is_taken"),
    [
        ({"s": "hi <there", "n": "3"}, True),
        ({"n": "3", "s": ""}, True),
        ({"n": "3"}, False),
        ({"s": "x", "n": "x"}, False),
        ({"s": "x", "n": "\n1\n"}, True),
        ({"s": "é€😀", "n": "1"}, True),
        ({"s": "x", "n": "1", "e": "yy"}, True),
        ({"s": "x", "n": "1", "e": "3"}, True),
        ({"s": "x", "n": "1", "e": "\nx\n"}, True),
        ({"s": "x", "n": "1", "e": "y"}, False),
        ({"s": "x", "n": "1", "e": '"x"'}, False),
        ({"s": "x", "n": "1", "o": '{"t": "a"}'}, True),
        ({"s": "x", "n": "1", "o": "{}"}, False),
        ({"s": "x", "n": "1", "u": "null"}, True),
        ({"s": "x", "n": "1", "p": "abé"}, True),
        ({"s": "x", "n": "1", "p": "a"}, False),
        ({"s": "x", "n": "1", "p": "aB"}, False),
        ({"s": "x", "n": "1", "p": "aéaé"}, False),
        ({"s": "x", "n": "1", "q": "1"}, False),
    ],
)
def test_parameters_are_those_of_the_schema(values, is_taken, kit):
    assert _takes(kit, "qwen_xml", _FLAT, _qwen(**values)) == is_taken


@pytest.mark.parametrize(
    ("kind", "text", "is_taken"),
    [
        ("integer", "-12", True),
        ("integer", "1.0", False),
        ("integer", "1e2", False),
        ("number", "1.5", True),
        ("number", "1e2", True),
    ],
)
def test_integers_are_digits_as_parsers_of_engines_read_them(kind, text, is_taken, kit):
    schema = {"properties": {"n": {"type": kind}}, "required": ["n"]}
    assert _takes(kit, "qwen_xml", schema, _qwen(n=text)) == is_taken
    nested = {"properties": {"n": {"type": "array", "items": {"type": kind}}}}
    assert _takes(kit, "qwen_xml", nested, _qwen(n=f"[{text}]")) == is_taken


_OPEN = {"properties": {"s": {"type": "integer"}}, "additionalProperties": {"type": "null"}}
_COUNTED = {
    "properties": {name: {"type": "integer"} for name in "abc"},
    "additionalProperties": False,
    "minProperties": 2,
    "maxProperties": 2,
    "required": ["c"],
}


@pytest.mark.parametrize(
    ("schema", "text", "any_order", "is_taken"),
    [
        (_FLAT, _qwen(s="x", n="1") + _qwen(s="y"), True, False),
        # The order of the schema.
        (_FLAT, _qwen(s="x", n="1", u="y"), False, True),
        (_FLAT, _qwen(n="1", s="x"), False, False),
        (_FLAT, _qwen(s="x", u="y", n="1"), False, False),
        # Names that it leaves open.
        (_OPEN, _qwen(s="1", s2="null", a="null"), True, True),
        (_OPEN, _qwen(s="null"), True, False),
        (_OPEN, _qwen(a="1"), True, False),
        # Bounds on their number.
        (_COUNTED, _qwen(a="1", c="1"), True, True),
        (_COUNTED, _qwen(c="1"), True, False),
        (_COUNTED, _qwen(a="1", b="1"), True, False),
    ],
)
def test_parameters_come_once_in_order_and_in_number(schema, text, any_order, is_taken, kit):
    assert _takes(kit, "qwen_xml", schema, text, any_order=any_order) == is_taken


@pytest.mark.parametrize(
    ("style", "text", "is_taken"),
    [
        (
            "minimax_xml",
            '<parameter name="s">x</parameter>\n<parameter name="n">2</parameter>',
            True,
        ),
        ("glm_xml", "<arg_key>s</arg_key>\n<arg_value>x</arg_value>", False),
        (
            "glm_xml",
            "<arg_key>s</arg_key>\n<arg_value>x</arg_value><arg_key>n</arg_key>"
            "<arg_value>2</arg_value>\n",
            True,
        ),
        (
            "deepseek_xml",
            '<｜DSML｜parameter name="n" string="false">2</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="s" string="true">2 <｜DSML｜</｜DSML｜parameter>',
            True,
        ),
        ("deepseek_xml", '<｜DSML｜parameter name="n" string="true">2', False),
        (
            "kimi_k3_xml",
            '<|open|>argument key="s" type="string"<|sep|>x<|close|>argument<|sep|>'
            '<|open|>argument key="n" type="number"<|sep|>3<|close|>argument<|sep|>'
            '<|open|>argument key="u" type="null"<|sep|>null<|close|>argument<|sep|>',
            True,
        ),
    ],
)
def test_each_style_has_its_texts(style, text, is_taken, kit):
    assert _takes(kit, style, _FLAT, text) == is_taken


def _cohere(name, kind, text):
    named = f' name="{name}"' if name else ""
    return f'<cofl:value{named} type="{kind}">{text}</cofl:value>'


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        (_cohere("a", "list", _cohere("", "raw", "hi") + _cohere("", "raw", "x")), True),
        (_cohere("a", "list", _cohere("", "raw", "hi") * 3), False),
        (_cohere("a", "list", _cohere("", "json", "3")), False),
        (_cohere("k", "list", _cohere("", "dict", _cohere("z", "json", "3"))), True),
        (_cohere("k", "list", _cohere("", "dict", "")), False),
        (_cohere("u", "raw", "x") + _cohere("a", "list", ""), True),
        (_cohere("u", "json", "12"), True),
        (_cohere("u", "json", "null"), False),
        (_cohere("r", "dict", _cohere("r", "dict", _cohere("r", "dict", ""))), True),
    ],
)
def test_arrays_and_objects_are_nested_parameters(text, is_taken, kit):
    assert _takes(kit, "cohere_xml", _NESTED, text) == is_taken


def test_a_name_is_closed_by_itself(kit):
    text = "~<k>~<item>~<z>3~</z>~</item>~</k>~<u>x~</u>"
    schema = {**_NESTED, "properties": {k: _NESTED["properties"][k] for k in "ku"}}
    assert _takes(kit, "minimax_m3_xml", schema, text.replace("~", "]<]minimax[>["))
    wrong = text.replace("</z>", "</k>").replace("~", "]<]minimax[>[")
    assert not _takes(kit, "minimax_m3_xml", schema, wrong)


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"patternProperties": {}}, "", "patternProperties"),
        ({"properties": {"a": {"$ref": "#b"}}}, "/properties/a", "$ref"),
        ({"properties": {"a": {"$ref": "other.json"}}}, "/properties/a", "$ref"),
        (
            {"properties": {"a": {"$id": "x.json", "$ref": "#/$defs/q"}}, "$defs": {"q": {}}},
            "/properties/a",
            "$ref",
        ),
        (
            {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"pattern": "("}}},
            "/properties/b",
            "pattern",
        ),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a", "pattern"),
        ({"minProperties": 1}, "", "minProperties"),
        ({"required": ["a<b"]}, "", "properties"),
    ],
)
def test_what_a_style_cannot_write_is_refused_by_name(schema, pointer, keyword, kit):
    with pytest.raises(SchemaError) as caught:
        kit.structural_tag(_form(schema))
    assert caught.value.pointer == f"/format/json_schema{pointer}"
    assert caught.value.keyword == keyword


@pytest.mark.parametrize(
    ("style", "inner", "pointer", "keyword"),
    [
        ("cohere_xml", {"items": {"$ref": "#/$defs/p"}}, "/items", "patternProperties"),
        ("minimax_m3_xml", {"items": {"$ref": "#/$defs/p"}}, "/items", "patternProperties"),
        ("minimax_m3_xml", {}, "/items", "additionalProperties"),
    ],
)
def test_items_that_cannot_be_written_are_refused_with_the_request(
    style, inner, pointer, keyword, kit
):
    definitions = {"p": {"type": "object", "patternProperties": {"^x": {}}}}
    schema = {"properties": {"a": {"type": "array", **inner}}, "additionalProperties": False}
    with pytest.raises(SchemaError) as caught:
        kit.structural_tag(_form({**schema, "$defs": definitions}, style))
    assert caught.value.pointer == f"/format/json_schema/properties/a{pointer}"
    assert caught.value.keyword == keyword


def test_other_names_of_a_nested_object_are_refused_with_the_request(kit):
    others = {"type": "object", "patternProperties": {"^x": {}}}
    inner = {"type": "object", "additionalProperties": others}
    schema = {"properties": {"a": inner}, "additionalProperties": False}
    with pytest.raises(SchemaError, match="patternProperties cannot be expressed in the style"):
        kit.structural_tag(_form(schema, "cohere_xml"))


def test_an_array_that_must_have_items_is_not_written_without_them(kit):
    items = {"type": "string", "enum": ["</cofl:value>"]}
    schema = {"properties": {"a": {"type": "array", "items": items}}, "additionalProperties": False}
    assert _takes(kit, "cohere_xml", schema, _cohere("a", "list", ""))
    schema["properties"]["a"]["minItems"] = 1
    assert not _takes(kit, "cohere_xml", schema, _cohere("a", "list", ""))


@pytest.mark.parametrize(
    ("style", "begin", "end"),
    [
        ("qwen_xml", "<parameter=n>", "</parameter>"),
        ("cohere_xml", '<cofl:value name="n" type="json">', "</cofl:value>"),
        ("minimax_m3_xml", "]<]minimax[>[<n>", "]<]minimax[>[</n>"),
    ],
)
def test_a_required_name_without_a_schema_has_that_of_all_others(style, begin, end, kit):
    schema = {"required": ["n"], "additionalProperties": {"type": "integer"}}
    constraint = kit.structural_tag(_form(schema, style))
    assert not takes(constraint, "")
    assert not constraint.matcher().accept_bytes(f"{begin}x".encode())
    assert takes(constraint, f"{begin}12{end}")


_PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "style", "expected"),
    [
        (_PLAIN, "qwen_xml", True),
        ({**_PLAIN, "required": ["a"], "additionalProperties": False}, "glm_xml", True),
        (_PLAIN, "cohere_xml", False),
        ({**_PLAIN, "required": ["b"]}, "qwen_xml", False),
        ({**_PLAIN, "minProperties": 1}, "qwen_xml", False),
        ({**_PLAIN, "properties": {"a<b": {"type": "string"}}}, "qwen_xml", False),
        ({**_PLAIN, "properties": {"a": {"pattern": "("}}}, "qwen_xml", False),
        ({"properties": {}}, "qwen_xml", False),
        (True, "qwen_xml", False),
    ],
)
def test_only_arguments_that_can_be_written_wait(schema, style, expected):
    assert may_wait(schema, style, ()) is expected


def test_arguments_with_a_listed_text_that_cannot_be_written_do_not_wait():
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "</y>"]}}}
    assert may_wait(schema, "qwen_xml", ())
    assert not may_wait(schema, "qwen_xml", ("</y>",))


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"properties": {"a": {"enum": ["</parameter>"]}}, "required": ["a"]}, "required"),
        ({"properties": {"a": {"not": {}}, "b": {}}, "minProperties": 2}, "minProperties"),
    ],
)
def test_what_nothing_can_be_written_for_is_refused(schema, keyword, kit):
    whole = {"type": "object", "additionalProperties": False, **schema}
    with pytest.raises(SchemaError, match="fits no value") as caught:
        kit.structural_tag(_form(whole))
    assert caught.value.keyword == keyword


def test_a_property_may_have_the_name_of_a_keyword(kit):
    inner = {"type": "object", "properties": {"$id": {"type": "integer"}, "$ref": {}}}
    schema = {"type": "object", "properties": {"a": inner, "b": {"const": 1}}}
    assert _takes(kit, "qwen_xml", schema, '<parameter=a>{"$id":1}</parameter>')


_ADDRESS = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
_CAT = {"type": "object", "properties": {"kind": {"const": "cat"}, "n": {"type": "null"}},
        "required": ["kind"], "additionalProperties": False}  # fmt: skip
_DOG = {"type": "object", "properties": {"kind": {"enum": ["dog", "pup"]}, "n": _ADDRESS},
        "required": ["kind"], "additionalProperties": False}  # fmt: skip
_NODE = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"},
         {"type": "null"}]}}, "additionalProperties": False}  # fmt: skip
_LIST = {"type": "array", "items": {"type": "integer"}, "maxItems": 2}
_CHOSEN = [
    {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "default": None},
    {"oneOf": [{"$ref": "#/$defs/C"}, {"$ref": "#/$defs/D"}],
     "discriminator": {"propertyName": "kind"}},
    {"anyOf": [_LIST, {"$ref": "#/$defs/C"}, {"oneOf": [{"$ref": "#/$defs/A"}, {"const": 4}]}]},
    {"type": ["object", "null"], "anyOf": [{"$ref": "#/$defs/N"}, {"$ref": "#/$defs/A"}, _LIST]},
    {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/D"}, _LIST]}},
    {"$ref": "#/properties/y"},
    {"$ref": "https://example.com/whole.json#/properties/y/items"},
]  # fmt: skip
_VALUES = [
    *(None, 4, 5, True, {"n": 1}, {"n": None}, {"kind": "cat"}, {"kind": "cat", "n": None}),
    *({"kind": "dog", "n": {"n": 2}}, {"kind": "pup", "n": None}, {"kind": "cow"}, {}, []),
    *([1], [1, 2], [1, 2, 3], [{"kind": "dog"}], [[1]], [None], {"next": None}, {"next": 3}),
    *({"next": {"next": {"next": None}}}, {"next": {"n": 1}}, [{"kind": "cat"}, [2]]),
]


def _whole(chosen):
    return {
        "$id": "https://example.com/whole.json",
        "type": "object",
        "properties": {"x": _CHOSEN[chosen], "y": {"type": "array", "items": _LIST}},
        "required": ["x"],
        "additionalProperties": False,
        "$defs": {"A": _ADDRESS, "C": _CAT, "D": _DOG, "N": _NODE},
    }


@pytest.mark.parametrize(
    "style", ["cohere_xml", "gemma_4", "minimax_m3_xml", "python", "qwen_xml", "kimi_k3_xml"]
)
@pytest.mark.parametrize("chosen", range(len(_CHOSEN)))
def test_a_value_is_taken_as_jsonschema_takes_it(chosen, style, kit):
    schema = _whole(chosen)
    judge = jsonschema.Draft202012Validator(schema)
    constraint = kit.structural_tag(_form(schema, style))
    valid = [value for value in _VALUES if judge.is_valid({"x": value})]
    assert 1 < len(valid) < len(_VALUES)
    if style == "gemma_4":  # which has no null
        valid = [value for value in valid if "null" not in json.dumps(value)]
    taken = [v for v in _VALUES if takes(constraint, write_arguments(style, {"x": v}))]
    # An object and an array without anything in them are written alike where no type is.
    alike = [v for v in ({}, []) if style == "minimax_m3_xml" and v not in valid]
    assert [v for v in taken if v not in alike] == valid
    assert not alike or not [v for v in alike if v in taken] or {} in valid or [] in valid


def _parse(text):
    """Return the parameters or items that a text in cohere_xml has, each with its name."""
    found = []
    while text:
        name, kind, text = re.match(
            r'<cofl:value(?: name="(\w+)")? type="(\w+)">(.*)', text, re.S
        ).groups()
        depth, end = 1, 0
        while depth:
            tag = re.compile("<(/?)cofl:value").search(text, end)
            depth, end = depth + (-1 if tag[1] else 1), tag.end()
        inner, text = text[: tag.start()], text[end + 1 :].lstrip()
        if kind in ("dict", "list"):
            pairs = _parse(inner.lstrip())
            inner = dict(pairs) if kind == "dict" else [value for _, value in pairs]
            assert kind == "list" or len(inner) == len(pairs)
        else:
            inner = inner if kind == "raw" else json.loads(inner)
        found.append((name, inner))
    return found


@pytest.mark.parametrize("seed", seeds(20))
@pytest.mark.parametrize("chosen", range(len(_CHOSEN)))
def test_what_is_drawn_is_what_jsonschema_takes(chosen, seed, kit):
    draw, schema = random.Random(seed), _whole(chosen)
    matcher = kit.structural_tag(_form(schema, "cohere_xml")).matcher()
    taken = []
    while len(taken) < 150 and not matcher.is_terminated:
        taken.append(draw.choice(sorted(legal(matcher, kit.vocab_size))))
        assert matcher.accept_token(taken[-1])
    if not matcher.is_terminated:
        taken += matcher.shortest_completion().tokens
    text = bytes(byte for byte in taken if byte < 256)
    value = dict(_parse(text.decode().lstrip()))
    assert jsonschema.Draft202012Validator(schema).is_valid(value), text


@pytest.mark.parametrize(
    ("chosen", "keyword"),
    [
        ({"oneOf": [_ADDRESS, {"type": "object"}]}, "oneOf"),
        ({"anyOf": [_ADDRESS, {"type": "null"}], "minProperties": 1}, "anyOf"),
        ({"oneOf": [_LIST, {"type": "array"}]}, "oneOf"),
        ({"oneOf": [_CAT, {**_CAT, "required": ["kind", "n"]}]}, "oneOf"),
    ],
)
def test_a_choice_that_cannot_be_told_is_refused(chosen, keyword, kit):
    with pytest.raises(SchemaError) as caught:
        kit.structural_tag(_form({"type": "object", "properties": {"x": chosen}}, "cohere_xml"))
    assert (caught.value.pointer[-13:], caught.value.keyword) == ("/properties/x", keyword)


@pytest.mark.parametrize("family", ["cohere", "gemma_4", "pythonic", "qwen_3_coder"])
@pytest.mark.parametrize("more", [{"minLength": 400}, {"minLength": 3, "pattern": "^(é|ab?)*$"}])
def test_what_finishes_a_call_has_strings_of_the_least_length(family, more, kit):
    schema = {"type": "object", "properties": {"a": {"type": "string", **more}}, "required": ["a"]}
    tools = [{"name": "f", "parameters": schema}]
    constraint = kit.tools(tools, family=family, choice="required")
    tag = describe_tools(tools, family=family, choice="required")
    begin, _ = render(tag, {"a": "aa@"}).split("@")
    matcher = constraint.matcher()
    # In Python a text may stand in either quote; what is open there stays open.
    assert matcher.accept_bytes(begin.encode())
    rest = bytes(byte for byte in matcher.shortest_completion().tokens if byte < 256)
    assert takes(constraint, begin + rest.decode())
    assert rest.startswith(b"a" * (more["minLength"] - 2))
    assert not rest.startswith(b"a" * (more["minLength"] - 1))
