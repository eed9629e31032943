"""Matchers that know where symbols stand."""

import copy

import numpy as np
import pytest

import maskc
from maskc.errors import UnknownSymbolError
from tests.compiled import compile_text

QUERY = """
start: "SELECT" column ("," column)* "FROM" table
column: NAME
table: NAME
NAME: /[a-z]+/
%ignore " "
"""
TOKENS = (*(bytes([byte]) for byte in range(256)), b"SELECT ", b" FROM ", b"id", b" us", b"ers ")


@pytest.fixture(scope="module")
def captures():
    return maskc.capture(compile_text(QUERY, TOKENS), "column", "table", "NAME")


def take(captures, *parts):
    matcher = captures.matcher()
    for part in parts:
        assert matcher.accept_token(TOKENS.index(part))
    return matcher


def texts(matcher, name=None):
    return [(s.name, matcher.text()[s.start : s.end]) for s in matcher.spans(name)]


def test_a_span_comes_when_its_end_is_certain(captures):
    matcher = take(captures, b"SELECT ", b"id")
    assert matcher.spans() == []  # it may become `idx`
    assert matcher.accept_token(TOKENS.index(b","))
    assert matcher.spans() == [("NAME", 7, 9), ("column", 7, 9)]


def test_a_rule_ends_without_the_next_lexeme_if_nothing_else_can_follow(captures):
    matcher = take(captures, b"SELECT ", b"id", b" FROM ", b" us")
    assert matcher.spans("table") == []
    done = matcher.fork()
    assert done.accept_token(TOKENS.index(b"ers "))
    # An inner symbol comes before the one around it.
    assert [name for name, _ in texts(done)] == ["NAME", "column", "NAME", "table"]
    assert texts(done, "table") == [("table", b"users")]
    # The end of the sequence completes what is open.
    assert matcher.accept_token(len(TOKENS))
    assert texts(matcher, "table") == [("table", b"us")]


def test_rolling_back_to_a_symbol_leads_before_the_token_in_which_it_begins(captures):
    matcher = take(captures, b"SELECT ", b"id", b",", b"id", b" FROM ")
    assert matcher.rollback_to("column") == 2
    assert matcher.text() == b"SELECT id,"
    assert matcher.rollback_to("column") == 2
    assert matcher.text() == b"SELECT "


def test_rolling_back_to_a_symbol_undoes_the_end_of_sequence(captures):
    matcher = take(captures, b"SELECT ", b"id", b" FROM ", b" us")
    assert matcher.accept_token(len(TOKENS))
    assert matcher.rollback_to("table") == 2
    assert matcher.text() == b"SELECT id FROM "
    assert not matcher.is_terminated


def test_rolling_back_over_hundreds_of_tokens_finds_the_symbol(captures):
    matcher = take(captures, b"SELECT ", b"id", b",", *[b"a"] * 300, b" ")
    assert texts(matcher, "column")[-1] == ("column", b"a" * 300)
    assert matcher.n_bytes == 311
    assert matcher.rollback_to("column") == 301
    assert matcher.text() == b"SELECT id,"


def test_a_symbol_that_is_not_there_is_refused_and_changes_nothing(captures):
    matcher = take(captures, b"SELECT ", b"id")
    with pytest.raises(ValueError, match="no table was completed"):
        matcher.rollback_to("table")
    with pytest.raises(UnknownSymbolError, match=r"no captured symbol 'tabel'.*table"):
        matcher.spans("tabel")
    assert matcher.text() == b"SELECT id"


def test_bytes_that_are_accepted_count_as_one_token(captures):
    matcher = captures.matcher()
    assert matcher.accept_bytes(b"SELECT id, ab ")
    assert matcher.accept_bytes(b"")
    assert matcher.rollback_to("column") == 2
    assert matcher.text() == b""


def test_an_illegal_token_changes_nothing(captures):
    matcher = take(captures, b"SELECT ", b"id", b",")
    assert not matcher.accept_token(TOKENS.index(b","))
    assert not matcher.accept_token(len(TOKENS))
    assert not matcher.accept_token(10_000)
    assert matcher.text() == b"SELECT id,"


def test_a_fork_goes_its_own_way_and_a_reset_forgets(captures):
    matcher = take(captures, b"SELECT ", b"id")
    for other in (matcher.fork(), copy.copy(matcher), copy.deepcopy(matcher)):
        assert other.accept_token(TOKENS.index(b","))
        assert other.spans("NAME") == [("NAME", 7, 9)]
        other.reset()
        assert (other.spans(), other.text()) == ([], b"")
    assert matcher.spans() == []


def test_masks_are_the_artifacts_own_one_by_one_and_in_a_batch(captures):
    parts = (b"SELECT ", b"id")
    plain = captures.artifact.matcher()
    for part in parts:
        plain.accept_token(TOKENS.index(part))
    matchers = [take(captures, *parts[:n]) for n in range(3)]
    bitmask = maskc.allocate_bitmask(3, captures.vocab_size)
    maskc.fill_bitmasks(matchers, bitmask, range(3))
    one = maskc.allocate_bitmask(2, captures.vocab_size)
    plain.fill_bitmask(one, 0)
    matchers[2].fill_bitmask(one, 1)
    assert np.array_equal(bitmask[2], one[0])
    assert np.array_equal(one[0], one[1])
    assert matchers[2].mask_id() == plain.mask_id()
    assert np.array_equal(captures.mask_table(), captures.artifact.mask_table())


def test_forced_bytes_are_the_artifacts_own(captures):
    assert captures.matcher().forced_bytes() == b""  # a blank may come first
    assert take(captures, b"S").forced_bytes() == b"ELECT"


def test_another_start_symbol_has_its_own_captures():
    text = 'start: "(" item ")"\nitem: NAME "," NAME\nNAME: /[a-z]/\n'
    artifact = maskc.compile_grammar(text, tokenizer="bytes", start=["start", "item"])
    matcher = maskc.capture(artifact.for_start("item"), "item").matcher()
    assert matcher.accept_bytes(b"a,b")
    assert matcher.accept_token(artifact.eos_ids[0])
    assert matcher.spans() == [("item", 0, 3)]


def test_what_is_no_artifact_is_refused(captures):
    with pytest.raises(TypeError, match="capture takes an artifact, not Captures"):
        maskc.capture(captures, "NAME")
    with pytest.raises(TypeError, match="a name must be a str, not int"):
        maskc.capture(captures.artifact, 1)
    with pytest.raises(ValueError, match="at least one"):
        maskc.capture(captures.artifact)


def test_what_it_is_can_be_printed(captures):
    assert repr(captures).startswith("<maskc.Captures of column, table, NAME in <maskc.Artifact")
    assert repr(captures.matcher()).endswith("0 tokens accepted>")


@pytest.mark.parametrize("grammar", ['start: start | "a"\n', 'start: "a" | start x\nx: | "b"\n'])
def test_the_text_ends_where_the_parser_is_done_though_it_could_reduce_once_more(grammar):
    matcher = maskc.capture(compile_text(grammar), "start").matcher()
    assert matcher.accept_text("a")
    assert matcher.spans() == []  # in the second, a `b` may follow
    assert matcher.accept_token(256)
    assert matcher.spans() == [("start", 0, 1)]
