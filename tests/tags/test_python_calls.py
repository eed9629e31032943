"""Calls as Python writes them: ``f(city='Oslo', days=[1, True, None])``.

The reader here is Python's own, so what it reads is what the parsers of the engines read, which
are made of it; of two families they read ``null``, ``true`` and ``false`` as well.
"""

import ast
import itertools
import random

import jsonschema
import pytest

from maskc.errors import SchemaError, TagError
from maskc.kit.artifacts import compile_tools
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.tags.families import write_arguments
from maskc.vocab import load_vocabulary
from tests.examples import seeds
from tests.tags.conftest import legal, tag_of, takes

_POINT = {"type": "object", "properties": {"x": {"type": "number"}, "at": {"$ref": "#/$defs/P"}},
          "required": ["x"], "additionalProperties": False}  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "n": {"type": ["integer", "null"]},
        "e": {"enum": ["a", "b'", '"c"', "\\n", 3, True, None]},
        "c": {"type": "string", "minLength": 1, "maxLength": 2},
        "p": {"$ref": "#/$defs/P"},
        "l": {"type": "array", "items": {"type": ["string", "boolean"]}, "minItems": 1,
              "maxItems": 3},
        "m": {"type": "array", "items": {"type": "array", "items": {"enum": ["]", 1, False]}}},
        "o": {"type": "object", "properties": {"a b": {"type": "boolean"}},
              "additionalProperties": {"type": "integer"}, "maxProperties": 2},
    },
    "required": ["s", "p"],
    "additionalProperties": False,
    "$defs": {"P": _POINT},
}  # fmt: skip
SCHEMA["properties"]["o"].pop("maxProperties")
TOOLS = [{"name": "f", "parameters": SCHEMA}]


class _Words(ast.NodeTransformer):
    """Takes the words of JSON for Python's."""

    def visit_Name(self, node):  # as ast calls it
        words = {"null": None, "true": True, "false": False}
        return ast.Constant(words[node.id])


def read_calls(text, *, with_json=False):
    """Return the name and the arguments of each call in a list of calls."""
    found = []
    for call in ast.parse(text, mode="eval").body.elts:
        assert not call.args
        values = [_Words().visit(k.value) if with_json else k.value for k in call.keywords]
        names = [keyword.arg for keyword in call.keywords]
        found.append((call.func.id, dict(zip(names, map(ast.literal_eval, values), strict=True))))
    return found


def _form(schema, style="python"):
    return tag_of({"type": "json_schema", "json_schema": schema, "style": style,
                   "any_order": True})  # fmt: skip


@pytest.fixture(scope="module", params=["pythonic", "olmo3"])
def made(request, kit):
    asked = {"family": request.param, "choice": "required", "parallel": False}
    contents = compile_tools(TOOLS, load_vocabulary("bytes"), limits=Limits(), **asked)
    return kit.tools(TOOLS, **asked), Artifact(contents)


def _read(text):
    """Return the arguments of the one call in an answer of one of the families."""
    inner = text.removeprefix("<function_calls>\n").removesuffix("\n</function_calls>")
    whole = inner if inner == text else f"[{inner}]"
    # The parser of Olmo 3 reads a call from each line.
    assert inner == text or len(inner.splitlines()) == 1
    ((name, arguments),) = read_calls(whole, with_json=inner != text)
    assert name == "f"
    return arguments


@pytest.mark.parametrize("seed", seeds(60))
def test_what_is_drawn_is_read_as_what_the_schema_allows(seed, made, kit):
    draw = random.Random(seed)
    matchers = [constraint.matcher() for constraint in made]
    taken = []
    while len(taken) < 150 and not matchers[0].is_terminated:
        allowed = legal(matchers[0], kit.vocab_size)
        assert allowed == legal(matchers[1], kit.vocab_size)
        marks = sorted(allowed & set(b"'\"\\)]},{[:= nrt"))
        from_marks = marks and draw.random() < 0.7
        taken.append(draw.choice(marks if from_marks else sorted(allowed)))
        assert all(matcher.accept_token(taken[-1]) for matcher in matchers)
    if not matchers[0].is_terminated:
        taken += matchers[0].shortest_completion().tokens
    text = bytes(byte for byte in taken if byte < 256).decode()
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(_read(text)), text


_VALUES = {
    "s": ["", "a", "')]", '"', "\\", "a\nb\r\t", "é\U0001f600", "None", "\x00", "\u2028"],
    "n": [0, -12, 5_000_000_000, 1.5, "1", None],
    "e": ["a", "b'", '"c"', "\\n", "\n", 3, True, False, None],
    "c": ["\n", "\\'", "", "\n\n\n", "é\t"],
    "p": [{"x": 1}, {"x": 0.5, "at": {"x": 2}}, {}, {"x": 1, "y": 2}, [1]],
    "l": [["a"], ["]", True, ""], [], ["a"] * 4, [1]],
    "m": [[], [[]], [["]"], [1, False]], [["a"]]],
    "o": [{}, {"a b": True, "z": 3}, {"z": 3, "zz": -1}, {"a b": 3}],
}


@pytest.mark.parametrize("name", _VALUES)
def test_what_is_valid_is_taken_in_any_order(name, made, request):
    judge = jsonschema.Draft202012Validator(SCHEMA)
    is_olmo = "olmo3" in request.node.name
    for value in _VALUES[name]:
        whole = {"s": "x", "p": {"x": 1}, name: value}
        # What a line of Olmo's, or a text of Python, cannot have in it and has no escape here.
        is_written = value not in ("\x00", "\u2028" if is_olmo else "\x00")
        for keys in itertools.permutations(whole):
            text = f"f({write_arguments('python', {key: whole[key] for key in keys})})"
            text = f"<function_calls>\n{text}\n</function_calls>" if is_olmo else f"[{text}]"
            is_taken = is_written and judge.is_valid(whole)
            assert [takes(one, text) for one in made] == [is_taken] * 2, text
            assert not is_taken or _read(text) == whole


@pytest.mark.parametrize(
    ("text", "is_taken"),
    [
        ("a='x'", True),
        ('a="x"', True),
        ("a='\\'\\\"\\\\\\n\\r\\t'", True),
        ('a="it\'s", b=[\'y\',"z"]', True),
        ("b=[], a='x'", True),
        ("a='x',b=[]", True),
        ("d={'k': 1, \"l\":2}", True),
        ("t=None", True),
        ("t=-1", True),
        ("a='x\"", False),
        ("a='\n'", False),
        ("a='\\x41'", False),
        ("a='\\u0041'", False),
        ("a='\\a'", False),
        ("a='x' 'y'", False),
        ("a=f'x'", False),
        ("a=x", False),
        ("a = 'x'", False),
        ("a='x',", False),
        ("a='x',  b=[]", False),
        ("a='x', a='y'", False),
        ("b=('x',)", False),
        ("b=['x',]", False),
        ("d={'k': 1, 'k': 2}", False),
        ("d={k: 1}", False),
        ("t=null", False),
        ("t=01", False),
        ("t=1e3", False),
        ("t=True", False),
        ("'x'", False),
        ("**{'a': 'x'}", False),
    ],
)
def test_which_texts_are_arguments(text, is_taken, kit):
    properties = {
        "a": {"type": "string"},
        "b": {"type": "array", "items": {"type": "string"}},
        "d": {"type": "object", "additionalProperties": {"type": "integer"},
              "properties": {"k": {"type": "integer"}}},
        "t": {"type": ["integer", "null"]},
    }  # fmt: skip
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    assert takes(kit.structural_tag(_form(schema)), text) is is_taken
    if is_taken:
        ((_, read),) = read_calls(f"[f({text})]")
        assert jsonschema.Draft202012Validator(schema).is_valid(read)


def test_a_length_counts_characters_and_no_escapes(kit):
    schema = {"properties": {"a": {"type": "string", "minLength": 2, "maxLength": 3}}}
    constraint = kit.structural_tag(_form(schema))
    for text, is_taken in (("\\n", 0), ("\\n\\\\", 1), ("\\'x\\t", 1), ("ab\\nc", 0), ("é€x", 1)):
        assert takes(constraint, f"a='{text}'") is bool(is_taken)


def test_words_of_json_are_legal_where_templates_write_them(kit):
    schema = {"properties": {"a": {"type": ["boolean", "null"]}, "d": {"type": "object"}}}
    text = "a=null, d={'x': true, 'y': [false, None]}"
    assert takes(kit.structural_tag(_form(schema, "python_or_json")), text)
    assert not takes(kit.structural_tag(_form(schema)), text)


@pytest.mark.parametrize("name", ["from", "_x", "a-b", "a b", "é", "1a", "True"])
def test_a_name_of_an_argument_is_one_of_python(name, kit):
    with pytest.raises(SchemaError, match="which parsers cannot read"):
        kit.structural_tag(_form({"properties": {name: {"type": "integer"}}}))


@pytest.mark.parametrize("name", ["from", "_x", "None"])
def test_names_of_lfm2_may_be_words_of_python(name, kit):
    """vLLM and SGLang rename them before they read the call."""
    tools = [{"name": "f", "parameters": {"properties": {name: {"type": "integer"}}}}]
    constraint = kit.tools(tools, family="lfm2", choice="required")
    assert takes(constraint, f"<|tool_call_start|>[f({name}=3)]<|tool_call_end|>")


@pytest.mark.parametrize(
    ("family", "name", "is_known"),
    [
        ("pythonic", "get_time", True),
        ("pythonic", "get-time", False),
        ("pythonic", "a.b", False),
        ("pythonic", "import", False),
        ("olmo3", "_x", False),
        ("lfm2", "a.b", True),
        ("lfm2", "a.if", False),
    ],
)
def test_a_name_of_a_tool_is_one_of_python(family, name, is_known, kit):
    tools = [{"name": name, "parameters": {"type": "object", "properties": {}}}]
    if is_known:
        assert kit.tools(tools, family=family)
        return
    with pytest.raises(TagError, match=r"/tools/0/name: .* is no name of a function in Python"):
        kit.tools(tools, family=family)


@pytest.mark.parametrize("family", ["pythonic", "llama_4", "lfm2", "olmo3"])
def test_a_tool_without_parameters_is_called_without_arguments(family, kit):
    tools = [{"name": "now", "parameters": {"type": "object"}}]
    matcher = kit.tools(tools, family=family, choice="required").matcher()
    text = bytes(byte for byte in matcher.shortest_completion().tokens if byte < 256).decode()
    assert "now()" in text


@pytest.mark.parametrize("family", ["pythonic", "llama_4"])
def test_text_begins_with_what_no_parser_takes_for_a_list(family, kit):
    constraint = kit.tools(TOOLS, family=family)
    assert all(takes(constraint, text) for text in ("", "\n Hm [f(s=3)]", "1"))
    assert not any(takes(constraint, text) for text in ("[f(s=3)]", " [f(s=3)]", "[f", "\n["))


def test_a_call_of_llama_4_may_stand_between_its_tokens(kit):
    constraint = kit.tools(TOOLS, family="llama4_pythonic")
    call = "[f(s='x', p={'x': 1})]"
    assert takes(constraint, call)
    assert takes(constraint, f"<|python_start|>{call}<|python_end|>")
    assert not takes(constraint, f"<|python_start|>{call}")
