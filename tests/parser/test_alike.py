"""What is found in one of the states in which a nonterminal begins alike, held against each."""

from random import Random

import pytest

from maskc.errors import GrammarError
from maskc.frontends.bundled import list_grammars
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lalr_path import analyse_grammar
from maskc.parser import completion
from maskc.parser.alike import find_alike
from maskc.parser.items import build_item_sets
from tests.examples import seeds
from tests.languages import language_of

SYMBOLS = ("x", "y", "z", '"a"', '"b"', '"c"')


def _each_for_itself(grammar, item_sets, reduced_on):
    del grammar, reduced_on
    return [
        dict.fromkeys(closure, state)
        for state, closure in zip(item_sets.states(), item_sets.closures, strict=True)
    ]


def _draw_grammar(draw):
    def side():
        return " ".join(draw.choice(SYMBOLS) for _ in range(draw.randint(0, 3)))

    rules = [
        f"{name}: " + " | ".join(side() for _ in range(3)) for name in ("start", "x", "y", "z")
    ]
    return "\n".join(rules) + "\n"


def _same_tables(monkeypatch, grammar, source):
    shared = analyse_grammar(grammar, source).table
    with monkeypatch.context() as patch:
        patch.setattr(completion, "find_alike", _each_for_itself)
        single = analyse_grammar(grammar, source).table
    return shared == single


def test_random_grammars_have_the_same_refined_states(monkeypatch):
    compared = 0
    n_grammars = 3 * len(seeds(100))
    for seed in range(n_grammars):
        source = load_source(_draw_grammar(Random(seed)))
        try:
            grammar, source = load_grammar(source)
        except GrammarError:  # rules that collide
            continue
        assert _same_tables(monkeypatch, grammar, source), seed
        compared += 1
    assert compared > n_grammars // 6


@pytest.mark.costly
@pytest.mark.parametrize("name", sorted({*list_grammars()} - {"regex", "sql"}))
def test_grammars_of_ours_have_the_same_refined_states(monkeypatch, name):
    assert _same_tables(monkeypatch, *load_grammar(load_source(name)))


def test_states_that_move_alike_begin_a_nonterminal_alike():
    language = language_of('start: "a" x | "b" x\nx: "c" x |\n')
    grammar, states = language.lexed.grammar, language.lexed.grammar.lalr.states
    reduced = [dict.fromkeys(set(row.reduces.values()), 1) for row in states]
    same = find_alike(grammar, build_item_sets(grammar), reduced)
    x = grammar.bnf.nonterminals.index("x")
    assert len({found[x] for found in same if x in found}) == 1


def test_states_that_end_the_empty_rule_on_other_terminals_do_not():
    language = language_of('start: "a" x "b" | "c" x "d"\nx: "e" x |\n')
    grammar, states = language.lexed.grammar, language.lexed.grammar.lalr.states
    reduced = [dict.fromkeys(set(row.reduces.values()), sum(row.reduces)) for row in states]
    same = find_alike(grammar, build_item_sets(grammar), reduced)
    x = grammar.bnf.nonterminals.index("x")
    assert len({found[x] for found in same if x in found}) == 3
