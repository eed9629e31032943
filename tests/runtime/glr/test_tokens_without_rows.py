"""Tokens without rows are in masks as all others are."""

import pytest

import maskc.compiler.glr.walk
from maskc.artifact.sections import TOKENS_WITHOUT_ROWS
from maskc.errors import LimitError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.general import parses_generally
from tests.compiled import compile_text, legal_ids, matcher_at

SIGNS = 'start: e\ne: "-" e | "--" e | e "--" | e "-" e | "a"\n'
TOKENS = (*(b"-" * n for n in (1, 2, 3, 20, 40)), b"a", b"b", b"-" * 40 + b"b")
GENERAL = {"parser": "earley", "lexer": "dynamic"}


@pytest.fixture(scope="module")
def artifact():
    return compile_text(SIGNS, TOKENS, **GENERAL)


def test_what_is_cut_in_too_many_ways_lacks_rows_and_all_else_has_them(artifact):
    # The token that ends in b is walked by nobody: no state reads a b.
    assert artifact.header[TOKENS_WITHOUT_ROWS] == 2


@pytest.mark.parametrize("prefix", ["", "a", "-", "a-", "--"])
def test_a_token_without_rows_is_legal_where_its_bytes_are(artifact, prefix):
    assert legal_ids(matcher_at(artifact, prefix), artifact.vocab_size) >= {0, 1, 2, 3, 4}
    assert not legal_ids(matcher_at(artifact, prefix), artifact.vocab_size) & {6, 7}


def test_lark_parses_what_goes_on_from_a_token_without_rows(artifact):
    lark = build_lark(load_source(SIGNS, **GENERAL))
    matcher = artifact.matcher()
    assert matcher.accept_token(3)
    assert matcher.accept_token(5)
    assert matcher.is_accepting
    assert parses_generally(lark, "-" * 20 + "a")


def test_a_grammar_without_such_tokens_has_no_section():
    assert TOKENS_WITHOUT_ROWS not in compile_text('start: "a"+\n', TOKENS, **GENERAL).header


def test_a_token_that_is_cut_in_as_many_ways_as_it_has_bytes_has_rows():
    tokens = (b" " * 200, b" " * 200 + b"b", b"a", b"b")
    text = 'start: "a" W* "b"\nW: " "\n%ignore " "\n'
    artifact = compile_text(text, tokens, **GENERAL)
    assert TOKENS_WITHOUT_ROWS not in artifact.header
    assert legal_ids(matcher_at(artifact, "a"), artifact.vocab_size) == {0, 1, 3}


def test_too_many_of_them_are_refused(monkeypatch):
    monkeypatch.setattr(maskc.compiler.glr.walk, "MAX_WITHOUT_ROWS", 10)
    with pytest.raises(LimitError, match="more than 128 ways to cut"):
        compile_text(SIGNS, TOKENS, **GENERAL)
