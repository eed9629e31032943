"""Budgets of tokens, as a matcher's callers see them."""

from random import Random

import numpy as np
import pytest

import maskc
from maskc import allocate_bitmask
from maskc.errors import TokensLeftError
from maskc.kit.file import make_kit
from maskc.runtime.budget import completions
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, legal_ids, matcher_at

LISTS = 'start: item ("," item)*\nitem: "(" start ")" | "[" start "]" | "a"\n'
LIST = {"type": "array", "items": {"$ref": "#"}}
TOKENS = (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b"])")


@pytest.fixture(scope="module")
def artifact():
    return compile_text(LISTS, TOKENS)


def within(matcher, artifact, tokens_left):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=tokens_left)
    bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
    return {artifact.token_bytes(int(i)) for i in np.flatnonzero(bits)}


def test_only_what_can_be_finished_is_legal(artifact):
    matcher = matcher_at(artifact, "([[a")
    assert within(matcher, artifact, 3) == {b"]", b"]]"}
    assert not matcher.is_exact
    assert within(matcher, artifact, 4) == {b"]", b"]]", b",", b",a"}
    assert matcher.is_exact


def test_a_large_budget_allows_all_that_is_legal(artifact):
    matcher = matcher_at(artifact, "([[a")
    plain = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(plain, 0)
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=1_000_000)
    assert np.array_equal(bitmask, plain)
    assert matcher.is_exact


def test_with_one_token_left_only_an_end_is_legal(artifact):
    matcher = matcher_at(artifact, "a")
    assert within(matcher, artifact, 1) == {None}
    assert not matcher.is_exact


def test_too_small_a_budget_is_told_and_nothing_is_written(artifact):
    matcher = matcher_at(artifact, "([[a")
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    with pytest.raises(TokensLeftError, match=r"2 tokens are left, and .* takes 3") as caught:
        matcher.fill_bitmask(bitmask, 0, tokens_left=2)
    assert (caught.value.needed, caught.value.left) == (3, 2)
    assert (bitmask == -1).all()
    assert within(matcher, artifact, 3) == {b"]", b"]]"}


def test_where_no_end_is_known_that_is_told():
    artifact = compile_text('start: "ab" | "cd"', (b"a", b"c", b"d"))
    matcher = matcher_at(artifact, "a")
    with pytest.raises(TokensLeftError, match="100 tokens are left, and none are known") as caught:
        within(matcher, artifact, 100)
    assert (caught.value.needed, caught.value.left) == (None, 100)
    with pytest.raises(TokensLeftError) as caught:
        matcher.shortest_completion()
    assert (caught.value.needed, caught.value.left) == (None, None)


def test_a_negative_budget_is_refused(artifact):
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    with pytest.raises(ValueError, match="give 0 or more"):
        artifact.matcher().fill_bitmask(bitmask, 0, tokens_left=-1)
    with pytest.raises(TypeError, match="tokens_left"):
        artifact.matcher().fill_bitmask(bitmask, 0, tokens_left=1.5)


def test_after_the_end_only_the_end_is_legal(artifact):
    matcher = matcher_at(artifact, "a")
    assert matcher.accept_token(len(TOKENS))
    assert within(matcher, artifact, 0) == {None}
    assert matcher.shortest_completion().tokens == []


def test_a_completion_is_written_in_as_few_tokens_as_write_it(artifact):
    found = matcher_at(artifact, "([[a").shortest_completion().tokens
    assert b"".join(TOKENS[token] for token in found[:-1]) == b"]])"
    assert len(found) == 3


def test_a_token_that_no_tokens_finish_is_never_legal():
    artifact = compile_text('start: "ab" | "cd"', (b"a", b"c", b"d"))
    assert within(artifact.matcher(), artifact, 100) == {b"c"}


def test_a_text_ends_by_a_special_token_of_a_tag():
    tokens = (b"a", b"b", None, None)
    kit = make_kit(Vocabulary(tokens, (3,), "small", special_ids={"<stop>": 2, "<end>": 3}))
    end = {"type": "token", "token": "<stop>"}
    form = {"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": end}
    reply = kit.structural_tag({"type": "structural_tag", "format": form})
    matcher = reply.matcher()
    assert matcher.shortest_completion().tokens == [0, 2, 3]
    assert matcher.accept_token(0)
    bitmask = allocate_bitmask(1, reply.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=2)
    assert bitmask.tolist() == [[0b0100]]


def test_of_the_readings_of_an_ambiguous_text_the_one_with_least_left_is_finished():
    rules = 'start: "a" start "a" | "b" start "b" |\n'
    artifact = compile_text(rules, (b"a", b"b"), parser="earley", lexer="dynamic_complete")
    found = matcher_at(artifact, "ab" * 40 + "ba" * 39).shortest_completion().tokens
    assert found == [1, 0, 2]


def test_captures_keep_budgets():
    captures = maskc.capture(compile_text(LISTS, TOKENS), "item")
    matcher = captures.matcher()
    assert matcher.accept_bytes(b"([[a")
    assert within(matcher, captures.artifact, 3) == {b"]", b"]]"}


def test_a_fork_goes_on_with_the_budget(artifact):
    matcher = matcher_at(artifact, "([[a")
    within(matcher, artifact, 3)
    twin = matcher.fork()
    assert twin.accept_tokens([TOKENS.index(b"]]")]) == 1
    assert within(twin, artifact, 2) == {b")"}


def test_words_of_a_hole_are_finished_in_time():
    artifact = compile_text('start: NAME "!"\nNAME: /[a-z]+/', (b"a", b"b", b"ab", b"!"))
    bound = artifact.bind(NAME=["a", "abbb"])
    assert bound.matcher().shortest_completion().tokens == [0, 3, 4]
    matcher = bound.matcher()
    assert within(matcher, artifact, 4) == {b"a"}
    assert within(matcher, artifact, 5) == {b"a", b"ab"}


def test_what_takes_too_long_to_find_out_is_left_out(monkeypatch):
    artifact = compile_text(LISTS, TOKENS)
    monkeypatch.setattr(artifact.endings, "_mask_steps", 0)
    matcher = matcher_at(artifact, "([[a")
    assert within(matcher, artifact, 1_000) == {b"]"}
    assert not matcher.is_exact


def test_of_tokens_that_take_too_long_the_short_ones_are_kept(monkeypatch):
    long = b"],(a,a),(a)"
    artifact = compile_text(LISTS, (*TOKENS, long))
    monkeypatch.setattr(artifact.endings, "_mask_steps", 60)
    matcher = matcher_at(artifact, "([[a")
    assert within(matcher, artifact, 1_000) == {b"]", b",", b"]]", b",a"}
    assert not matcher.is_exact
    # What was found out is not lost.
    assert within(matcher, artifact, 999) == {b"]", b",", b"]]", b",a", long}
    assert matcher.is_exact


def test_a_string_of_the_greatest_length_is_finished_in_time():
    tokens = (*(bytes([byte]) for byte in range(256)), b'aa"', b"aa", None)
    constraint = make_kit(Vocabulary(tokens, (258,), "bytes")).json_schema(
        {"type": "array", "items": {"type": "string", "maxLength": 4}}
    )
    matcher = constraint.matcher()
    assert matcher.accept_text('["')
    bitmask = allocate_bitmask(1, constraint.vocab_size)
    for n_left, expected in [(4, [b'aa"', b"aa"]), (3, [b'aa"']), (3, [b'aa"']), (3, []), (3, [])]:
        matcher.fill_bitmask(bitmask, 0, tokens_left=n_left)
        bits = np.unpackbits(bitmask[0].view(np.uint8), bitorder="little")
        assert bits[ord('"')]
        assert [tokens[256 + at] for at in np.flatnonzero(bits[256:])] == expected
        matcher.accept_text("a")
    # Where it was far from its greatest length and near it, the same was asked.
    assert len(constraint.endings._needs) == 1


@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_no_generation_breaks_off_however_little_is_kept(parser, monkeypatch):
    artifact = compile_text(LISTS, TOKENS, parser=parser)
    endings, draw = artifact.endings, Random(0)
    monkeypatch.setattr(endings, "_evict_old", lambda asking: asking.forget())
    for budget in [*range(2, 9), 20, 30]:
        matcher = artifact.matcher()
        for left in range(budget, 0, -1):
            legal = sorted(within(matcher, artifact, left) - {None}) or [None]
            text = draw.choice(legal)
            assert matcher.accept_token(TOKENS.index(text) if text else len(TOKENS))
            if text is None:
                break
        assert matcher.is_terminated


@pytest.mark.costly
@pytest.mark.parametrize("kind", ["lalr", "earley", "schema"])
def test_a_step_of_a_deep_text_takes_no_more_than_one_of_a_shallow_text(kind):
    if kind == "schema":
        made = make_kit(Vocabulary((*TOKENS, None), (len(TOKENS),), "x")).json_schema(LIST)
    else:
        made = compile_text(LISTS, TOKENS, parser=kind)
    matcher, bitmask = made.matcher(), allocate_bitmask(1, made.vocab_size)
    n_cells = []
    for n in range(400):
        matcher.fill_bitmask(bitmask, 0, tokens_left=100_000 - n)
        n_cells.append(made.endings._writing.n_cells)
        assert legal_ids(matcher, made.vocab_size) == set(
            np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little")).tolist()
        )
        assert matcher.accept_text("[")
    assert n_cells[399] - n_cells[299] <= n_cells[199] - n_cells[99]
    assert len(matcher.shortest_completion().tokens) == 400 // 2 + 1 + (kind != "schema")


def test_a_text_of_which_nothing_is_known_is_searched_for(monkeypatch):
    monkeypatch.setattr(completions, "_MOST_PROPOSED", -1)
    artifact = compile_text('start: ("ab" | "cde")+ ";"', (b"a", b"b", b"c", b"d", b"e", b";"))
    found = matcher_at(artifact, "c").shortest_completion().tokens
    assert bytes(b"abcde;"[token] for token in found[:-1]) == b"de;"
