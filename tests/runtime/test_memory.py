"""Memory for masks that the next artifact takes over."""

import gc
import threading

import numpy as np
import pytest

from maskc.runtime import pool as memory
from maskc.runtime.pool import MaskPool, reserve_rows


@pytest.fixture(autouse=True, scope="module")
def what_others_left_is_let_go_of():
    gc.collect()


@pytest.fixture(autouse=True)
def nothing_is_kept():
    memory._kept.clear()
    yield
    memory._kept.clear()


def address_of(rows):
    return rows.__array_interface__["data"][0]


def write(n_rows, n_words, n_written):
    """Return where rows lie that were lent, written to, and let go of."""
    rows, lent = reserve_rows(n_rows, n_words)
    lent.n_written = n_written
    return address_of(rows)


def test_memory_that_was_written_to_is_lent_again():
    before = write(100, 7, 50)
    rows, lent = reserve_rows(100, 7)
    assert address_of(rows) == before
    assert rows.shape == (100, 7)
    assert lent.n_written == 50


def test_memory_of_another_size_is_not_lent_again():
    before = write(100, 7, 50)
    rows, _ = reserve_rows(99, 7)
    assert address_of(rows) != before


def test_much_memory_is_given_back_to_the_system():
    write(2_000_000, 1, 1_100_000)
    assert not memory._kept


def test_memory_of_which_a_row_is_still_there_is_not_lent_again():
    rows, lent = reserve_rows(100, 7)
    lent.n_written = 7
    row = rows[1:2].reshape(-1)[2:]
    before = address_of(rows)
    del rows
    other, _ = reserve_rows(100, 7)
    assert address_of(other) != before
    del row
    again, _ = reserve_rows(100, 7)
    assert address_of(again) == before


def test_no_more_than_a_few_arrays_are_kept():
    lent = [reserve_rows(10, 10) for _ in range(9)]
    for _, one in lent:
        one.n_written = 1
    del lent, one
    assert len(memory._kept) == 4


def test_a_table_of_masks_stays_as_it_was_when_its_artifact_is_gone():
    pool = MaskPool(320, (3,), 1 << 20)
    pool.share(np.full(10, 77, dtype=np.int32))
    table = pool.table()
    before = table.copy()
    del pool
    other = MaskPool(320, (5,), 1 << 20)
    other.share(np.full(10, 99, dtype=np.int32))
    assert np.array_equal(table, before)


def test_a_pool_takes_over_the_memory_of_one_that_is_gone():
    pool = MaskPool(320, (3,), 1 << 20)
    before = address_of(pool.rows)
    pool.share(np.full(10, 77, dtype=np.int32))
    del pool
    other = MaskPool(320, (5,), 1 << 20)
    assert address_of(other.rows) == before
    assert other.table().tolist() == [[1 << 5, *[0] * 9]]


def test_rows_without_any_are_lent():
    assert reserve_rows(0, 7)[0].shape == (0, 7)
    assert reserve_rows(7, 0)[0].shape == (7, 0)


def test_threads_are_never_lent_the_same_memory():
    wrong = []

    def work(number):
        for _ in range(300):
            rows, lent = reserve_rows(50, 10)
            rows[:] = number
            lent.n_written = 500
            if not (rows == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
