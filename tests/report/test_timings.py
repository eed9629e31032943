"""Times are kept in a cache, which may be lost."""

import os

import pytest

from maskc.report.compile import hash_artifact, load_timings, save_timings
from tests.report.example import TIMINGS

KEY = "ab" * 32


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "maskc" / "timings"


def test_saved_timings_are_loaded_for_their_artifact(cache):
    save_timings(KEY, TIMINGS)
    assert load_timings(KEY) == TIMINGS
    assert os.listdir(cache) == [f"{KEY}.json"]
    assert load_timings("cd" * 32) == ()


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_without_an_absolute_cache_folder_the_homes_is_used(tmp_path, monkeypatch, value):
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    save_timings(KEY, TIMINGS)
    assert (tmp_path / ".cache" / "maskc" / "timings" / f"{KEY}.json").is_file()
    assert load_timings(KEY) == TIMINGS


def test_without_a_home_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    save_timings(KEY, TIMINGS)
    assert load_timings(KEY) == ()
    assert os.listdir(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_tolerated(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    save_timings(KEY, TIMINGS)
    assert load_timings(KEY) == ()


def test_a_folder_in_the_place_of_the_file_is_tolerated(cache):
    (cache / f"{KEY}.json").mkdir(parents=True)
    save_timings(KEY, TIMINGS)
    assert load_timings(KEY) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"{}",
        b'{"passes": {}}',
        b'{"passes": [1]}',
        b'{"passes": [{"name": 1, "seconds": 1, "cpu_seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": "", "cpu_seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": 1, "cpu_seconds": 1}]}',
        b'{"passes": [{"name": "a", "seconds": null, "cpu_seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": NaN, "cpu_seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": -1, "cpu_seconds": 1, "peak_mb": 1}]}',
        b'{"passes": [{"name": "a", "seconds": true, "cpu_seconds": 1, "peak_mb": 1}]}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_timings(cache, data):
    cache.mkdir(parents=True)
    (cache / f"{KEY}.json").write_bytes(data)
    assert load_timings(KEY) == ()


def test_the_key_is_the_hash_of_the_files_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert hash_artifact(tmp_path / "a") == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
