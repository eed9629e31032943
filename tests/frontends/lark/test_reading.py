"""What Lark made of a grammar, with numbers that depend on names only."""

import pytest

from maskc.frontends.lark.reading import read_grammar
from maskc.frontends.source import load_source
from maskc.grammar.model import LalrGrammar

TEXT = 'start: x "+" x\nx: NAME | "(" start ")"\nNAME: /[a-z]+/\n%ignore " "\n'


def read(text, **settings):
    return read_grammar(load_source(text, **settings))[0]


def test_the_order_of_rules_and_terminals_does_not_matter():
    lines = TEXT.splitlines(keepends=True)
    grammar, other = read(TEXT), read("".join(reversed(lines)))
    assert grammar.bnf == other.bnf
    assert grammar.lalr == other.lalr


def test_the_state_at_the_end_is_where_the_start_symbol_leads():
    grammar = read(TEXT)
    assert grammar.lalr.states[0].gotos[grammar.bnf.start] == grammar.lalr.end_state


def test_a_state_looks_only_for_terminals_that_it_acts_on():
    grammar = read(TEXT)
    ignored = grammar.lexer.ignored
    for state, row in enumerate(grammar.lalr.states):
        context = grammar.lexer.contexts[grammar.lalr.context_of[state]]
        looked_for = set(context.alternatives) | {
            keyword for _, keywords in context.keywords for keyword in keywords
        }
        assert looked_for - ignored <= {*row.shifts, *row.reduces}


def test_earley_has_no_table_and_one_context():
    grammar = read(TEXT, parser="earley")
    assert not isinstance(grammar, LalrGrammar)
    assert len(grammar.lexer.contexts) == 1
    assert set(grammar.lexer.contexts[0].alternatives) == set(range(1, len(grammar.bnf.terminals)))


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_contexts_after_a_terminal_are_those_of_the_states_that_it_leads_to(lexer):
    grammar = read(TEXT, lexer=lexer)
    name = grammar.bnf.terminals.index("NAME")
    expected = {
        grammar.lalr.context_of[row.shifts[name]]
        for row in grammar.lalr.states
        if name in row.shifts
    }
    assert grammar.lexer.contexts_after[name] == expected
