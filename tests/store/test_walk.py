import itertools

from maskc.artifact.model import column_after
from maskc.ids import NO_LINE, SAME
from maskc.store import walk
from tests.compiled import compile_text, legal_tokens


def test_a_token_may_complete_several_terminals():
    artifact = compile_text('start: "(" "a" ")" ";"\n', (b"(a);", b"(a", b");", b"(", b"a)"))
    assert legal_tokens(artifact) == {b"(a);", b"(a", b"("}
    assert legal_tokens(artifact, "(") == {b"a)"}
    assert legal_tokens(artifact, "(a") == {b");"}


def test_tokens_with_equal_bytes_are_legal_together():
    artifact = compile_text('start: "a"\n', (b"a", b"b", b"a"))
    assert {i for i in range(3) if artifact.token_bytes(i) in legal_tokens(artifact)} == {0, 2}


def test_a_column_change_is_absolute_after_a_line_break_and_relative_before():
    assert column_after(4, 8) == 8
    assert column_after(4, SAME) == 4
    assert column_after(4, SAME - 2) == 6
    assert column_after(NO_LINE, SAME - 2) == NO_LINE
    assert column_after(4, NO_LINE) == NO_LINE


def test_portions_that_come_to_too_many_lines_are_walked_in_smaller_ones(monkeypatch):
    """The limit is so low that only one start at a time stays below it."""
    text = 'start: (NAME | STRING | "(" | ")")+\nNAME: /[a-z]+/\nSTRING: /"[^"]*"/\n'
    tokens = tuple(bytes(pair) for pair in itertools.product(b'ab"()', repeat=3))
    prefixes = ("", "a", '"', "(a", '"a"')
    whole = compile_text(text, tokens)
    widths = []
    run = walk._Walk.run

    def record(self, low, high):
        widths.append(run(self, low, high))
        return widths[-1]

    monkeypatch.setattr(walk._Walk, "run", record)
    monkeypatch.setattr(walk, "_TOO_WIDE", 3)
    in_portions = compile_text(text, tokens)
    assert None in widths
    assert len([width for width in widths if width is not None]) > 5
    assert [legal_tokens(in_portions, p) for p in prefixes] == [
        legal_tokens(whole, p) for p in prefixes
    ]
    assert in_portions.content_hash == whole.content_hash
