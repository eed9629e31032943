from maskc.dump.names import format_byte, format_bytes, format_tokens


def test_a_byte_that_cannot_be_printed_is_escaped():
    assert [format_byte(b) for b in (0, 10, 65, 0xC3)] == ["\\x00", "\\n", "A", "\\xc3"]


def test_a_blank_is_in_quotes():
    assert format_byte(32) == "' '"


def test_three_bytes_in_a_row_are_a_range_and_two_are_not():
    assert format_bytes(b"abc") == "a-c"
    assert format_bytes(b"ab") == "a b"


def test_all_bytes_are_any_byte():
    assert format_bytes(range(256)) == "any byte"


def test_tokens_beyond_the_limit_are_counted():
    assert format_tokens([b"a", b"b", b"c"], limit=2) == "'a' 'b' and 1 more"


def test_a_token_that_is_no_whole_text_is_shown_as_bytes():
    assert format_tokens([b"\xc3", None], limit=8) == "b'\\xc3' no text"
