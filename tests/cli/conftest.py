"""Commands run in-process: exit status, standard output, standard error."""

import io
import json
from dataclasses import dataclass

import pytest

import maskc
from maskc.artifact.container import encode
from maskc.cli.main import run

GRAMMAR = """\
// maskc: start=list
list: "[" (WORD ("," WORD)*)? "]"
WORD: /[a-z]+/
%ignore " "
"""


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


@pytest.fixture
def command(tmp_path, tmp_path_factory, monkeypatch, capfd):
    """Return a function that runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))

    def call(*arguments):
        status = run([str(argument) for argument in arguments])
        return Outcome(status, *capfd.readouterr())

    return call


@pytest.fixture
def stdin(monkeypatch):
    """Return a function that says what standard input holds."""

    def put(data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


@pytest.fixture
def refusal(command, tmp_path):
    """Return a function that runs a command which must fail, and returns its one sentence."""

    def call(*arguments):
        before = sorted(tmp_path.iterdir())
        outcome = command(*arguments)
        assert outcome.status == 2
        assert outcome.out == ""
        assert outcome.err.startswith("maskc: ")
        assert outcome.err.count("\n") == 1
        assert sorted(tmp_path.iterdir()) == before
        return outcome.err.removeprefix("maskc: ").rstrip("\n")

    return call


@pytest.fixture
def grammar(tmp_path):
    path = tmp_path / "list.lark"
    path.write_text(GRAMMAR)
    return path


@pytest.fixture(scope="session")
def compiled():
    """Return the bytes of an artifact of the grammar for ``bytes``."""
    return bytes_of(maskc.compile_grammar(GRAMMAR, tokenizer="bytes"))


def bytes_of(artifact):
    return encode(artifact.contents.header, artifact.contents.arrays)


@pytest.fixture
def artifact(tmp_path, compiled):
    path = tmp_path / "list.bytes.maskc"
    path.write_bytes(compiled)
    return path


@pytest.fixture
def tokenizer_file(tmp_path):
    """Return a small Hugging Face tokenizer: two letters, a bracket pair, and an end."""
    return write_tokenizer(tmp_path, [])


@pytest.fixture
def added_file(tmp_path):
    """Return one with added tokens that are not special: ``ab``, ``[b]`` and ``<b>``."""
    return write_tokenizer(tmp_path, ["ab", "[b]", "<b>"])


def write_tokenizer(folder, added):
    path = folder / "tokenizer.json"
    rows = [{"id": 5 + n, "content": text, "special": False} for n, text in enumerate(added)]
    path.write_text(
        json.dumps(
            {
                "added_tokens": [{"id": 4, "content": "</s>", "special": True}, *rows],
                "model": {
                    "type": "BPE",
                    "vocab": {"a": 0, "b": 1, "[": 2, "]": 3},
                    "merges": [],
                },
                "decoder": {"type": "ByteLevel"},
                "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            }
        )
    )
    return path
