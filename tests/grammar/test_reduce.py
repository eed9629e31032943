from hypothesis import given

from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar.model import Production
from maskc.grammar.reduce import reduce_grammar, reduce_productions
from tests.pushdown.small_grammars import small_grammars


def test_a_rule_that_derives_nothing_is_dropped_with_all_that_needs_it():
    grammar, _ = load_grammar(load_source('start: "a" | x "c"\nx: x "b"\n'))
    assert reduce_grammar(grammar.bnf).format() == "start -> A"


def test_a_rule_that_is_never_reached_is_dropped():
    grammar, _ = load_grammar(load_source('start: "a"\ny: "c"\n'))
    reduced = reduce_grammar(grammar.bnf)
    assert reduced.format() == "start -> A"
    assert [reduced.terminals[t] for t in reduced.used_terminals] == ["A"]


def test_a_rule_reached_only_through_one_that_derives_nothing_is_dropped():
    grammar, _ = load_grammar(load_source('start: "a" | x\nx: x y\ny: "b"\n'))
    assert reduce_grammar(grammar.bnf).format() == "start -> A"


def test_a_language_without_texts_has_no_productions():
    grammar, _ = load_grammar(load_source('start: "a" start\n'))
    assert reduce_grammar(grammar.bnf).productions == ()


def test_symbols_keep_their_ids():
    grammar, _ = load_grammar(load_source('start: "b"\nx: "a"\n'))
    reduced = reduce_grammar(grammar.bnf)
    assert (reduced.terminals, reduced.nonterminals) == (
        grammar.bnf.terminals,
        grammar.bnf.nonterminals,
    )
    assert reduced.symbol_name(reduced.productions[0].rhs[0]) == "B"


def test_python_needs_no_reduction():
    from tests.grammars.places import GRAMMARS

    grammar, _ = load_grammar(load_source(GRAMMARS / "python.lark"))
    assert reduce_grammar(grammar.bnf).productions == grammar.bnf.productions


@given(small_grammars())
def test_each_nonterminal_that_is_left_derives_something(reduced):
    derives = set()  # symbols that some text comes from: terminals, and what has a side of such
    for _ in reduced.nonterminals:
        derives |= {
            -1 - production.lhs
            for production in reduced.productions
            if all(symbol >= 0 or symbol in derives for symbol in production.rhs)
        }
    assert {-1 - production.lhs for production in reduced.productions} == derives


@given(small_grammars())
def test_reducing_twice_is_reducing_once(reduced):
    again = reduce_productions(
        reduced.terminals, reduced.nonterminals, reduced.start, reduced.productions
    )
    assert again == reduced


def test_an_unproductive_production_of_a_productive_rule_goes_alone():
    rules = [Production(0, (1,)), Production(0, (-2,)), Production(1, (-2, 1))]
    reduced = reduce_productions(("$END", "a"), ("S", "T"), 0, rules)
    assert reduced.productions == (Production(0, (1,)),)
