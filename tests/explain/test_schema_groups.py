"""Legal tokens of a JSON Schema, by the part of JSON that they read."""

import json

import pytest

from maskc.explain.schema_groups import group_texts
from maskc.explain.schemas import explain_schema
from maskc.jsonschema.compiling import compile_schema
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": ["integer", "boolean", "string"]}, "b": {"type": "array"}},
}
TOKENS = [
    *(bytes([b]) for b in range(256)),
    b'{"',
    b' "',
    b'": ',
    b"1,",
    b", ",
    b"\n}",
    b"tr",
    b"]}",
]


@pytest.fixture(scope="module")
def artifact():
    vocabulary = Vocabulary((*TOKENS, None), (len(TOKENS),), "few")
    return Artifact(compile_schema(SCHEMA, vocabulary))


def groups(artifact, text):
    found = explain_schema(artifact, text.encode()).groups
    return {group.name: group.n_tokens for group in found}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", {"{", None}),
        ("{", {"key", "}", None}),
        ('{"', {"key"}),
        ('{"a', {"key"}),
        ('{"a"', {":", None}),
        ('{"a":', {"number", "literal", "string", None}),
        ('{"a": 1', {"number", ",", "}", None}),
        ('{"a": t', {"literal"}),
        ('{"a": "x', {"string"}),
        ('{"a": "x"', {",", "}", None}),
        ('{"b": [', {"number", "literal", "string", "[", "]", "{", None}),
        ('{"b": [1', {"number", ",", "]", None}),
        ('{"b": [1,', {"number", "literal", "string", "[", "{", None}),
        ('{"b": [{"x', {"key"}),
    ],
)
def test_tokens_are_grouped_by_what_json_calls_them(artifact, text, names):
    assert set(groups(artifact, text)) == names


def test_a_token_belongs_to_the_part_that_it_reads_first(artifact):
    machine = artifact.machine
    (here,) = machine.step(machine.start(), b'{"a": 1')
    found = group_texts(machine, here, [b"9,", b", ", b"\n}", b"\n "])
    assert [(group.name, group.examples) for group in found] == [
        (",", (b", ",)),
        ("number", (b"9,",)),
        ("}", (b"\n}",)),  # blanks before it do not count
        (None, (b"\n ",)),
    ]


@pytest.mark.parametrize("text", ["", '{"a": 1', '{"a": "\\u00', '{"b": [[{"c', '{"b": [true'])
def test_every_token_that_writes_is_in_one_group(artifact, text):
    found = explain_schema(artifact, text.encode())
    n_written = found.n_legal - found.may_end
    assert sum(group.n_tokens for group in found.groups) == n_written


def test_the_parts_are_those_that_a_reader_of_json_finds(artifact):
    text = json.dumps({"a": True, "b": [1.5, "x", {"k": None}, []]}).encode()
    parts, machine = [], artifact.machine
    for n in range(len(text)):
        (here,) = machine.step(machine.start(), text[:n])
        (group,) = group_texts(machine, here, [text[n : n + 1]])
        parts += [group.name] if parts[-1:] != [group.name] else []
    inner = ["[", "number", ",", None, "string", ",", None, "{", "key", ":", None, "literal"]
    head = ["{", "key", ":", None, "literal", ",", None, "key", ":", None]
    assert parts == [*head, *inner, "}", ",", None, "[", "]", "}"]
