"""What terminals do to stacks, and how far down they read for that."""

from maskc.runtime.lalr.read_set import ReadSet


def test_a_terminal_that_no_text_goes_on_with_is_refused(brackets, reach, terminals):
    stack = reach(brackets, b"(").stack
    assert brackets.effects.shift(stack, terminals["RSQB"], ReadSet(stack.depth)) is None


def test_a_name_is_popped_and_a_value_and_the_bracket_pushed(brackets, reach, terminals):
    inside = reach(brackets, b"((a ").stack
    closed = brackets.effects.shift(inside, terminals["RPAR"], ReadSet(inside.depth))
    assert closed.depth == inside.depth + 1
    assert closed.below.below is inside.below


def test_what_was_read_is_noted_whether_it_is_cached_or_not(brackets, reach, terminals):
    depths = []
    for text in (b"((((a) ", b"((((a) ", b"[[((a) "):
        stack = reach(brackets, text).stack
        reads = ReadSet(stack.depth)
        assert brackets.effects.shift(stack, terminals["RPAR"], reads) is not None
        depths.append(stack.depth - reads.lowest)
    assert depths[0] == depths[1] == depths[2] > 0


def test_an_effect_that_reads_the_whole_stack_finds_its_bottom(brackets, reach, terminals):
    stack = reach(brackets, b"(a) ").stack
    reads = ReadSet(stack.depth)
    assert brackets.effects.shift(stack, terminals["RPAR"], reads) is None
    assert reads.lowest >= 0
