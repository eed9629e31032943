"""Law 1 for general grammars: a mask is exactly what Lark's Earley parser leaves possible.

As ``test_masks_are_exact``: a prefix of a parsed text must be legal, and a legal prefix that no
short text continues must have a longer continuation, which Lark must parse. It is looked for by
the oracle of ``maskc verify``, which shares nothing with the compiler, then by the masks.
"""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.compiler.glr import factor_tails
from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.verify.general import GeneralOracle, parses_generally
from maskc.verify.oracle import Undecided
from tests.compiled import compile_text, legal_ids
from tests.examples import examples, seeds
from tests.general_grammars import draw_general_grammar, general_grammar
from tests.laws import test_masks_are_exact as exact
from tests.laws.dense.awkward import EVERY_MATCH
from tests.random_grammars import accepted_texts, draw_grammar, draw_tokens

LEXERS = ["dynamic", "dynamic_complete", "basic"]


@pytest.fixture(autouse=True)
def _judge_with_earley(monkeypatch):
    # All that a completion of the grammars below may need; `è` begins as `é` does.
    monkeypatch.setattr(exact, "MORE", "abABcé è[,];!+-()1")
    monkeypatch.setattr(exact, "lark_accepts", parses_generally)
    monkeypatch.setattr("tests.random_grammars.lark_accepts", parses_generally)


def check(text, alphabet, longest, tokens, lexer):
    """Compare all masks; return how many, none if the grammar is refused for its terminals."""
    settings_ = {"parser": "earley", "lexer": lexer}
    try:
        oracle = GeneralOracle(build_lark(load_source(text, **settings_)))
    except GrammarError:  # a terminal that matches nothing, which dynamic lexers refuse
        return 0

    def find_rest(matcher, written):
        try:
            witness = oracle.at(written).decide(b"")[1]
        except Undecided:
            return exact.whole_completion(matcher, written)
        return witness.encode()[len(written) :]

    try:
        return exact.check_language(text, alphabet, longest, tokens, find_rest, **settings_)
    except UnsupportedTerminalError:
        return 0


@examples(120)
@given(st.integers(0, 100_000), st.sampled_from(LEXERS))
@example(24, "dynamic_complete")
@example(2120, "basic")  # only ignored terminals are left
def test_a_mask_is_exact_for_a_general_grammar(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_general_grammar(draw)
    check(text, alphabet, 5, draw_tokens(draw, alphabet), lexer)


@pytest.mark.parametrize("seed", seeds(20))
def test_a_mask_is_exact_where_alternatives_share_their_tails(seed, monkeypatch):
    monkeypatch.setattr("maskc.compiler.glr_path.share_tails", factor_tails)
    draw = Random(seed)
    text, alphabet = draw_general_grammar(draw)
    for lexer in LEXERS:
        check(text, alphabet, 4, draw_tokens(draw, alphabet), lexer)


@pytest.mark.costly
@examples(60)
@given(st.integers(0, 110), st.sampled_from(LEXERS))
def test_a_mask_is_exact_for_an_awkward_grammar(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    check(text, alphabet, 5, draw_tokens(draw, alphabet), lexer)


@pytest.mark.usefixtures("few_cuts")
@pytest.mark.parametrize("name", EVERY_MATCH)
def test_a_mask_is_exact_without_rows_where(name):
    text, alphabet = EVERY_MATCH[name]
    tokens = draw_tokens(Random(1), alphabet)
    assert check(text, alphabet, 5, tokens, "dynamic_complete") > 0


@pytest.mark.parametrize("lexer", LEXERS)
@pytest.mark.parametrize("name", ["A", "Z"])
def test_a_mask_is_exact_where_an_ignored_terminal_is_interchangeable(name, lexer):
    text = f'start: ({name} | W) ({name} | W) "c"\n{name}: "a"\nW: " "\n%ignore W\n'
    assert check(text, "a c", 5, (b" ", b" a", b"a", b"a c", b"c", b"  "), lexer) > 1


@pytest.mark.parametrize("lexer", LEXERS)
def test_every_text_that_lark_parses_is_accepted_to_its_end(lexer):
    text = general_grammar("expressions")
    settings_ = {"parser": "earley", "lexer": lexer}
    accepted = accepted_texts(build_lark(load_source(text, **settings_)), "a+-(", 4)
    artifact = compile_text(text, **settings_)
    for written in accepted:
        matcher = artifact.matcher()
        for byte in written.encode():
            assert byte in legal_ids(matcher, artifact.vocab_size)
            assert matcher.accept_token(byte)
        assert matcher.is_accepting


SIGNS = """start: e
e: "-" e | "--" e | e "--" | e "-" e | "a" | "?" /-+/
"""


@pytest.fixture(params=[0, 1])
def few_cuts(request, monkeypatch):
    """Tokens that can be cut at all, or in two ways, have no rows."""
    monkeypatch.setattr("maskc.compiler.glr.walk.MAX_CUTS", request.param)


@pytest.mark.usefixtures("few_cuts")
@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete"])
def test_a_mask_is_exact_where_tokens_are_cut_in_too_many_ways(lexer):
    tokens = (*(b"-" * n for n in range(1, 9)), b"--a", b"a", b"?", b"a-?", b"?--")
    assert check(SIGNS, "-a?", 6, tokens, lexer) > 20


@pytest.mark.usefixtures("few_cuts")
@examples(40)
@given(st.integers(200_000, 300_000), st.sampled_from(LEXERS))
def test_a_mask_is_exact_without_rows_for_what_is_cut_twice(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_general_grammar(draw)
    check(text, alphabet, 5, draw_tokens(draw, alphabet), lexer)
