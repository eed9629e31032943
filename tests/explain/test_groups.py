"""Legal tokens by what they read: a terminal, a part of JSON, a piece of a link."""

import json

import pytest

import maskc
from maskc.explain.groups import group_texts
from maskc.jsonschema.compiling import compile_schema
from maskc.kit.artifacts import compile_structural_tag
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import EVERY_BYTE, compile_text, explain

WORDS = """\
start: "if" NAME | NAME "=" /[0-9]+/
NAME: /[a-z]+/
%ignore /[ ]+/
"""


def groups(artifact, text):
    found = explain(artifact, text).groups
    return {group.name: (len(group.tokens), group.tokens[:8]) for group in found}


def test_a_token_belongs_to_the_first_terminal_that_it_reads_a_part_of(json_artifact):
    found = groups(json_artifact, b'{"a": 1')
    assert found["NUMBER"] == (14, tuple(b"%c" % c for c in b".0123456"))
    assert found['"}"'] == (1, (b"}",))
    assert found[None] == (4, (b"\t", b"\n", b"\r", b" "))


def test_what_ends_the_open_lexeme_with_a_byte_of_its_own_belongs_to_it(json_artifact):
    assert b'": ' in all_of(json_artifact, b'{"a', "STRING")
    assert groups(json_artifact, b'{"a')["STRING"][0] == len(legal(json_artifact, b'{"a'))


def test_a_token_of_two_terminals_counts_for_both():
    artifact = compile_text(WORDS, (*EVERY_BYTE, b" i", b"if", b"if x", b"x="))
    found = groups(artifact, b"")
    assert found['"if"'] == (4, (b"i", b" i", b"if", b"if x"))
    assert found["NAME"][0] == 26 + 3  # `if` alone is no NAME, and `if x` goes on after it
    assert b"x=" in all_of(artifact, b"", "NAME")
    assert [group.name for group in explain(artifact, b"").groups][-1] is None


def test_every_legal_token_is_in_a_group(json_artifact, blocks_artifact):
    for artifact, text in (
        *((json_artifact, t) for t in (b"", b"[", b"[1", b'{"a', b'{"a":', b"[tru")),
        *((blocks_artifact, t) for t in (b"", b"if a\n", b"if a\n  b\n", b"a", b"i")),
    ):
        found = explain(artifact, text).groups
        assert {t for g in found for t in all_of(artifact, text, g.name)} == legal(artifact, text)


def legal(artifact, text):
    matcher = artifact.matcher()
    assert matcher.accept_bytes(text)
    return {t for i in matcher.legal_tokens().tolist() if (t := artifact.token_bytes(i))}


def all_of(artifact, text, name):
    return {t for g in explain(artifact, text).groups if g.name == name for t in g.tokens}


TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<f>"],
        "tags": [
            {
                "type": "tag",
                "begin": "<f>",
                "content": {"type": "json_schema", "json_schema": {"items": {"type": "integer"}}},
                "end": "</f>",
            }
        ],
    },
}


@pytest.fixture(scope="module")
def tag():
    tokens = (*(bytes([b]) for b in range(256)), b"<f>", b"]</", b"\n]</f>", b"\n1", None)
    vocabulary = Vocabulary(tokens, (len(tokens) - 1,), "few")
    return Artifact(compile_structural_tag(TAG, vocabulary, limits=Limits()))


def link_groups(artifact, text):
    return {group.name: group for group in explain(artifact, text.encode()).groups}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("so ", {"free text"}),
        ("<f>[", {"number", "]", None}),
        ("<f>12", {"number", "fixed text"}),
        ("<f>1</f>", {"free text"}),
    ],
)
def test_text_is_free_but_in_a_tag_whose_parts_are_those_of_json(tag, text, names):
    assert set(link_groups(tag, text)) == names


def test_a_token_that_crosses_is_of_the_part_that_it_reads_first(tag):
    found = link_groups(tag, "<f>[1")
    assert found["]"].tokens == (b"]", b"]</", b"\n]</f>")  # blanks before it do not count
    assert b"\n]</f>" not in found[None].tokens


def test_a_choice_is_fixed_text():
    artifact = maskc.compile_grammar(["yes", "no"], tokenizer="bytes")
    assert set(link_groups(artifact, "")) == {"fixed text"}
    assert link_groups(artifact, "yes") == {}


@pytest.mark.parametrize("text", ["", "so <", "<f>", "<f>1", "<f>[1", "<f>1<", "<f>1</f>"])
def test_every_token_of_a_tag_that_writes_is_in_a_group(tag, text):
    found = explain(tag, text.encode())
    counts = [len(group.tokens) for group in found.groups]
    assert found.n_legal - found.may_end <= sum(counts)
    assert len(found.groups) == len({g.name for g in found.groups})


def test_special_tokens_are_named():
    tag = {"type": "token", "token": "<|python_tag|>"}
    vocabulary = Vocabulary((b"a", None, None), (1,), "few", {"<|python_tag|>": 2})
    whole = {"type": "structural_tag", "format": tag}
    artifact = Artifact(compile_structural_tag(whole, vocabulary, limits=Limits()))
    (group,) = explain(artifact, b"").groups
    assert (group.name, len(group.tokens)) == ("special token", 1)
    assert group.tokens == (b"<|python_tag|>",)


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": ["integer", "boolean", "string"]}, "b": {"type": "array"}},
}
TOKENS = [
    *(bytes([b]) for b in range(256)),
    *(b'{"', b' "', b'": ', b"1,", b", ", b"\n}", b"tr", b"]}"),
]


@pytest.fixture(scope="module")
def values():
    vocabulary = Vocabulary((*TOKENS, None), (len(TOKENS),), "few")
    return Artifact(compile_schema(SCHEMA, vocabulary))


def schema_groups(artifact, text):
    found = explain(artifact, text.encode()).groups
    return {group.name: len(group.tokens) for group in found}


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
def test_tokens_are_grouped_by_what_json_calls_them(values, text, names):
    assert set(schema_groups(values, text)) == names


def test_a_token_belongs_to_the_part_that_it_reads_first(values):
    machine = values.machine
    (here,) = machine.step(machine.start(), b'{"a": 1')
    found = group_texts(machine, here, [b"9,", b", ", b"\n}", b"\n "])
    assert [(group.name, group.tokens) for group in found] == [
        (",", (b", ",)),
        ("number", (b"9,",)),
        ("}", (b"\n}",)),  # blanks before it do not count
        (None, (b"\n ",)),
    ]


@pytest.mark.parametrize("text", ["", '{"a": 1', '{"a": "\\u00', '{"b": [[{"c', '{"b": [true'])
def test_every_token_that_writes_is_in_one_group(values, text):
    found = explain(values, text.encode())
    n_written = found.n_legal - found.may_end
    assert sum(len(group.tokens) for group in found.groups) == n_written


def test_the_parts_are_those_that_a_reader_of_json_finds(values):
    text = json.dumps({"a": True, "b": [1.5, "x", {"k": None}, []]}).encode()
    parts, machine = [], values.machine
    for n in range(len(text)):
        (here,) = machine.step(machine.start(), text[:n])
        (group,) = group_texts(machine, here, [text[n : n + 1]])
        parts += [group.name] if parts[-1:] != [group.name] else []
    inner = ["[", "number", ",", None, "string", ",", None, "{", "key", ":", None, "literal"]
    head = ["{", "key", ":", None, "literal", ",", None, "key", ":", None]
    assert parts == [*head, *inner, "}", ",", None, "[", "]", "}"]
