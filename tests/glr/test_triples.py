"""Which terminals come after two others."""

from maskc.frontends.source import load_source
from maskc.glr.pipeline import GENERAL_PATH, build_general_language
from maskc.glr.streamline import ask_lexed
from maskc.glr.triples import ANY_PAIR, Triples, ask_productions
from maskc.vocab.trie import build_trie

A, B, C = 1, 2, 3
RING = {A: 1 << B, B: 1 << A | 1 << C, C: 1 << A}


def row(triples, pair):
    triples.find(pair)
    return set(triples.rows[pair].nonzero()[0].tolist())


def test_after_two_terminals_stands_what_both_allow():
    triples = Triples(4, RING, lambda one, _, third: one != third)
    after_b = triples.extend(ANY_PAIR, B)
    assert row(triples, triples.extend(triples.extend(ANY_PAIR, A), B)) == {C}
    assert row(triples, after_b) == {A, C}


def test_pairs_have_one_number_each_however_many_there_are():
    triples = Triples(100, {}, lambda *_: True)
    numbers = [triples.extend(triples.extend(ANY_PAIR, t), t) for t in range(1, 100)]
    assert len(set(numbers)) == 99
    assert [triples.extend(triples.extend(ANY_PAIR, t), t) for t in range(1, 100)] == numbers
    assert len(triples.rows) >= 1 + 2 * 99


def test_three_terminals_are_asked_of_the_productions():
    source = load_source("start: (A B C)+\nA: /a/\nB: /b/\nC: /c/\n", parser="earley")
    language = build_general_language(source)
    grammar = language.lexed.grammar
    number = {name: t for t, name in enumerate(grammar.bnf.terminals)}
    ask = ask_productions(ask_lexed(language.productions, grammar))
    assert ask(number["A"], number["B"], number["C"])
    assert ask(number["C"], number["A"], number["B"])
    assert not ask(number["A"], number["B"], number["A"])


def test_runs_of_dashes_that_may_be_names_are_not_cut_in_every_way():
    """As DotMotif's: 2 ** 60 ways, of which no text has more than a few."""
    source = load_source(
        'start: (NAME "-" (">" | "-") NAME)+\nNAME: /[a-z-]\\w*/\n',
        parser="earley",
    )
    language = build_general_language(source)
    store = GENERAL_PATH.walk(language, build_trie((b"a", b">", b"-" * 60)), lambda _: None)
    assert 60 < len(store.path_parent) < 5000  # 2 ** 60 without asking
