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
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<fn="],
        "tags": [
            {
                "type": "tag",
                "begin": "<fn=f>",
                "end": "</fn>",
                "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
            }
        ],
    },
}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": CITY}} for name in ("get", "set")
]
CALL = '<tool_call>\n{"name": "get", "arguments": {"city": "Oslo"}}\n</tool_call>'
OPERATORS = 'start: term (("+" | "-") term)*\nterm: NUMBER\nNUMBER: /[0-9]+/\n%ignore " "\n'
FILES = {
    "nested.lark": 'start: "a" start "b" |\n',
    "operators.lark": OPERATORS,
    "maskc.toml": '[tokenizers]\nbytes = "bytes"\n[grammars]\nlist = "list.lark"\n',
    "other.txt": "nothing of the kind",
    "list.txt": "[a]",
    "tag.json": json.dumps(TAG),
    "tools.json": json.dumps(TOOLS),
    "empty.txt": "\n\n",
    "good.schema.json": "{}",
    "bad.schema.json": '{"type": "nothing"}',
    "right": "[a, b]\n",
    "wrong": "[a,\n",
    "texts/one.txt": "[ab, cd]",
    "texts/two.txt": "[ab, !]",
    "texts/three.txt": b"\xff\xfe",
    "letters/a.txt": "ab",
    "b.json": '{"b": 1}',
    "replies/good.txt": f"So: {CALL} Done.",
    "bad/bad.txt": CALL.replace("get", "put"),
}


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


@pytest.fixture(scope="session")
def artifacts():
    """The bytes of artifacts of every kind."""
    made = {
        "wide": maskc.compile_grammar('start: "a"\n', tokenizer="bytes", vocab_size=300),
        "old": maskc.compile_grammar('start: "a" "b"\n', tokenizer="bytes"),
        "new": maskc.compile_grammar('start: "a" ("b" | "c")\n', tokenizer="bytes"),
        "null": maskc.compile_json_schema({"type": "null"}, tokenizer="bytes"),
        "order": maskc.compile_json_schema(
            {"type": "object", "required": ["a"]}, tokenizer="bytes"
        ),
        "tools": maskc.compile_tools(TOOLS, family="qwen_3", tokenizer="bytes"),
    }
    return {f"{name}.maskc": bytes_of(artifact) for name, artifact in made.items()}


@pytest.fixture
def project(tmp_path, grammar, compiled, artifacts, tokenizer_file):
    """A folder with files of every kind; ``empty`` is a folder, ``list.maskc`` of ``list.lark``."""
    assert grammar.parent == tokenizer_file.parent == tmp_path
    for name, contents in {**FILES, **artifacts, "list.maskc": compiled}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        data = contents if isinstance(contents, bytes) else contents.encode()
        (tmp_path / name).write_bytes(data)
    (tmp_path / "empty").mkdir()
    return tmp_path


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
                "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "[": 2, "]": 3}, "merges": []},
                "decoder": {"type": "ByteLevel"},
                "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            }
        )
    )
    return path
