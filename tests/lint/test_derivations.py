"""Shortest terminal sequences that bring the parser into a state."""

import pytest

from maskc.lint.derivations import Derivations, find_shortest_yields, run_parser
from tests.languages import language_of, terminal

DANGLING = 'start: "if" "e" start | "if" "e" start "else" start | "x"\n'
GRAMMARS = (
    DANGLING,
    'start: "a" start "b" | "c"\n',
    'start: x "d" | "b" x\nx: | "c" x\n',
)


def names_of(language, terminals):
    return [language.lexed.grammar.bnf.terminals[t] for t in terminals]


def test_the_shortest_yield_of_a_nonterminal_is_found_through_others():
    language = language_of('start: x y\nx: "a" x | "b" "b"\ny: start "c" | x\n')
    bnf = language.lexed.grammar.bnf
    yields = find_shortest_yields(bnf)
    assert names_of(language, yields[bnf.start]) == ["B"] * 4


def test_a_nonterminal_that_derives_nothing_has_no_yield():
    bnf = language_of('start: "a" | x\nx: x "b"\n').lexed.grammar.bnf
    assert bnf.nonterminals.index("x") not in find_shortest_yields(bnf)


def test_the_parser_stops_at_what_it_refuses():
    language = language_of('start: "a" "b"\n')
    a, b = terminal(language, "A"), terminal(language, "B")
    stacks = run_parser(language.lexed.grammar, [a, b])
    assert [len(stack) for stack in stacks] == [1, 2, 3]
    assert run_parser(language.lexed.grammar, [a, a]) is None


def test_a_state_is_reached_by_its_shortest_sequence():
    language = language_of(DANGLING)
    grammar = language.lexed.grammar
    state = 0
    for symbol in ("IF", "E"):
        state = grammar.lalr.states[state].shifts[terminal(language, symbol)]
    nested = grammar.lalr.states[state].gotos[grammar.bnf.start]
    derivations = Derivations(grammar)
    arrival = derivations.find_arrival(nested, [terminal(language, "ELSE")])
    assert names_of(language, arrival.terminals) == ["IF", "E", "X"]


@pytest.mark.parametrize("text", GRAMMARS)
def test_what_is_found_arrives(text):
    grammar = language_of(text).lexed.grammar
    derivations = Derivations(grammar)
    reached = 0
    for state in range(len(grammar.lalr.states)):
        arrival = derivations.find_arrival(state)
        if arrival is not None:
            reached += 1
            stacks = run_parser(grammar, arrival.terminals)
            assert stacks[-1][-1] == arrival.tops[-1] == state
            assert arrival.tops == tuple(stack[-1] for stack in stacks)
    assert reached > 1
