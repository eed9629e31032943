"""Readings of a text, and what all of them agree on."""

import pytest

import maskc
from maskc.captures.machine import CapturedText, reader_of
from tests.compiled import EVERY_BYTE, compile_text
from tests.runtime.test_machine import LIST, TEXTS

BLOCKS = r"""
start: statement+
statement: WORD _NL | WORD ":" block
block: _NL _INDENT statement+ _DEDENT
WORD: /[a-z]+/
_NL: /\n */
%declare _INDENT _DEDENT
"""
PAIRS = 'start: pair*\npair: NAME ":" NAME\nNAME: /[a-z]+/\n%ignore " "\n'


def spans_after(artifact, text, *names, ended=False):
    matcher = maskc.capture(artifact, *names).matcher()
    assert matcher.accept_bytes(text)
    assert not ended or matcher.accept_token(artifact.eos_ids[0])
    return [tuple(span) for span in matcher.spans()]


@pytest.mark.parametrize("text", TEXTS)
def test_bytes_and_tokens_lead_to_the_same(text):
    machine = maskc.capture(compile_text(LIST, EVERY_BYTE), "NUMBER").machine
    by_token = machine.start()
    for byte in text:
        by_token = machine.take(by_token, byte)
    by_bytes = machine.step(machine.start(), text) if text else machine.start()
    assert [machine.describe(r) for r in by_token] == [machine.describe(r) for r in by_bytes]
    assert [machine.may_end(r) for r in by_token] == [machine.may_end(r) for r in by_bytes]
    assert machine.settled(by_token) == machine.settled(by_bytes)


@pytest.mark.parametrize("text", [b"]", b"[,", b"[1]]", b"x"])
def test_no_reading_is_left_of_an_illegal_text(text):
    machine = maskc.capture(compile_text(LIST), "NUMBER").machine
    assert machine.step(machine.start(), text) == ()


def test_what_readings_disagree_on_is_not_settled():
    # `ab` is one lexeme, or the beginning of two: Lark tries "ab" first, and `abx` needs "a".
    artifact = compile_text('start: A B | C\nA: "a"\nB: /bx/\nC: /ab/\n')
    assert spans_after(artifact, b"ab", "A") == []
    assert spans_after(artifact, b"ab", "A", "C", ended=True) == [("C", 0, 2)]


@pytest.mark.parametrize(
    ("grammar", "text", "name", "ended", "spans"),
    [
        # Blanks around a symbol do not belong to it.
        (PAIRS, "  a : b  c", "pair", False, [("pair", 2, 7)]),
        # A rule that derives nothing has no span.
        ('start: head "b"\nhead: "a"*\n', "b", "head", True, []),
        ('start: head "b"\nhead: "a"*\n', "aab", "head", True, [("head", 0, 2)]),
        # Bytes count, and not characters.
        ('start: NAME ":"\nNAME: /\\w+/\n', "é:", "NAME", True, [("NAME", 0, 2)]),
    ],
)
def test_a_span_is_where_the_symbol_stands(grammar, text, name, ended, spans):
    assert spans_after(compile_text(grammar), text.encode(), name, ended=ended) == spans


def test_a_block_ends_with_the_last_line_in_it():
    artifact = compile_text(BLOCKS, postlex="tests.indenters:TwoColumns")
    text = b"a:\n  b\n  c\nd\n"
    found = spans_after(artifact, text, "block", "statement", ended=True)
    assert found == [
        ("statement", 5, 9),
        ("statement", 9, 11),
        ("block", 2, 11),
        ("statement", 0, 11),
        ("statement", 11, 13),
    ]


def test_open_blocks_end_with_the_text():
    artifact = compile_text(BLOCKS, postlex="tests.indenters:TwoColumns")
    found = spans_after(artifact, b"a:\n b:\n  c\n", "block", ended=True)
    assert found == [("block", 6, 11), ("block", 2, 11)]


def test_texts_that_go_on_from_one_text_do_not_change_each_other():
    first = CapturedText(b"ab")
    longer, other = first + b"c", first + b"d"
    assert (longer.whole(), other.whole(), first.whole()) == (b"abc", b"abd", b"ab")
    assert ((longer + b"e").whole(), (other + b"").between(1, 3)) == (b"abce", b"bd")


def test_bytes_after_a_text_are_read_as_if_they_were_of_it():
    read = reader_of(CapturedText(b"abc") + b"d", b"efg")
    whole = b"abcdefg"
    spans = [(start, end) for start in range(8) for end in range(start, 8)]
    assert [read(*span) for span in spans] == [whole[start:end] for start, end in spans]
