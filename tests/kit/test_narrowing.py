"""Terminals narrowed to any words: what has become impossible is no longer legal."""

import pytest

import maskc
from maskc.errors import GrammarError, HoleError, LimitError
from tests.compiled import compile_text, legal_ids

TEXT = """
start: "SELECT" column "FROM" TABLE | "VALUES" column
column: COLUMN | QUOTED
COLUMN: /[a-z]+/
QUOTED: /"[a-z]+"/
TABLE: /[a-z]+/
%ignore " "
"""


@pytest.fixture(scope="module")
def artifact():
    return compile_text(TEXT)


def test_what_needs_a_word_that_there_is_not_is_illegal(artifact):
    with pytest.raises(HoleError, match="compile the narrowed grammar"):
        artifact.bind(TABLE=[])
    matcher = maskc.narrow(artifact, TABLE=[]).matcher()
    assert {chr(token) for token in legal_ids(matcher, 257)} == {" ", "V"}


def test_what_can_be_written_in_another_way_is_legal(artifact):
    matcher = maskc.narrow(artifact, QUOTED=[], TABLE=["users"]).matcher()
    assert matcher.accept_text("SELECT ")
    assert not matcher.accept_text('"')
    assert matcher.accept_text("id FROM ")
    assert matcher.forced_bytes() == b""
    assert matcher.accept_text("u")
    assert matcher.forced_bytes() == b"sers"


def test_words_that_can_be_bound_have_the_same_masks(artifact):
    words = {"TABLE": ["users", "usage"], "COLUMN": ["id"]}
    bound, narrowed = artifact.bind(**words).matcher(), maskc.narrow(artifact, **words).matcher()
    for byte in b'SELECT "x" FROM usage':
        assert legal_ids(bound, 257) == legal_ids(narrowed, 257)
        assert bound.accept_bytes(bytes([byte]))
        assert narrowed.accept_bytes(bytes([byte]))
    assert bound.is_accepting
    assert narrowed.is_accepting


def test_what_the_postlex_drops_is_no_lexeme_of_the_hole():
    artifact = compile_text(
        "// maskc: postlex=rules rule=drop:NL:before:PLUS\n"
        'start: A (NL | PLUS A)*\nA: "a"\nNL: /[\\n;]/\nPLUS: "+"\n'
    )
    for narrowed in (artifact.bind(NL=[";"]), maskc.narrow(artifact, NL=[";"])):
        matcher = narrowed.matcher()
        assert matcher.accept_text("a\n")
        assert not matcher.is_accepting
        assert not matcher.accept_text(";")
        assert matcher.accept_text("+a;")
        assert matcher.is_accepting


def test_a_grammar_of_which_no_text_is_left_is_refused():
    artifact = compile_text("start: WORD\nWORD: /[a-z]+/\n")
    with pytest.raises(GrammarError, match="no text"):
        maskc.narrow(artifact, WORD=["A"])


def test_words_are_bounded():
    artifact = compile_text("start: WORD\nWORD: /[a-z]+/\n")
    many = [
        f"{a}{b}{'x' * 40}" for a in "abcdefghijklmnopqrstuvw" for b in "abcdefghijklmnopqrstuvw"
    ]
    with pytest.raises(LimitError, match="give fewer or shorter words"):
        maskc.narrow(artifact, WORD=many)
