"""What an open lexeme may become."""

from maskc.runtime.lalr.hypothesis import ReadSet


def test_a_text_ends_inside_one_block_that_its_last_line_leaves_open(blocks, reach):
    for text in (b"b:\n x\n ", b"b:\n b:\n  x\n  "):  # one block open, and two
        h = reach(blocks, text)
        assert blocks.lexemes.may_end(h, ReadSet(h.stack.depth))
