from maskc.runtime.lalr.layout import Layout


def test_rows_are_those_of_the_arrays(brackets_artifact):
    tables, arrays = brackets_artifact.machine.tables, brackets_artifact.contents.arrays
    n_shifts = sum(len(tables.shifts(state)) for state in range(len(tables.lalr_state)))
    n_gotos = sum(len(tables.gotos(state)) for state in range(len(tables.lalr_state)))
    assert n_shifts == len(arrays["shift_terminal"])
    assert n_gotos == len(arrays["goto_nonterminal"])
    assert tables.shifts(0) is tables.shifts(0)


def test_a_reduction_is_of_a_production_that_there_is(brackets_artifact):
    tables, arrays = brackets_artifact.machine.tables, brackets_artifact.contents.arrays
    for state in range(len(arrays["lalr_context"])):
        assert set(tables.reduces(state).values()) <= set(range(len(tables.production_lhs)))


def test_the_text_may_end_only_after_terminals_that_end_it(brackets):
    taken = brackets.lookaheads.taken
    ends = {
        terminal
        for state in range(len(brackets.tables.lalr_state))
        for terminal, target in brackets.tables.shifts(state).items()
        if taken[target] & brackets.lookaheads.end
    }
    assert brackets.tables.may_end == ends


def test_brackets_enclose_where_there_is_a_layout(brackets, blocks, reach):
    assert brackets.tables.layout is None
    assert isinstance(blocks.tables.layout, Layout)
    assert blocks.tables.enclosed[reach(blocks, b"(x").stack.state]
    assert not blocks.tables.enclosed[reach(blocks, b"x").stack.state]
