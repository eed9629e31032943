import numpy as np

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.model import Grammar
from maskc.parser.moves import Moves
from maskc.store.starts import number_starts
from tests.compiled import compile_text, legal_tokens


def ints(*values: int):
    return np.array(values, dtype=np.int32)


def grammar_of(text: str) -> Grammar:
    return load_grammar(load_source(text))[0]


def test_states_that_a_byte_leads_to_the_same_place_share_a_start():
    starts = number_starts(ints(1, 2, 2), ints(5, 5, 6), ints(1, 1, 2), ints(0, 0, 0), 3)
    assert starts.first.tolist() == [0, 0, 1, 3]
    assert starts.of_state.tolist() == [0, 0, 1]
    assert starts.state.tolist() == [5, 6]


def test_starts_with_other_columns_are_others():
    starts = number_starts(ints(1, 2), ints(5, 5), ints(1, 1), ints(0, -4), 3)
    assert sorted(starts.column.tolist()) == [-4, 0]


def test_an_operator_that_may_stand_on_both_sides_does_not_multiply_the_paths():
    # Each dash pair could be prefix or postfix if nobody asked the parser: 2 to the 20th paths.
    text = 'start: "--"* "x" ("--" | "->" "y")*\n'
    artifact = compile_text(text, (b"--" * 20, b"x" + b"--" * 20 + b"->y", b"->", b"x", b"y"))
    assert legal_tokens(artifact) == {b"--" * 20, b"x" + b"--" * 20 + b"->y", b"x"}
    assert legal_tokens(artifact, "x") == {b"--" * 20, b"->", None}


def test_after_an_operand_no_operand_follows():
    grammar = grammar_of('start: "a" start? "b"\n')
    moves = Moves(grammar)
    a, b = grammar.bnf.terminals.index("A"), grammar.bnf.terminals.index("B")
    after = moves.after(b, moves.everywhere)
    assert moves.after(a, after) == 0
    assert moves.after(b, after) != 0


def test_a_reduction_leads_to_every_state_below():
    grammar = grammar_of('start: "(" item ")" | "[" item "]"\nitem: "x"\n')
    moves = Moves(grammar)
    x, closing = grammar.bnf.terminals.index("X"), grammar.bnf.terminals.index("RPAR")
    assert moves.after(closing, moves.after(x, moves.everywhere)) != 0


def test_an_empty_production_is_reduced_where_it_stands():
    grammar = grammar_of('start: opt "b"\nopt: "a" |\n')
    moves = Moves(grammar)
    assert moves.after(grammar.bnf.terminals.index("B"), 1) != 0
