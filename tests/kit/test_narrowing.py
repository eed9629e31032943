"""Terminals narrowed: to any words, and of an artifact for one request of a kit."""

import pytest

import maskc
from maskc.errors import GrammarError, HoleError, LimitError, UnknownSymbolError
from maskc.lexer import rewritten
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
    with pytest.raises(HoleError, match=r"use maskc.narrow"):
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
    for bound in (artifact.bind(NL=[";"]), maskc.narrow(artifact, NL=[";"])):
        matcher = bound.matcher()
        assert matcher.accept_text("a\n")
        assert not matcher.is_accepting
        assert not matcher.accept_text(";")
        assert matcher.accept_text("+a;")
        assert matcher.is_accepting


def test_a_grammar_of_which_no_text_is_left_is_refused():
    artifact = compile_text("start: WORD\nWORD: /[a-z]+/\n")
    with pytest.raises(GrammarError, match="no text"):
        maskc.narrow(artifact, WORD=["A"])


def test_words_are_bounded(monkeypatch):
    monkeypatch.setattr(rewritten._Narrowing, "most_states", 2_000)
    artifact = compile_text("start: WORD\nWORD: /[a-z]+/\n")
    many = [f"{a}{b}{'x' * 40}" for a in "abcdefg" for b in "abcdefg"]
    with pytest.raises(LimitError, match="give fewer or shorter words"):
        maskc.narrow(artifact, WORD=many)


GRAMMAR = 'start: "see " TABLE ("," TABLE)*\nTABLE: /[a-z]+/\n'


@pytest.fixture(scope="module")
def query_artifact():
    return maskc.compile_grammar(GRAMMAR, tokenizer="bytes")


def legal_after(constraint, text):
    matcher = constraint.matcher()
    assert matcher.accept_bytes(text)
    return matcher.legal_tokens().tolist()


@pytest.mark.parametrize("text", [b"", b"see ", b"see u", b"see users", b"see users,o"])
def test_its_masks_are_those_of_the_artifact_that_is_narrowed_alike(kit, query_artifact, text):
    words = ["users", "orders"]
    bound = kit.artifact(query_artifact).bind(TABLE=words)
    assert legal_after(bound, text) == legal_after(query_artifact.bind(TABLE=words), text)
    assert legal_after(kit.artifact(query_artifact), text) == legal_after(query_artifact, text)


def test_requests_do_not_see_each_others_words(kit, query_artifact):
    query = kit.artifact(query_artifact)
    one, two = query.bind(TABLE=["users"]), query.bind(TABLE=["orders"])
    assert one.matcher().accept_bytes(b"see users")
    assert not two.matcher().accept_bytes(b"see u")
    assert query.matcher().accept_bytes(b"see anything")


def test_between_others_it_ends_where_they_begin(kit, query_artifact):
    query = kit.artifact(query_artifact).bind(TABLE=["ab", "abc"])
    whole = kit.sequence(kit.choice(["<"]), query, kit.choice([">"]))
    assert legal_after(whole, b"<see ab") == sorted(b"c,>")
    matcher = whole.matcher()
    assert matcher.accept_bytes(b"<see ab,abc>")
    assert matcher.is_accepting
    matcher.rollback(1)
    assert not matcher.is_accepting


def test_what_cannot_be_narrowed_is_refused(kit, query_artifact):
    query = kit.artifact(query_artifact)
    with pytest.raises(HoleError):
        query.bind(TABLE=[])
    with pytest.raises(UnknownSymbolError):
        query.bind(TABEL=["a"])
