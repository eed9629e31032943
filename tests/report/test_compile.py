import pytest

from maskc.frontends.source import load_source
from maskc.pipeline import compile_contents
from maskc.report.compile import Compilation, print_compilation
from maskc.vocab.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def compilation():
    source = load_source('start: "a" | "b"\n')
    contents, passes = compile_contents(source, Vocabulary((b"a", b"b", None), (2,), "test"))
    return Compilation("a.maskc", 1234, contents.header, 0.5, passes)


def test_the_last_line_says_what_was_written(compilation, capsys):
    print_compilation(compilation)
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "<text>: 3 terminals, 2 productions, parser=lalr, lexer=contextual"
    assert second == "test: 2 tokens"
    counts = compilation.header["counts"]
    rows, masks = counts["rows"], counts["masks"]
    assert last.startswith(f"a.maskc: 1.23 kB, {rows} rows, {masks} masks, in ")


def test_every_pass_has_a_line(compilation, capsys):
    print_compilation(compilation, verbose=True)
    out = capsys.readouterr().out
    assert all(record.name in out for record in compilation.passes)
