"""A command ends with a status and a line, whatever bytes or headers come in."""

import json
import string

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

import maskc
from maskc.artifact.header import check_texts
from maskc.artifact.model import Contents
from maskc.cli.main import run
from maskc.errors import ArtifactError
from tests.artifact.forging import sign
from tests.compiled import compile_text
from tests.examples import examples
from tests.general_grammars import general_grammar
from tests.security.forging import compile_examples

GRAMMAR = 'start: "(" [start] ")" | start "x" A | B B\nA: /a+/ | /[a-c]b/\nB: /b+/\n'
READ_COUNTS = {"counts", "lalr_states", "not_lexed_apart", "productions", "questions"}
VALUES = [None, True, -1, 1 << 63, 0.5, float("nan"), "", "\udc80", "[red]x\x00\n", b"x"]
VALUES += [[], {}, [None], ["x"], [[0]], {"x": None}, {"x": b"y"}, {"": -1}]


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


def changes_of(value, path=()):
    """Yield the paths of a header's entries, and what stands there."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), item
            yield from changes_of(item, (*path, key))
    elif isinstance(value, list) and value:
        yield (*path, 0), value[0]
        yield from changes_of(value[0], (*path, 0))


def changed_header(header, path, value):
    """Return a header with another value at a path; ``...`` takes it away."""
    copy = json.loads(json.dumps(header, default=lambda data: {"bytes": data.hex()}))
    for pair in copy["not_lexed_apart"]:
        pair["witness"] = bytes.fromhex(pair["witness"]["bytes"])
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def write(artifact, header, folder):
    path = str(folder / "a.maskc")
    maskc.Artifact(Contents(header, artifact.contents.arrays)).save(path)
    return path


def test_the_headers_of_what_is_compiled_are_sound(artifact):
    assert check_texts(artifact.header) is None
    assert artifact.header["not_lexed_apart"]
    general = compile_text(general_grammar("palindromes"), (b"a", b"b"))
    assert check_texts(general.header) is None


@pytest.mark.parametrize("value", [..., *VALUES], ids=repr)
def test_a_header_that_loads_can_be_printed(artifact, tmp_path, capfd, value):
    """Each entry of the header is changed in turn."""
    n_loaded = n_refused = 0
    for path, _ in changes_of(artifact.header):
        # The runtime's own entries are read elsewhere.
        if path[0] in {"sizes", "format", "layout"} or path[:2] == ("tokenizer", "vocab_size"):
            continue
        if path[:2] == ("tokenizer", "eos_ids") or path == ("tokenizer",):
            continue
        if path[0] == "counts" and path[-1] not in READ_COUNTS:
            continue
        header = changed_header(artifact.header, path, value)
        if check_texts(header) is not None:
            n_refused += 1
            continue
        n_loaded += 1
        try:
            file = write(artifact, header, tmp_path)
            maskc.load(file)
        except (ArtifactError, ValueError):
            continue  # the numbers are looked at, too
        commands = [
            ["inspect", file],
            ["inspect", file, "--json"],
            ["inspect", file, "--html", str(tmp_path / "a.html")],
        ]
        if path[0] in {"grammar", "terminals"}:
            commands.append(["explain", file, "--text", "("])
        for arguments in commands:
            assert run(arguments) in {0, 2}, (path, value, arguments)
            assert "Traceback" not in capfd.readouterr().err
    assert n_refused > 0
    assert n_loaded >= 0


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("grammar", "name"), ..., "the header lacks grammar.name"),
        (("tokenizer", "name"), ..., "the header lacks tokenizer.name"),
        (("grammar", "name"), 3, "the header's grammar.name is not a name"),
        (("grammar", "text"), "\udc80", "the header's grammar.text is not a text"),
        (("grammar", "lexer"), "quick", "the header's grammar.lexer is not a lexer of Lark's"),
        (("streamlining", 0, "rows"), -1, "the header's streamlining[0].rows is not a count"),
        (
            ("streamlining", 0, "per_state"),
            [1],
            "the header's streamlining[0].per_state has 1 entries instead of 101",
        ),
        (("counts", "rows"), True, "the header's counts.rows is not a count"),
        (("counts", "lalr_states"), ..., "the header lacks counts.lalr_states"),
        (("classes",), [[1]], "the header's classes[0][0] is not a text"),
        (("more",), b"x", "the header's more holds bytes"),
    ],
)
def test_a_command_says_what_is_wrong_with_a_header(artifact, tmp_path, capfd, path, value, fault):
    file = write(artifact, changed_header(artifact.header, path, value), tmp_path)
    corpus = tmp_path / "text"
    corpus.write_text("()")
    for arguments in (
        ["inspect", file],
        ["explain", file, "--text", "("],
        ["generate", file],
        ["verify", file, "--corpus", str(corpus), "--jobs", "1"],
        ["bench", file, "--corpus", str(corpus)],
    ):
        assert run(arguments) == 2
        said = " ".join(capfd.readouterr().err.split())
        assert said == f"maskc: {file}: is damaged: {fault}; compile the grammar again"


STATUSES = {0, 1, 2, 130}
LIST_GRAMMAR = '// maskc: start=x\nx: "[" (A ("," A)*)? "]"\nA: /[a-c]{1,2}/i\n%ignore " "\n'
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
    starts = st.integers(0, len(sound))
    pieces = st.one_of(
        st.binary(max_size=4),
        st.text(string.punctuation + " \n0a", max_size=4).map(str.encode),
        st.tuples(starts, st.integers(0, 12)).map(lambda p: sound[p[0] : p[0] + p[1]]),
    )

    def apply(edits):
        data = sound
        for start, n_gone, piece in edits:
            data = data[:start] + piece + data[start + n_gone :]
        return data

    edits = st.lists(st.tuples(starts, st.integers(0, 3), pieces), min_size=1, max_size=3)
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
@given(st.binary(max_size=60) | changed(LIST_GRAMMAR.encode()))
@example(b"")
@example(b"\xff\xfe\x00")
@example(b"\x00" * 9)
@example(LIST_GRAMMAR.encode())
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
    grammar.write_text(LIST_GRAMMAR)
    out = str(tmp_path / "out.maskc")
    end("tokenizer.json", data, "compile", str(grammar), "--tokenizer", None, "-o", out)
