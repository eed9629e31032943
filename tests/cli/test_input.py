"""Standard input, where a command is given ``-``."""

import subprocess
import sys

from maskc.cli import input as module


def run(given, artifact):
    command = [sys.executable, "-m", "maskc", "explain", artifact, "--text", "-"]
    done = subprocess.run(command, stdin=given, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_cannot_be_read_is_no_input(artifact, tmp_path):
    with open(tmp_path / "written", "wb") as only_written:
        status, out, err = run(only_written, artifact)
    assert (status, out) == (2, b"")
    assert err == b"maskc: -: Bad file descriptor; give the text through it\n"


def test_it_is_read_to_its_last_byte_whatever_that_is(command, artifact, stdin):
    stdin(b"[a\n")
    assert command("explain", artifact, "--text", "-").out.startswith("after '[a\\n'")
    stdin(b"[\xff")
    assert command("explain", artifact, "--text", "-").out.startswith("after b'[\\xff'")


def test_more_than_a_text_may_have_is_refused(refusal, artifact, stdin, monkeypatch):
    monkeypatch.setattr(module, "_MAX_TEXT_BYTES", 10)
    stdin(b"[" + b"a" * 10)
    said = refusal("explain", artifact, "--text", "-")
    assert said == "-: is larger than 10 bytes; give a smaller text"
