"""Masks of unions, each composed once."""

import numpy as np

from maskc.runtime.cache.budget import Budget
from maskc.runtime.cache.composing import MaskComposer
from maskc.runtime.cache.pool import MaskPool


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
    return graph, pool, MaskComposer(graph, pool, Budget(cache_bytes))


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
