"""What an artifact claims about its vocabulary is not believed."""

import json
import shutil
import subprocess
import sys

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.cli.main import run
from maskc.errors import VocabularyMismatchError
from maskc.integrations.registry import ArtifactRegistry
from maskc.vocab import load_vocabulary
from tests.compiled import compile_text


@pytest.fixture(scope="module")
def llama3():
    return load_vocabulary("llama3")


@pytest.fixture
def forged(tmp_path, llama3):
    """Return an artifact of 257 ids that claims to be for the 128,256 of llama3."""
    made = maskc.compile_grammar('start: "yes" | "no"\n', tokenizer="bytes")
    header = json.loads(json.dumps(made.header))
    header["tokenizer"] |= {"fingerprint": llama3.fingerprint, "name": "llama3"}
    path = tmp_path / "forged.maskc"
    path.write_bytes(encode(header, made.contents.arrays))
    return path


def test_it_is_not_served_for_the_vocabulary_that_it_claims(forged, llama3):
    registry = ArtifactRegistry(llama3, forged.parent)
    with pytest.raises(VocabularyMismatchError, match=r"where token 0 is b'\\x00' in the artifact"):
        registry.load("forged")


@pytest.mark.parametrize(
    "command",
    [("inspect",), ("verify", "--corpus", "."), ("inspect", "--tokenizer", "llama3")],
    ids=str,
)
def test_a_command_says_that_the_claim_is_wrong(forged, command, capsys):
    assert run([command[0], str(forged), *command[1:]]) == 2
    assert "its header claims the token fingerprint" in capsys.readouterr().err


def test_bench_compares_the_tokens_and_not_the_claim(forged, tmp_path, capsys):
    (tmp_path / "a.txt").write_text("yes")
    corpus = ("--corpus", str(tmp_path / "a.txt"))
    assert run(["bench", str(forged), *corpus, "--tokenizer", "llama3"]) == 2
    assert "compiled for tokenizer llama3 (" in capsys.readouterr().err


def test_what_a_header_claims_is_not_what_is_compared(tmp_path):
    made = compile_text('start: "yes"')
    header = json.loads(json.dumps(made.header))
    header["tokenizer"]["fingerprint"] = "0" * 64
    (tmp_path / "a.maskc").write_bytes(encode(header, made.contents.arrays))
    registry = ArtifactRegistry(load_vocabulary("bytes"), tmp_path)
    assert registry.load("a").matcher().accept_bytes(b"yes")


OVERWRITE = """\
import sys
import maskc
served, other = sys.argv[1:]
artifact = maskc.load(served, mapped=False)
def masks():
    matcher, bitmask = artifact.matcher(), maskc.allocate_bitmask(1, artifact.vocab_size)
    found = []
    for token in b"[1, 22, [333]]":
        matcher.fill_bitmask(bitmask, 0)
        found.append(bitmask.tobytes())
        assert matcher.accept_token(token)
    return found
data = open(other, "rb").read()
with open(served, "r+b") as file:  # as `cp` writes
    file.truncate(0)
    file.write(data[: len(data) // 2])
    file.flush()
first = masks()
with open(served, "r+b") as file:
    file.truncate(0)
artifact = maskc.load(other)
print(first == masks())
"""


def test_what_was_read_is_served_while_its_file_is_overwritten(tmp_path):
    """In a process of its own: under a mapping it would end by SIGBUS."""
    maskc.compile_grammar("grammars/json.lark", tokenizer="bytes").save(tmp_path / "served.maskc")
    shutil.copy(tmp_path / "served.maskc", tmp_path / "other.maskc")
    ran = subprocess.run(
        [sys.executable, "-c", OVERWRITE, tmp_path / "served.maskc", tmp_path / "other.maskc"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True\n", "")
