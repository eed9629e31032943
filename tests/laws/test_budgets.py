"""Law: with n tokens left, exactly those tokens are legal after which n - 1 finish the text.

The reference shares nothing with what is tested: it takes every legal token with forks of plain
matchers, and counts. Vocabularies are small and do not have all bytes, so that the least number of
tokens is not the least number of bytes, and some legal tokens lead nowhere.
"""

import logging
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc import allocate_bitmask
from maskc.errors import MaskcError, TokensLeftError
from maskc.kit.file import make_kit
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, draw_readable_grammar, legal_ids
from tests.examples import examples
from tests.random_grammars import draw_layout_grammar
from tests.random_grammars import draw_tokens as draw_texts

LISTS = 'start: item ("," item)*\nitem: "(" start ")" | "[" start "]" | "a"\n'
PAIRS = 'start: start start | "a" | "b" start "c"\n'
BLOCKS = """
start: line+
line: "a" _NL | "b" ":" _NL _INDENT line+ _DEDENT
%declare _INDENT _DEDENT
_NL: /(\\n[ \\t]*)+/
"""
NAMES = 'start: NAME | "(" start ")" | start "." NAME\nNAME: /[ab]+/\n'
SCHEMA = {
    "type": "object",
    "properties": {"a": {"enum": ["a", "ab"]}, "b": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["a"],
    "additionalProperties": False,
}
MOST = 5  # tokens that are followed by the reference


def draw_tokens(draw, alphabet, pieces):
    found = {bytes([byte]) for byte in alphabet if draw.random() < 0.8}
    found |= {piece for piece in pieces if draw.random() < 0.6}
    while len(found) < 10:
        found.add(bytes(draw.choices(alphabet, k=draw.randint(2, 4))))
    return tuple(sorted(found))


def make_subject(kind, draw):
    """Return an artifact or a constraint over a drawn vocabulary."""
    if kind == "lalr":
        tokens = draw_tokens(draw, b"()[],a", [b"])", b"(a", b",a", b"a)", b"))", b"[[", b"]],a"])
        return compile_text(LISTS, tokens)
    if kind == "general":
        tokens = draw_tokens(draw, b"abc", [b"bb", b"cc", b"bac", b"cb", b"ccc"])
        return compile_text(PAIRS, tokens, parser="earley", lexer="dynamic_complete")
    if kind == "indented":
        tokens = draw_tokens(draw, b"ab:\n ", [b"a\n", b"b:\n", b"\n ", b" a\n", b"\n  a"])
        return compile_text(BLOCKS, tokens, postlex="tests.indenters:TwoColumns")
    if kind == "hole":
        tokens = draw_tokens(draw, b"ab().", [b"(a", b"ab", b"b)", b".b", b"))"])
        return compile_text(NAMES, tokens).bind(NAME=["a", "ab", "bba"])
    if kind == "schema":
        pieces = [b'{"', b'a"', b'":', b'"}', b"]}", b'"a":"a"', b"}]", b'":[', b'"b"', b"{}"]
        tokens = draw_tokens(draw, b'{}[]:,"ab', pieces)
        kit = make_kit(Vocabulary((*tokens, None), (len(tokens),), "small"))
        return kit.json_schema(SCHEMA)
    tokens = draw_tokens(draw, b"ab()", [b"(a", b"ab", b"b)", b")(", b"))"])
    kit = make_kit(Vocabulary((*tokens, None), (len(tokens),), "small"))
    part = kit.sequence(kit.choice(["(", "((a"]), kit.regex("[ab]{1,3}"), kit.choice([")", "b)"]))
    return kit.sequence(kit.repeat(part, 0, 2), kit.choice(["a", "))"]))


def fewest(matcher, subject, most, known):
    """Return the fewest tokens that finish a matcher's text, ``most + 1`` if these do not."""
    if matcher.is_accepting:
        return 1
    if most <= 1:
        return most + 1
    key = (matcher.configuration(), most)
    if key not in known:
        best = most + 1
        for token in legal_ids(matcher, subject.vocab_size):
            after = matcher.fork()
            assert after.accept_token(token)
            best = min(best, 1 + fewest(after, subject, best - 2, known))
        known[key] = best
    return known[key]


def count_whole(subject, draw, n_budgets):
    """Draw a text under each of some budgets, the shortest text's first; return how many ended.

    All end, if a way to end is known at all.
    """
    try:
        least = len(subject.matcher().shortest_completion().tokens)
    except TokensLeftError:
        return 0
    for budget in range(least, least + n_budgets):
        matcher = subject.matcher()
        for left in range(budget, 0, -1):
            assert matcher.accept_token(draw.choice(sorted(within(matcher, subject, left))))
            if matcher.is_terminated:
                break
        assert matcher.is_terminated
    return n_budgets


def within(matcher, subject, tokens_left):
    """Return the tokens that leave enough."""
    bitmask = allocate_bitmask(1, subject.vocab_size)
    try:
        matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    except TokensLeftError:
        return set()
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def expected(matcher, subject, tokens_left, known):
    """Return the same, by following all tokens."""
    found = set()
    for token in legal_ids(matcher, subject.vocab_size):
        after = matcher.fork()
        assert after.accept_token(token)
        left = tokens_left - 1
        if token in subject.ends or left and fewest(after, subject, left, known) <= left:
            found.add(token)
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["lalr", "general", "indented", "hole", "schema", "link"])
def test_a_budget_allows_exactly_what_can_be_finished(kind, seed):
    draw = Random(f"{kind} {seed}")
    subject, known = make_subject(kind, draw), {}
    matcher = subject.matcher()
    n_exact = n_masks = 0
    for _ in range(4):
        numbers = list(range(1, MOST + 1))
        draw.shuffle(numbers)
        for tokens_left in numbers:
            found = within(matcher, subject, tokens_left)
            legal = expected(matcher, subject, tokens_left, known)
            assert found == legal if matcher.is_exact else found < legal, tokens_left
            n_masks, n_exact = n_masks + 1, n_exact + matcher.is_exact
        going_on = sorted(legal_ids(matcher, subject.vocab_size) - subject.ends)
        if not going_on:
            break
        assert matcher.accept_token(draw.choice(going_on))
    assert n_exact == n_masks


@pytest.mark.parametrize("kind", ["lalr", "general", "indented", "hole", "schema", "link"])
def test_every_generation_under_a_budget_is_whole(kind):
    n_ended = 0
    for seed in range(6):
        draw = Random(f"{kind} {seed}")
        subject = make_subject(kind, draw)
        n_ended += count_whole(subject, draw, 6)
    assert n_ended > 10


@pytest.mark.parametrize("kind", ["lalr", "general", "indented", "hole", "schema", "link"])
def test_the_shortest_completion_is_one_and_there_is_no_shorter_one(kind):
    n_found = 0
    for seed in range(4):
        draw = Random(f"{kind} {seed}")
        subject, known = make_subject(kind, draw), {}
        matcher = subject.matcher()
        for _ in range(3):
            count = fewest(matcher, subject, MOST, known)
            if count <= MOST:
                tokens, is_shortest = matcher.shortest_completion()
                assert len(tokens) == count if is_shortest else len(tokens) >= count
                other = matcher.fork()
                assert other.accept_tokens(tokens) == len(tokens)
                assert other.is_terminated
                n_found += is_shortest
            legal = sorted(legal_ids(matcher, subject.vocab_size) - subject.ends)
            if not legal:
                break
            assert matcher.accept_token(draw.choice(legal))
    assert n_found > 0


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def check_budgets(artifact, draw, most):
    """Check the masks of small budgets along a drawn text."""
    matcher, known = artifact.matcher(), {}
    for _ in range(4):
        for tokens_left in draw.sample(range(1, most + 1), most):
            found = within(matcher, artifact, tokens_left)
            legal = expected(matcher, artifact, tokens_left, known)
            assert found == legal if matcher.is_exact else found < legal, tokens_left
        going_on = sorted(legal_ids(matcher, artifact.vocab_size) - artifact.ends)
        if not going_on:
            return
        token = draw.choice(going_on)
        assert matcher.accept_token(token)
        # What was taken back, and the way of a twin, leave no trace.
        twin = matcher.fork()
        twin.rollback(1)
        assert twin.accept_token(token)
        assert twin.configuration() == matcher.configuration()
        matcher = twin


@given(st.integers(0, 10_000))
@examples(60)
def test_budgets_of_awkward_grammars_allow_exactly_what_can_be_finished(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    try:
        artifact = compile_text(text, draw_texts(draw, alphabet))
    except MaskcError:
        return
    check_budgets(artifact, draw, 4)


@given(st.integers(0, 10_000))
@examples(30)
def test_budgets_of_indented_grammars_allow_exactly_what_can_be_finished(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    try:
        tokens = draw_texts(draw, alphabet)
        artifact = compile_text(text, tokens, postlex="tests.indenters:TwoColumns")
    except MaskcError:
        return
    check_budgets(artifact, draw, 4)
