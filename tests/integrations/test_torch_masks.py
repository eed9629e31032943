"""Bitmasks on logits, on the CPU and, where there is one, on a GPU."""

import numpy as np
import pytest

from maskc.integrations.mask_tables import apply_bitmask, unpack_bitmask

torch = pytest.importorskip("torch")

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
pytestmark = pytest.mark.parametrize("device", DEVICES)


def masks(*rows):
    return np.array(rows, dtype=np.uint32).view(np.int32)


def kept(logits):
    return [set(row.isfinite().nonzero().flatten().tolist()) for row in logits]


def test_illegal_tokens_become_minus_infinity(device):
    logits = torch.zeros(2, 40, device=device)
    apply_bitmask(logits, masks([5, 0x80000000], [1 << 31, 1 << 7]))
    assert kept(logits) == [{0, 2}, {31, 39}]


def test_legal_logits_stay_as_they_were(device):
    logits = torch.randn(1, 64, device=device)
    before = logits.clone()
    apply_bitmask(logits, masks([0xFFFFFFFF, 0xFFFFFFFF]))
    assert torch.equal(logits, before)


def test_logits_beyond_the_mask_are_illegal(device):
    logits = torch.zeros(1, 70, device=device)
    apply_bitmask(logits, masks([3]))
    assert kept(logits) == [{0, 1}]


def test_named_rows_are_masked_and_no_others(device):
    logits = torch.zeros(3, 32, device=device)
    apply_bitmask(logits, masks([2], [4]), rows=[2, 0])
    assert kept(logits) == [{2}, set(range(32)), {1}]


def test_logits_without_a_batch_are_one_row(device):
    logits = torch.zeros(32, device=device, dtype=torch.bfloat16)
    apply_bitmask(logits, masks([8]))
    assert kept(logits.unsqueeze(0)) == [{3}]


def test_a_mask_on_the_device_does_as_well(device):
    logits = torch.zeros(1, 32, device=device)
    apply_bitmask(logits, torch.from_numpy(masks([8])).to(device))
    assert kept(logits) == [{3}]


def test_too_few_rows_of_masks_are_refused(device):
    with pytest.raises(ValueError, match="1 rows of masks for 2 rows of logits"):
        apply_bitmask(torch.zeros(2, 32, device=device), masks([8]))


def test_unpacking_equals_numpys(device):
    words = np.random.default_rng(0).integers(-(2**31), 2**31, (3, 50)).astype(np.int32)
    wanted = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :1590]
    assert np.array_equal(unpack_bitmask(words, 1590, device=device).cpu(), wanted)
