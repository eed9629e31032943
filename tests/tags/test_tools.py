"""Tool definitions of several protocols, and choices: what is read, refused, and the same."""

import json

import pytest

from maskc.errors import TagError
from maskc.tags.tools import name_of, read_choice, read_tools

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


def tool(**function):
    return {"type": "function", "function": {"name": "f", **function}}


def test_a_tool_is_read_with_the_place_of_its_schema():
    (read,) = read_tools([tool(parameters=CITY)])
    assert (read.name, read.schema, read.pointer) == ("f", CITY, "/tools/0/function/parameters")


def test_a_text_is_read_as_its_json():
    assert read_tools(json.dumps([tool(parameters=CITY)])) == read_tools([tool(parameters=CITY)])


@pytest.mark.parametrize(
    ("definition", "pointer"),
    [
        ({"type": "function", "name": "f", "parameters": CITY}, "/tools/0/parameters"),
        (
            {"name": "f", "inputSchema": CITY, "annotations": {}, "title": "F"},
            "/tools/0/inputSchema",
        ),
        ({"name": "f", "input_schema": CITY, "type": "custom"}, "/tools/0/input_schema"),
    ],
)
def test_a_tool_of_another_protocol_is_read_with_the_place_of_its_schema(definition, pointer):
    (read,) = read_tools([definition])
    assert (read.name, read.schema, read.pointer) == ("f", CITY, pointer)


@pytest.mark.parametrize(
    ("definition", "place"),
    [
        ({"name": "f", "paramaters": CITY}, "/tools/0/paramaters"),
        (tool(Parameters=CITY), "/tools/0/function/Parameters"),
        ({**tool(), "parameters": CITY}, "/tools/0/parameters"),
        ({"name": "f", "parameters": CITY, "inputSchema": CITY}, "/tools/0"),
    ],
)
def test_a_field_that_no_protocol_has_is_refused_with_its_place(definition, place):
    with pytest.raises(TagError) as refused:
        read_tools([definition])
    assert refused.value.pointer == place


def test_an_unknown_field_that_is_null_says_nothing():
    assert read_tools([tool(parameters=CITY, response=None)])[0].schema == CITY


@pytest.mark.parametrize(
    "function", [{}, {"parameters": None}, {"parameters": CITY, "strict": False}]
)
def test_without_a_strict_schema_arguments_are_any_object(function):
    assert read_tools([tool(**function)])[0].schema == {"type": "object"}


@pytest.mark.parametrize(
    ("given", "place"),
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
def test_what_is_no_tool_is_refused_with_its_place(given, place):
    with pytest.raises(TagError) as refused:
        read_tools(given)
    assert refused.value.pointer == place


def test_a_choice_leaves_the_tools_that_may_be_called():
    tools = read_tools([tool(), tool(name="g")])
    assert read_choice("auto", tools) == ("auto", tools)
    assert read_choice("none", tools) == ("none", [])
    assert read_choice({"function": {"name": "g"}}, tools) == ("named", tools[1:])


@pytest.mark.parametrize("choice", ["any", 3, {"name": "h"}])
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
