"""Masks by number, on the CPU and, where there is one, on a GPU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskc
from maskc.integrations.mask_tables import apply_bitmask
from maskc.runtime.artifact import Artifact
from tests.compiled import compile_text

torch = pytest.importorskip("torch")

from maskc.integrations.mask_tables import MaskTable, apply_mask_ids  # noqa: E402 - after the skip

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
CONTENTS = compile_text(
    'start: "(" start ")" | "[" start ("," start)* "]" | "a"\n',
    (b"(", b")", b"[", b"]", b",", b"a", b"((", b"))", b"[a", b"a]", b",a", b"]]", b")]"),
).contents
WIDTH = 40  # of the logits, beyond the vocabulary's


def matchers_after(artifact, texts):
    matchers = [artifact.matcher() for _ in texts]
    for matcher, text in zip(matchers, texts, strict=True):
        assert matcher.accept_bytes(text)
    return matchers


def masked(logits, matchers, rows=None):
    """Return the logits with the bitmasks applied."""
    bitmask = maskc.allocate_bitmask(len(matchers), len(CONTENTS.arrays["token_first"]) - 1)
    for row, matcher in enumerate(matchers):
        matcher.fill_bitmask(bitmask, row)
    wanted = logits.clone()
    apply_bitmask(wanted, bitmask, rows=rows)
    return wanted


TEXTS = st.lists(st.sampled_from([b"", b"(", b"[", b"[a", b"[a,", b"([(a", b"a"]), min_size=1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@given(texts=TEXTS, cache_bytes=st.sampled_from([0, 32, 1 << 20]))
def test_masks_by_number_equal_bitmasks_in_every_bit(device, dtype, texts, cache_bytes):
    artifact = Artifact(CONTENTS, cache_bytes=cache_bytes)
    table = MaskTable(artifact, device=device)
    logits = torch.randn(len(texts), WIDTH, device=device).to(getattr(torch, dtype))
    matchers = matchers_after(artifact, texts)
    wanted = masked(logits, matchers)
    table.apply(logits, matchers)
    assert torch.equal(logits, wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_named_rows_are_masked_and_no_others(device):
    artifact = Artifact(CONTENTS)
    logits = torch.randn(3, WIDTH, device=device)
    matchers = matchers_after(artifact, [b"[", b"a"])
    wanted = masked(logits, matchers, rows=[2, 0])
    MaskTable(artifact, device=device).apply(logits, matchers, rows=[2, 0])
    assert torch.equal(logits, wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_ids_may_lie_on_the_device(device):
    artifact = Artifact(CONTENTS)
    matchers = matchers_after(artifact, [b"[", b""])
    logits = torch.randn(2, WIDTH, device=device)
    wanted = masked(logits, matchers)
    ids = torch.tensor([matcher.mask_id() for matcher in matchers], device=device)
    apply_mask_ids(logits, ids, MaskTable(artifact, device=device).sync())
    assert torch.equal(logits, wanted)


def test_a_table_gets_the_rows_that_it_lacks():
    artifact = Artifact(CONTENTS)
    table = MaskTable(artifact, device="cpu")
    first = table.sync().clone()
    matchers_after(artifact, [b"["])[0].mask_id()
    assert np.array_equal(table.sync().numpy(), artifact.mask_table())
    assert len(first) == 1
    assert len(table.sync()) == 2


def test_a_table_grows_beyond_its_first_room():
    artifact = Artifact(CONTENTS)
    table = MaskTable(artifact, device="cpu")
    for number in range(300):
        artifact.machine.pool.share(np.array([number << 16], dtype=np.int32))
        if number % 7 == 0:
            assert np.array_equal(table.sync().numpy(), artifact.mask_table())
    assert len(table.sync()) == 301


def test_a_number_that_is_not_in_the_table_is_refused():
    table = MaskTable(Artifact(CONTENTS), device="cpu").sync()
    for number in (-1, 1):
        with pytest.raises(ValueError, match=f"mask {number} is not among the 1 of the table"):
            apply_mask_ids(torch.zeros(1, WIDTH), [number], table)


def test_one_matcher_for_each_row_is_asked_for():
    artifact = Artifact(CONTENTS)
    table = MaskTable(artifact, device="cpu")
    with pytest.raises(ValueError, match="1 matchers for 2 rows of logits"):
        table.apply(torch.zeros(2, WIDTH), [artifact.matcher()])
