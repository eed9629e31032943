"""What is served is what lies in the folder now: replaced, damaged, repaired, deleted."""

import gc
import logging
import os
import shutil
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

from maskc import allocate_bitmask
from maskc.errors import ArtifactError
from maskc.integrations import registry as module
from maskc.integrations.registry import ArtifactRegistry
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text

MODEL = Vocabulary((*(bytes([b]) for b in range(256)), None), (256,), "model")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    # The same size: only the text differs.
    compile_text('start: "yes"').save(folder / "yes.maskc")
    compile_text('start: "nay"').save(folder / "nay.maskc")
    assert os.path.getsize(folder / "yes.maskc") == os.path.getsize(folder / "nay.maskc")
    return folder


@pytest.fixture
def folder(built, tmp_path):
    shutil.copy(built / "yes.maskc", tmp_path / "a.maskc")
    return tmp_path


def says(artifact, text):
    return artifact.matcher().accept_bytes(text)


def replace_by_renaming(source, target):
    shutil.copy(source, target.with_suffix(".part"))
    os.replace(target.with_suffix(".part"), target)


def copy_over(source, target):
    with open(target, "r+b") as file:
        file.write(source.read_bytes())


def copy_over_in_secret(source, target):
    """The same inode, size and time."""
    before = os.stat(target)
    copy_over(source, target)
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = os.stat(target)
    assert (after.st_ino, after.st_size) == (before.st_ino, before.st_size)
    assert after.st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("replace", [replace_by_renaming, copy_over, copy_over_in_secret])
def test_a_file_that_was_replaced_is_served_anew(folder, built, replace):
    registry = ArtifactRegistry(MODEL, folder)
    old = registry.load("a")
    following = old.matcher()
    assert following.accept_bytes(b"y")
    replace(built / "nay.maskc", folder / "a.maskc")
    new = registry.load("a")
    assert (says(new, b"nay"), says(new, b"yes")) == (True, False)
    assert registry.load("a") is new
    assert registry.listing()[0].content_hash == new.content_hash != old.content_hash
    # Who follows the old one goes on with it.
    bitmask = allocate_bitmask(1, 257)
    following.fill_bitmask(bitmask, 0)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == [ord("e")]


def test_a_file_that_was_deleted_is_served_no_more(folder):
    registry = ArtifactRegistry(MODEL, folder)
    following = registry.load("a").matcher()
    os.unlink(folder / "a.maskc")
    with pytest.raises(ArtifactError, match="a: its file is gone"):
        registry.load("a")
    assert registry.listing() == ()
    assert following.accept_bytes(b"yes")


def test_an_old_artifact_goes_with_its_last_matcher(folder, built):
    registry = ArtifactRegistry(MODEL, folder)
    old = registry.load("a")
    matcher, known = old.matcher(), weakref.ref(old)
    replace_by_renaming(built / "nay.maskc", folder / "a.maskc")
    registry.load("a")
    del old
    gc.collect()
    assert known() is not None
    del matcher
    gc.collect()
    assert known() is None


def test_a_deleted_artifact_is_not_kept_in_memory(folder):
    registry = ArtifactRegistry(MODEL, folder)
    known = weakref.ref(registry.load("a"))
    os.unlink(folder / "a.maskc")
    with pytest.raises(ArtifactError):
        registry.load("a")
    gc.collect()
    assert known() is None


def test_a_repaired_file_of_the_same_size_inode_and_time_is_read_again(folder):
    path = folder / "a.maskc"
    good = path.read_bytes()
    times = os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns
    for n_damaged in (len(good) // 2, len(good) - 1, 20):
        # A byte in the middle: the checksum at the end is that of the good file.
        damaged = bytearray(good)
        damaged[n_damaged] ^= 1
        path.write_bytes(damaged)
        os.utime(path, ns=times)
        registry = ArtifactRegistry(MODEL, folder)
        with pytest.raises(ArtifactError):
            registry.load("a")
        with open(path, "r+b") as file:
            file.write(good)
        os.utime(path, ns=times)
        assert says(registry.load("a"), b"yes")


def test_an_artifact_that_is_damaged_while_it_is_served_is_refused(folder):
    registry = ArtifactRegistry(MODEL, folder)
    registry.load("a")
    os.truncate(folder / "a.maskc", 1000)
    with pytest.raises(ArtifactError, match="a: is truncated"):
        registry.load("a")


def test_the_last_good_artifact_is_kept_while_its_file_is_bad_if_asked_for(folder, built, caplog):
    registry = ArtifactRegistry(MODEL, folder, keep_last_good=True)
    good = registry.load("a")
    os.truncate(folder / "a.maskc", 1000)
    assert registry.load("a") is registry.load("a") is good
    assert registry.listing() == (("a", good.content_hash),)
    assert f"artifact a: {good.content_hash} stays in use" in caplog.messages
    counts = registry.usage.counts()["a"]
    assert (counts["requests"], counts["kept"], counts["failures"]) == (3, 2, 0)
    replace_by_renaming(built / "nay.maskc", folder / "a.maskc")
    assert says(registry.load("a"), b"nay")


def test_a_deleted_file_ends_the_last_good_artifact_too(folder, monkeypatch):
    monkeypatch.setenv("MASKC_KEEP_LAST_GOOD", "1")
    registry = ArtifactRegistry(MODEL, folder)
    registry.load("a")
    os.unlink(folder / "a.maskc")
    with pytest.raises(ArtifactError, match="a: its file is gone"):
        registry.load("a")


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_regular_file_is_refused_at_once(folder, make):
    make(folder / "odd.maskc")
    registry = ArtifactRegistry(MODEL, folder)
    with pytest.raises(ArtifactError, match="odd: is not a regular file"):
        registry.load("odd")
    assert [listed.name for listed in registry.listing()] == ["a"]


def test_a_file_that_never_stays_the_same_is_refused(folder, built, monkeypatch):
    registry = ArtifactRegistry(MODEL, folder)
    load = module.load

    def replace_and_load(path, **how):
        replace_by_renaming(built / "nay.maskc", folder / "a.maskc")
        return load(path, **how)

    monkeypatch.setattr(module, "load", replace_and_load)
    with pytest.raises(ArtifactError, match="a: is being written; ask again"):
        registry.load("a")


def test_changes_are_logged_with_the_hash_of_the_content(folder, built, caplog):
    caplog.set_level(logging.INFO, "maskc")
    registry = ArtifactRegistry(MODEL, folder)
    old = registry.load("a").content_hash
    replace_by_renaming(built / "nay.maskc", folder / "a.maskc")
    new = registry.load("a").content_hash
    os.unlink(folder / "a.maskc")
    with pytest.raises(ArtifactError):
        registry.load("a")
    assert caplog.messages == [
        f"artifact a: {old} is served",
        f"artifact a: {new} replaces {old}",
        f"artifact a: {new} is no longer served",
    ]


def test_threads_that_ask_while_files_are_replaced_get_whole_artifacts(folder, built):
    registry = ArtifactRegistry(MODEL, folder)
    wrong, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            artifact = registry.load("a")
            if says(artifact, b"yes") == says(artifact, b"nay"):
                wrong.append(artifact)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(40):
        name = "nay" if number % 2 == 0 else "yes"
        replace_by_renaming(built / f"{name}.maskc", folder / "a.maskc")
        assert says(registry.load("a"), name.encode())
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


SERVE = """\
import os, sys
from maskc.integrations.registry import ArtifactRegistry
from maskc.vocab import load_vocabulary
folder, other = sys.argv[1:]
registry = ArtifactRegistry(load_vocabulary("bytes"), folder)
old = registry.load("a")
matcher = old.matcher()
with open(os.path.join(folder, "a.maskc"), "r+b") as file:  # as `cp` does it
    file.truncate(0)
    try:
        registry.load("a")
    except Exception as error:
        print(type(error).__name__, str(error).partition(";")[0])
    print(matcher.accept_bytes(b"yes"), old.matcher().accept_bytes(b"nay"))
    file.write(open(other, "rb").read())
print(registry.load("a").matcher().accept_bytes(b"nay"))
"""


def test_a_server_survives_a_file_that_is_copied_over(folder, built):
    """In a process of its own: under a mapping it would end by SIGBUS."""
    ran = subprocess.run(
        [sys.executable, "-c", SERVE, folder, built / "nay.maskc"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout) == (0, "ArtifactError a: is empty\nTrue False\nTrue\n")
