def test_a_hypothesis_has_the_stack_without_the_open_lexeme(brackets, reach):
    opened, inside = reach(brackets, b"(("), reach(brackets, b"((a")
    assert opened.stack.depth + 1 == inside.stack.depth
    assert inside.indents == (0,)


def test_the_blocks_are_those_that_are_open(blocks, reach):
    assert reach(blocks, b"b:\n  b:\n    x").indents == (0, 2, 4)
