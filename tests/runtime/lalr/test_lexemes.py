"""What an open lexeme may become."""

import pytest

from maskc.artifact.model import IGNORED
from maskc.runtime.lalr.read_set import ReadSet


@pytest.mark.parametrize(
    ("text", "may_end"), [(b"", False), (b"a", True), (b"(a", False), (b"(a)", True)]
)
def test_a_text_may_end_where_the_parser_takes_the_end(brackets, reach, text, may_end):
    h = reach(brackets, text)
    assert brackets.lexemes.may_end(h, ReadSet(h.stack.depth)) == may_end


def test_an_ignored_lexeme_changes_neither_stack_nor_blocks(brackets, reach):
    h = reach(brackets, b"(a ")
    assert brackets.lexemes.end(h.stack, (0,), IGNORED, 0, ReadSet(0)) == (h.stack, (0,))


def test_the_parser_refuses_what_it_does_not_take(brackets, reach, terminals):
    stack = reach(brackets, b"((").stack
    assert brackets.lexemes.end(stack, (0,), terminals["RPAR"], 0, ReadSet(0)) is None


def test_a_lexeme_is_live_iff_the_top_of_the_stack_takes_what_it_becomes(brackets, reach):
    opened, name = reach(brackets, b"("), reach(brackets, b"(a")
    number = brackets.scanner.open_lexeme_of[name.state]
    leads_on, reads = brackets.lexemes.leads_on, ReadSet(0)
    assert leads_on(number, name.stack, (0,), 0, reads)
    after_name = reach(brackets, b"(a ").stack
    assert not leads_on(number, after_name, (0,), 0, reads)
    assert brackets.lexemes.is_live(opened, reads)


def test_the_end_of_an_indented_text_reads_the_open_blocks(blocks, reach):
    h = reach(blocks, b"b:\n  x\n")
    reads = ReadSet(h.stack.depth)
    assert blocks.lexemes.may_end(h, reads)
    assert reads.layout


def test_a_text_ends_inside_one_block_that_its_last_line_leaves_open(blocks, reach):
    for text in (b"b:\n x\n ", b"b:\n b:\n  x\n  "):  # one block open, and two
        h = reach(blocks, text)
        assert blocks.lexemes.may_end(h, ReadSet(h.stack.depth))
