"""Law: with n tokens left no token is legal after which n - 1 do not finish the text.

The reference shares nothing with what is tested: it takes every legal token with forks of plain
matchers, and counts. Vocabularies are small and do not have all bytes, so that the least number of
tokens is not the least number of bytes, and some legal tokens lead nowhere.
"""

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
    """Draw a text under each of some budgets, the first completion's first; return how many ended.

    All end, if a completion is known at all.
    """
    try:
        least = len(subject.matcher().shortest_completion().tokens)
    except TokensLeftError:
        return 0
    for budget in range(least, least + n_budgets):
        matcher = subject.matcher()
        for left in range(budget, 0, -1):
            legal = legal_ids(matcher, subject.vocab_size)
            found = within(matcher, subject, left)
            assert found <= legal
            assert (found == legal) == matcher.is_exact
            assert matcher.accept_token(draw.choice(sorted(found)))
            if matcher.is_terminated:
                break
        assert matcher.is_terminated
    return n_budgets


def check_masks(subject, matcher, numbers, known):
    """Check the masks of a matcher with some numbers of tokens left; return how many there are."""
    plain, n_masks = legal_ids(matcher, subject.vocab_size), 0
    try:
        completion = matcher.shortest_completion().tokens
    except TokensLeftError:
        completion = None
    for tokens_left in numbers:
        found = within(matcher, subject, tokens_left)
        assert found <= expected(matcher, subject, tokens_left, known), tokens_left
        if completion is None or len(completion) > tokens_left:
            assert not found
            continue
        assert completion[0] in found
        assert matcher.is_exact == (found == plain)
        n_masks += 1
    return n_masks


def check_text(subject, draw, n_tokens, most=MOST, matcher=None):
    """Check the masks of small budgets along a drawn text; return how many there were."""
    matcher, known, n_masks = matcher or subject.matcher(), {}, 0
    for _ in range(n_tokens):
        numbers = draw.sample(range(1, most + 1), most)
        n_masks += check_masks(subject, matcher, numbers, known)
        going_on = sorted(legal_ids(matcher, subject.vocab_size) - subject.ends)
        if not going_on:
            break
        token = draw.choice(going_on)
        assert matcher.accept_token(token)
        # What was taken back, and the way of a twin, leave no trace.
        twin = matcher.fork()
        twin.rollback(1)
        assert twin.accept_token(token)
        assert twin.configuration() == matcher.configuration()
        matcher = twin
    return n_masks


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


KINDS = ["lalr", "general", "indented", "hole", "schema", "link"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_allows_only_what_can_be_finished(kind):
    n_masks = 0
    for seed in range(3):
        draw = Random(f"{kind} {seed}")
        n_masks += check_text(make_subject(kind, draw), draw, 4)
    assert n_masks > 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_generation_under_a_budget_is_whole(kind):
    n_ended = 0
    for seed in range(6):
        draw = Random(f"{kind} {seed}")
        n_ended += count_whole(make_subject(kind, draw), draw, 6)
    assert n_ended > 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_completion_finishes_the_text(kind):
    n_found = 0
    for seed in range(4):
        draw = Random(f"{kind} {seed}")
        matcher = make_subject(kind, draw).matcher()
        for _ in range(3):
            other = matcher.fork()
            try:
                tokens = matcher.shortest_completion().tokens
            except TokensLeftError:
                pass
            else:
                assert other.accept_tokens(tokens) == len(tokens)
                assert other.is_terminated
                n_found += 1
            legal = sorted(matcher.legal_tokens().tolist())[:-1]
            if not legal or not matcher.accept_token(draw.choice(legal)) or matcher.is_terminated:
                break
    assert n_found > 0


@given(st.integers(0, 10_000))
@examples(60)
def test_budgets_of_awkward_grammars_allow_only_what_can_be_finished(seed):
    draw = Random(seed)
    drawn = draw_readable_grammar(draw)
    if drawn is None:
        return
    text, alphabet = drawn
    try:
        artifact = compile_text(text, draw_texts(draw, alphabet))
    except MaskcError:
        return
    check_text(artifact, draw, 4, 4)
    count_whole(artifact, draw, 3)


@given(st.integers(0, 10_000))
@examples(30)
def test_budgets_of_indented_grammars_allow_only_what_can_be_finished(seed):
    draw = Random(seed)
    text, alphabet = draw_layout_grammar(draw)
    try:
        tokens = draw_texts(draw, alphabet)
        artifact = compile_text(text, tokens, postlex="tests.indenters:TwoColumns")
    except MaskcError:
        return
    check_text(artifact, draw, 4, 4)
    count_whole(artifact, draw, 3)
