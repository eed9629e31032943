"""A file is written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from maskc.artifact.files import check_writable, write_atomically
from maskc.errors import OutputError


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


@pytest.mark.parametrize("write", [lambda path: write_atomically(path, b"x"), check_writable])
class TestRefusals:
    def test_a_missing_folder_is_named(self, write, tmp_path):
        with pytest.raises(OutputError, match=r"there is no folder .*/missing"):
            write(tmp_path / "missing" / "a")

    def test_a_folder_is_not_a_file(self, write, tmp_path):
        with pytest.raises(OutputError, match="it is a folder"):
            write(tmp_path)

    def test_a_file_is_not_a_folder(self, write, tmp_path):
        (tmp_path / "a").touch()
        with pytest.raises(OutputError, match="Not a directory"):
            write(tmp_path / "a" / "b")

    def test_a_folder_that_takes_no_files_is_refused(self, write):
        with pytest.raises(OutputError, match="cannot be written"):
            write("/proc/maskc-test")

    def test_a_device_is_never_replaced(self, write):
        with pytest.raises(OutputError, match="it is not a regular file"):
            write("/dev/null")
        assert Path("/dev/null").is_char_device()


def test_checking_leaves_nothing_and_touches_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    check_writable(tmp_path / "a")
    check_writable(tmp_path / "b")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_the_old_file_alone(tmp_path, monkeypatch, failure):
    (tmp_path / "a").write_bytes(b"old")

    def fail(_descriptor):
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        write_atomically(tmp_path / "a", b"new")
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    def fail(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\)"):
        write_atomically(tmp_path / "a", b"new")
