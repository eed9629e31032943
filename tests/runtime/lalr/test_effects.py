"""What terminals do to stacks, and how far down they read for that."""

from maskc.runtime.lalr.hypothesis import ReadSet


def test_what_was_read_is_noted_whether_it_is_cached_or_not(brackets, reach, terminals):
    depths = []
    for text in (b"((((a) ", b"((((a) ", b"[[((a) "):
        stack = reach(brackets, text).stack
        reads = ReadSet(stack.depth)
        assert brackets.effects.shift(stack, terminals["RPAR"], reads) is not None
        depths.append(stack.depth - reads.lowest)
    assert depths[0] == depths[1] == depths[2] > 0
