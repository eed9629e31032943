"""A file of a spelling is checked before it is followed."""

import numpy as np
import pytest

import maskc
from maskc.artifact.container import encode
from maskc.artifact.model import FORMAT
from maskc.errors import ArtifactError, SpellingError
from maskc.runtime.spelling.spelling import KIND
from tests.spellings import Random, draw_tokenizer


@pytest.fixture(scope="module")
def spelling():
    return draw_tokenizer(Random(3)).spelling()


def change(spelling, name, place, value):
    arrays = {key: array.copy() for key, array in spelling.arrays.items()}
    arrays[name][place] = value
    return arrays


def test_what_is_saved_is_loaded(spelling, tmp_path):
    path = tmp_path / "small.spelling"
    spelling.save(path)
    loaded = maskc.load_spelling(path)
    assert loaded.count() == spelling.count()
    assert all(np.array_equal(loaded.arrays[name], a) for name, a in spelling.arrays.items())


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("merge_right", 0, 1 << 20),
        ("merge_first", 5, -1),
        ("token_left", 260, 260),
        ("whole_first", 0, 1),
        ("edge_symbol", 0, 1 << 20),
        ("kind", 0, 9),
        ("chunk_next", (1, 0), 1 << 20),
        ("byte_class", 0, 255),
        ("cut_first", 1, 999),
        ("cut_node", 0, 0),
        ("token_rank", 97, 3),
    ],
)
def test_a_damaged_file_is_refused(spelling, tmp_path, name, place, value):
    path = tmp_path / "bad.spelling"
    header = {**spelling.header, "format": FORMAT, "kind": KIND}
    path.write_bytes(encode(header, change(spelling, name, place, value)))
    with pytest.raises(ArtifactError, match="is damaged"):
        maskc.load_spelling(path)


def test_merges_that_come_twice_are_refused(spelling, tmp_path):
    # The pairs of a token would be as many as its merges times the tokens that they touch.
    arrays = change(spelling, "kind", 0, 1)
    n_merges = len(arrays["merge_right"])
    for name in ("merge_right", "merge_rank"):
        arrays[name] = np.repeat(arrays[name][:1], n_merges)
    arrays["merge_first"][98:] = n_merges
    path = tmp_path / "bad.spelling"
    path.write_bytes(encode({**spelling.header, "format": FORMAT, "kind": KIND}, arrays))
    with pytest.raises(ArtifactError, match="merges are not in order"):
        maskc.load_spelling(path)


def test_an_older_file_is_refused_by_its_version(spelling, tmp_path):
    path = tmp_path / "old.spelling"
    header = {**spelling.header, "format": FORMAT, "kind": KIND}
    del header["version"]
    path.write_bytes(encode(header, spelling.arrays))
    with pytest.raises(ArtifactError, match="has version 1 of the tables, and this maskc reads 2"):
        maskc.load_spelling(path)


def test_another_file_is_no_spelling(tmp_path):
    path = tmp_path / "a.maskc"
    maskc.compile_grammar('start: "a"', tokenizer="bytes").save(path)
    with pytest.raises(ArtifactError, match="does not say how a tokenizer writes"):
        maskc.load_spelling(path)


def test_a_shortest_completion_is_refused():
    artifact = maskc.compile_grammar('start: "a"', tokenizer="bytes")
    matcher = maskc.canonical(artifact, maskc.compile_spelling("bytes")).matcher()
    with pytest.raises(SpellingError, match="ask a matcher of the language"):
        matcher.shortest_completion()
