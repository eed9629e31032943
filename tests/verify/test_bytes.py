r"""Artifacts whose texts are bytes, as Lark's ``use_bytes=True`` has them."""

import pytest
from lark import Lark

import maskc
from maskc.errors import TokenizerError
from maskc.verify import run_verify
from maskc.verify.general import build_oracle
from maskc.verify.grammar import GrammarSubject
from maskc.verify.model import Document, Outcome, VerifyOptions
from maskc.verify.steps import read_pattern
from tests.grammars.walks import generate_texts

GRAMMAR = r"""// maskc: use_bytes=true {settings}
start: item+
item: KEY "=" value ";" | IF value ";"
value: NUM | BLOB
IF: "if"
KEY: /\w+/
NUM: /[0-9]+/
BLOB: /<[^>]*>/
%ignore " "
"""
HEADS = ("parser=lalr", "parser=lalr lexer=basic", "parser=earley", "parser=earley lexer=basic")
FEW = VerifyOptions(
    files=10,
    texts=4,
    max_tokens=30,
    positions=10,
    segments=5,
    mutations=20,
    raw_positions=20,
    allow_refused=True,
)


@pytest.fixture(params=HEADS)
def path(request, tmp_path):
    text = GRAMMAR.format(settings=request.param)
    artifact = maskc.compile_grammar(text, tokenizer="bytes")
    artifact.save(tmp_path / "x.maskc")
    return tmp_path / "x.maskc"


def build(settings, text=GRAMMAR):
    parser, _, lexer = settings.partition(" ")
    given = {"lexer": lexer.removeprefix("lexer=")} if lexer else {}
    return Lark(text, parser=parser.removeprefix("parser="), use_bytes=True, **given)


def test_an_artifact_of_bytes_is_verified_on_files_that_are_no_utf8(path, tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "1.bin").write_bytes(b"a=<\xff\xc3\xa9>;if <\x80>;")
    (tmp_path / "corpus" / "2.bin").write_bytes(b"a=<\xff>;\xe9=1;")
    report = run_verify(path, [str(tmp_path / "corpus")], FEW)
    assert {e.name: e.outcome for e in report.experiments} == dict.fromkeys(
        ("corpus", "generation", "oracle", "segmentation", "mutation", "optimisation"),
        Outcome.PASSED,
    )
    (refused,) = report.experiments[0].refused
    assert (refused["line"], refused["column"]) == (1, 7)


def test_texts_of_bytes_are_drawn(path):
    artifact = maskc.load(path)
    for text in generate_texts(artifact, count=3, max_tokens=12, seed=1):
        assert text.problem is None
        matcher = artifact.matcher()
        assert matcher.accept_bytes(text.text.encode("latin-1"))
        assert matcher.is_accepting


@pytest.mark.parametrize("settings", HEADS)
def test_the_oracle_decides_of_bytes(settings):
    oracle = build_oracle(build(settings))
    assert oracle.at(b"a=<\xc3").legal(b"\xff")
    assert oracle.at(b"a=<\xff>;").can_end()
    assert not oracle.at(b"a=<\xff>;").legal(b"\xe9")
    assert not oracle.at(b"a=").legal(b"\xe9")


def test_a_pattern_of_bytes_is_utf8_without_a_lexer_and_latin_1_with_one():
    grammar = 'start: "\\xe9"\n'
    for settings, written in (("parser=earley", "\xc3\xa9"), ("parser=lalr", "\xe9")):
        lark = build(settings, grammar)
        assert read_pattern(lark, lark.terminals[0]) == written


def test_letters_of_bytes_are_those_of_ascii():
    lark = build("parser=lalr")
    pattern = build_oracle(lark).reader.patterns["KEY"].regex
    assert pattern.fullmatch("a")
    assert not pattern.fullmatch("é")


def test_bytes_that_are_no_text_are_cut_into_tokens(path, tmp_path):
    subject = GrammarSubject(str(path), FEW, tmp_path)
    document = Document("x", "é=", encoding=subject.encoding)
    assert document.data == b"\xe9="
    tokens = subject.encode(document.text)
    assert b"".join(subject.artifact.token_bytes(t) for t in tokens) == b"\xe9="


def test_bytes_that_no_tokens_write_are_said(path, tmp_path, monkeypatch):
    subject = GrammarSubject(str(path), FEW, tmp_path)
    monkeypatch.setattr(subject.segments, "draw", lambda *_: None)
    with pytest.raises(TokenizerError, match="no tokens write these bytes"):
        subject.encode("\xff")
