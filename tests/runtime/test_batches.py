"""Many matchers of one artifact: batches, threads, forks, and small caches."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

import maskc
from maskc.runtime.artifact import Artifact
from maskc.runtime.undo import CHUNK
from tests.compiled import compile_text, legal_ids

NESTED = 'start: "(" start ")" | "[" start ("," start)* "]" | "a"\n'
TOKENS = (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b")]")


@pytest.fixture(scope="module")
def artifact():
    return compile_text(NESTED, TOKENS)


def walk(artifact, seed, n_tokens=60):
    """Return the masks of a random walk."""
    draw, matcher, masks = Random(seed), artifact.matcher(), []
    for _ in range(n_tokens):
        legal = legal_ids(matcher, artifact.vocab_size)
        masks.append(legal)
        choices = sorted(legal - set(artifact.eos_ids))
        if not choices:
            break
        assert matcher.accept_token(draw.choice(choices))
    return masks


def test_a_batch_is_filled_row_by_row(artifact):
    matchers = [artifact.matcher() for _ in range(4)]
    for matcher, text in zip(matchers, (b"", b"(", b"[a", b"a"), strict=True):
        matcher.accept_bytes(text)
    together = maskc.allocate_bitmask(6, artifact.vocab_size)
    maskc.fill_bitmasks(matchers, together, [5, 0, 3, 1])
    for matcher, row in zip(matchers, [5, 0, 3, 1], strict=True):
        alone = maskc.allocate_bitmask(1, artifact.vocab_size)
        matcher.fill_bitmask(alone, 0)
        assert (together[row] == alone[0]).all()
    assert (together[[2, 4]] == -1).all()


def test_a_batch_needs_a_row_for_each_matcher(artifact):
    with pytest.raises(ValueError, match="1 matchers need as many rows, and these are 2"):
        maskc.fill_bitmasks([artifact.matcher()], maskc.allocate_bitmask(2, 14), [0, 1])


def test_threads_do_not_disturb_each_other():
    expected = [walk(compile_text(NESTED, TOKENS), seed) for seed in range(16)]
    shared = compile_text(NESTED, TOKENS)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda seed: walk(shared, seed), range(16)))
    assert found == expected


def test_a_full_cache_changes_no_mask(artifact):
    small = Artifact(artifact.contents, cache_bytes=1)
    assert [walk(small, seed) for seed in range(5)] == [walk(artifact, seed) for seed in range(5)]


def test_forks_part_ways_and_go_back_alone(artifact):
    first = artifact.matcher()
    for _ in range(3 * CHUNK):
        assert first.accept_token(0)
    second = first.fork()
    assert second.accept_token(2)
    assert first.accept_token(5)
    second.rollback(CHUNK + 2)
    assert second.configuration() != first.configuration()
    for _ in range(CHUNK + 1):
        assert second.accept_token(0)
    first.rollback(1)
    assert second.configuration() == first.configuration()
    first.rollback(3 * CHUNK)
    assert first.configuration() == artifact.matcher().configuration()


def test_a_mask_is_a_function_of_the_configuration(artifact):
    one, other = artifact.matcher(), artifact.matcher()
    one.accept_bytes(b"[a,(a")
    for byte in b"[a,(a":
        other.accept_bytes(bytes([byte]))
    assert one.configuration() == other.configuration()
    masks = maskc.allocate_bitmask(2, artifact.vocab_size)
    maskc.fill_bitmasks([one, other], masks, [0, 1])
    assert np.array_equal(masks[0], masks[1])
