"""The oracle for Earley, and the experiments on artifacts of general grammars."""

import dataclasses

import lark as lark_package
import pytest

from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify import VerifyOptions, run_verify
from maskc.verify.general import GeneralOracle, build_oracle, parses, parses_generally
from maskc.verify.oracle import Oracle
from maskc.verify.rules import EndingRules, find_rest
from tests.compiled import compile_text
from tests.general_grammars import general_grammar

OPTIONS = VerifyOptions(
    texts=4, max_tokens=30, positions=20, segments=5, mutations=10, raw_positions=20
)


def oracle_of(text, lexer="dynamic_complete"):
    return GeneralOracle(build_lark(load_source(text, parser="earley", lexer=lexer)))


def test_the_oracle_of_an_earley_grammar_is_the_general_one():
    assert isinstance(
        build_oracle(build_lark(load_source(general_grammar("palindromes")))), GeneralOracle
    )


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
@pytest.mark.parametrize(
    ("prefix", "witness"), [("", "a"), ("a+", "a+a"), ("-(1 ", "-(1 )"), ("((a*", "((a*a))")]
)
def test_a_beginning_is_legal_with_a_witness_that_lark_parses(lexer, prefix, witness):
    oracle = oracle_of(general_grammar("expressions"), lexer)
    assert oracle.at(prefix.encode()).decide(b"") == (True, witness)


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
@pytest.mark.parametrize(
    ("prefix", "token"), [("", ")"), ("a", "1("), ("a b", ""), ("(a)", "("), ("a+", "*")]
)
def test_what_cannot_go_on_is_refuted(lexer, prefix, token):
    oracle = oracle_of(general_grammar("expressions"), lexer)
    assert oracle.at(prefix.encode()).decide(token.encode()) == (False, None)


def test_an_ignored_lexeme_that_must_go_on_is_taken_whole():
    oracle = oracle_of('start: "a" B\nB: / b/\n%ignore / +/\n')
    assert oracle.at(b"a ").decide(b"b") == (True, "a b")
    assert not oracle.at(b"a  ").legal(b"b")


def test_positions_in_any_order_answer_alike():
    oracle, text = oracle_of(general_grammar("expressions")), "a + (b*c) + 12 * x"
    forth = [oracle.at(text[:end].encode(), text).legal(b"+") for end in range(len(text))]
    back = [oracle.at(text[:end].encode()).legal(b"+") for end in reversed(range(len(text)))]
    assert forth == back[::-1]


def test_the_shortest_rest_goes_through_all_that_is_open():
    oracle = oracle_of('start: "(" start ")" | "x"\n')
    chart = oracle.reader.chart("((")
    rest = find_rest(oracle.rules, chart.columns, chart.columns[-1].carried())
    assert rest == ("X", "RPAR", "RPAR")


def test_rules_that_never_end_are_left_out():
    lark = build_lark(load_source('start: "a" | x\nx: "b" x\n', parser="earley"))
    rules = EndingRules(lark)
    assert [len(rules.by_origin[name]) for name in ("start", "x")] == [1, 0]


def test_a_text_with_two_ends_is_a_text():
    text = 'start: A | B\nA: "a"\nB: "a "\n%ignore " "\n'
    lark = build_lark(load_source(text, parser="earley"))
    if not lark_package.__version__.startswith("1.2"):  # which parses it
        with pytest.raises(RuntimeError, match="multiple start symbol items"):
            lark.parse("a ")
    assert parses_generally(lark, "a ")


@pytest.fixture
def run(tmp_path):
    """Return a function that verifies an artifact of a grammar with a file that is a text."""

    def verify(text, written, **settings):
        path, corpus = tmp_path / "x.maskc", tmp_path / "a.txt"
        artifact = compile_text(text, **settings)
        artifact.header["tokenizer"]["name"] = "bytes"
        artifact.save(path)
        corpus.write_text(written)
        return run_verify(path, [str(corpus)], OPTIONS)

    return verify


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
def test_all_experiments_pass_on_expressions(run, lexer):
    report = run(general_grammar("expressions"), "a + (bc*12) * -x", lexer=lexer)
    assert {e.name: e.failures for e in report.experiments if not e.ok} == {}


def test_a_mask_that_allows_too_much_is_found(run, monkeypatch):
    right = compile_text(general_grammar("palindromes"))
    wrong = compile_text('start: ("a" | "b")*\n', parser="earley")
    header = {**wrong.header, "grammar": right.header["grammar"]}
    monkeypatch.setattr(
        "tests.verify.test_general.compile_text",
        lambda *_, **__: type(wrong)(dataclasses.replace(wrong.contents, header=header)),
    )
    report = run("", "abba")
    assert not report.ok
    assert {e.name for e in report.experiments if e.failures} >= {"oracle", "optimisation"}


ROW = 'start: "[" "a"* "]"\n'


@pytest.mark.parametrize(("parser", "oracle"), [("lalr", Oracle), ("earley", GeneralOracle)])
def test_the_oracle_is_that_of_the_parser(subject_of, parser, oracle):
    subject = subject_of(ROW, f"// maskc: parser={parser}\n{ROW}")
    assert type(build_oracle(subject.lark)) is oracle
    assert parses(subject.lark, "[a]")
