"""What matchers remember: it is right, what is in use stays, and it takes no more than its room."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskc import Artifact, allocate_bitmask
from maskc.runtime.memory import Stack, StackMemory
from maskc.runtime.room import ENTRY_BYTES, Memory, Room
from tests.compiled import compile_text
from tests.general_grammars import general_grammar

LARGE = 1 << 30
BOTTOM = 9
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


def make_stack(states):
    stack = Stack(BOTTOM, None)
    for state in states:
        stack = Stack(state, stack)
    return stack


def read(states):
    """Return a result of a stack, and how many states below the top it depends on."""
    states = [BOTTOM, *states]
    seed, n_read = states[-1], 0
    while states[-1 - n_read] != BOTTOM and Random(seed).random() < 0.7:
        n_read += 1
        seed = hash((seed, states[-1 - n_read]))
    return f"result {seed}", n_read


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


@given(
    limit=st.sampled_from([0, 5_000, LARGE]),
    stacks=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=60),
)
def test_a_result_is_found_for_each_stack_that_agrees_on_what_was_read(limit, stacks):
    memory = StackMemory(Room(limit))
    for states in stacks:
        stack, (result, n_read) = make_stack(states), read(states)
        found = memory.find(states[-1], stack)
        assert found in (None, result)
        if found is None:
            memory.keep(states[-1], stack, stack.depth - n_read, result)
            assert limit == 0 or memory.find(states[-1], stack) == result
    if limit == LARGE:
        for states in stacks:
            assert memory.find(states[-1], make_stack(states)) == read(states)[0]


def test_what_is_in_use_stays_and_what_is_not_goes():
    room = Room(3 * 10 * ENTRY_BYTES)
    memory = Memory(room)
    memory.put("used", 1)
    memory.put("once", 2)
    for number in range(100):
        assert memory.get("used") == 1
        memory.put(number, number)
    assert memory.get("once") is None
    assert memory.get(99) == 99


def test_deep_results_in_use_stay():
    memory = StackMemory(Room(3 * 5_000))
    deep = make_stack([*range(20)])
    memory.keep("key", deep, 0, "deep")
    for number in range(100):
        assert memory.find("key", deep) == "deep"
        memory.keep(number, deep, 10, "other")
    assert memory.find(0, deep) is None


def test_one_memory_that_grows_makes_room_in_all():
    room = Room(3 * 10 * ENTRY_BYTES)
    idle, busy = Memory(room), Memory(room)
    idle.put("key", 1)
    for number in range(30):
        busy.put(number, number)
    assert idle.get("key") is None


def test_a_large_result_that_comes_back_takes_its_room_again():
    room = Room(3 * 1_000)
    large, other = Memory(room, lambda _: 900), Memory(room)
    large.put("first", 1)
    large.put("second", 2)  # ends the first generation
    other.put("key", 3)
    assert large.get("first") == 1  # ends the second
    other.put("more", 4)
    large.put("third", 5)  # and this the third
    assert other.get("key") is None


def test_all_is_forgotten_at_once_when_that_is_asked_for():
    room = Room(LARGE)
    memory = Memory(room)
    memory.put("key", 1)
    room.forget()
    assert memory.get("key") is None


@pytest.mark.parametrize("cache_bytes", [0, 3_000, 30_000, 300_000])
def test_a_small_room_changes_no_mask(artifact, cache_bytes):
    small = Artifact(artifact.contents, cache_bytes=cache_bytes)
    for seed in range(3):
        assert walk(small, seed, 300) == walk(artifact, seed, 300)


def test_threads_in_a_small_room_do_not_disturb_each_other(artifact):
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
        walk(artifact, seed, 200)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return grown


def test_new_texts_without_end_take_no_more_than_their_room(artifact):
    cache_bytes = 400_000
    assert grow(Artifact(artifact.contents)) > cache_bytes
    assert grow(Artifact(artifact.contents, cache_bytes=cache_bytes)) < cache_bytes
