"""Numbered masks: one number a mask, for good; masks of unions, each composed once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.runtime.artifact import Artifact
from maskc.runtime.cache import Budget
from maskc.runtime.pool import NO_NUMBER, MaskComposer, MaskPool
from tests.compiled import compile_text, legal_ids

NESTED = 'start: "(" start ")" | "[" start ("," start)* "]" | "a"\n'
TOKENS = (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b")]")
# An even number of a's, or as many as one likes: two readings of every text.
TWO_READINGS = "// maskc: parser=earley\nstart: /(aa)+/ | A+\nA: /a/\n"

CONTENTS = compile_text(NESTED, TOKENS).contents


@pytest.fixture
def artifact():
    return Artifact(CONTENTS)


def filled(matcher, artifact):
    mask = maskc.allocate_bitmask(1, artifact.vocab_size)
    matcher.fill_bitmask(mask, 0)
    return mask[0]


def walk(artifact, choices):
    """Yield a matcher at each step of a walk that some numbers draw."""
    matcher = artifact.matcher()
    for choice in choices:
        yield matcher
        legal = np.unpackbits(filled(matcher, artifact).view(np.uint8), bitorder="little")
        ids = np.flatnonzero(legal).tolist()
        if not ids or not matcher.accept_token(ids[choice % len(ids)]):
            return


@given(st.lists(st.integers(0, 99), max_size=30))
def test_a_masks_row_in_the_table_is_the_mask(choices):
    artifact = Artifact(CONTENTS)
    for matcher in walk(artifact, choices):
        number = matcher.mask_id()
        assert np.array_equal(artifact.mask_table()[number], filled(matcher, artifact))


@given(st.lists(st.lists(st.integers(0, 99), max_size=20), max_size=5))
def test_equal_masks_have_one_number_and_different_ones_two(walks):
    artifact = Artifact(CONTENTS)
    seen = [(m.mask_id(), filled(m, artifact).tobytes()) for w in walks for m in walk(artifact, w)]
    assert len(set(seen)) == len({n for n, _ in seen}) == len({mask for _, mask in seen})


def test_masks_are_numbered_in_the_order_of_composition(artifact):
    matcher = artifact.matcher()
    assert matcher.mask_id() == 1
    matcher.accept_bytes(b"[")
    assert matcher.mask_id() == 2
    matcher.reset()
    assert matcher.mask_id() == 1
    assert artifact.mask_table().shape == (3, 1)


def test_number_0_is_the_end_of_a_sequence(artifact):
    matcher = artifact.matcher()
    matcher.accept_bytes(b"a")
    matcher.accept_token(artifact.eos_ids[0])
    assert matcher.mask_id() == 0
    assert artifact.mask_table()[0].tolist() == [1 << len(TOKENS)]


def test_the_table_gives_the_rows_from_a_number_on(artifact):
    matcher = artifact.matcher()
    matcher.mask_id()
    before = artifact.mask_table()
    matcher.accept_bytes(b"[")
    matcher.mask_id()
    assert len(artifact.mask_table(len(before))) == 1
    assert np.array_equal(artifact.mask_table()[: len(before)], before)


def test_a_mask_that_finds_no_room_has_no_number_and_is_filled():
    small = Artifact(CONTENTS, cache_bytes=16)  # two rows of one word
    matcher = small.matcher()
    assert matcher.mask_id() == 1
    assert matcher.accept_bytes(b"[")
    assert matcher.mask_id() == NO_NUMBER
    assert legal_ids(matcher, small.vocab_size) == {0, 2, 5, 6, 8, 9}
    assert matcher.accept_bytes(b"a]")
    assert matcher.mask_id() == 0


@given(st.lists(st.integers(0, 99), max_size=40), st.integers(1, 40))
def test_a_number_is_never_given_to_another_mask(choices, cache_bytes):
    small, large = Artifact(CONTENTS, cache_bytes=cache_bytes), Artifact(CONTENTS)
    by_number = {}
    for ours, theirs in zip(walk(small, choices), walk(large, choices), strict=True):
        mask = filled(theirs, large).tobytes()
        assert filled(ours, small).tobytes() == mask
        number = ours.mask_id()
        if number != NO_NUMBER:
            assert by_number.setdefault(number, mask) == mask
            assert small.mask_table()[number].tobytes() == mask


def test_a_sequence_with_two_readings_has_the_mask_of_both():
    artifact = compile_text(TWO_READINGS, (b"a", b"aa", b"b"))
    matcher = artifact.matcher()
    for _ in range(5):
        number = matcher.mask_id()
        assert np.array_equal(artifact.mask_table()[number], filled(matcher, artifact))
        assert matcher.accept_token(0)


@given(
    st.lists(st.lists(st.integers(0, 99), max_size=9), min_size=1, max_size=6),
    st.integers(0, 4000),
    st.randoms(use_true_random=False),
)
def test_a_batch_equals_its_rows_one_by_one(walks, cache_bytes, draw):
    artifact = Artifact(CONTENTS, cache_bytes=cache_bytes)
    matchers = [list(walk(artifact, [*choices, 0]))[-1] for choices in walks]
    rows = list(range(len(matchers)))
    if draw.random() < 0.5:
        draw.shuffle(rows)
    together = maskc.allocate_bitmask(len(rows), artifact.vocab_size)
    maskc.fill_bitmasks(matchers, together, rows)
    for matcher, row in zip(matchers, rows, strict=True):
        assert np.array_equal(together[row], filled(matcher, artifact))


def test_a_batch_of_two_artifacts_has_the_masks_of_each(artifact):
    other = compile_text('start: "((" | "]]"\n', TOKENS)
    matchers = [artifact.matcher(), other.matcher()]
    mask = maskc.allocate_bitmask(2, artifact.vocab_size)
    maskc.fill_bitmasks(matchers, mask, [0, 1])
    assert np.array_equal(mask[0], filled(matchers[0], artifact))
    assert np.array_equal(mask[1], filled(matchers[1], other))


def test_threads_that_add_masks_agree_on_their_numbers():
    pool = MaskPool(64, (1,), 1 << 20)
    masks = [np.array([n, 0], dtype=np.int32) for n in range(50)] * 20
    with ThreadPoolExecutor(8) as threads:
        shared = list(threads.map(pool.share, masks))
    assert len({mask.number for mask in shared}) == 50
    assert all(np.array_equal(pool.table()[m.number], m.words) for m in shared)


def test_masks_whose_sums_are_equal_are_still_told_apart():
    # Tokens 63, 127 and 191: each is the last bit of a pair of words.
    pool = MaskPool(192, (0,), 1 << 20)
    words = np.zeros((8, 6), dtype=np.int32)
    for number, row in enumerate(words):
        for pair in range(3):
            row[2 * pair + 1] = np.int32(-(2**31)) * (number >> pair & 1)
    made = [pool.share(row.copy()) for row in words]
    assert len({mask.number for mask in made}) == 8
    pool.forget()
    assert [pool.share(row.copy()) for row in words] == made


def test_a_mask_of_an_odd_number_of_words_is_found_by_its_last_word():
    pool = MaskPool(96, (0,), 1 << 20)
    words = np.zeros((3, 3), dtype=np.int32)
    words[1:, 2] = 1, 2
    numbers = [pool.share(row.copy()).number for row in (*words, *words)]
    assert len(set(numbers)) == 3
    assert numbers[:3] == numbers[3:]


@given(
    words=st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=3, max_size=3),
    more=st.lists(st.integers(0, 95)),
    less=st.lists(st.integers(0, 95)),
)
def test_a_mask_that_is_changed_is_the_one_of_all_its_tokens(words, more, less):
    pool = MaskPool(90, (), 1 << 16)
    less = [token for token in less if token not in more]
    before = np.array(words, dtype=np.int32)
    bits = np.unpackbits(before.view(np.uint8), bitorder="little")
    bits[more], bits[less] = 1, 0
    after = np.packbits(bits, bitorder="little").view(np.int32)

    changed = pool.change(before, pool.sum(before), more, less)

    assert np.array_equal(changed.words, after)
    assert pool.share(after) is changed
    assert before.tolist() == words


def test_a_mask_of_few_tokens_is_the_one_of_these():
    pool = MaskPool(90, (), 1 << 16)
    changed = pool.change(None, 0, (1, 40), ())
    assert changed.words.tolist() == [1 << 1, 1 << 8, 0]
    assert pool.share(changed.words.copy()) is changed


def test_a_mask_that_was_there_leaves_the_next_row_free():
    pool = MaskPool(90, (), 1 << 16)
    first = pool.change(None, 0, (1,), ())
    assert pool.change(None, 0, (1,), ()) is first
    assert pool.change(None, 0, (2,), ()).number == first.number + 1


class Graph:
    """Union n is the token n."""

    def __init__(self):
        self.n_united = 0

    def unite(self, unions, n_words):
        self.n_united += 1
        mask = np.zeros(n_words, dtype=np.int32)
        for union in unions:
            mask[0] |= 1 << union
        return mask


def make(cache_bytes=1 << 20):
    graph, pool = Graph(), MaskPool(40, (39,), cache_bytes)
    return graph, pool, MaskComposer(graph.unite, pool, Budget(cache_bytes))


def test_a_mask_holds_its_unions_and_the_end_if_the_text_may_end():
    _, _, composer = make()
    assert composer.compose({1, 3}, can_finish=False).words.tolist() == [0b1010, 0]
    assert composer.compose({1, 3}, can_finish=True).words.tolist() == [0b1010, 1 << 7]


def test_a_combination_is_composed_once():
    graph, _, composer = make()
    assert composer.compose([3, 1], can_finish=False) is composer.compose({1, 3}, can_finish=False)
    assert graph.n_united == 1


def test_everything_is_evicted_when_masks_without_a_number_take_their_share():
    graph, pool, composer = make(cache_bytes=64)
    composer.compose({1}, can_finish=False)
    for union in range(20):
        composer.evict_if_full()
        assert not pool.is_full
        composer.compose({union}, can_finish=True)
    n_united = graph.n_united
    composer.compose({1}, can_finish=False)
    assert graph.n_united == n_united + 1
