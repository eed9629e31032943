"""The checksum that a file ends in, and the hash of all of it."""

import hashlib
import os

import pytest

import maskc
from maskc.artifact.checksums import hash_file, read_checksum
from maskc.errors import ArtifactError


@pytest.fixture
def saved(tmp_path):
    artifact = maskc.compile_grammar('start: "a"\n', tokenizer="bytes")
    artifact.save(tmp_path / "a.maskc")
    return artifact, tmp_path / "a.maskc"


def test_an_artifact_ends_in_the_hash_of_its_content(saved):
    artifact, path = saved
    assert read_checksum(path) == artifact.content_hash == path.read_bytes()[-32:].hex()


def test_a_checksum_is_read_and_not_verified(saved, tmp_path):
    _, path = saved
    damaged = tmp_path / "damaged.maskc"
    data = path.read_bytes()
    damaged.write_bytes(b"x" + data[1:])
    assert read_checksum(damaged) == read_checksum(path)
    assert hash_file(damaged) != hash_file(path) == hashlib.sha256(data).hexdigest()


def test_a_file_that_is_shorter_than_a_checksum_is_all_of_it(tmp_path):
    (tmp_path / "short").write_bytes(b"ab")
    assert read_checksum(tmp_path / "short") == "6162"
    (tmp_path / "empty").write_bytes(b"")
    assert read_checksum(tmp_path / "empty") == ""


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "gone", "."):
        with pytest.raises(ArtifactError, match="give the path of an artifact"):
            read_checksum(tmp_path / name)
        assert hash_file(tmp_path / name) is None
