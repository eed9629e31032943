"""Tools of several protocols, choices, and what a schema says of each parameter alone."""

import json

import pytest

from maskc.errors import SchemaError, TagError
from maskc.tags.objects import MAX_PARAMETERS, Where, read_object, resolve
from maskc.tags.tools import name_of, read_choice, read_tools

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


def tool(**function):
    return {"type": "function", "function": {"name": "f", **function}}


FLAT = {"name": "f", "inputSchema": CITY}


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ([tool(parameters=CITY, strict=True)], "/tools/0/function/parameters"),
        ([{**tool(parameters=CITY), "strict": True}], "/tools/0/function/parameters"),
        ([{"type": "function", "name": "f", "parameters": CITY}], "/tools/0/parameters"),
        ([{**FLAT, "annotations": {}, "title": "F", "_meta": {}}], "/tools/0/inputSchema"),
        ([{"name": "f", "input_schema": CITY, "type": "custom"}], "/tools/0/input_schema"),
        ([{"name": "f", "input_schema": CITY, "cache_control": {}}], "/tools/0/input_schema"),
        ({"tools": [FLAT]}, "/tools/0/inputSchema"),
        ({"tools": [FLAT], "nextCursor": None, "_meta": {}}, "/tools/0/inputSchema"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [FLAT]}}, "/result/tools/0/inputSchema"),
        (
            {"functionDeclarations": [{"name": "f", "parameters": CITY}]},
            "/tools/0/functionDeclarations/0/parameters",
        ),
        (
            [{"function_declarations": [{"name": "f", "parameters_json_schema": CITY}]}],
            "/tools/0/function_declarations/0/parameters",
        ),
    ],
)
def test_a_tool_of_any_protocol_is_read_with_the_place_of_its_schema(given, pointer):
    for written in (given, json.dumps(given)):
        (read,) = read_tools(written)
        assert (read.name, read.schema, read.pointer) == ("f", CITY, pointer)


@pytest.mark.parametrize(
    ("definition", "pointer"),
    [
        ({"name": "f", "paramaters": CITY}, "/tools/0/paramaters"),
        (tool(Parameters=CITY), "/tools/0/function/Parameters"),
        ({**tool(), "parameters": CITY}, "/tools/0/parameters"),
        ({"name": "f", "parameters": CITY, "inputSchema": CITY}, "/tools/0"),
        (tool(parameters=CITY, strict="yes"), "/tools/0/function/strict"),
    ],
)
def test_a_field_that_no_protocol_has_is_refused_with_its_place(definition, pointer):
    with pytest.raises(TagError) as refused:
        read_tools([definition])
    assert refused.value.pointer == pointer


def test_an_unknown_field_that_is_null_says_nothing():
    assert read_tools([tool(parameters=CITY, response=None)])[0].schema == CITY


@pytest.mark.parametrize(
    "function", [{}, {"parameters": None}, {"parameters": CITY, "strict": False}]
)
def test_without_a_strict_schema_arguments_are_any_object(function):
    assert read_tools([tool(**function)])[0].schema == {"type": "object"}


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, "/tools"),
        ("[", "/tools"),
        ([1], "/tools/0"),
        ([{"type": "web_search"}], "/tools/0"),
        ([tool(name="a b")], "/tools/0/function/name"),
        ([tool(parameters=[])], "/tools/0/function/parameters"),
        ([tool(), tool()], "/tools/1"),
    ],
)
def test_what_is_no_tool_is_refused_with_its_place(given, pointer):
    with pytest.raises(TagError) as refused:
        read_tools(given)
    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        (None, {"type": "object", "additionalProperties": False, "required": []}),
        (CITY, {**CITY, "additionalProperties": False, "required": ["city"]}),
        (
            {"properties": {"a": {"type": ["object", "null"]}, "b": {"items": CITY}}},
            {
                "type": "object",
                "properties": {
                    "a": {
                        "type": ["object", "null"],
                        "additionalProperties": False,
                        "required": [],
                    },
                    "b": {"items": {**CITY, "additionalProperties": False, "required": ["city"]}},
                },
                "additionalProperties": False,
                "required": ["a", "b"],
            },
        ),
        (
            {"type": "object", "$defs": {"c": CITY}, "anyOf": [{"$ref": "#/$defs/c"}, True]},
            {
                "type": "object",
                "$defs": {"c": {**CITY, "additionalProperties": False, "required": ["city"]}},
                "anyOf": [{"$ref": "#/$defs/c"}, True],
                "additionalProperties": False,
                "required": [],
            },
        ),
    ],
)
def test_strict_closes_the_objects_of_a_tool_that_says_so_where_it_is_asked_for(schema, closed):
    given = [tool(parameters=schema, strict=True), tool(name="g", parameters=schema)]
    first, second = read_tools(given, strict=True)
    assert first.schema == closed
    assert second.schema == read_tools(given)[0].schema != closed


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"allOf": [CITY]}, "", "allOf"),
        ({"properties": {"a/b": {"not": {}}}}, "/properties/a~1b", "not"),
        ({"items": [{"patternProperties": {}}]}, "/items/0", "patternProperties"),
        (
            {"$defs": {"a": {**CITY, "additionalProperties": {}}}},
            "/$defs/a",
            "additionalProperties",
        ),
    ],
)
def test_what_the_strict_mode_has_not_is_refused_by_its_place(schema, pointer, keyword):
    with pytest.raises(SchemaError) as refused:
        read_tools([tool(parameters=schema, strict=True)], strict=True)
    assert refused.value.pointer == f"/tools/0/function/parameters{pointer}"
    assert refused.value.keyword == keyword


def test_a_choice_leaves_the_tools_that_may_be_called():
    tools = read_tools([tool(), tool(name="g")])
    assert read_choice("auto", tools) == ("auto", tools)
    assert read_choice("none", tools) == ("none", [])
    assert read_choice({"function": {"name": "g"}}, tools) == ("named", tools[1:])


def wrap(*declarations, **more):
    return [{"functionDeclarations": list(declarations), **more}]


def test_the_functions_of_gemini_are_tools_with_their_places():
    schema = {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "description": "where"},
            "unit": {"type": "STRING", "format": "enum", "enum": ["C", "F"], "nullable": True},
            "days": {"type": "ARRAY", "items": {"type": "INTEGER"}, "maxItems": "3"},
        },
        "required": ["city"],
        "propertyOrdering": ["city", "unit"],
    }
    first, second = read_tools(
        wrap({"name": "f", "parameters": schema}, {"name": "g", "parametersJsonSchema": CITY})
    )
    assert first.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "unit": {"anyOf": [{"type": "string", "enum": ["C", "F"]}, {"type": "null"}]},
            "days": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
        },
        "required": ["city"],
    }
    assert first.pointer == "/tools/0/functionDeclarations/0/parameters"
    assert (second.name, second.schema) == ("g", CITY)


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        (wrap({"name": "f"}, googleSearch={}), "/tools/0/googleSearch"),
        (wrap({"name": "f", "params": {}}), "/tools/0/functionDeclarations/0/params"),
        (wrap(3), "/tools/0/functionDeclarations/0"),
        ([*wrap({"name": "f"}), {"name": "f"}], "/tools/1"),
        ([{"function_declarations": {}}], "/tools/0/function_declarations"),
        (wrap({"name": "f", "parameters": 3}), "/tools/0/functionDeclarations/0/parameters"),
        ({"tools": [], "nextCursor": "2"}, "/tools"),
        ({"tools": [], "toools": []}, "/toools"),
        ({"result": {"tools": 3}}, "/result/tools"),
        ({"result": 3}, "/result/tools"),
    ],
)
def test_what_is_no_list_of_a_protocol_is_refused_with_its_place(given, pointer):
    with pytest.raises(TagError) as refused:
        read_tools(given)
    assert refused.value.pointer == pointer


def allow(mode, *names):
    return {"mode": mode, "tools": [{"type": "function", "name": name} for name in names]}


@pytest.mark.parametrize(
    ("choice", "form", "names"),
    [
        ({"type": "auto"}, "auto", "fgh"),
        ({"type": "any"}, "required", "fgh"),
        ({"type": "none"}, "none", ""),
        ({"type": "tool", "name": "g"}, "named", "g"),
        ({"type": "function", "name": "g"}, "named", "g"),
        ({"type": "allowed_tools", "allowed_tools": allow("auto", "h", "f")}, "auto", "fh"),
        ({"type": "allowed_tools", **allow("required", "g")}, "required", "g"),
        ({"type": "allowed_tools", **allow("auto")}, "auto", ""),
    ],
)
def test_a_choice_is_written_as_openai_and_anthropic_write_it(choice, form, names):
    found, left = read_choice(choice, read_tools([tool(name=name) for name in "fgh"]))
    assert (found, "".join(one.name for one in left)) == (form, names)


@pytest.mark.parametrize(
    "choice",
    [
        *("any", 3, {"name": "h"}, {"type": "auto", "disable_parallel_tool_use": True}),
        {"type": "allowed_tools", **allow("auto", "h")},
        {"type": "allowed_tools", **allow("never", "f")},
        {"type": "allowed_tools", **allow("required")},
        {"type": "allowed_tools"},
        {"type": "allowed_tools", **allow("auto", "f"), "parallel": False},
        {"type": "allowed_tools", "allowed_tools": {**allow("auto", "f"), "name": "f"}},
        {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        {"type": "function", "function": {"name": "f", "arguments": {}}},
    ],
)
def test_what_is_no_choice_is_refused(choice):
    with pytest.raises(TagError, match="/choice"):
        read_choice(choice, read_tools([tool()]))


def test_a_call_that_is_required_needs_a_tool():
    with pytest.raises(TagError, match="there is no tool"):
        read_choice("required", [])


def test_equal_requests_have_one_name_whatever_they_share():
    shared = {"type": "integer"}
    assert name_of([shared, shared]) == name_of([{"type": "integer"}, {"type": "integer"}])


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, 1.0), (0, False), ("1", 1), ([], ()), ({}, [])]
)
def test_what_json_tells_apart_has_different_names(left, right):
    assert name_of([left]) != name_of([right])


def test_what_is_no_plain_json_has_no_name():
    inside = []
    inside.append(inside)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for given in ([object()], [test_what_is_no_plain_json_has_no_name], inside, deep):
        assert name_of(given) is None


WHERE = Where("/tools/0", "qwen_xml")


def read(schema, *, is_nested=False, root=None):
    return read_object(schema, root or schema, WHERE, is_nested=is_nested)


def test_properties_are_read_in_order_with_those_that_are_required():
    found = read({"properties": {"b": {}, "a": True}, "required": ["a"]})
    assert found.names == ("b", "a")
    assert found.schemas == ({}, True)
    assert found.required == 0b10
    assert (found.low, found.high, found.others) == (0, None, True)


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"anyOf": []}, "anyOf"),
        ({"dependentRequired": {}}, "dependentRequired"),
        ({"items": {}}, "items"),
    ],
)
def test_what_ties_parameters_together_is_refused_by_name(schema, keyword):
    with pytest.raises(SchemaError) as refused:
        read(schema)
    assert refused.value.keyword == keyword
    assert refused.value.pointer.startswith("/tools/0")


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "array"}, "type"),
        ({"properties": []}, "properties"),
        ({"properties": {"a": 1}}, "properties"),
        ({"properties": {"a<b": {}}}, "properties"),
        ({"properties": {"": {}}}, "properties"),
        ({"properties": {f"p{n}": {} for n in range(MAX_PARAMETERS + 1)}}, "properties"),
        ({"required": ["a"], "additionalProperties": False}, "required"),
        ({"properties": {"1": {}}, "required": [1]}, "required"),
        ({"properties": {"a": {}}, "required": [["a"]]}, "required"),
        ({"additionalProperties": 1}, "additionalProperties"),
        ({"maxProperties": 2}, "maxProperties"),
        ({"additionalProperties": False, "minProperties": -1}, "minProperties"),
        ({"additionalProperties": False, "minProperties": 1}, "required"),
    ],
)
def test_what_is_not_as_it_must_be_is_said(schema, keyword):
    with pytest.raises(SchemaError) as refused:
        read(schema)
    assert refused.value.keyword == keyword


def test_what_is_required_alone_has_the_schema_of_all_others():
    found = read({"properties": {"b": {}}, "required": ["a"], "additionalProperties": {"x": 1}})
    assert (found.names, found.schemas, found.required) == (("b", "a"), ({}, {"x": 1}), 0b10)


def test_the_schema_of_a_value_may_be_one_of_an_array_too():
    assert read({"type": ["array", "object"], "items": {}}, is_nested=True).names == ()


def test_a_reference_is_followed_to_a_definition():
    root = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}}
    assert resolve(root, root, WHERE) == {"type": "object"}


@pytest.mark.parametrize(
    "top",
    [
        {"$ref": "#/$defs/a"},
        {"$ref": "#/$defs/loop"},
        {"$ref": "#/$defs/a/b"},
        {"$ref": "other.json#/$defs/b"},
        {"$ref": "#/$defs/b", "minProperties": 1},
        3,
    ],
)
def test_what_leads_to_no_object_is_refused(top):
    root = {"$defs": {"a": 1, "b": {}, "loop": {"$ref": "#/$defs/loop"}}}
    with pytest.raises(SchemaError):
        resolve(top, root, WHERE)
