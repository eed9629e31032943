"""Equal grammars have equal numbers."""

from maskc.frontends.numbering import END_NAME, number_names
from maskc.grammar.model import Production

NUMBERING = number_names(["B", "A", END_NAME], ["y", "x"])


def test_symbols_are_numbered_in_the_order_of_their_names():
    assert NUMBERING.terminals == (END_NAME, "A", "B")
    assert NUMBERING.nonterminals == ("x", "y")
    assert number_names(["A", "B"], ["x", "y"]) == NUMBERING


def test_a_nonterminal_is_negative_on_a_right_side():
    sides = [("B", True), ("y", False), ("x", False)]
    assert NUMBERING.produce("y", sides) == Production(1, (2, -2, -1))


def test_productions_come_once_and_in_order():
    one, other = NUMBERING.produce("x", [("y", False)]), NUMBERING.produce("x", [("A", True)])
    bnf = NUMBERING.make_bnf("y", [one, other, one])
    assert bnf.productions == (other, one)
    assert bnf.start == 1
