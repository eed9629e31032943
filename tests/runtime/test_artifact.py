"""An artifact in memory and in a file."""

import numpy as np
import pytest

from maskc.errors import ArtifactError
from maskc.kit.artifacts import compile_structural_tag
from maskc.kit.file import make_kit
from maskc.limits import Limits
from maskc.runtime.artifact import Artifact, load
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text, legal_tokens

GRAMMAR = 'start: "a" "b" | "b"\n'
TOKENS = (b"a", b"b", b"ab")


@pytest.fixture(scope="module")
def artifact():
    return compile_text(GRAMMAR, TOKENS)


def test_a_file_has_the_masks_of_what_was_saved(artifact, tmp_path):
    artifact.save(tmp_path / "a.maskc")
    for mapped in (True, False):
        loaded = load(tmp_path / "a.maskc", mapped=mapped)
        assert loaded.content_hash == artifact.content_hash
        assert legal_tokens(loaded) == legal_tokens(artifact) == {b"a", b"b", b"ab"}


def test_what_is_no_artifact_is_refused_by_name(tmp_path):
    path = tmp_path / "x.maskc"
    path.write_bytes(b"no artifact")
    with pytest.raises(ArtifactError, match="is not a maskc artifact"):
        load(path)


def test_tokens_are_told_by_their_bytes(artifact):
    assert [artifact.token_bytes(token) for token in (0, 2, 3, 4, -1)] == [b"a", b"ab", *[None] * 3]
    assert artifact.table.first_bytes.tolist() == [97, 98, 97, -1]


def test_the_table_of_masks_grows_and_is_read_only(artifact):
    n_before = len(artifact.mask_table())
    legal_tokens(artifact, "a")
    table = artifact.mask_table()
    assert len(table) >= n_before
    assert len(artifact.mask_table(len(table))) == 0
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0
    assert table.dtype == np.int32


def test_a_grammar_in_a_link_remembers_within_what_the_link_may():
    grammar = {"type": "grammar", "grammar": 'root ::= "[" root "]" | "a"'}
    vocabulary = load_vocabulary("bytes")
    tag = {"type": "structural_tag", "format": grammar}
    contents = compile_structural_tag(tag, vocabulary, limits=Limits())
    artifact = Artifact(contents, cache_bytes=0)
    kit = make_kit(vocabulary, cache_bytes=0)
    for machine in (artifact.machine, kit.artifact(Artifact(contents)).machine):
        (inner,) = (link.piece.machine for link in machine.start())
        assert inner.pool is machine.pool
        assert inner.pool.budget is machine.pool.budget
