"""Arguments in the styles of parameters: strings as they are, everything else as JSON."""

from typing import Any

import pytest

from maskc.errors import SchemaError
from maskc.kit.file import make_kit
from maskc.kit.kit import Kit
from maskc.tags.arguments import may_wait
from maskc.vocab.vocabulary import Vocabulary, build_byte_table

_FLAT: dict[str, Any] = {
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
_NESTED: dict[str, Any] = {
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


@pytest.fixture(scope="module")
def kit() -> Kit:
    table = build_byte_table()
    return make_kit(Vocabulary(table.tokens, table.eos_ids, "bytes"))


def _takes(kit: Kit, style: str, schema: Any, text: str, *, any_order: bool = True) -> bool:
    form = {"type": "json_schema", "json_schema": schema, "style": style, "any_order": any_order}
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_accepting


def _qwen(**values: str) -> str:
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
def test_parameters_are_those_of_the_schema(
    values: dict[str, str], is_taken: bool, kit: Kit
) -> None:
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
def test_integers_are_digits_as_parsers_of_engines_read_them(
    kind: str, text: str, is_taken: bool, kit: Kit
) -> None:
    schema = {"properties": {"n": {"type": kind}}, "required": ["n"]}
    assert _takes(kit, "qwen_xml", schema, _qwen(n=text)) == is_taken
    nested = {"properties": {"n": {"type": "array", "items": {"type": kind}}}}
    assert _takes(kit, "qwen_xml", nested, _qwen(n=f"[{text}]")) == is_taken


def test_a_parameter_comes_once(kit: Kit) -> None:
    twice = _qwen(s="x", n="1") + _qwen(s="y")
    assert not _takes(kit, "qwen_xml", _FLAT, twice)


def test_parameters_keep_the_order_of_the_schema(kit: Kit) -> None:
    assert _takes(kit, "qwen_xml", _FLAT, _qwen(s="x", n="1", u="y"), any_order=False)
    assert not _takes(kit, "qwen_xml", _FLAT, _qwen(n="1", s="x"), any_order=False)
    assert not _takes(kit, "qwen_xml", _FLAT, _qwen(s="x", u="y", n="1"), any_order=False)


def test_names_that_the_schema_leaves_open_may_come(kit: Kit) -> None:
    schema = {"properties": {"s": {"type": "integer"}}, "additionalProperties": {"type": "null"}}
    assert _takes(kit, "qwen_xml", schema, _qwen(s="1", s2="null", a="null"))
    assert not _takes(kit, "qwen_xml", schema, _qwen(s="null"))
    assert not _takes(kit, "qwen_xml", schema, _qwen(a="1"))


def test_bounds_on_the_number_of_parameters_hold(kit: Kit) -> None:
    properties = {name: {"type": "integer"} for name in "abc"}
    schema = {"properties": properties, "additionalProperties": False}
    schema |= {"minProperties": 2, "maxProperties": 2, "required": ["c"]}
    assert _takes(kit, "qwen_xml", schema, _qwen(a="1", c="1"))
    assert not _takes(kit, "qwen_xml", schema, _qwen(c="1"))
    assert not _takes(kit, "qwen_xml", schema, _qwen(a="1", b="1"))


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
def test_each_style_has_its_texts(style: str, text: str, is_taken: bool, kit: Kit) -> None:
    assert _takes(kit, style, _FLAT, text) == is_taken


def _cohere(name: str, kind: str, text: str) -> str:
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
def test_arrays_and_objects_are_nested_parameters(text: str, is_taken: bool, kit: Kit) -> None:
    assert _takes(kit, "cohere_xml", _NESTED, text) == is_taken


def test_a_name_is_closed_by_itself(kit: Kit) -> None:
    text = "~<k>~<item>~<z>3~</z>~</item>~</k>~<u>x~</u>"
    schema = {**_NESTED, "properties": {k: _NESTED["properties"][k] for k in "ku"}}
    assert _takes(kit, "minimax_m3_xml", schema, text.replace("~", "]<]minimax[>["))
    wrong = text.replace("</z>", "</k>").replace("~", "]<]minimax[>[")
    assert not _takes(kit, "minimax_m3_xml", schema, wrong)


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"anyOf": [{}]}, "", "anyOf"),
        ({"patternProperties": {}}, "", "patternProperties"),
        ({"properties": {"a": {"$ref": "#"}}}, "/properties/a", "$ref"),
        ({"type": "string"}, "", "type"),
        ({"properties": {"a<b": {}}}, "", "properties"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "pattern"),
        ({"minProperties": 1}, "", "minProperties"),
        ({"required": ["a"], "additionalProperties": False}, "", "required"),
        ({"required": ["a<b"]}, "", "properties"),
        ({"required": [1]}, "", "required"),
    ],
)
def test_what_a_style_cannot_write_is_refused_by_name(
    schema: Any, pointer: str, keyword: str, kit: Kit
) -> None:
    with pytest.raises(SchemaError) as caught:
        _takes(kit, "qwen_xml", schema, "")
    assert caught.value.pointer in (
        f"/format/json_schema{pointer}",
        "/format/json_schema/properties/a",
    )
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
    style: str, inner: dict[str, Any], pointer: str, keyword: str, kit: Kit
) -> None:
    definitions = {"p": {"type": "object", "patternProperties": {"^x": {}}}}
    schema = {"properties": {"a": {"type": "array", **inner}}, "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": {**schema, "$defs": definitions}, "style": style}
    with pytest.raises(SchemaError) as caught:
        kit.structural_tag({"type": "structural_tag", "format": form})
    assert caught.value.pointer == f"/format/json_schema/properties/a{pointer}"
    assert caught.value.keyword == keyword


def test_other_names_of_a_nested_object_are_refused_with_the_request(kit: Kit) -> None:
    others = {"type": "object", "patternProperties": {"^x": {}}}
    inner = {"type": "object", "additionalProperties": others}
    schema = {"properties": {"a": inner}, "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": schema, "style": "cohere_xml"}
    with pytest.raises(SchemaError, match="patternProperties cannot be written in the style"):
        kit.structural_tag({"type": "structural_tag", "format": form})


def test_an_array_that_must_have_items_is_not_written_without_them(kit: Kit) -> None:
    items = {"type": "string", "enum": ["</cofl:value>"]}
    schema = {"properties": {"a": {"type": "array", "items": items}}, "additionalProperties": False}
    assert _takes(kit, "cohere_xml", schema, _cohere("a", "list", ""))
    schema["properties"]["a"]["minItems"] = 1
    assert not _takes(kit, "cohere_xml", schema, _cohere("a", "list", ""))


@pytest.mark.parametrize("style", ["qwen_xml", "cohere_xml", "minimax_m3_xml"])
def test_a_required_name_without_a_schema_has_that_of_all_others(style: str, kit: Kit) -> None:
    schema = {"required": ["n"], "additionalProperties": {"type": "integer"}}
    form = {"type": "json_schema", "json_schema": schema, "style": style}
    constraint = kit.structural_tag({"type": "structural_tag", "format": form})
    before = {"qwen_xml": b"<parameter=n>", "cohere_xml": b'<cofl:value name="n" type="json">'}
    begin = before.get(style, b"]<]minimax[>[<n>")
    after = {"qwen_xml": b"</parameter>", "cohere_xml": b"</cofl:value>"}
    end = after.get(style, b"]<]minimax[>[</n>")
    matcher = constraint.matcher()
    assert not matcher.is_accepting
    assert not matcher.fork().accept_bytes(begin + b"x")
    assert matcher.accept_bytes(begin + b"12" + end)
    assert matcher.is_accepting


_PLAIN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}


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
def test_only_arguments_that_can_be_written_wait(schema: Any, style: str, expected: bool) -> None:
    assert may_wait(schema, style, ()) is expected


def test_arguments_with_a_listed_text_that_cannot_be_written_do_not_wait() -> None:
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
def test_what_nothing_can_be_written_for_is_refused(
    schema: dict[str, Any], keyword: str, kit: Kit
) -> None:
    whole = {"type": "object", "additionalProperties": False, **schema}
    form = {"type": "json_schema", "json_schema": whole, "style": "qwen_xml"}
    with pytest.raises(SchemaError, match="fits no value at all") as caught:
        kit.structural_tag({"type": "structural_tag", "format": form})
    assert caught.value.keyword == keyword


def test_a_property_may_have_the_name_of_a_keyword(kit: Kit) -> None:
    inner = {"type": "object", "properties": {"$id": {"type": "integer"}, "$ref": {}}}
    schema = {"type": "object", "properties": {"a": inner, "b": {"const": 1}}}
    form = {"type": "json_schema", "json_schema": schema, "style": "qwen_xml"}
    matcher = kit.structural_tag({"type": "structural_tag", "format": form}).matcher()
    assert matcher.accept_bytes(b'<parameter=a>{"$id":1}</parameter>')
