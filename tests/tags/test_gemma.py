"""Calls of Gemma 4: names without quotes, texts between ``<|"|>``, commas between values.

The reader here is written from the format, as strict as the stricter one of the engines' parsers
in each place: what it reads is what each of them reads.
"""

import itertools
import random
import re

import jsonschema
import pytest

from maskc.errors import SchemaError
from maskc.kit.artifacts import compile_tools
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.tags.families import write_arguments
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import Vocabulary
from tests.examples import seeds
from tests.tags.conftest import legal, tag_of, takes

QUOTE = '<|"|>'
_POINT = {"type": "object", "properties": {"x": {"type": "number"}, "at": {"$ref": "#/$defs/P"}},
          "required": ["x"], "additionalProperties": False}  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "n": {"type": ["integer", "null"]},
        "e": {"enum": ["a", "b]", 3, True, None]},
        "p": {"$ref": "#/$defs/P"},
        "l": {"type": "array", "items": {"type": ["string", "boolean"]}, "minItems": 1,
              "maxItems": 3},
        "m": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "o": {"type": "array", "items": {"$ref": "#/$defs/P"}, "maxItems": 1},
    },
    "required": ["s", "p"],
    "maxProperties": 5,
    "additionalProperties": False,
    "$defs": {"P": _POINT},
}  # fmt: skip
TOOLS = [{"name": "f", "parameters": SCHEMA}]


def _read(text, at):
    """Return the value that stands at an index, and where it ends."""
    if text.startswith(QUOTE, at):
        end = text.index(QUOTE, at + len(QUOTE))
        return text[at + len(QUOTE) : end], end + len(QUOTE)
    if text[at] not in "{[":
        bare = re.compile(r"[^,\]}]*").match(text, at)
        if bare[0] in ("true", "false"):
            return bare[0] == "true", bare.end()
        return (float if "." in bare[0] else int)(bare[0]), bare.end()
    found, at, end = [], at + 1, {"{": "}", "[": "]"}[text[at]]
    while text[at] != end:
        if found:
            assert text[at] == ","
            at += 1
        name = None
        if end == "}":
            name = re.compile(r"\w+(?=:)").match(text, at)[0]
            at += len(name) + 1
        value, at = _read(text, at)
        found.append((name, value))
    if end == "]":
        return [value for _, value in found], at + 1
    assert len(dict(found)) == len(found)
    return dict(found), at + 1


def read_call(text):
    call = re.fullmatch(r"<\|tool_call>call:f(\{.*\})<tool_call\|>", text, re.DOTALL)
    assert text.count("<|tool_call>") == text.count("<tool_call|>") == 1
    value, end = _read(call[1], 0)
    assert end == len(call[1])
    return value


def _arguments(schema):
    form = {"type": "json_schema", "json_schema": schema, "style": "gemma_4", "any_order": True}
    return tag_of(form)


@pytest.fixture(scope="module")
def made(kit):
    asked = {"family": "gemma4", "choice": "required", "parallel": False}
    contents = compile_tools(TOOLS, load_vocabulary("bytes"), limits=Limits(), **asked)
    return kit.tools(TOOLS, **asked), Artifact(contents)


@pytest.mark.parametrize("seed", seeds(60))
def test_what_is_drawn_is_read_as_what_the_schema_allows(seed, made, kit):
    draw = random.Random(seed)
    matchers = [constraint.matcher() for constraint in made]
    taken = []
    while len(taken) < 200 and not matchers[0].is_terminated:
        allowed = legal(matchers[0], kit.vocab_size)
        assert allowed == legal(matchers[1], kit.vocab_size)
        marks = sorted(allowed & set(b'<|">]},{[:'))
        from_marks = marks and draw.random() < 0.7
        taken.append(draw.choice(marks if from_marks else sorted(allowed)))
        assert all(matcher.accept_token(taken[-1]) for matcher in matchers)
    if not matchers[0].is_terminated:
        taken += matchers[0].shortest_completion().tokens
    text = bytes(byte for byte in taken if byte < 256).decode()
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(read_call(text)), text


_VALUES = {
    "s": ["", "a", "}<|tool", "{n:1}", "null", "\n, "],
    "n": [0, -12, 5_000_000_000, 1.5, "1", None],
    "e": ["a", "b]", 3, True, False, "c"],
    "p": [{"x": 1}, {"x": 0.5, "at": {"x": 2}}, {}, {"x": 1, "y": 2}, [1]],
    "l": [["a"], ["]", True, ""], [], ["a"] * 4, [1]],
    "m": [[], [[]], [[1], [2, 3]], [["a"]]],
    "o": [[], [{"x": 3}], [{"x": 3}, {"x": 4}]],
}


@pytest.mark.parametrize("name", _VALUES)
def test_what_is_valid_is_taken_in_any_order_but_for_null(name, made):
    judge = jsonschema.Draft202012Validator(SCHEMA)
    for value in _VALUES[name]:
        whole = {"s": "x", "p": {"x": 1}, name: value}
        is_written = judge.is_valid(whole) and value is not None
        for keys in itertools.permutations(whole):
            text = write_arguments("gemma_4", {key: whole[key] for key in keys})
            text = f"<|tool_call>call:f{{{text}}}<tool_call|>"
            assert [takes(one, text) for one in made] == [is_written] * 2, text
            assert not is_written or read_call(text) == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a:1,",
        ",a:1",
        "a:1,,b:2",
        "a:1 ,b:2",
        "a:1, b:2",
        "a:1b:2",
        "a:1,a:1",
        "c:1",
        'a:<|"|>1<|"|>',
        '"a":1',
        "a:1.0",
        "a:null",
    ],
)
def test_what_is_no_list_of_values_is_refused(text, kit):
    integer = {"type": ["integer", "null"]}
    schema = {"type": "object", "properties": {"a": integer, "b": integer}, "minProperties": 1,
              "additionalProperties": False}  # fmt: skip
    constraint = kit.structural_tag(_arguments(schema))
    assert not takes(constraint, text)
    assert all(takes(constraint, ok) for ok in ("a:1", "b:2", "a:1,b:2", "b:2,a:1"))


@pytest.mark.parametrize("mark", ":,{}[]")
def test_a_name_has_none_of_the_marks_that_parsers_count(mark, kit):
    with pytest.raises(SchemaError, match="which parsers cannot read"):
        kit.structural_tag(_arguments({"properties": {f"a{mark}b": {"type": "integer"}}}))


@pytest.mark.parametrize(
    "inner",
    [
        {"type": "string"},
        {"enum": ["a]", 1]},
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        {"type": "array", "items": {"type": "string"}},
        True,
    ],
)
def test_texts_in_arrays_of_arrays_are_refused(inner, kit):
    """SGLang counts brackets there in texts as well."""
    array = {"type": "array", "items": {"type": "array", "items": inner}}
    with pytest.raises(SchemaError, match="items cannot be expressed in the style gemma_4"):
        kit.structural_tag(_arguments({"properties": {"a": array}}))


@pytest.mark.parametrize("text", ["5e9", "1.5e3", "1.0e1", "1E2", "01", "1.", "+1"])
def test_a_number_has_neither_exponent_nor_padding(text, kit):
    schema = {"properties": {"a": {"type": "number"}}}
    constraint = kit.structural_tag(_arguments(schema))
    assert not takes(constraint, f"a:{text}")
    assert all(takes(constraint, f"a:{ok}") for ok in ("5000000000", "-1.5", "0", "0.25"))


def test_what_must_be_null_cannot_be_required(kit):
    schema = {"type": "object", "properties": {"a": {"type": "null"}}}
    assert takes(kit.structural_tag(_arguments(schema)), "")
    with pytest.raises(SchemaError, match="names what fits no value"):
        kit.structural_tag(_arguments({**schema, "required": ["a"]}))


def test_an_array_of_a_schema_that_leads_back_to_itself_is_written(kit):
    tree = {"type": "array", "items": {"$ref": "#/$defs/T"}}
    schema = {"type": "object", "properties": {"a": tree}, "$defs": {"T": tree}}
    constraint = kit.structural_tag(_arguments(schema))
    assert takes(constraint, "a:[[],[[[]],[]]]")
    assert not takes(constraint, "a:[[][]]")


def test_what_finishes_a_long_call_has_its_separators(kit):
    names = [f"name_{number}" for number in range(40)]
    schema = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in names},
        "required": names,
    }
    constraint = kit.structural_tag(_arguments(schema))
    for begin in ("", "name_7:"):
        matcher = constraint.matcher()
        assert matcher.accept_bytes(begin.encode())
        rest = bytes(matcher.shortest_completion().tokens[:-1]).decode()
        assert takes(constraint, begin + rest)
        assert sorted(_read(f"{{{begin}{rest}}}", 0)[0]) == sorted(names)


def test_only_items_that_may_be_arrays_are_asked_for_theirs(kit):
    """A choice beside another keyword cannot be told apart for arrays, and need not be."""
    items = {"anyOf": [{"type": "string"}, {"type": "integer"}], "minLength": 1}
    schema = {"properties": {"a": {"type": "array", "items": items}}}
    assert takes(kit.structural_tag(_arguments(schema)), 'a:[1,<|"|>[<|"|>]')


def test_quotes_that_are_a_token_are_that_token_only():
    names = {QUOTE: 257, "<|tool_call>": 258, "<tool_call|>": 259}
    bytes_ = load_vocabulary("bytes")
    tokens = (*bytes_.tokens, None, None, None)
    kit = make_kit(Vocabulary(tokens, bytes_.eos_ids, "small", names))
    matcher = kit.tools(TOOLS, family="gemma_4").matcher()
    assert matcher.accept_token(258)
    assert matcher.accept_bytes(b"call:f{p:{x:1},s:")
    assert legal(matcher, kit.vocab_size) == {257}
    assert matcher.accept_token(257)
    assert not matcher.fork().accept_bytes(QUOTE.encode())
    assert not {258, 259} & legal(matcher, kit.vocab_size)
    assert matcher.accept_bytes(b'<|"|')
    assert matcher.accept_token(257)
    assert matcher.accept_bytes(b"}")
    assert matcher.accept_token(259)
    assert matcher.is_accepting
