"""What texts need at least, with an LALR grammar."""

import pytest

from maskc.runtime.ending.grammar.letters import TokenLetters
from maskc.runtime.ending.grammar.productions import Productions
from maskc.runtime.ending.tokens.paths import TokenPaths
from tests.compiled import compile_text, matcher_at

CALLS = 'start: NAME | start "(" [start ("," start)*] ")"\nNAME: /[a-z]+/\n'


def bounds_of(text, tokens):
    artifact = compile_text(text, tokens)
    return artifact, artifact.endings._bounds


def least_tokens(text, tokens, prefix=""):
    artifact, bounds = bounds_of(text, tokens)
    return bounds.tokens(matcher_at(artifact, prefix)._hypotheses)


def test_productions_are_read_back_from_the_table():
    machine = compile_text(CALLS).machine
    found = Productions(machine.tables, machine.scanner.arrays)
    assert None not in found.symbols
    assert [len(symbols) for symbols in found.symbols] == machine.tables.production_length
    made = {-1 - lhs for lhs in found.lhs}
    assert {symbol for symbols in found.symbols for symbol in symbols if symbol < 0} <= made


def test_a_token_ends_between_terminals_that_no_token_joins():
    letters = (b"f", b"x", b"(", b")")
    assert least_tokens(CALLS, letters, "f(f(x") == 3
    assert least_tokens(CALLS, (*letters, b"))"), "f(f(x") == 2


def test_a_lexeme_takes_as_many_tokens_as_write_it():
    tokens = (b"i", b"inter", b"sect", b"nter")
    assert least_tokens('start: "intersect"', tokens, "i") == 3
    assert least_tokens('start: "intersect"', (*tokens, b"ntersect"), "i") == 2


def test_one_token_does_not_suffice_without_all_bytes_that_must_come():
    # A quote and a bracket join in a token, and no token has both after a letter is missing.
    text = 'start: "(" STRING ")" "!"\nSTRING: /"[a-z]*"/'
    tokens = (b"(", b'"', b"a", b")", b'")', b")!", b"!")
    assert least_tokens(text, tokens, '("a') == 3
    assert least_tokens(text, (*tokens, b'")!'), '("a') == 2


def test_the_fewest_bytes_close_what_is_open():
    artifact, bounds = bounds_of(CALLS, (b"f", b"(", b")", b","))
    assert bounds.bytes(matcher_at(artifact, "f(f(f")._hypotheses) == 2
    assert bounds.bytes(matcher_at(artifact, "f(f,")._hypotheses) == 2


def test_a_stack_of_any_depth_has_a_bound():
    artifact, bounds = bounds_of(CALLS, (b"f(", b"f", b")"))
    assert bounds.bytes(matcher_at(artifact, "f(" * 5_000)._hypotheses) == 5_000


@pytest.mark.parametrize(("letters", "fits"), [(b"ab", True), (b"abc", False), (b"", True)])
def test_letters_of_one_token(letters, fits):
    tokens = [b"ab", b"bc", b"c"]
    groups = [b"a", b"b", b"c"]
    found = TokenLetters(TokenPaths(tokens.__getitem__, 3, groups, frozenset()))
    assert found.fits_one(sum(1 << b"abc".index(letter) for letter in letters)) == fits
