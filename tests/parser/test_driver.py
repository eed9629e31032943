from maskc.frontends.loading import load_lalr_grammar
from maskc.frontends.source import load_source
from maskc.parser.driver import Outcome, drive_lalr, drive_refined
from maskc.parser.refine import build_table_without_lexer

NESTED = 'start: "a" start "b" |\n'


def load(text):
    return load_lalr_grammar(load_source(text))[0]


def drive(grammar, names, driver=None):
    """Return the outcome of each terminal, and the stack after them."""
    driver, stack = driver or drive_lalr(grammar), [0]
    outcomes = [driver.take(stack, grammar.bnf.terminals.index(name)) for name in names.split()]
    return outcomes, stack


def test_a_text_is_taken_terminal_by_terminal_to_its_end():
    outcomes, stack = drive(load(NESTED), "A A B B $END")
    assert outcomes == [Outcome.TAKES] * 4 + [Outcome.ENDS]
    assert len(stack) == 2


def test_the_text_does_not_end_while_something_is_open():
    assert drive(load(NESTED), "A $END")[0][-1] is Outcome.REFUSES


def test_a_terminal_that_no_action_takes_is_refused():
    assert drive(load(NESTED), "B")[0] == [Outcome.REFUSES]


def test_a_reduction_below_what_is_known_is_not_done():
    grammar = load(NESTED)
    whole = drive(grammar, "A A B")[1]
    above, b = whole[-1:], grammar.bnf.terminals.index("B")
    assert drive_lalr(grammar).take(above, b) is Outcome.NEEDS_BELOW
    assert above == whole[-1:]


def test_the_states_that_come_on_top_are_told():
    grammar = load('start: x "c"\nx: y\ny: "b"\n')
    stack, passed = drive(grammar, "B")[1], []
    drive_lalr(grammar).reduce(stack, grammar.bnf.terminals.index("C"), passed)
    assert len(passed) == 2
    assert passed[-1] == stack[-1]


def test_the_refined_table_takes_what_the_lalr_table_takes():
    grammar = load(NESTED)
    refined = drive_refined(grammar, build_table_without_lexer(grammar))
    for names in ("A B $END", "A A B B $END", "$END"):
        assert drive(grammar, names, refined)[0] == drive(grammar, names)[0]


def test_the_text_ends_though_there_is_one_more_reduction():
    assert drive(load('start: start | "a"\n'), "A $END")[0] == [Outcome.TAKES, Outcome.ENDS]
