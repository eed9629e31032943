import numpy as np
import pytest

import maskc

INF = float("inf")


def masks(*rows):
    return np.array(rows, dtype=np.int32)


def test_what_is_illegal_becomes_minus_infinity_in_place():
    logits = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], dtype=np.float32)
    maskc.apply_bitmask(logits, masks([0b0101], [0b1000]))
    assert logits.tolist() == [[1, -INF, 3, -INF], [-INF, -INF, -INF, 8]]


def test_one_row_needs_no_batch():
    logits = np.array([1.0, 2.0])
    maskc.apply_bitmask(logits, masks([2])[0])
    assert logits.tolist() == [-INF, 2]


def test_logits_beyond_the_mask_are_illegal_and_bits_beyond_the_logits_nothing():
    wide, narrow = np.zeros((1, 34)), np.zeros((1, 2))
    maskc.apply_bitmask(wide, masks([-1]))
    maskc.apply_bitmask(narrow, masks([-2, -1]))
    assert wide.tolist() == [[0] * 32 + [-INF, -INF]]
    assert narrow.tolist() == [[-INF, 0]]


def test_rows_that_lie_apart_are_written_to():
    logits = np.zeros((2, 4))[:, ::2]
    maskc.apply_bitmask(logits, masks([1], [2]))
    assert logits.tolist() == [[0, -INF], [-INF, 0]]


def test_the_mask_of_a_matcher_leaves_what_is_legal():
    artifact = maskc.compile_grammar('start: "a" | "b"\n', tokenizer="bytes")
    bitmask, logits = maskc.allocate_bitmask(1, 257), np.zeros((1, 257))
    artifact.matcher().fill_bitmask(bitmask, 0)
    maskc.apply_bitmask(logits, bitmask)
    assert np.flatnonzero(logits[0] == 0).tolist() == [ord("a"), ord("b")]


@pytest.mark.parametrize(
    ("logits", "bitmask", "error", "said"),
    [
        (np.zeros((1, 4), dtype=int), masks([1]), TypeError, "not int64"),
        ([0.0], masks([1]), TypeError, "not list"),
        (np.zeros((1, 4)), np.array([[1]]), TypeError, "not int64"),
        (np.zeros((1, 4)), [[1]], TypeError, "not list"),
        (np.zeros((2, 4)), masks([1]), ValueError, r"int32\[1, 1\] do not match logits \[2, 4\]"),
        (np.zeros((1, 1, 4)), masks([1]), ValueError, "do not match"),
        (np.broadcast_to(0.0, (1, 4)), masks([1]), ValueError, "read-only"),
    ],
)
def test_what_is_no_logits_or_no_mask_is_refused(logits, bitmask, error, said):
    with pytest.raises(error, match=said):
        maskc.apply_bitmask(logits, bitmask)


def test_logits_of_torch_are_masked_in_place_too():
    torch = pytest.importorskip("torch")
    logits = torch.zeros(1, 3)
    maskc.apply_bitmask(logits, masks([5]))
    assert logits.tolist() == [[0, -INF, 0]]
