"""The bytes of the characters of a raw string."""

import pytest

from maskc.runtime.link.text.raw_body import RawBody
from maskc.runtime.schema.strings.characters import DEAD, NO_LABEL, CharDfa
from maskc.runtime.schema.strings.texts import build_texts

EDGES = "az\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"


def spell(characters, quote=b""):
    """Return all ways to write one of some characters; all that is begun must lead to one."""
    texts = sorted(characters)
    body = RawBody(build_texts(texts, [1] * len(texts)), (), quote)
    found, pending = set(), [(b"", body.start)]
    while pending:
        written, state = pending.pop()
        moves = body.moves(state)
        assert moves, written
        for after, bytes_ in moves:
            for byte in bytes_:
                longer = written + bytes([byte])
                if body.may_end(after):
                    found.add(longer)
                else:
                    pending.append((longer, after))
    return found


@pytest.mark.parametrize(
    "characters", [*EDGES, EDGES, "a\u0800", "\u07ff\ud7ff", "\ue000\U0010ffff"]
)
def test_bytes_lead_to_the_characters_of_the_strings_and_to_no_others(characters):
    assert spell(characters) == {character.encode() for character in characters}


@pytest.mark.parametrize(
    ("quote", "written"),
    [(b'"', {b"a", b'\\"', b"'", b"\\'"}), (b"'", {b"a", b'"', b'\\"', b"\\'"})],
)
def test_a_quote_is_escaped_in_such_quotes(quote, written):
    assert spell("a\"'", quote) == written
    assert spell("\\\n\r\t", quote) == {b"\\\\", b"\\n", b"\\r", b"\\t", b"\t"}


def test_no_byte_begins_a_surrogate():
    above = CharDfa([0, 0xD800], [0, 1], [DEAD] * 3, [{}, {1: 2}, {}], [NO_LABEL, NO_LABEL, 0], 1)
    body = RawBody(above, ())
    begun = {byte for _, bytes_ in body.moves(body.start) for byte in bytes_}
    assert begun == {0xEE, 0xEF, *range(0xF0, 0xF5)}
