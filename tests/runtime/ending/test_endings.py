"""Budgets of tokens, as a matcher's callers see them."""

from random import Random

import numpy as np
import pytest

import maskc
from maskc import allocate_bitmask
from maskc.errors import TokensLeftError
from maskc.kit.file import make_kit
from maskc.runtime.ending import endings
from maskc.runtime.ending.places import settling
from maskc.vocab.vocabulary import Vocabulary
from tests.compiled import compile_text, matcher_at

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
    assert within(matcher, artifact, 4) == {b"]", b"]]", b",", b",a"}
    assert matcher.is_exact


def test_a_large_budget_allows_all_that_is_legal(artifact):
    matcher = matcher_at(artifact, "([[a")
    plain = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(plain, 0)
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=1_000_000)
    assert np.array_equal(bitmask, plain)


def test_with_one_token_left_only_an_end_is_legal(artifact):
    assert within(matcher_at(artifact, "a"), artifact, 1) == {None}


def test_too_small_a_budget_is_told_and_nothing_is_written(artifact):
    matcher = matcher_at(artifact, "([[a")
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    with pytest.raises(TokensLeftError, match="it takes 3") as caught:
        matcher.fill_bitmask(bitmask, 0, tokens_left=2)
    assert (caught.value.needed, caught.value.left) == (3, 2)
    assert (bitmask == -1).all()


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
    assert matcher.shortest_completion() == ([], True)


def test_a_longer_text_of_fewer_tokens_is_found():
    artifact = compile_text('start: "xy" | "longer"', (b"x", b"y", b"longer"))
    assert artifact.matcher().shortest_completion() == ([2, 3], True)
    assert within(artifact.matcher(), artifact, 2) == {b"longer"}


def test_a_token_that_no_tokens_finish_is_never_legal():
    artifact = compile_text('start: "ab" | "cd"', (b"a", b"c", b"d"))
    assert within(artifact.matcher(), artifact, 100) == {b"c"}


def test_a_text_ends_by_a_special_token_of_a_tag():
    tokens = (b"a", b"b", None, None)
    kit = make_kit(Vocabulary(tokens, (3,), "small", special_ids={"<stop>": 2, "<end>": 3}))
    tag = {
        "type": "structural_tag",
        "format": {"type": "tag", "begin": "a", "content": {"type": "any_text"}, "end": "<stop>"},
    }
    tag["format"]["end"] = {"type": "token", "token": "<stop>"}
    reply = kit.structural_tag(tag)
    matcher = reply.matcher()
    assert matcher.shortest_completion() == ([0, 2, 3], True)
    assert matcher.accept_token(0)
    bitmask = allocate_bitmask(1, reply.vocab_size)
    matcher.fill_bitmask(bitmask, 0, tokens_left=2)
    assert bitmask.tolist() == [[0b0100]]


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
    assert bound.matcher().shortest_completion() == ([0, 3, 4], True)
    matcher = bound.matcher()
    assert within(matcher, artifact, 4) == {b"a"}
    assert within(matcher, artifact, 5) == {b"a", b"ab"}


def test_what_takes_too_long_to_find_out_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr(settling, "MOST_NODES", -1)
    # The short way out, of "xy", has two tokens; that "longer" is one would have to be looked for.
    tokens = (b"a", b"b", b"x", b"y", b"longer")
    artifact = compile_text('start: "a" ("xy" | "longer") | "b" "b"', tokens)
    matcher = artifact.matcher()
    assert within(matcher, artifact, 3) == {b"b"}
    assert not matcher.is_exact
    assert within(matcher, artifact, 4) == {b"a", b"b"}
    assert matcher.is_exact
    matcher.accept_token(0)
    assert within(matcher, artifact, 2) == {b"longer"}
    assert matcher.is_exact


def test_after_an_error_a_matcher_is_exact_iff_there_is_no_way(monkeypatch):
    monkeypatch.setattr(settling, "MOST_NODES", -1)
    # That "longer" is one token would have to be looked for.
    artifact = compile_text('start: "c" "a" ("xy" | "longer")', (b"a", b"c", b"x", b"y", b"longer"))
    matcher = matcher_at(artifact, "c")
    with pytest.raises(TokensLeftError, match=r"3 .* are not known to finish .* takes 4") as caught:
        within(matcher, artifact, 3)
    assert (matcher.is_exact, caught.value.is_proven, caught.value.at_least) == (False, False, 3)
    with pytest.raises(TokensLeftError, match=r"2 .* do not finish .* takes 4") as caught:
        within(matcher, artifact, 2)
    assert (matcher.is_exact, caught.value.is_proven, caught.value.at_least) == (True, True, 3)


@pytest.mark.parametrize("limit", ["_MOST_MASKS", "PLACE_BYTES", "REACH_BYTES"])
def test_no_generation_breaks_off_however_little_is_kept(monkeypatch, limit):
    monkeypatch.setattr(settling, "MOST_NODES", -1)
    if limit == "_MOST_MASKS":
        monkeypatch.setattr(endings, limit, 0)
    else:
        monkeypatch.setattr(settling, limit, 1 << 60)
    artifact = compile_text(LISTS, TOKENS)
    draw = Random(0)
    for budget in [*range(2, 9), 20, 30]:
        matcher = artifact.matcher()
        for left in range(budget, 0, -1):
            legal = sorted(within(matcher, artifact, left) - {None}) or [None]
            text = draw.choice(legal)
            assert matcher.accept_token(TOKENS.index(text) if text else len(TOKENS))
            if text is None:
                break
        assert matcher.is_terminated


def test_a_place_found_before_all_began_anew_is_still_the_same(monkeypatch):
    other = compile_text(LISTS, TOKENS)
    old = [other.endings.place(matcher_at(other, t)._hypotheses, None) for t in ("a", "([[a", "([")]
    expected = [other.endings.mask(place, 4) for place in old]
    with monkeypatch.context() as limits:
        limits.setattr(settling, "PLACE_BYTES", 1 << 60)
        other.endings.place(matcher_at(other, "[[[").fork()._hypotheses, None)
    for place, mask in zip(reversed(old), reversed(expected), strict=True):
        again = other.endings.mask(place, 4)
        assert (again is None) == (mask is None)
        assert mask is None or np.array_equal(again.words, mask.words)


def test_of_two_ways_out_the_shorter_is_kept_when_all_began_anew(monkeypatch):
    """A token was legal as so few more suffice: the longer way out would break the promise."""
    other = compile_text(LISTS, TOKENS)
    here = matcher_at(other, "([[a")._hypotheses
    old = other.endings.place(here, None)
    other.endings.mask(old, 100)
    with monkeypatch.context() as limits:
        limits.setattr(settling, "PLACE_BYTES", 1 << 60)
        other.endings.place(matcher_at(other, "[[[")._hypotheses, None)
    new = other.endings._places.find(here)
    assert new is not old
    assert old.n_out == 3
    new.has_exit, new.exit, new.exit_to, new.n_out = True, b",", new, 50
    kept = other.endings._places.keep(old)
    assert kept is new
    assert (kept.exit, kept.n_out) == (b"]", 3)


@pytest.mark.parametrize(
    ("make", "n_inside"),
    [
        (lambda: compile_text(LISTS, TOKENS), 1),
        (lambda: compile_text(LISTS, TOKENS, parser="earley"), 1),
        (lambda: make_kit(Vocabulary((*TOKENS, None), (len(TOKENS),), "x")).json_schema(LIST), 0),
    ],
    ids=["LALR", "general", "schema"],
)
def test_a_step_of_a_deep_text_takes_no_more_than_one_of_a_shallow_text(
    make, n_inside, monkeypatch
):
    """With plenty left ways out are found, and none is written in as few tokens as write it."""
    artifact = make()
    matcher = artifact.matcher()
    endings, written = matcher._artifact.endings, []
    fewest = endings._paths.fewest
    monkeypatch.setattr(endings._paths, "fewest", lambda t: written.append(t) or fewest(t))
    plain, bitmask = (allocate_bitmask(1, artifact.vocab_size) for _ in range(2))
    n_places = []
    for n in range(600):
        matcher.fill_bitmask(plain, 0)
        matcher.fill_bitmask(bitmask, 0, tokens_left=100_000 - n)
        assert np.array_equal(bitmask, plain)
        n_places.append(len(endings._places))
        assert matcher.accept_text("[")
    assert not written
    assert n_places[599] - n_places[499] == n_places[199] - n_places[99]
    assert len(str(endings._places.all[-1].key)) < 100
    assert len(matcher.shortest_completion().tokens) == n_inside + 600 // 2 + 1
