"""Law 1 for general grammars: a mask is exactly what Lark's Earley parser leaves possible.

As ``test_masks_are_exact``: a prefix of a parsed text must be legal, and a legal prefix that no
short text continues must have a longer continuation, which Lark must parse. It is looked for by
the oracle of ``maskc verify``, which shares nothing with the compiler, then by the masks.
"""

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maskc.errors import GrammarError, UnsupportedTerminalError
from maskc.frontends.lark.build import build_lark
from maskc.frontends.source import load_source
from maskc.glr.tails import factor_tails
from maskc.verify.general import GeneralOracle, parses_generally
from maskc.verify.readings import Undecided
from tests.compiled import compile_text, legal_ids
from tests.examples import examples, seeds
from tests.general_grammars import draw_general_grammar, general_grammar
from tests.laws import test_masks_are_exact as exact
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
    monkeypatch.setattr("maskc.glr.pipeline.share_tails", factor_tails)
    draw = Random(seed)
    text, alphabet = draw_general_grammar(draw)
    for lexer in LEXERS:
        check(text, alphabet, 4, draw_tokens(draw, alphabet), lexer)


@examples(60)
@given(st.integers(0, 110), st.sampled_from(LEXERS))
def test_a_mask_is_exact_for_an_awkward_grammar(seed, lexer):
    draw = Random(seed)
    text, alphabet = draw_grammar(draw)
    check(text, alphabet, 5, draw_tokens(draw, alphabet), lexer)


NAMED = {
    "palindromes": "ab",
    "ambiguous_lists": "a",
    "expressions": "a1+- (",
    "hidden_left_recursion": "abc",
    "right_recursion": "[a,]",
    "reduce_reduce": "a,;!",
}


@pytest.mark.parametrize("lexer", ["dynamic", "basic"])
@pytest.mark.parametrize("name", NAMED)
def test_a_mask_is_exact_for_a_named_grammar(name, lexer):
    alphabet = NAMED[name]
    longest = {2: 7, 1: 9}.get(len(alphabet), 5)
    tokens = draw_tokens(Random(0), alphabet)
    assert check(general_grammar(name), alphabet, longest, tokens, lexer) > 0


# What each of these was found by, or stands for: (grammar, alphabet).
CASES = {
    "an ignored lexeme is as long as it can be": ('start: "a" B\nB: / b/\n%ignore / +/\n', "ab "),
    "a second kind of ignored lexeme may follow": (
        'start: "a" "b"\n%ignore / +/\n%ignore /c+/\n',
        "abc ",
    ),
    "a lexeme may end wherever a piece of it matches": ("start: A A A\nA: /a+/\n", "ab"),
    "the first alternative hides the second": ('start: A "c"\nA: /a|ab/\n', "abc"),
    "a lazy quantifier still takes more where it must": ("start: A+\nA: /a+?b/\n", "ab"),
    "a look-behind that stays inside": ('start: A+ "b"\nA: /a.*?(?<!b)a/\n', "ab"),
    "only blanks, where nothing is a text": ("start: |\n%ignore / +/\n", " a"),
    "blanks after the end": ('start: "a" start | "a"\n%ignore " "\n', "a "),
    "an ignored terminal that is used as well": (
        "start: A B A\nA: /a/\nB: / +/\n%ignore B\n",
        "a ",
    ),
    "an ignored lexeme that is forbidden long after it ended": (
        'start: "a" B C\nB: "b"\nC: /b+c?/\n%ignore / (b+c)?/\n',
        "abc ",
    ),
}


@pytest.mark.usefixtures("few_cuts")
@pytest.mark.parametrize("name", CASES)
def test_a_mask_is_exact_without_rows_where(name):
    text, alphabet = CASES[name]
    tokens = draw_tokens(Random(1), alphabet)
    assert check(text, alphabet, 5, tokens, "dynamic_complete") > 0


@pytest.mark.parametrize("name", CASES)
def test_a_mask_is_exact_where_every_match_counts_and(name):
    text, alphabet = CASES[name]
    tokens = draw_tokens(Random(1), alphabet)
    assert check(text, alphabet, 6, tokens, "dynamic_complete") > 0


# What tells `dynamic` from the other lexers: (grammar, alphabet).
ONE_MATCH = {
    "a keyword is glued to a name": ('start: "ab" T | T "ab"\nT: /[ab]+/\n%ignore " "\n', "ab "),
    "the longer match fails": ("start: A B?\nA: /a(ba)?/\nB: /b/\n", "ab"),
    "a name is not cut": ('start: A+ "b"\nA: /a+/\n%ignore " "\n', "ab "),
    "a look-ahead reaches beyond the next lexeme": (
        'start: A ("a" | "b")+\nA: /a(?=b*a)/\n',
        "ab",
    ),
    "conditions exclude each other": ("start: A B\nA: /a(?=b[ab])/\nB: /b(?!a)/ | /c/\n", "abc"),
    "a word boundary ends it": ('start: A ("b" | " b")\nA: /a\\b/\n', "ab "),
    "an anchor sees the whole text": ("start: A* B\nA: /a/\nB: /^a|b$/m\n", "ab"),
    "a greedy comment reads on": ('start: "a"+\n%ignore /b(a|b)*b/\n', "ab"),
    "something ignored looks ahead": ('start: "a" "b"\n%ignore / (?= |b)/\n', "ab "),
}


@pytest.mark.parametrize("name", ONE_MATCH)
def test_a_mask_is_exact_where_one_match_counts_and(name):
    text, alphabet = ONE_MATCH[name]
    tokens = draw_tokens(Random(1), alphabet)
    assert check(text, alphabet, 6, tokens, "dynamic") > 0


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
    monkeypatch.setattr("maskc.glr.walk.MAX_CUTS", request.param)


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
