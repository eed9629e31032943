"""What people write by hand grows as it is long: states, rows and bytes, counted.

Each size took minutes, gigabytes or a refusal before.
"""

import pytest

from maskc.artifact.container import encode
from maskc.frontends.loading import load_grammar
from maskc.frontends.source import load_source
from maskc.lexer.scanner import build_scanner
from maskc.pipeline import compile_contents
from maskc.store import walk
from maskc.vocab import load_vocabulary
from maskc.vocab.vocabulary import TokenTable, build_vocabulary
from tests.compiled import compile_text
from tests.security.families import FAMILIES, JSON

BYTES = load_vocabulary("bytes")


def compile_family(family: str, n: int):
    """Return the artifact's contents for the bytes as tokens."""
    return compile_contents(load_source(FAMILIES[family][0](n)), BYTES)[0]


def test_a_literal_is_one_state_a_character():
    counts = compile_family("literal", 3000).header["counts"]
    assert (counts["scanner_states"], counts["rows"]) == (3002, 3000)


@pytest.mark.parametrize(("family", "states"), [("counted", 1), ("negated", 8)])
def test_a_counted_repetition_has_as_many_states(family, states):
    contents = compile_family(family, 480)
    assert contents.header["counts"]["scanner_states"] == 480 * states + 2
    assert len(encode(contents.header, contents.arrays)) < 250_000


def test_the_walk_starts_from_a_state_of_each_kind_and_not_from_all_that_count(monkeypatch):
    lines = []
    run = walk._Walk.run

    def counting(self, low, high):
        lines.append(high - low)
        return run(self, low, high)

    monkeypatch.setattr(walk._Walk, "run", counting)
    tokens = tuple(a + b for a in (b"a", b"b") for b in (b"", b"a", b"bb"))
    compile_text("start: A\nA: /[ab]{1,800}/\n", tokens)
    # Two first bytes, and up to three letters left to notice.
    assert sum(lines) < 12


def test_twice_the_keywords_are_hardly_more_than_twice_the_bytes():
    sizes = []
    for n in (300, 600):
        contents = compile_family("keywords", n)
        sizes.append(len(encode(contents.header, contents.arrays)))
    assert sizes[1] < 2.5 * sizes[0]


def test_equal_sets_of_lookaheads_are_written_once():
    arrays = compile_family("anonymous", 300).arrays
    assert len(arrays["reduce_set"]) > 300
    assert len(arrays["reduce_set_first"]) < 10


def test_7500_names_have_the_states_of_their_minimal_automaton():
    """They were refused, because the bound counted the states before they were minimised."""
    grammar, _ = load_grammar(load_source(FAMILIES["names"][0](7500)))
    assert build_scanner(grammar.lexer).n_states == 15_930


@pytest.mark.costly
def test_tokens_of_10000_bytes_have_a_row_each():
    pieces = (b"a", b" ", b"[1,", b'"a",', b'{"a":')
    long = [(piece * 10_000)[:10_000] for piece in pieces]
    vocabulary = build_vocabulary("long", TokenTable((*BYTES.tokens, *long), BYTES.eos_ids))
    contents, _ = compile_contents(load_source(JSON), vocabulary)
    assert contents.header["counts"]["rows"] < 100
    assert len(encode(contents.header, contents.arrays)) < 200_000
