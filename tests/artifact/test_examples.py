"""Example texts in an artifact: read back as written, checked when loaded, followed on request."""

from dataclasses import replace

import numpy as np
import pytest

import maskc
from maskc.artifact.model import Contents, check, examples_of
from maskc.jobs import read_schema_job
from maskc.kit.artifacts import compile_tools
from maskc.kit.examples import TokenCutter
from maskc.limits import Limits
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text

_TEXTS = (b'{"', b'": ', b"12", b"{}", b"<call>", b"</call>")
VOCABULARY = Vocabulary((*(bytes([b]) for b in range(256)), *_TEXTS, None), (262,), "some")
END = 262
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}


@pytest.fixture(scope="module")
def artifact():
    return compile_documents()


def compile_documents():
    return maskc.Artifact(read_schema_job(SCHEMA).compile(VOCABULARY, Limits())[0])


def spell(text):
    return b"".join(VOCABULARY.tokens[token] or b"." for token in text)


def test_a_schema_has_its_documents_in_the_longest_tokens_with_the_end(artifact):
    first, second = examples_of(artifact.contents)
    assert first == [256, ord("n"), 257, 258, ord("}"), END]
    assert second == [259, END]


def test_a_saved_artifact_has_them_and_the_same_bytes(artifact, tmp_path):
    paths = tmp_path / "a.maskc", tmp_path / "b.maskc"
    artifact.save(paths[0])
    compile_documents().save(paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    found = list(examples_of(maskc.load(paths[0]).contents))
    assert found == list(examples_of(artifact.contents)) != []


def test_prepare_follows_them_and_no_mask_is_made_later(artifact):
    assert artifact.prepare(seconds=60) == 8
    n_masks = len(artifact.mask_table())
    matcher = artifact.matcher()
    for token in next(examples_of(artifact.contents)):
        matcher.mask_id()
        assert matcher.accept_token(token)
    assert len(artifact.mask_table()) == n_masks


@pytest.mark.parametrize("family", ["qwen_3", "qwen_3_coder"])
def test_each_tool_has_calls(family):
    tools = [{"name": "f", "parameters": SCHEMA}, {"name": "g"}]
    contents = compile_tools(tools, VOCABULARY, family=family, limits=Limits())
    texts = list(map(spell, examples_of(contents)))
    assert len(texts) == 3
    assert all(text.endswith(b"</tool_call>.") for text in texts)
    assert [b"12" in text for text in texts] == [True, False, False]
    matcher = maskc.Artifact(contents).matcher()
    for text in examples_of(contents):
        matcher.reset()
        assert matcher.accept_tokens(text) == len(text)


@pytest.mark.parametrize("choice", ["none", {"type": "function", "function": {"name": "g"}}])
def test_a_tool_that_cannot_be_called_has_none(choice):
    tools = [{"name": "f", "parameters": SCHEMA}, {"name": "g"}]
    contents = compile_tools(tools, VOCABULARY, family="qwen_3", choice=choice, limits=Limits())
    assert len(list(examples_of(contents))) == (0 if choice == "none" else 1)


@pytest.mark.parametrize(
    ("array", "n", "fault"),
    [
        ([10, 500], 2, "section example_tokens has the value 500"),
        ([10, -1], 2, "section example_tokens has a value below 0"),
        ([10], 2, "section example_first ends at 2"),
        ([10, 11], 3, "the header does not say how many examples"),
        ([10, 11], "2", "the header does not say how many examples"),
    ],
)
def test_forged_examples_are_refused(artifact, array, n, fault):
    arrays = {
        **artifact.contents.arrays,
        "example_first": np.array([0, 1, 2], dtype=np.int32),
        "example_tokens": np.array(array, dtype=np.int32),
    }
    header = {**artifact.header, "examples": n}
    found = check(Contents(header, arrays))
    assert found is not None
    assert found.startswith(fault)


def test_an_example_that_is_illegal_is_followed_as_far_as_it_is_legal(artifact, tmp_path):
    arrays = {
        **artifact.contents.arrays,
        "example_first": np.array([0, 3, 4], dtype=np.int32),
        "example_tokens": np.array([256, ord("m"), ord("m"), END], dtype=np.int32),
    }
    forged = maskc.Artifact(replace(artifact.contents, arrays=arrays))
    forged.save(tmp_path / "forged.maskc")
    assert maskc.load(tmp_path / "forged.maskc").prepare(seconds=60) == 1


def test_an_artifact_without_them_follows_none():
    assert compile_text('start: "a"').prepare(seconds=60) == 0


def test_a_byte_that_begins_no_token_ends_what_is_cut():
    assert TokenCutter([b"a", None, b"", b"aa"]).cut(b"aaaba") == [3, 0]


def test_arrays_without_the_headers_entry_are_refused(artifact):
    header = {name: value for name, value in artifact.header.items() if name != "examples"}
    assert "example_first" in check(Contents(header, artifact.contents.arrays))


def test_of_many_tools_the_first_ones_have_calls():
    tools = [{"name": f"f{n}"} for n in range(202)]
    contents = compile_tools(tools, VOCABULARY, family="qwen_3", limits=Limits())
    assert [spell(text).count(b'"f199"') for text in examples_of(contents)][-1] == 1
    assert len(list(examples_of(contents))) == 200
