"""The walk of a scanner that cuts a text in many ways."""

import pytest

from maskc.errors import LimitError
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.glr import walk as general
from maskc.glr.pipeline import rewrite_productions
from maskc.glr.triples import Triples
from maskc.glr.walk import build_general_store
from maskc.lexer.boundaries import build_boundaries
from maskc.lexer.columns import build_columns
from maskc.lexer.dynamic_complete import build_dynamic_complete_scanner
from maskc.store.steps import build_steps
from maskc.vocab.trie import build_trie

WORDS = "start: W+\nW: /[a-z]+/\n"
ONE_WORD = "start: W\nW: /[a-z]+/\n"


def walk(text, tokens):
    """Return what the tokens do from the start of the text: (terminals' names, tokens)."""
    grammar, _ = load_grammar(load_source(text, parser="earley"))
    scanner = build_dynamic_complete_scanner(grammar.lexer, grammar.bnf.used_terminals())
    boundaries = build_boundaries(grammar.lexer, scanner, build_columns(grammar.lexer, scanner))
    follow = rewrite_productions(grammar.bnf, scanner, boundaries).follow()
    steps, trie = build_steps(grammar.lexer, scanner), build_trie(tokens)
    triples = Triples(len(grammar.lexer.terminals), follow, lambda *_: True)
    store = build_general_store(scanner, boundaries, triples, steps, trie)

    def names(path):
        found = []
        while path:
            found.append(grammar.bnf.terminals[store.path_terminal[path]])
            path = int(store.path_parent[path])
        return tuple(reversed(found))

    low, high = store.source_first[scanner.start : scanner.start + 2].tolist()
    rows = []
    for row in range(low, high):
        number = store.row_tokens[row]
        ids = store.tokens.read(number)
        rows.append((names(int(store.row_path[row])), {tokens[i] for i in ids.tolist()}))
    return rows


def test_ways_that_no_text_takes_are_left_out():
    # One W may be complete; that the next one is open is for the streamlining to refuse.
    assert walk(ONE_WORD, (b"a", b"ab", b"abc")) == [
        ((), {b"a", b"ab", b"abc"}),
        (("W",), {b"ab", b"abc"}),
    ]


def test_too_many_ways_are_refused(monkeypatch):
    monkeypatch.setattr(general, "MAX_PATHS", 5)
    with pytest.raises(LimitError, match="more than 5 ways to cut tokens into terminals"):
        walk(WORDS, (b"a" * 20,))


@pytest.mark.parametrize("lines", [1, 40])
def test_it_does_not_matter_how_much_is_walked_at_once(monkeypatch, lines):
    text = 'start: (W | "a" "b" | S)+\nW: /[a-c]+/\nS: /"[^"]*"/\n%ignore " "\n'
    tokens = (b"a", b"ab", b"abc", b" a", b'"a', b'a"', b'b "', b"ca b")
    whole = sorted((names, sorted(some)) for names, some in walk(text, tokens))
    monkeypatch.setattr(general, "_PORTION", lines)
    monkeypatch.setattr(general, "_TOO_WIDE", 2 * lines)
    assert sorted((names, sorted(some)) for names, some in walk(text, tokens)) == whole
