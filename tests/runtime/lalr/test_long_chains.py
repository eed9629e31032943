"""A text that repeats itself costs at its end what it costs at its beginning."""

import pytest

import maskc
from maskc import native
from maskc.compiler.pipeline import compile_contents
from maskc.frontends.source import load_source
from maskc.runtime.cache import Cache
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import EVERY_BYTE, legal_ids

# What is read from its right end, with two kinds of items, and brackets.
GRAMMAR = """
start: (value ";")*
?value: power | power "?" value ":" value
?power: atom | atom "^" power
atom: "a" | "(" value ")" | "[" [value ("," value)*] "]"
"""
CHAINS = ["a?", "a^", "a?a:", "a^a?", "(a?", "[a,a^", "a?a:a^"]
# What a token with two brackets does depends on what is open below the chain.
BEGINNING = b"[(["
TOKENS = (*EVERY_BYTE, b"])", b"])]", b"))", b"a])", b":a])", b"^a?a", b"a;a;")


@pytest.fixture(scope="module")
def contents():
    vocabulary = Vocabulary(tokens=(*TOKENS, None), eos_ids=(len(TOKENS),), name="test")
    return compile_contents(load_source(GRAMMAR), vocabulary)[0]


def mask(matcher):
    return legal_ids(matcher, len(TOKENS) + 1)


@pytest.mark.parametrize("unit", CHAINS)
def test_masks_are_those_of_a_machine_that_remembers_nothing(contents, unit):
    kept, forgetful = maskc.Artifact(contents), maskc.Artifact(contents, cache_bytes=0)
    text = BEGINNING + (unit * 120)[:160].encode()
    matcher = kept.matcher()
    for number, byte in enumerate(text, 1):
        assert matcher.accept_bytes(bytes([byte]))
        found = mask(matcher)
        if number > len(text) - 5:
            other = forgetful.matcher()
            assert other.accept_bytes(text[:number])
            assert found == mask(other)
            assert found == mask(matcher.fork())


def test_what_comes_after_a_long_chain_is_read_to_its_bottom(contents):
    artifact = maskc.Artifact(contents)
    for depth in (70, 100, 101):
        matcher = artifact.matcher()
        assert matcher.accept_bytes(BEGINNING)
        for _ in range(depth):
            assert matcher.accept_bytes(b"a^")
            mask(matcher)
        assert matcher.accept_bytes(b"a")
        assert mask(matcher) >= {TOKENS.index(b"])"), TOKENS.index(b"])]"), TOKENS.index(b"^a?a")}
        assert not mask(matcher) & {TOKENS.index(b"))"), TOKENS.index(b":a])")}
        assert matcher.accept_bytes(b"])]")
        assert TOKENS.index(b"a;a;") not in mask(matcher)


@pytest.mark.skipif(native.is_compiled(), reason="watches a method")
@pytest.mark.parametrize("cache_bytes", [1 << 28, 300_000])
@pytest.mark.parametrize("unit", ["a^", "a?a:", "a^a?a:", "a?a:a^a^"])
def test_a_step_takes_as_many_reductions_late_as_early(contents, unit, cache_bytes):
    class CountingCache(Cache):
        n_looks = 0

        def get(self, key):
            self.n_looks += 1
            return super().get(key)

    artifact = maskc.Artifact(contents, cache_bytes=cache_bytes)
    machine = artifact.machine
    # Each segment of an effect is looked for here.
    machine.effects._segments = counting = CountingCache(machine.budget)
    matcher, looks = artifact.matcher(), []
    assert matcher.accept_bytes(BEGINNING)
    for _ in range(500):
        counting.n_looks = 0
        for byte in unit.encode():
            assert matcher.accept_bytes(bytes([byte]))
            mask(matcher)
        looks.append(counting.n_looks)
    assert max(looks[:200]) > 0
    assert max(looks[300:]) <= max(looks[50:150]) + 10
