"""Masks that are put together of rows and of few tokens."""

from __future__ import annotations

import numpy as np
import pytest

from maskc.native import is_compiled
from maskc.runtime.cache import Budget
from maskc.runtime.pool import MaskPool
from maskc.runtime.schema.tries import TokenIndex, Words
from maskc.runtime.schema.tries.summary import Mixes

N_TOKENS = 70


@pytest.fixture
def index() -> TokenIndex:
    first = np.arange(N_TOKENS + 1, dtype=np.int32)
    return TokenIndex(first, np.arange(33, 33 + N_TOKENS, dtype=np.uint8))


@pytest.fixture
def mixes(index: TokenIndex) -> Mixes:
    return Mixes(index, MaskPool(N_TOKENS, (69,), 1 << 20), Budget(1 << 20))


def tokens_of(words: Words) -> list[int]:
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).tolist()


def test_the_same_rows_are_put_together_once(mixes, index) -> None:
    row, other = index.pack([1, 2]), index.pack([5])
    first = mixes.mask((row, other), (3,))
    n_bytes = mixes.budget.n_bytes

    assert mixes.mask((other, row), (3,)) is first
    assert mixes.budget.n_bytes == n_bytes


def test_a_row_that_has_the_number_of_one_that_is_gone_is_another_one(mixes, index) -> None:
    """Python gives an address again; the row that was there is not the one that is."""
    numbers = set()
    for n in range(20 * N_TOKENS):
        token = n % N_TOKENS
        row = index.pack([token])
        numbers.add(id(row))
        assert tokens_of(mixes.mask((row,), ()).words) == [token]
        del row

    assert len(numbers) < 20 * N_TOKENS  # else nothing was shown


def test_no_row_is_kept_alive(mixes, index) -> None:
    row = index.pack([1])
    mask = mixes.mask((row,), ())
    row[:] = 0  # of the caller again: the mask is the pool's

    assert tokens_of(mask.words) == [1]


@pytest.mark.skipif(is_compiled(), reason="exchanges a function")
def test_rows_of_several_artifacts_are_put_together_once(index, monkeypatch) -> None:
    rows = (index.pack([1, 2]), index.pack([5]))
    asked: list[int] = []
    mix = TokenIndex.mix

    def count(*arguments: object) -> Words:
        asked.append(1)
        return mix(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TokenIndex, "mix", count)
    for few in ((3,), (4, 1)):
        mixes = Mixes(index, MaskPool(N_TOKENS, (69,), 1 << 20), Budget(1 << 20))
        assert tokens_of(mixes.mask(rows, few).words) == sorted({1, 2, 5, *few})
    assert len(asked) == 1
