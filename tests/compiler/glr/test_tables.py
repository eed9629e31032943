"""General tables, and the walk of a scanner that cuts a text in many ways."""

import numpy as np
import pytest

from maskc.compiler import analyse
from maskc.compiler.glr import lr0 as general
from maskc.compiler.glr import make_cfg
from maskc.compiler.glr import walk as general_walk
from maskc.compiler.glr.lr0 import build_general_table
from maskc.compiler.glr.walk import (
    ANY_PAIR,
    CutRule,
    Triples,
    ask_productions,
    find_distinct,
    find_follow,
)
from maskc.compiler.glr_path import ask_lexed, rewrite_productions
from maskc.compiler.rows.steps import build_steps
from maskc.compiler.rows.walk import Frontier
from maskc.compiler.rows.walk import walk_tokens as walk
from maskc.errors import LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.grammar import Production
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner
from maskc.vocab.trie import build_trie
from tests.languages import language_of

S = -1
a, b, c = 1, 2, 3


def table_of(*sides, has_empty=False):
    rules = [Production(0, side) for side in sides]
    return build_general_table(make_cfg(0, 1, rules, has_empty=has_empty))


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(general, "MAX_GENERAL_STATES", 2)
    with pytest.raises(LimitError, match="more than 2 parser states"):
        table_of((a, S, a), (a,))


def frontier(*lines):
    origin, path, state, node = np.array(lines, dtype=np.int32).T
    return Frontier(origin, path, state, node, np.zeros_like(origin))


def lines_of(found):
    return list(zip(*(column.tolist() for column in found.columns()[:4]), strict=True))


def test_of_lines_that_agree_one_is_kept():
    found = frontier((1, 0, 5, 2), (0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3))
    small, large = find_distinct(found, 2, 4), find_distinct(found, 2, 1 << 60)
    assert small.tolist() == large.tolist()
    assert lines_of(found.take(small)) == [(0, 0, 5, 2), (1, 0, 5, 2), (0, 1, 5, 2), (0, 1, 5, 3)]


WORDS = "start: W+\nW: /[a-z]+/\n"
ONE_WORD = "start: W\nW: /[a-z]+/\n"


def walk_tokens(text, tokens):
    """Return what the tokens do from the start of the text: (terminals' names, tokens)."""
    grammar, source = load_grammar(load_source(text, parser="earley"))
    scanner = build_dynamic_complete_scanner(grammar.lexer, grammar.bnf.used_terminals)
    lexed = analyse(source, grammar, scanner)
    productions = rewrite_productions(grammar.bnf, scanner, lexed.boundaries)
    follow = find_follow(ask_lexed(productions, grammar))
    steps, trie = build_steps(grammar.lexer, scanner), build_trie(tokens)
    triples = Triples(len(grammar.lexer.terminals), follow, lambda *_: True)
    raw_rows = walk(lexed, steps, CutRule(steps, triples), trie)

    def names(path):
        found = []
        while path:
            found.append(grammar.bnf.terminals[raw_rows.events[raw_rows.path_event[path]].terminal])
            path = int(raw_rows.path_parent[path])
        return tuple(reversed(found))

    low, high = raw_rows.source_first[scanner.start : scanner.start + 2].tolist()
    rows = []
    for row in range(low, high):
        number = raw_rows.row_tokens[row]
        ids = raw_rows.tokens.read(number)
        rows.append((names(int(raw_rows.row_path[row])), {tokens[i] for i in ids.tolist()}))
    return rows


def test_ways_that_no_text_takes_are_left_out():
    # One W may be complete; that the next one is open is for the streamlining to refuse.
    assert walk_tokens(ONE_WORD, (b"a", b"ab", b"abc")) == [
        ((), {b"a", b"ab", b"abc"}),
        (("W",), {b"ab", b"abc"}),
    ]


def test_too_many_ways_are_refused(monkeypatch):
    monkeypatch.setattr(general_walk, "MAX_PATHS", 5)
    with pytest.raises(LimitError, match="more than 5 ways to cut tokens into terminals"):
        walk_tokens(WORDS, (b"a" * 20,))


@pytest.mark.parametrize("lines", [1, 40])
def test_it_does_not_matter_how_much_is_walked_at_once(monkeypatch, lines):
    text = 'start: (W | "a" "b" | S)+\nW: /[a-c]+/\nS: /"[^"]*"/\n%ignore " "\n'
    tokens = (b"a", b"ab", b"abc", b" a", b'"a', b'a"', b'b "', b"ca b")
    whole = sorted((names, sorted(some)) for names, some in walk_tokens(text, tokens))
    monkeypatch.setattr(CutRule, "lines", lines)
    assert sorted((names, sorted(some)) for names, some in walk_tokens(text, tokens)) == whole


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
    language = general_of("start: (A B C)+\nA: /a/\nB: /b/\nC: /c/\n")
    grammar = language.lexed.grammar
    number = {name: t for t, name in enumerate(grammar.bnf.terminals)}
    ask = ask_productions(language.asked)
    assert ask(number["A"], number["B"], number["C"])
    assert ask(number["C"], number["A"], number["B"])
    assert not ask(number["A"], number["B"], number["A"])


def test_runs_of_dashes_that_may_be_names_are_not_cut_in_every_way():
    """As DotMotif's: 2 ** 60 ways, of which no text has more than a few."""
    language = general_of('start: (NAME "-" (">" | "-") NAME)+\nNAME: /[a-z-]\\w*/\n')
    raw_rows = language.walk(build_trie((b"a", b">", b"-" * 60)), lambda _: None)
    assert 60 < len(raw_rows.path_parent) < 5000  # 2 ** 60 without asking


TEXT = 'start: start x | x |\nx: A | "b"\nA: /a+/\n'


def general_of(text, **settings):
    return language_of(text, parser="earley", **settings)


def test_terminals_with_the_same_places_are_merged_for_the_dynamic_lexer_only():
    text = "start: (A | B)+\nA: /a+/\nB: /[ab]+/\n"
    assert len(general_of(text).merged) == 1
    assert general_of(text, lexer="basic").merged == {}
