import numpy as np
import pytest

from maskc.explain.questions import explain, parse_token
from tests.compiled import legal_tokens


def test_the_open_lexeme_and_what_it_may_become_are_told(explain_json):
    (reading,) = explain_json('{"a": 12').readings
    assert reading.lexeme == b"12"
    assert reading.may_become == ("NUMBER",)
    assert [(e.terminal, e.following) for e in reading.endings] == [("NUMBER", ("COMMA", "RBRACE"))]


def test_the_productions_being_read_are_items(explain_json):
    (reading,) = explain_json('{"a": 1').readings
    assert reading.items == ("member -> string COLON . value",)


def test_at_the_start_nothing_is_open(explain_json):
    (reading,) = explain_json("").readings
    assert reading.lexeme == b""
    assert reading.endings == ()
    assert reading.items == ("$root -> . value",)
    assert "LBRACE" in reading.may_become
    assert reading.may_be_ignored


def test_the_end_of_the_text_is_among_what_may_follow(explain_json):
    found = explain_json("1")
    assert found.may_end
    assert found.readings[0].endings[0].following == ("$END",)


def test_blanks_are_something_ignored(explain_json):
    (reading,) = explain_json("[1 ").readings
    assert (reading.lexeme, reading.may_become, reading.may_be_ignored) == (b" ", (), True)
    assert [e.terminal for e in reading.endings] == [None]


@pytest.mark.parametrize("text", ["", '{"a', "[1", '{"a": tru', "1 "])
def test_legal_tokens_are_those_of_the_mask(explain_json, json_artifact, text):
    found = explain_json(text)
    legal = legal_tokens(json_artifact, text)
    assert found.n_legal == len(legal)
    assert set(found.examples) <= legal
    assert found.may_end == (None in legal)


def test_a_token_that_the_parser_refuses_dies_of_its_terminal(explain_json):
    verdict = explain_json('{"a": 1', "]").token
    assert not verdict.is_legal
    (cause,) = verdict.death.causes
    assert (cause.lexeme, cause.ended_as, cause.refused) == (b"1", "NUMBER", ("RSQB",))
    assert cause.expected == ("COMMA", "RBRACE")


def test_a_token_that_no_terminal_goes_on_with_dies_in_the_lexer(explain_json):
    verdict = explain_json("[tr", "{").token
    (cause,) = verdict.death.causes
    assert (cause.lexeme, cause.ended_as, cause.refused) == (b"tr", None, ())


def test_a_byte_that_begins_no_terminal_of_the_context_is_told(explain_json):
    (cause,) = explain_json('{"a"', "1").token.death.causes
    assert (cause.ended_as, cause.refused, cause.expected) == ("STRING", (), ("COLON",))


def test_the_byte_at_which_a_token_dies_is_told(explain_json):
    death = explain_json("[1", "1}").token.death
    assert (death.offset, death.byte) == (1, ord("}"))
    assert death.causes[0].lexeme == b"11"


def test_a_legal_token_is_read_on(explain_json):
    verdict = explain_json("[", "tru").token
    assert (verdict.token_id, verdict.is_legal) == (258, True)
    assert verdict.readings[0].may_become == ("TRUE",)


def test_a_token_can_be_asked_for_by_its_id(explain_json):
    assert explain_json("[", "258").token.token == b"tru"


def test_the_end_of_the_sequence_is_legal_where_the_text_may_end(explain_json):
    assert explain_json("[]", "259").token.is_legal
    assert not explain_json("[", "259").token.is_legal


def test_a_text_that_is_no_token_is_explained_all_the_same(explain_json):
    verdict = explain_json("[", "true, f").token
    assert (verdict.token_id, verdict.is_legal) == (None, True)


def test_an_id_beyond_the_vocabulary_is_refused(explain_json):
    with pytest.raises(ValueError, match="there is no token 999"):
        explain_json("[", "999")


def test_an_illegal_text_dies_where_it_goes_wrong(explain_json):
    found = explain_json("[1}")
    assert (found.death.offset, found.death.byte) == (2, ord("}"))
    assert found.death.causes[0].refused == ("RBRACE",)
    assert found.readings == ()


def test_each_token_is_legal_iff_the_mask_has_it(json_artifact):
    for text in (b"", b'{"a": 1', b"[1", b"[tr"):
        matcher = json_artifact.matcher()
        matcher.accept_bytes(text)
        mask = np.zeros((1, -(-json_artifact.vocab_size // 32)), dtype=np.int32)
        matcher.fill_bitmask(mask, 0)
        for token_id in range(0, 259, 3):
            verdict = explain(json_artifact, text, parse_token(str(token_id))).token
            assert verdict.is_legal == bool(mask[0, token_id // 32] >> token_id % 32 & 1)


def test_a_line_may_be_indented_after_a_block_head(explain_blocks):
    (reading,) = explain_blocks("if a\n  ").readings
    assert reading.may_become == ("_NL",)
    assert reading.lexeme == b"\n  "


def test_a_line_that_fits_no_block_dies_of_its_indentation(explain_blocks):
    found = explain_blocks("if a\n    b\n  c")
    assert (found.death.offset, found.death.byte) == (13, ord("c"))
    (cause,) = found.death.causes
    assert cause.refused == ("_NL",)
    assert cause.blocks == (0, 4)


def test_a_block_that_is_not_indented_dies_of_what_follows(explain_blocks):
    found = explain_blocks("if a\nb")
    assert found.death.offset == 5
    (cause,) = found.death.causes
    assert (cause.ended_as, cause.expected) == ("_NL", ("_INDENT",))


def test_a_block_that_nothing_opened_dies_of_its_indentation(explain_blocks):
    (cause,) = explain_blocks("a\n b").death.causes
    assert cause.blocks == (0,)


@pytest.mark.parametrize(
    ("name", "token"),
    [("'12'", b"12"), (r"\n", b"\n"), ('b"\\xff"', b"\xff"), ("é", "é".encode()), ("'", b"'")],
)
def test_a_token_is_written_with_pythons_escapes(name, token):
    assert parse_token(name).token == token


def test_a_wrong_escape_is_refused():
    with pytest.raises(ValueError, match="escape"):
        parse_token(r"\x1")
