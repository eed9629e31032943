import pytest

from maskc.explain import parse_token
from tests.compiled import explain, legal_ids, legal_tokens, matcher_at


@pytest.mark.parametrize(
    ("text", "lexeme", "may_become", "endings", "items"),
    [
        (
            '{"a": 12',
            b"12",
            ("NUMBER",),
            [("NUMBER", ('","', '"}"'))],
            ('member -> string ":" . value',),
        ),
        # The end of the text is among what may follow.
        ("1", b"1", ("NUMBER",), [("NUMBER", ("$END",))], ("$root -> . value",)),
        # Blanks are something ignored.
        ("[1 ", b" ", (), [None], ...),
    ],
)
def test_a_reading_has_its_lexeme_endings_and_items(
    explain_json, text, lexeme, may_become, endings, items
):
    (reading,) = explain_json(text).readings
    assert (reading.lexeme, reading.may_become) == (lexeme, may_become)
    if endings == [None]:
        assert reading.may_be_ignored
        assert [ending.terminal for ending in reading.endings] == endings
    else:
        assert [(e.terminal, e.following) for e in reading.endings] == endings
    assert items in (..., reading.items)


def test_at_the_start_nothing_is_open(explain_json):
    (reading,) = explain_json("").readings
    assert (reading.lexeme, reading.endings) == (b"", ())
    assert reading.items == ("$root -> . value",)
    assert '"{"' in reading.may_become
    assert reading.may_be_ignored


@pytest.mark.parametrize("text", ["", '{"a', "[1", '{"a": tru', "1 "])
def test_legal_tokens_are_those_of_the_mask(explain_json, json_artifact, text):
    found = explain_json(text)
    legal = legal_tokens(json_artifact, text)
    assert found.n_legal == len(legal)
    assert set(found.tokens) == legal - {None}
    assert found.may_end == (None in legal)


@pytest.mark.parametrize(
    ("text", "token", "at", "lexeme", "ended_as", "refused", "expected"),
    [
        # The parser refuses its terminal.
        ('{"a": 1', "]", (0, "]"), b"1", "NUMBER", ('"]"',), ('","', '"}"')),
        # No terminal goes on with it.
        ("[tr", "{", (0, "{"), b"tr", None, (), ...),
        # It begins no terminal of the context.
        ('{"a"', "1", (0, "\x01"), ..., "STRING", (), ('":"',)),
        # Not its first byte.
        ("[1", "1}", (1, "}"), b"11", ..., ..., ...),
    ],
)
def test_a_token_dies_of_a_byte_and_its_terminal(
    explain_json, text, token, at, lexeme, ended_as, refused, expected
):
    verdict = explain_json(text, token).token
    assert not verdict.is_legal
    assert (verdict.death.offset, chr(verdict.death.byte)) == at
    (cause,) = verdict.death.causes
    assert lexeme in (..., cause.lexeme)
    assert ended_as in (..., cause.ended_as)
    assert refused in (..., cause.refused)
    assert expected in (..., cause.expected)


@pytest.mark.parametrize(
    ("text", "token", "token_id", "is_legal"),
    [
        ("[", "tru", 258, True),
        ("[", "258", 258, True),
        # The end of the sequence.
        ("[]", "259", 259, True),
        ("[", "259", 259, False),
        # What is no token.
        ("[", "true, f", None, True),
    ],
)
def test_a_token_is_asked_for_by_its_bytes_or_its_id(explain_json, text, token, token_id, is_legal):
    verdict = explain_json(text, token).token
    assert (verdict.token_id, verdict.is_legal) == (token_id, is_legal)
    if token_id == 258:
        assert verdict.readings[0].may_become == ('"true"',)


def test_an_id_beyond_the_vocabulary_is_refused(explain_json):
    with pytest.raises(ValueError, match="there is no token 999"):
        explain_json("[", "999")


def test_an_illegal_text_dies_where_it_goes_wrong(explain_json):
    found = explain_json("[1}")
    assert (found.death.offset, found.death.byte) == (2, ord("}"))
    assert found.death.causes[0].refused == ('"}"',)
    # What was legal there is said beside it.
    assert found.readings[0].may_become == ("NUMBER",)
    assert b"," in found.tokens


def test_each_token_is_legal_iff_the_mask_has_it(json_artifact):
    for text in (b"", b'{"a": 1', b"[1", b"[tr"):
        legal = legal_ids(matcher_at(json_artifact, text), json_artifact.vocab_size)
        for token_id in range(0, 259, 3):
            verdict = explain(json_artifact, text, parse_token(str(token_id))).token
            assert verdict.is_legal == (token_id in legal)


def test_a_line_may_be_indented_after_a_block_head(explain_blocks):
    (reading,) = explain_blocks("if a\n  ").readings
    assert reading.may_become == ("_NL",)
    assert reading.lexeme == b"\n  "


@pytest.mark.parametrize(
    ("text", "offset", "ended_as", "expected", "refused", "blocks"),
    [
        ("if a\n    b\n  c", 13, ..., ..., ("_NL",), (0, 4)),
        ("if a\nb", 5, "_NL", ("_INDENT",), ..., ...),
        ("a\n b", ..., ..., ..., ..., (0,)),
    ],
)
def test_a_line_that_fits_no_block_dies_of_its_indentation(
    explain_blocks, text, offset, ended_as, expected, refused, blocks
):
    death = explain_blocks(text).death
    (cause,) = death.causes
    assert offset in (..., death.offset)
    assert ended_as in (..., cause.ended_as)
    assert expected in (..., cause.expected)
    assert refused in (..., cause.refused)
    assert blocks in (..., cause.blocks)


@pytest.mark.parametrize(
    ("name", "token"),
    [("'12'", b"12"), (r"\n", b"\n"), ('b"\\xff"', b"\xff"), ("é", "é".encode()), ("'", b"'")],
)
def test_a_token_is_written_with_pythons_escapes(name, token):
    assert parse_token(name).token == token


def test_a_wrong_escape_is_refused():
    with pytest.raises(ValueError, match="escape"):
        parse_token(r"\x1")
