"""Each start symbol of an artifact has the masks of an artifact for it alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.errors import ArtifactError
from tests.examples import examples

# `pair` and `item` share states whose look-aheads would be merged in one table of both.
LALR = """
program: (item ";")+
item: NAME | NUMBER | "(" item ("," item)* ")"
pair: item "=" item
NAME: /[a-z]+/
NUMBER: /[0-9]+/
%ignore " "
"""
# Ambiguous, so that it has a stack of many tops.
GENERAL = """
program: sum | sum ";"
sum: sum "+" sum | "(" sum ")" | WORD
pair: WORD "=" sum
WORD: /[ab]+/
"""
CASES = {
    "lalr": (LALR, {}, ("program", "item", "pair"), ["(a, 12) = b", "a; (b); 3;", "x"]),
    "earley": (
        GENERAL,
        {"parser": "earley", "lexer": "basic"},
        ("program", "sum", "pair"),
        ["a+(b+a)", "ab=a+b", "a+b;"],
    ),
}


@pytest.fixture(scope="module", params=CASES)
def compiled(request):
    """An artifact of all start symbols, one for each alone, and texts."""
    text, how, starts, texts = CASES[request.param]
    together = maskc.compile_grammar(text, tokenizer="bytes", start=starts, **how)
    alone = {s: maskc.compile_grammar(text, tokenizer="bytes", start=s, **how) for s in starts}
    return together, alone, texts


def masks(matcher, text):
    bitmask = maskc.allocate_bitmask(1, 257)
    for byte in (*text.encode(), None):
        matcher.fill_bitmask(bitmask, 0)
        yield bitmask[0].copy(), matcher.is_accepting
        if byte is None or not matcher.accept_token(byte):
            return


def test_masks_of_a_start_symbol_are_those_of_it_alone(compiled):
    together, alone, texts = compiled
    assert together.starts == tuple(alone)
    for start, artifact in alone.items():
        for text in texts:
            ours = list(masks(together.matcher(start=start), text))
            theirs = list(masks(artifact.matcher(), text))
            assert len(ours) == len(theirs)
            for (mask, ends), (other, other_ends) in zip(ours, theirs, strict=True):
                assert np.array_equal(mask, other)
                assert ends == other_ends


@examples(20)
@given(st.text(st.sampled_from("ab1(),;=+ "), max_size=12))
def test_of_any_text_the_same_begins(compiled, text):
    together, alone, _ = compiled
    for start, artifact in alone.items():
        ours, theirs = together.matcher(start=start), artifact.matcher()
        data = text.encode()
        assert ours.accept_tokens(list(data)) == theirs.accept_tokens(list(data))
        assert ours.is_accepting == theirs.is_accepting


def test_the_first_start_symbol_is_the_usual_one(compiled):
    together, alone, texts = compiled
    first = next(iter(alone))
    assert together.for_start(first) is together.for_start(None) is together
    mask = next(masks(together.matcher(), texts[0]))[0]
    assert np.array_equal(mask, next(masks(alone[first].matcher(), texts[0]))[0])


def test_start_symbols_survive_the_way_to_a_file(compiled, tmp_path):
    together, alone, _ = compiled
    together.save(tmp_path / "a.maskc")
    loaded = maskc.load(tmp_path / "a.maskc")
    assert loaded.starts == tuple(alone)
    assert loaded.content_hash == together.content_hash
    last = loaded.for_start(loaded.starts[-1])
    assert last.content_hash == alone[loaded.starts[-1]].content_hash
    assert last.tokens is loaded.tokens
    assert last is loaded.for_start(loaded.starts[-1])


def test_a_start_symbol_that_was_not_compiled_is_refused(compiled):
    with pytest.raises(ArtifactError, match="was not compiled for the start symbol 'nothing'"):
        compiled[0].matcher(start="nothing")
