"""Whatever bytes come in, a command ends with 0, 1, 2 or 130, and never with a traceback."""

import json
import string

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from maskc.cli.main import run
from tests.artifact.forging import sign
from tests.examples import examples
from tests.security.forging import compile_examples

STATUSES = {0, 1, 2, 130}
GRAMMAR = '// maskc: start=x\nx: "[" (A ("," A)*)? "]"\nA: /[a-c]{1,2}/i\n%ignore " "\n'
GBNF = 'root ::= "a" item{1,2} | [^x-z]+\nitem ::= ("b" | "\\x41")? .\n'
EBNF = "start ::= 'a' (B | [a-c])* #x61\nB ::= \"b\" - 'c'\n"
TABLE = {chr(n): n for n in range(97, 100)}
TOKENIZER = {
    "model": {"type": "BPE", "vocab": {**TABLE, "[": 3, "]": 4, ",": 5}, "merges": []},
    "added_tokens": [{"id": 6, "content": "<end>", "special": True}],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    "decoder": {"type": "ByteLevel"},
}
ARTIFACT = compile_examples()["lalr"]

few = examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def changed(sound):
    """Return bytes like some sound ones: pieces of it doubled, left out, or overwritten."""
    places = st.integers(0, len(sound))
    pieces = st.one_of(
        st.binary(max_size=4),
        st.text(string.punctuation + " \n0a", max_size=4).map(str.encode),
        st.tuples(places, st.integers(0, 12)).map(lambda p: sound[p[0] : p[0] + p[1]]),
    )

    def apply(edits):
        data = sound
        for place, n_gone, piece in edits:
            data = data[:place] + piece + data[place + n_gone :]
        return data

    edits = st.lists(st.tuples(places, st.integers(0, 3), pieces), min_size=1, max_size=3)
    return edits.map(apply)


@pytest.fixture
def end(tmp_path, capfd):
    """Return a function that runs a command on a file, and holds the contract."""

    def call(name, data, *arguments):
        path = tmp_path / name
        path.write_bytes(data)
        status = run([str(path) if argument is None else argument for argument in arguments])
        out, err = capfd.readouterr()
        assert status in STATUSES
        assert "Traceback (most recent call last)" not in out + err
        if status == 2:
            assert err.startswith("maskc: ")
        return status

    return call


@few
@given(st.binary(max_size=60) | changed(GRAMMAR.encode()))
@example(b"")
@example(b"\xff\xfe\x00")
@example(b"\x00" * 9)
@example(GRAMMAR.encode())
@pytest.mark.parametrize("command", ["lint", "analyze"])
def test_a_grammar_of_any_bytes(end, command, data):
    end("g.lark", data, command, None)


@few
@given(st.data())
@pytest.mark.parametrize(("name", "sound"), [("g.gbnf", GBNF), ("g.ebnf", EBNF)])
def test_a_grammar_of_another_dialect_of_any_bytes(end, name, sound, data):
    end(name, data.draw(st.binary(max_size=40) | changed(sound.encode())), "lint", None)


@few
@given(st.binary(max_size=60) | changed(ARTIFACT) | changed(ARTIFACT[:-34]).map(sign))
@example(ARTIFACT)
@example(b"")
@pytest.mark.parametrize(
    "arguments", [["inspect", None], ["inspect", None, "--json"], ["explain", None, "--text", "["]]
)
def test_an_artifact_of_any_bytes(end, arguments, data):
    end("a.maskc", data, *arguments)


@few
@given(st.binary(max_size=60) | changed(json.dumps(TOKENIZER).encode()))
@example(json.dumps(TOKENIZER).encode())
@example(b"[" * 5000)
@example(b'{"model": {"type": "BPE", "vocab": {"a": 4000000}, "merges": []}}')
def test_a_tokenizer_of_any_bytes(end, tmp_path, data):
    grammar = tmp_path / "list.lark"
    grammar.write_text(GRAMMAR)
    out = str(tmp_path / "out.maskc")
    end("tokenizer.json", data, "compile", str(grammar), "--tokenizer", None, "-o", out)
