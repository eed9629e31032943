"""A file that loads can be inspected and explained, whatever its header says."""

import json

import pytest

import maskc
from maskc.artifact.header import check_texts
from maskc.artifact.model import Contents
from maskc.cli.main import run
from maskc.errors import ArtifactError
from tests.compiled import compile_text
from tests.general_grammars import general_grammar

GRAMMAR = 'start: "(" [start] ")" | start "x" A | B B\nA: /a+/ | /[a-c]b/\nB: /b+/\n'
READ_COUNTS = {"counts", "lalr_states", "not_lexed_apart", "productions", "questions"}
VALUES = [None, True, -1, 1 << 63, 0.5, float("nan"), "", "\udc80", "[red]x\x00\n", b"x"]
VALUES += [[], {}, [None], ["x"], [[0]], {"x": None}, {"x": b"y"}, {"": -1}]


@pytest.fixture(scope="module")
def artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


def changes_of(value, path=()):
    """Yield a header's places, and what stands there."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), item
            yield from changes_of(item, (*path, key))
    elif isinstance(value, list) and value:
        yield (*path, 0), value[0]
        yield from changes_of(value[0], (*path, 0))


def changed(header, path, value):
    """Return a header with another value in a place; ``...`` takes it away."""
    copy = json.loads(json.dumps(header, default=lambda data: {"bytes": data.hex()}))
    for pair in copy["not_lexed_apart"]:
        pair["witness"] = bytes.fromhex(pair["witness"]["bytes"])
    place = copy
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
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
    """Each place of the header is changed in turn."""
    n_loaded = n_refused = 0
    for path, _ in changes_of(artifact.header):
        # The runtime's own entries are read in other places.
        if path[0] in {"sizes", "format", "layout"} or path[:2] == ("tokenizer", "vocab_size"):
            continue
        if path[:2] == ("tokenizer", "eos_ids") or path == ("tokenizer",):
            continue
        if path[0] == "counts" and path[-1] not in READ_COUNTS:
            continue
        header = changed(artifact.header, path, value)
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
        (("grammar", "name"), 3, "the header's grammar.name is no name"),
        (("grammar", "text"), "\udc80", "the header's grammar.text is no text"),
        (("grammar", "lexer"), "quick", "the header's grammar.lexer is no lexer of Lark's"),
        (("streamlining", 0, "rows"), -1, "the header's streamlining[0].rows is no count"),
        (
            ("streamlining", 0, "per_state"),
            [1],
            "the header's streamlining[0].per_state has 1 entries instead of 101",
        ),
        (("counts", "rows"), True, "the header's counts.rows is no count"),
        (("counts", "lalr_states"), ..., "the header lacks counts.lalr_states"),
        (("classes",), [[1]], "the header's classes[0][0] is no text"),
        (("more",), b"x", "the header's more holds bytes"),
    ],
)
def test_a_command_says_what_is_wrong_with_a_header(artifact, tmp_path, capfd, path, value, fault):
    file = write(artifact, changed(artifact.header, path, value), tmp_path)
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
