from maskc.runtime.lalr.read_set import ReadSet


def test_nothing_below_the_top_is_read_at_first():
    reads = ReadSet(7)
    assert (reads.lowest, reads.layout) == (7, False)


def test_masks_of_brackets_read_no_layout_and_those_of_blocks_do(brackets, blocks, reach):
    for machine, text, layout in ((brackets, b"(a", False), (blocks, b"b:\n  x\n", True)):
        h = reach(machine, text)
        reads = ReadSet(h.stack.depth)
        machine.lexemes.may_end(h, reads)
        assert reads.layout == layout
