"""A file is written whole or not at all; the checksum that it ends in; rows in pieces."""

import hashlib
import os
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.artifact.sections import PIECE, cut_rows, read_rows
from maskc.errors import ArtifactError, OutputError
from maskc.files import check_writable, hash_file, read_checksum, write_atomically


def test_a_written_file_has_the_bytes_and_nothing_else_is_left(tmp_path):
    write_atomically(tmp_path / "a", b"\x00\xff")
    assert (tmp_path / "a").read_bytes() == b"\x00\xff"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_is_there_is_replaced_and_not_written_into(tmp_path):
    """A process may have the old file mapped."""
    (tmp_path / "a").write_bytes(b"old")
    with open(tmp_path / "a", "rb") as old:
        write_atomically(tmp_path / "a", b"new")
        assert old.read() == b"old"
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_link_keeps_pointing_at_the_file(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_file_is_readable_by_those_the_umask_lets(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing/a", r"there is no folder .*/missing"),
        ("", "it is a folder"),
        ("a/b", "Not a directory"),
        ("/proc/maskc-test", "cannot be written"),
        # What is no file, as a device, is never replaced; a pipe can be lost without harm.
        ("pipe", "it is not a regular file"),
    ],
)
def test_where_no_file_can_be_is_refused(tmp_path, path, said):
    (tmp_path / "a").touch()
    os.mkfifo(tmp_path / "pipe")
    for write in (lambda target: write_atomically(target, b"x"), check_writable):
        with pytest.raises(OutputError, match=said):
            write(tmp_path / path)
    assert (tmp_path / "pipe").is_fifo()


def test_checking_leaves_nothing_and_touches_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    check_writable(tmp_path / "a")
    check_writable(tmp_path / "b")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("failure", "raised", "said"),
    [
        (KeyboardInterrupt, KeyboardInterrupt, "^$"),
        (
            OSError(28, "No space left on device"),
            OutputError,
            r"cannot be written \(No space left on device\)",
        ),
    ],
)
def test_an_interrupted_write_leaves_the_old_file_alone(
    tmp_path, monkeypatch, failure, raised, said
):
    (tmp_path / "a").write_bytes(b"old")

    def fail(_descriptor):
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(raised, match=said):
        write_atomically(tmp_path / "a", b"new")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


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


def cut(following, entries, n_classes):
    """Return the sections of two tables."""
    pieces, (one, other) = cut_rows(following, entries)
    byte_class = np.arange(256) % n_classes
    return {
        "byte_class": byte_class.astype(np.uint8),
        "scanner_piece": pieces,
        "scanner_next": one,
        "scanner_entries": other,
    }


@given(st.data(), st.integers(1, 2 * PIECE + 1))
def test_rows_are_read_back(data, n_classes):
    row = st.lists(st.integers(0, 2), min_size=n_classes, max_size=n_classes)
    tables = [
        np.array(data.draw(st.lists(row, max_size=5)), dtype=np.int32).reshape(-1, n_classes)
        for _ in range(2)
    ]
    arrays = cut(*tables, n_classes)
    for name, table in zip(("scanner_next", "scanner_entries"), tables, strict=True):
        assert np.array_equal(read_rows(arrays, name), table)


def test_a_piece_that_rows_have_in_common_is_kept_once():
    rows = np.zeros((3, PIECE + 1), dtype=np.int32)
    rows[1, 0] = rows[2, PIECE] = 1
    pieces, (numbers, none) = cut_rows(rows, rows[:0])
    assert len(pieces) == 2
    assert numbers.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert none.shape == (0, 2)
