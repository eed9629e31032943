"""Only regular files are read, and never more than was said."""

import os
import pickle
import socket

import pytest

from maskc.errors import UnreadableFileError
from maskc.files import find_inside, open_regular, read_bounded


def refusal(path, limit=100):
    with pytest.raises(UnreadableFileError) as caught:
        read_bounded(path, limit)
    return caught.value


def test_a_file_of_just_the_limit_is_read_whole(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bounded(tmp_path / "a", 5) == b"12345"


def test_a_file_of_a_byte_more_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"123456")
    assert str(refusal(tmp_path / "a", 5)) == (
        f"{tmp_path}/a: is larger than 5 bytes; give a smaller one"
    )


def test_a_file_that_tells_no_size_is_read_to_the_limit():
    """Files of /proc say that they have no bytes."""
    assert read_bounded("/proc/self/cmdline", 1 << 20)
    assert refusal("/proc/self/cmdline", 1).reason == "is larger than 1 bytes"


def test_a_sparse_file_larger_than_memory_is_refused_at_once(tmp_path):
    with open(tmp_path / "a", "wb") as file:
        file.truncate(1 << 40)
    assert refusal(tmp_path / "a").reason == "is larger than 100 bytes"


def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").reason == "is not a regular file (a named pipe)"


def test_a_pipe_that_comes_in_the_place_of_a_file_is_opened_without_waiting(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"1")
    os.mkfifo(tmp_path / "pipe")
    seen = os.stat(tmp_path / "a")
    monkeypatch.setattr(os, "stat", lambda _: seen)
    assert refusal(tmp_path / "pipe").reason == "is not a regular file (a named pipe)"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device):
    assert refusal(device).reason == "is not a regular file (a device)"


def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's name has at most 100 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("here")
        assert refusal("here").reason == "is not a regular file (a socket)"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", "is a folder"),
        ("/no/such/file", "cannot be read (No such file or directory)"),
        ("/etc/passwd/x", "cannot be read (Not a directory)"),
        ("x" * 5000, "cannot be read (File name too long)"),
    ],
)
def test_what_is_no_file_is_refused(path, reason):
    assert refusal(path).reason == reason


def test_a_path_with_a_nul_is_refused():
    assert "NUL" in refusal("a\0b").reason


def test_links_that_go_in_circles_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("a")
    assert "symbolic links" in refusal(tmp_path / "a").reason


def test_a_link_to_a_file_is_that_file(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").symlink_to("a")
    assert read_bounded(tmp_path / "b", 1) == b"1"


def test_no_descriptor_stays_open(tmp_path):
    (tmp_path / "a").write_bytes(b"123456")
    before = os.listdir("/proc/self/fd")
    refusal(tmp_path / "a", 5)
    read_bounded(tmp_path / "a", 6)
    refusal(tmp_path)
    assert os.listdir("/proc/self/fd") == before


def test_an_open_file_is_the_callers_to_close(tmp_path):
    (tmp_path / "a").write_bytes(b"1")
    file = open_regular(tmp_path / "a")
    assert os.read(file, 2) == b"1"
    os.close(file)


def test_a_refusal_survives_the_way_between_processes():
    error = refusal("/dev/zero")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_what_leads_out_of_a_folder_is_not_inside(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "other").mkdir()
    (inner / "out").symlink_to(tmp_path / "other")
    (inner / "in").symlink_to("file")
    assert find_inside(inner, inner / "file") == str(inner / "file")
    assert find_inside(inner, inner / "in") == str(inner / "file")
    assert find_inside(inner, inner / "missing" / "file") is not None
    assert find_inside(inner, inner / "out" / "file") is None
    assert find_inside(inner, inner / ".." / "file") is None
    assert find_inside(inner, "/etc/passwd") is None


def test_a_folder_that_is_a_link_is_a_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("real")
    assert find_inside(tmp_path / "link", tmp_path / "link" / "file") == f"{tmp_path}/real/file"
