"""Caches: results in use stay, others are evicted, and all together keep to their budget."""

import gc
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

from maskc import Artifact, allocate_bitmask
from maskc.runtime.cache import ENTRY_BYTES, Budget, Cache
from tests.compiled import compile_text
from tests.general_grammars import general_grammar

LARGE = 1 << 30
NESTED = """
start: item+
item: NAME "(" [item ("," item)*] ")" | "[" item* "]" | NAME "=" (NAME | "{" item "}") ";"
NAME: /[a-f]{1,3}/
"""


@pytest.fixture(scope="module", params=["lalr", "earley"])
def artifact(request):
    if request.param == "lalr":
        return compile_text(NESTED)
    return compile_text(general_grammar("palindromes"), (b"a", b"b", b"ab", b"ba"))


def walk(artifact, seed, n_tokens):
    """Return the masks along a random text."""
    draw, matcher, masks = Random(seed), artifact.matcher(), []
    bitmask = allocate_bitmask(1, artifact.vocab_size)
    for _ in range(n_tokens):
        matcher.fill_bitmask(bitmask, 0)
        masks.append(bitmask.tobytes())
        ids = np.flatnonzero(np.unpackbits(bitmask.view(np.uint8), bitorder="little"))
        if not matcher.accept_token(int(draw.choice(ids.tolist()))) or matcher.is_terminated:
            matcher = artifact.matcher()
    return masks


def test_what_is_in_use_stays_and_what_is_not_goes():
    budget = Budget(3 * 10 * ENTRY_BYTES)
    cache = Cache(budget)
    cache.put("used", 1)
    cache.put("once", 2)
    for number in range(100):
        assert cache.get("used") == 1
        cache.put(number, number)
    assert cache.get("once") is None
    assert cache.get(99) == 99


class Result:
    """A result that can be referred to weakly."""


def test_the_results_of_a_cache_that_is_gone_are_freed():
    budget, result = Budget(LARGE), Result()
    cache = Cache(budget)
    cache.put("key", result)
    known = weakref.ref(result)
    del cache, result
    gc.collect()
    assert known() is None


def test_one_cache_that_grows_makes_budget_in_all():
    budget = Budget(3 * 10 * ENTRY_BYTES)
    idle, busy = Cache(budget), Cache(budget)
    idle.put("key", 1)
    for number in range(30):
        busy.put(number, number)
    assert idle.get("key") is None


def test_a_large_result_that_comes_back_takes_its_budget_again():
    budget = Budget(3 * 1_000)
    large, other = Cache(budget, n_bytes=900), Cache(budget)
    large.put("first", 1)
    large.put("second", 2)  # ends the first generation
    other.put("key", 3)
    assert large.get("first") == 1  # ends the second
    other.put("more", 4)
    large.put("third", 5)  # and this the third
    assert other.get("key") is None


def test_a_result_is_measured_by_what_it_is_whenever_it_becomes_current():
    budget = Budget(LARGE)
    cache = Cache(budget, lambda key, result: len(key) + len(result))
    grown = [0] * 100
    cache.put("grows", grown)
    assert budget.n_bytes == 5 + 100
    grown += [0] * 900
    budget.charge(budget._share)  # ends the generation
    current = budget._charged
    assert cache.get("grows") is grown
    assert budget._charged - current == 5 + 1_000


def test_all_is_forgotten_at_once_when_that_is_asked_for():
    budget = Budget(LARGE)
    cache = Cache(budget)
    cache.put("key", 1)
    budget.clear()
    assert cache.get("key") is None


@pytest.mark.parametrize("cache_bytes", [0, 3_000, 30_000, 300_000])
def test_a_small_budget_changes_no_mask(artifact, cache_bytes):
    small = Artifact(artifact.contents, cache_bytes=cache_bytes)
    for seed in range(3):
        assert walk(small, seed, 300) == walk(artifact, seed, 300)


def test_threads_in_a_small_budget_do_not_disturb_each_other(artifact):
    expected = [walk(artifact, seed, 200) for seed in range(8)]
    small = Artifact(artifact.contents, cache_bytes=20_000)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda seed: walk(small, seed, 200), range(8)))
    assert found == expected


def grow(artifact):
    """Return how many bytes an artifact grows by on texts that are new all the time."""
    walk(artifact, 0, 100)  # what is read of the artifact itself
    gc.collect()
    tracemalloc.start()
    for seed in range(1, 26):
        walk(artifact, seed, 60)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return grown


@pytest.mark.costly
def test_new_texts_without_end_take_no_more_than_their_budget(artifact):
    cache_bytes = 150_000
    assert grow(Artifact(artifact.contents)) > cache_bytes
    assert grow(Artifact(artifact.contents, cache_bytes=cache_bytes)) < cache_bytes
