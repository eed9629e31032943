"""Terminals narrowed to words: what is legal, what is shared, and what is refused."""

import copy
import re

import numpy as np
import pytest

import maskc
from maskc.errors import HoleError, UnknownSymbolError
from tests.compiled import compile_text, legal_ids

SQL = """
start: "SELECT" column ("," column)* "FROM" TABLE ("WHERE" column "=" VALUE)? ";"
column: COLUMN | "date"
COLUMN: /[a-z_]+/
TABLE: /[a-z_]+/ | STRING
VALUE: STRING | /[0-9]+/
STRING: /"[^"]*"/
BLANKS: / +/
%ignore BLANKS
"""
TABLES = ["users", "orders", "users_old"]


@pytest.fixture(scope="module")
def artifact():
    return compile_text(SQL)


@pytest.fixture(scope="module")
def bound(artifact):
    return artifact.bind(TABLE=TABLES, COLUMN=["id", "age"])


def next_bytes(matcher, text):
    assert matcher.accept_text(text)
    return bytes(sorted(token for token in legal_ids(matcher, 257) if token < 256))


def test_only_what_begins_a_word_is_legal(bound):
    assert next_bytes(bound.matcher(), "SELECT id FROM ") == b" ou"
    assert next_bytes(bound.matcher(), "SELECT id FROM us") == b"e"


def test_a_word_that_another_one_begins_with_may_end_or_go_on(bound):
    assert next_bytes(bound.matcher(), "SELECT id FROM users") == b" ;W_"


def test_a_token_with_a_whole_lexeme_of_the_hole_must_have_a_word_there():
    tokens = (b"a", b" x;", b" y;", b" y", b";")
    artifact = compile_text('start: "a" NAME ";"\nNAME: /[a-z]+/\n%ignore " "\n', tokens)
    matcher = artifact.bind(NAME=["y"]).matcher()
    assert matcher.accept_text("a")
    assert {tokens[i] for i in legal_ids(matcher, 6)} == {b" y;", b" y"}


def test_tokens_that_stay_inside_or_leave_the_lexeme_before_a_hole_are_told_apart():
    tokens = (b"a", b"b", b"c", b"d", b"ab", b"ac", b"cc", b"dc", b"dcc")
    text = "start: (T N | U M)+\nT: /b(ab)*/\nU: /b(ab)*d/\nN: /[ac]+/\nM: /c+/\n"
    matcher = compile_text(text, tokens).matcher(N=["cc"], M=["c"])
    assert matcher.accept_text("b")
    legal = {tokens[i] for i in legal_ids(matcher, len(tokens))}
    assert legal == {b"a", b"ab", b"c", b"cc", b"d", b"dc"}


def test_a_lexeme_that_is_no_word_is_illegal(bound):
    assert not bound.matcher().accept_text("SELECT id FROM user;")
    assert not bound.matcher().accept_text("SELECT id FROM userss")
    assert not bound.matcher().accept_text('SELECT id FROM "users"')


def test_a_keyword_is_no_lexeme_of_the_hole(artifact):
    matcher = artifact.matcher(COLUMN=["date", "id"])
    assert matcher.accept_text("SELECT date, id FROM x;")
    matcher = artifact.matcher(COLUMN=["id"])
    assert matcher.accept_text("SELECT date, id FROM x;"), "it is DATE, which is no hole"


def test_terminals_that_are_not_narrowed_are_as_before(bound):
    assert bound.matcher().accept_text('SELECT id FROM users WHERE age = "ux uz";')


def test_forced_bytes_are_those_of_the_words(bound):
    matcher = bound.matcher()
    assert matcher.accept_text("SELECT id FROM o")
    assert matcher.forced_bytes() == b"rders"


@pytest.mark.costly
def test_the_rest_of_a_long_word_is_looked_at_once(monkeypatch):
    steps = []
    monkeypatch.setattr("maskc.runtime.holes.stepping.charge_steps", steps.append)
    artifact = compile_text('start: "x" T ";"\nT: /[a-z]+/\n')
    word = "a" * 2000
    matcher = artifact.bind(T=[word, "b"]).matcher()
    assert matcher.accept_text("xaa")
    assert matcher.forced_bytes() == f"{word[2:]};".encode()
    assert sum(steps) < 10_000  # each position by itself: two million


def test_rolling_back_and_forking_keep_the_state_in_a_word(bound):
    matcher = bound.matcher()
    assert matcher.accept_text("SELECT id FROM us")
    fork = copy.copy(matcher)
    assert matcher.accept_text("ers;")
    assert next_bytes(fork, "") == b"e"
    matcher.rollback(1)
    assert matcher.configuration() == fork.configuration()
    assert next_bytes(matcher, "") == b"e"


def test_masks_that_are_the_same_have_one_number(artifact):
    one, other = (artifact.bind(TABLE=words).matcher() for words in (TABLES, [*TABLES, "orderz"]))
    for matcher in (one, other):
        assert matcher.accept_text("SELECT id FROM u")
    assert one.mask_id() == other.mask_id()
    assert np.array_equal(
        artifact.mask_table()[one.mask_id()].view(np.uint8),
        np.packbits(np.arange(257 + 31) == ord("s"), bitorder="little")[:36],
    )


def test_the_same_words_are_bound_once(artifact):
    assert artifact.bind(TABLE=TABLES) is artifact.bind(TABLE=TABLES[::-1])
    assert artifact.bind(TABLE=TABLES) is not artifact.bind(TABLE=TABLES[1:])


def test_masks_of_many_matchers_are_filled_at_once(artifact, bound):
    bitmask = maskc.allocate_bitmask(2, 257)
    matchers = [bound.matcher(), artifact.matcher()]
    for matcher in matchers:
        assert matcher.accept_text("SELECT id FROM ")
    maskc.fill_bitmasks(matchers, bitmask, [0, 1])
    assert [
        set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))) for row in bitmask
    ] == [legal_ids(matcher, 257) for matcher in matchers]


def test_a_word_may_have_any_characters_that_the_terminal_has(artifact):
    matcher = artifact.matcher(TABLE=['"Größe"', "x"])
    assert matcher.accept_text('SELECT id FROM "Gr')
    assert matcher.forced_bytes() == 'öße"'.encode()


def test_a_pattern_narrows_too(artifact):
    matcher = artifact.matcher(TABLE=maskc.compile_pattern("[a-z]+_(old|new)"))
    assert next_bytes(matcher, "SELECT id FROM users_") == bytes(sorted(b"on"))
    assert next_bytes(matcher, "old") == b" ;W"


def test_a_start_symbol_has_holes_of_its_own():
    artifact = maskc.compile_grammar(
        "a: X\nb: X Y\nX: /x+/\nY: /y+/\n", tokenizer="bytes", start=["a", "b"]
    )
    matcher = artifact.matcher(start="b", Y=["yy"])
    assert matcher.accept_text("xxy")
    assert matcher.forced_bytes() == b"y"


def test_blocks_by_indentation_are_as_before():
    text = (
        'start: (line | block)*\nline: NAME _NL\nblock: NAME ":" _NL _INDENT line+ _DEDENT\n'
        'NAME: /[a-z]+/\n_NL: /\\n[\\t ]*/\n%declare _INDENT _DEDENT\n%ignore " "\n'
    )
    artifact = compile_text(text, postlex="tests.indenters:TwoColumns")
    matcher = artifact.matcher(NAME=["ab", "abc"])
    assert matcher.accept_text("ab:\n  abc\n  ab")
    assert next_bytes(matcher, "") == b"\n c"
    assert next_bytes(matcher, "\n") == b"\t a"
    with pytest.raises(HoleError, match="the indenter makes blocks of it"):
        artifact.bind(_NL=["\n"])


@pytest.mark.parametrize(
    ("holes", "fact"),
    [
        ({"TABLE": []}, "none of its words fits where the grammar may need one"),
        ({"TABLE": ["X"]}, "none of its words fits"),
        ({"COLUMN": ["date"]}, "none of its words fits"),
        ({"TABLE": ["users", ""]}, "a word is empty, and a lexeme never is; leave it out"),
        ({"TABLE": ["\ud800"]}, "is not UTF-8"),
        ({"BLANKS": ["  "]}, "no lexeme reaches the parser as this terminal"),
    ],
)
def test_what_cannot_be_narrowed_is_refused(artifact, holes, fact):
    with pytest.raises(HoleError, match=fact):
        artifact.bind(**holes)


def test_a_wrong_name_is_refused_with_the_nearest(artifact):
    with pytest.raises(
        UnknownSymbolError, match="no terminal 'TABEL'; the nearest names are TABLE"
    ):
        artifact.bind(TABEL=["users"])


def test_what_are_no_words_is_refused(artifact):
    with pytest.raises(TypeError, match="not to a str"):
        artifact.bind(TABLE="users")
    with pytest.raises(TypeError, match="a word of TABLE must be a str, not int"):
        artifact.bind(TABLE=[1])


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        (re.compile("a+"), r"not to one of re\.compile; give its text to maskc\.compile_pattern"),
        (None, "not to None"),
        (5, "not to an int"),
        (b"users", "not to a bytes"),
        (bytearray(b"users"), "not to a bytearray"),
        (maskc.compile_pattern, "not to a function"),
        ([b"users"], "a word of TABLE must be a str, not bytes"),
        ([["users"]], "a word of TABLE must be a str, not list"),
    ],
)
def test_a_value_of_another_kind_is_told_what_is_taken(artifact, given, fact):
    for narrow in (artifact.matcher, artifact.bind):
        with pytest.raises(TypeError, match=f"TABLE .*{fact}|^{fact}"):
            narrow(TABLE=given)


def test_words_come_from_anything_that_yields_them(artifact):
    words = (word for word in ("users", "orders"))
    assert artifact.matcher(TABLE=words).accept_text("SELECT a FROM orders")


def test_only_lalr_grammars_have_holes():
    artifact = compile_text("start: X X?\nX: /x+/", parser="earley")
    with pytest.raises(HoleError, match="compile the grammar with parser=lalr"):
        artifact.bind(X=["x"])
