import pytest

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.model import Bnf, LalrGrammar, Production


def load(text, **settings):
    return load_grammar(load_source(text, **settings))[0]


def test_productions_are_printed_one_a_line():
    bnf = Bnf(("$END", "A"), ("x",), 0, (Production(0, ()), Production(0, (1, -1))))
    assert bnf.format() == "x ->\nx -> A x"


def test_the_used_terminals_are_those_that_productions_hold():
    grammar = load('start: "a" | "b" start\n%ignore " "\n')
    used = {grammar.bnf.terminals[t] for t in grammar.bnf.used_terminals()}
    assert used == {"A", "B"}


def test_the_start_is_the_first_of_several_start_symbols():
    grammar = load('// maskc: start=b,a\na: "x"\nb: "y" a\n')
    assert grammar.bnf.nonterminals[grammar.bnf.start] == "b"


def test_contexts_after_a_terminal_are_those_of_the_states_it_leads_to():
    grammar = load('start: "a" "b" "c"\n')
    a = grammar.bnf.terminals.index("A")
    (context,) = grammar.lexer.contexts_after[a]
    wanted = [grammar.bnf.terminals[t] for t in grammar.lexer.contexts[context].alternatives]
    assert wanted == ["B"]
    assert grammar.bnf.terminals.index("$END") not in grammar.lexer.contexts_after


def test_contexts_after_cannot_be_written():
    with pytest.raises(TypeError):
        load('start: "a"\n').lexer.contexts_after[1] = frozenset()


def test_only_a_grammar_for_lalr_has_a_table():
    text = 'start: "a" start "a" |\n'
    assert isinstance(load('start: "a" start "b" |\n'), LalrGrammar)
    assert not isinstance(load(text, parser="earley"), LalrGrammar)
